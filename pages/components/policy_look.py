"""One look a policy, the same in every chart: colour by family, symbol and dash by name."""

from __future__ import annotations

from dataclasses import dataclass

from pages.components import palette


@dataclass(frozen=True, slots=True)
class Look:
    """Line colour on light and dark pages, dash and symbol (Plotly's names)."""

    light: str
    dark: str
    dash: str = "solid"
    symbol: str = "circle"

    @property
    def colour(self) -> str:
        """The colour on the reader's background."""
        return self.dark if palette.dark() else self.light


_TAPE = ("#6A4C93", "#A98BD6")
_WINDOW = ("#7B8794", "#9AA5B1")
_BOUND = ("#222222", "#DDDDDD")
_OTHER = Look(*_WINDOW, "dot", "hexagon-open")
LOOKS = {
    "statetape": Look(*_TAPE, "solid", "circle"),
    "statetape-defaults": Look(*_TAPE, "dash", "diamond"),
    "file-level": Look(*_TAPE, "dot", "square"),
    "no-tape": Look(*_TAPE, "dashdot", "triangle-up"),
    "observation-masking": Look("#8C5A3C", "#C99A7B", "solid", "square"),
    "llm-summary": Look("#8C5A3C", "#C99A7B", "dash", "cross"),
    "corvus": Look("#6B7A1E", "#B5C45A", "solid", "triangle-up"),
    "text-only": Look("#A0418A", "#DA86C6", "dot", "star"),
    "agentdiet": Look("#A0418A", "#DA86C6", "dash", "hourglass"),
    "context-editing": Look("#A0418A", "#DA86C6", "solid", "pentagon"),
    "span-overlap": Look("#6B7A1E", "#B5C45A", "dot", "triangle-down"),
    "recency-5": Look(*_WINDOW, "solid", "circle-open"),
    "recency-10": Look(*_WINDOW, "dash", "circle-open"),
    "recency-20": Look(*_WINDOW, "dot", "circle-open"),
    "age-5": Look(*_WINDOW, "solid", "square-open"),
    "age-10": Look(*_WINDOW, "dash", "square-open"),
    "age-20": Look(*_WINDOW, "dot", "square-open"),
    "keep-all": Look(*_BOUND, "solid", "diamond-open"),
    "evict-all": Look(*_BOUND, "dash", "circle-x-open"),
    "oracle-evict": Look(*_BOUND, "dot", "star-open"),
    "oracle-retrieve": Look(*_BOUND, "dashdot", "star-square-open"),
}


def look(policy: str) -> Look:
    """The look of a policy; one that is not known here is a grey hexagon."""
    return LOOKS.get(policy, _OTHER)


def shade(colour: str) -> str:
    """A measure's colour: ``ink`` and ``policy`` follow the background."""
    return {"ink": palette.ink(), "policy": palette.policy()}.get(colour, colour)

"""Does the reconstructed context explain the tokens the API billed? (METHOD 1)

In: the API usage of each main-thread request and n(C_t) before it. Out: one ``Segment`` between
compactions with a line fitted through (held, billed): the slope is the API's tokens per cl100k token,
the intercept the system prompt and the tools. A segment the line does not fit held things the transcript
does not show (clients re-attach files after a compaction), and is marked incomplete.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from core.trajectory.steps import Compaction, Usage

# A request is explained when the line is off by at most this share of what was billed.
_CLOSE = 0.10
# API tokens per cl100k token outside these bounds mean that something else grows with the context.
_SLOPES = (0.9, 1.9)
_FEWEST = 5


@dataclass(frozen=True, slots=True)
class Segment:
    """Requests with ``first <= t <= last``; ``error`` is the median relative error of the fit.

    ``complete`` is None when there are too few requests to tell.
    """

    first: int
    last: int
    requests: int
    slope: float | None
    intercept: float | None
    error: float | None
    complete: bool | None


def reconcile(
    usages: Sequence[Usage], held: Mapping[int, int], compactions: Sequence[Compaction], last: int
) -> tuple[Segment, ...]:
    """The segments of a run in order; ``held[t]`` is n(C_t), 0 where absent.

    Cost: quadratic in the requests of a segment up to 400, beyond that in an even sample of them.
    """
    cuts = sorted({c.after for c in compactions if c.kind == "full"})
    bounds = list(zip([1, *(c + 1 for c in cuts)], [*cuts, last], strict=True))
    return tuple(_segment(first, end, usages, held) for first, end in bounds if first <= end)


def _segment(first: int, last: int, usages: Sequence[Usage], held: Mapping[int, int]) -> Segment:
    pairs = [
        (held.get(u.t - 1, 0), u.input + u.cache_read + u.cache_write_5m + u.cache_write_1h)
        for u in usages
        if not u.agent and first <= u.t <= last
    ]
    pairs = [pair for pair in pairs if pair[1] > 0]
    line = _fit(pairs)
    if line is None:
        return Segment(first, last, len(pairs), None, None, None, None)
    slope, intercept = line
    error = median(abs(slope * x + intercept - y) / y for x, y in pairs)
    complete = _SLOPES[0] <= slope <= _SLOPES[1] and intercept >= 0 and error <= _CLOSE
    return Segment(first, last, len(pairs), slope, intercept, error, complete)


def _fit(pairs: Sequence[tuple[int, int]]) -> tuple[float, float] | None:
    """Slope and intercept by the median of pairwise slopes (Theil-Sen), robust against single requests."""
    sample = pairs[:: max(1, len(pairs) // 400)]
    slopes = [
        (y2 - y1) / (x2 - x1) for i, (x1, y1) in enumerate(sample) for x2, y2 in sample[i + 1 :] if abs(x2 - x1) >= 50
    ]
    if len(sample) < _FEWEST or not slopes:
        return None
    slope = median(slopes)
    return slope, median(y - slope * x for x, y in sample)

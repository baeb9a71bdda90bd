"""The switches of the method: every departure from the paper can be turned off by name.

In: ``KEY=VALUE`` strings (``--set``, the settings panel). Out: one frozen ``Options``, stored beside
every result computed with it.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from core.errors import OptionError


def _switch(default: Any, says: str, choices: tuple[str, ...] = ()) -> Any:
    return field(default=default, metadata={"says": says, "choices": choices})


@dataclass(frozen=True, slots=True)
class Options:
    """One value per switch; the defaults are the product's, the ``says`` texts are shown to people."""

    module_symbol: bool = _switch(True, "text outside definitions is a symbol of its own, path::<module>")
    uses: bool = _switch(True, "a symbol's local view holds the module-level bindings it reads")
    edges: str = _switch(
        "outgoing", "which changed edges rewire a symbol (Eq. 6 literally: both)", ("outgoing", "both")
    )
    gain: bool = _switch(False, "a call that was unresolved or external and now resolves counts as rewired")
    checked: bool = _switch(True, "an action settles a record until later drift nominates it again")
    shown_lines: bool = _switch(True, "keep by default when no shown line changed and nothing was removed or rewired")
    undo: bool = _switch(True, "keep by default when every covered local view equals the one at birth")
    dedupe: bool = _switch(True, "a refresh another held record already shows becomes a tombstone with a pointer")
    fresh: str = _switch(
        "own", "what a refresh shows: the record's own view, or only drifted bodies", ("own", "drifted")
    )
    queries: bool = _switch(False, "searches without content are run again on w_t after each write")
    harness: bool = _switch(True, "the project's state is followed beside the evidence (StateHarness)")
    thinking: bool = _switch(False, "thinking counts as held")
    batch: int = _switch(0, "hold default rewrites until this many tokens would be saved; 0 acts at once")


def parse_options(pairs: Iterable[str], base: Options | None = None) -> Options:
    """``base`` (or the defaults) with each ``KEY=VALUE`` applied, later ones winning.

    Booleans take on/off, true/false, yes/no, 1/0. Raises OptionError naming the switch, the value and
    what it takes.
    """
    options = base or Options()
    known = {f.name: f for f in dataclasses.fields(Options)}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        key, value = key.strip(), value.strip()
        if not equals or key not in known:
            raise OptionError(f"--set {pair!r}: expected KEY=VALUE with KEY one of {', '.join(sorted(known))}")
        options = dataclasses.replace(options, **{key: _value(key, value, known[key])})
    return options


def _value(key: str, text: str, switch: dataclasses.Field[Any]) -> Any:
    choices = switch.metadata["choices"]
    if choices:
        if text not in choices:
            raise OptionError(f"--set {key}={text}: takes {' or '.join(choices)}")
        return text
    if isinstance(switch.default, bool):
        truth = {
            "on": True,
            "true": True,
            "yes": True,
            "1": True,
            "off": False,
            "false": False,
            "no": False,
            "0": False,
        }
        if text.lower() not in truth:
            raise OptionError(f"--set {key}={text}: takes on or off")
        return truth[text.lower()]
    if re.fullmatch(r"[0-9]{1,15}", text) is None:
        raise OptionError(f"--set {key}={text[:40]}: takes a whole number, 0 or more, of at most 15 digits")
    return int(text)


def options_as_dict(options: Options) -> dict[str, bool | str | int]:
    """The switches by name, in declaration order: what is stored and shown."""
    return dataclasses.asdict(options)

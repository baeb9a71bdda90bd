"""Replay, script: what a Python script of the run does to files, worked out without running it (METHOD 4).

In: its source, its folder, a reader of the texts replay holds. Out: ``Outcome``, or None where the interpreter does
not know something the script does. Understood are the scripts agents edit with: texts replaced, lines inserted, cut
and joined, expressions substituted, loops, conditions and functions over them. Nothing is imported or executed; work,
memory and depth are bounded by counts (meter), so that the same script always ends at the same place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.replay.script.context import Context
from core.replay.script.expressions import call
from core.replay.script.files import Disk, Reader
from core.replay.script.meter import Exited, Jump, Meter, NotKnown, Raised
from core.replay.script.scope import Scope
from core.replay.script.statements import execute
from core.trajectory.shell_python import parsed_script


@dataclass(frozen=True, slots=True)
class Outcome:
    """``files`` are the paths the script changed with the texts they end with (None = deleted), sorted.

    ``good`` tells whether it ends with status 0, ``raised`` whether with a traceback; ``printed`` are the lines it
    prints that can be known, in order.
    """

    files: tuple[tuple[str, str | None], ...]
    good: bool
    raised: bool
    printed: tuple[str, ...]


def run_script(source: str, cwd: str, reader: Reader) -> Outcome | None:
    """What ``source`` does when run in ``cwd``; None when that is not known. Bounded work; never raises."""
    tree = parsed_script(source)
    if tree is None:
        return None
    meter = Meter()
    disk = Disk(cwd, reader, meter)

    def called(function: Any, given: list[Any]) -> Any:
        return call(function, given, {}, scope)

    context = Context(meter, disk, called, execute)
    scope = Scope(context)
    good, raised = True, False
    try:
        execute(tree.body, scope)
    except Exited as exited:
        good = exited.good
    except Raised:
        good, raised = False, True
    except (NotKnown, Jump, RecursionError, MemoryError, OverflowError):
        return None
    return Outcome(disk.left(), good, raised, tuple(context.printed))

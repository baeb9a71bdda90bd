"""How far the task is done with each held record: ages, touches, distance from the drift, what newer records show.

In: a moment. Out: a ``Use`` a record, all of it told by the graph, the tape and the order of steps; nothing here is
a verdict. This is what the held-context skill tells about a record besides its text (Appendix C, "The manager's
evidence").
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.context.moment import Moment
from core.context.standing import Ranges, join, size, without
from core.context.still import Graph
from core.manager.walk import nearest
from core.records.held import record_paths
from core.records.record import Record, Symbols


@dataclass(frozen=True, slots=True)
class Use:
    """What can be said of a record's use at the moment.

    ``age`` in steps; ``writes``: steps that wrote since its birth; ``idle``: steps since anything it covers was
    last read, edited or drifted; ``hop``: edges from the nearest drifted symbol, None beyond two; ``orphaned``:
    writes since the last caller of all it covers was lost, None if something still calls it; ``covered``: the
    share of its standing lines that newer records show, 0 when none stands.
    """

    record: Record
    age: int
    writes: int
    idle: int
    hop: int | None
    orphaned: int | None
    covered: float


def uses(moment: Moment, reached: Mapping[str, int], held: Sequence[Record]) -> dict[str, Use]:
    """The use of each record of C_t by id.

    ``reached`` are the symbols near the drift with their distance, ``held`` the records as they will be held, newest
    views included.
    Cost: the symbols of all held records, and one line map a (record, file).
    """
    steps = moment.writes
    idle = _idle(moment)
    orphans = _orphans(moment)
    covered = _covered(moment, held)
    found: dict[str, Use] = {}
    for record in moment.records:
        ids = ids_of(record)
        lost = _orphaned(record, ids, orphans, moment.t - idle[record.id])
        found[record.id] = Use(
            record,
            moment.t - record.born,
            _since(steps, record.born),
            idle[record.id],
            nearest(reached, ids),
            None if lost is None else _since(steps, lost) + 1,
            covered.get(record.id, 0.0),
        )
    return found


def ids_of(record: Record) -> tuple[str, ...]:
    """The symbols a record covers."""
    return record.referent.ids if isinstance(record.referent, Symbols) else ()


def _since(steps: Sequence[int], born: int) -> int:
    return len(steps) - bisect_right(steps, born)


def _idle(moment: Moment) -> dict[str, int]:
    """Steps since each record, or another read or edit of one of its symbols or a drift of it, last happened."""
    last: dict[str, int] = {}
    idle: dict[str, int] = {}
    for record in reversed(moment.records):
        touched = record.born
        for symbol in ids_of(record):
            touched = max(touched, last.get(symbol, 0), moment.tape.last(symbol, moment.t) or 0)
        idle[record.id] = moment.t - touched
        if record.kind in ("read", "edit"):
            for symbol in ids_of(record):
                last.setdefault(symbol, record.born)
    return idle


def _orphans(moment: Moment) -> dict[str, int]:
    """Symbols that lost a caller and have none left, with the step of the last loss."""
    lost: dict[str, int] = {}
    for drift in moment.drifts:
        lost.update((symbol, drift.known_at) for symbol in drift.lost_callers)
    return {symbol: step for symbol, step in lost.items() if unused(moment.graph, symbol)}


def unused(graph: Graph, symbol: str) -> bool:
    """Whether nothing in the repository calls, reads or subclasses a symbol that exists."""
    if graph.symbol(symbol) is None or any(e.source != symbol for e in graph.callers(symbol)):
        return False
    return not any(e.target == symbol and e.source != symbol and e.kind != "import" for e in graph.relations(symbol))


def _orphaned(record: Record, ids: Sequence[str], orphans: Mapping[str, int], touched: int) -> int | None:
    """The step at which the last of the definitions a read covers became unused, if all are and none was touched."""
    own = [i for i in ids if not i.endswith("::<module>")]
    if record.kind not in ("read", "search") or not own or not all(i in orphans for i in own):
        return None
    step = max(orphans[i] for i in own)
    return step if touched <= step else None


def _covered(moment: Moment, held: Sequence[Record]) -> dict[str, float]:
    """For each held record with standing lines the share of them that newer held records show."""
    total: dict[str, int] = {}
    again: dict[str, int] = {}
    shown: dict[str, Ranges] = {}
    for record in sorted((r for r in held if r.sights), key=lambda r: (r.born, r.id), reverse=True):
        for path in record_paths(record):
            stands = moment.fresh.standing.of(record, path, moment.t)
            if not stands:
                continue
            newer = shown.get(path, ())
            lines = size(stands)
            left = size(without(stands, newer)) if newer else lines
            total[record.id] = total.get(record.id, 0) + lines
            again[record.id] = again.get(record.id, 0) + lines - left
            if left:
                shown[path] = join((*newer, *stands)) if newer else stands
    return {i: again[i] / n for i, n in total.items()}

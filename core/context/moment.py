"""A moment: all that a harness sees at a decision point, and therefore all that a policy may look at (section 3.2).

In: what the pipeline holds after step t. Out: a ``Moment``. No label, no staleness verdict, nothing later than
t: texts are cut off at t, and records do not say when a compaction will remove them. The tape and the graph
are those of the running pipeline: a moment is to be used before the run goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from core.context.actions import Nomination
from core.context.defaults import Decision, Surroundings, decide
from core.context.fresh import FreshViews
from core.context.still import Graph
from core.options import Options
from core.records.held import Held
from core.records.record import Record, State
from core.tape.drift import Drift
from core.tape.nominate import nominate
from core.tape.tape import Tape
from core.trajectory.steps import Step, Trajectory, Usage

# What retrieval may add at one moment unless the harness says otherwise.
BUDGET = 6_000
TASK_CHARACTERS = 1_500


@dataclass(frozen=True, slots=True)
class Moment:
    """The harness after step ``t``, before the next request.

    ``records`` is the recorded C_t in order of birth, ``steps`` are 1..t. ``nominations`` is N_t over C_t and
    ``defaults`` the default decision of each, in the same order; ``fresh`` makes fresh(r). ``text(path, step)``
    gives file texts up to t. ``task`` is the start of what the user asked. ``budget`` bounds the tokens retrieval
    may add.
    ``billed`` are the input tokens the API reported for the last main-thread request, None if it did not.
    """

    t: int
    records: tuple[Record, ...]
    steps: tuple[Step, ...]
    tape: Tape
    graph: Graph
    text: Callable[[str, int], str | None]
    options: Options
    nominations: tuple[Nomination, ...]
    defaults: tuple[Decision, ...]
    fresh: FreshViews
    task: str = ""
    budget: int = BUDGET
    billed: int | None = None

    @property
    def drifts(self) -> Sequence[Drift]:
        """The drift of every write known at t, in order."""
        return self.tape.drifts_in(0, self.t)

    @property
    def writes(self) -> Sequence[int]:
        """The steps at which writes became known, by t, ascending."""
        return self.tape.steps(self.t)

    def step_of(self, record: Record) -> Step | None:
        """The step a record was born of."""
        return self.steps[record.born - 1] if 1 <= record.born <= len(self.steps) else None


def moment_at(
    t: int,
    records: Iterable[Record],
    trajectory: Trajectory,
    tape: Tape,
    graph: Graph,
    text_at: Callable[[str, int], str | None],
    options: Options,
    budget: int = BUDGET,
    nominations: tuple[Nomination, ...] | None = None,
    fresh: FreshViews | None = None,
) -> Moment:
    """The moment after step ``t`` over the recorded context; nothing carries over from earlier moments.

    ``nominations`` (N_t over ``records``) and ``fresh`` spare the making of what the caller has already made.
    Cost: the symbols of all held records, and a diff of each file a nominated one shows.
    """

    def text(path: str, step: int) -> str | None:
        return text_at(path, min(step, t))

    held = tuple(replace(r, gone=None) if r.gone is not None else r for r in records)
    nominations = nominate(held, tape, t) if nominations is None else nominations
    fresh = fresh or FreshViews(text, graph, options)
    return Moment(
        t=t,
        records=held,
        steps=trajectory.steps[:t],
        tape=tape,
        graph=graph,
        text=text,
        options=options,
        nominations=nominations,
        defaults=decide_all(held, nominations, Surroundings(tape, graph, text, Held(), options, fresh)),
        fresh=fresh,
        task=trajectory.task[:TASK_CHARACTERS],
        budget=budget,
        billed=_billed(trajectory.usages, t),
    )


def decide_all(
    records: Sequence[Record], nominations: Sequence[Nomination], around: Surroundings
) -> tuple[Decision, ...]:
    """The default decision of each nomination, in their order, all taken at once over ``records``.

    ``around`` holds nothing yet: ``records`` are put into it.

    Newest records are decided first, so that older ones can point to what these will show; of test results
    the oldest, while the newer run that replaces them still stands.
    """
    if not nominations:
        return ()
    held = around.held
    for record in records:
        held.add(record)
    by_id = {r.id: r for r in records}
    decided: dict[str, Decision] = {}
    for nomination in _in_order(nominations, by_id):
        record = by_id[nomination.record_id]
        decision = decided[record.id] = decide(record, nomination, around)
        if decision.successor is not None:
            held.remove(record.id)
            held.add(decision.successor)
    return tuple(decided[n.record_id] for n in nominations)


def _in_order(nominations: Sequence[Nomination], records: dict[str, Record]) -> list[Nomination]:
    runs = [n for n in nominations if isinstance(records[n.record_id].referent, State)]
    others = [n for n in nominations if not isinstance(records[n.record_id].referent, State)]
    return runs + others[::-1]


def _billed(usages: Sequence[Usage], t: int) -> int | None:
    last = next((u for u in reversed(usages) if not u.agent and u.t <= t), None)
    if last is None:
        return None
    return last.input + last.cache_read + last.cache_write_5m + last.cache_write_1h or None

"""Harness: the five records of a project's state as values (StateHarness, Table 3).

In: what an agent wrote down, or what ``derive`` works out from typed steps. Out: ``ProjectState``; ``files`` gives
it the paper's stored form. Steps are those of the run, 0 where none is known. ``derived`` marks what no agent
wrote. Texts are hostile: nothing here is opened, executed or trusted.

Departs: a procedure keeps its newest ``HISTORY`` invocations and the counts of all, so that a record stays small
in a run of thousands of calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

EventKind = Literal["change", "test", "finding", "decision", "rejected-assumption", "progress"]
RelationKind = Literal["caller", "test", "documentation", "configuration", "schema"]
RelationState = Literal["open", "checked"]
Observed = Literal["", "inspected", "edited", "run"]  # by what a relation was closed; "run": a test that passed
UsePolicy = Literal["use", "verify", "avoid", "freeze"]
Outcome = Literal["passed", "failed", "unknown"]

HISTORY = 20
# Tags of events that stand for recognised progress (Table 4: "a passed test or an established root cause").
TEST_PASSED, ROOT_CAUSE = "test-passed", "root-cause"
PROGRESS_TAGS = frozenset({TEST_PASSED, ROOT_CAUSE})
TEST_FAILED, DEFERRED, COMMITTED = "test-failed", "deferred", "committed"


@dataclass(frozen=True, slots=True)
class TaskState:
    """What is being solved: set once (``observation``, ``environment``) and replaced (``focus``, ``hypothesis``).

    ``since`` is the step from which the current focus holds.
    """

    observation: str = ""
    environment: str = ""
    focus: str = ""
    hypothesis: str = ""
    since: int = 0
    derived: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of the event log; ``n`` counts from 1 without gaps, entries are only ever appended.

    ``tag`` says more than the kind where a rule needs it: ``test-passed``, ``test-failed``, ``root-cause``,
    ``deferred``, ``committed`` or nothing. ``paths`` are the repository files it is about.
    """

    n: int
    t: int
    kind: EventKind
    text: str
    reason: str = ""
    tag: str = ""
    paths: tuple[str, ...] = ()
    derived: bool = False

    @property
    def name(self) -> str:
        """How alerts point at this event."""
        return f"E{self.n}"

    @property
    def is_progress(self) -> bool:
        """Whether the event stands for recognised progress, which clears the diagnostic score."""
        return self.tag in PROGRESS_TAGS


@dataclass(frozen=True, slots=True)
class Relation:
    """A change of the file ``source`` may have to be followed in the file ``target``, for the reason ``why``.

    One a (source, target, kind). ``opened`` is the step of the change, ``closed`` the step that inspected, edited or,
    for a test, ran the target since, as ``how`` says. A later change of the source opens it again.
    """

    source: str
    target: str
    kind: RelationKind
    why: str = ""
    state: RelationState = "open"
    opened: int = 0
    how: Observed = ""
    closed: int = 0
    derived: bool = False

    @property
    def key(self) -> tuple[str, str, str]:
        """What identifies a relation, and its place in the file."""
        return self.source, self.target, self.kind


@dataclass(frozen=True, slots=True)
class Invocation:
    """One use of a procedure at step ``t``."""

    t: int
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class Procedure:
    """A named procedure (a test, build or other command): how it went, and whether to go on using it.

    ``runs`` and ``failures`` count all invocations, ``history`` holds the newest in order.
    """

    name: str
    runs: int = 0
    failures: int = 0
    history: tuple[Invocation, ...] = ()
    latest_failure: str = ""
    policy: UsePolicy = "use"
    rationale: str = ""
    derived: bool = False


@dataclass(frozen=True, slots=True)
class Alert:
    """One suggestion of a diagnosis at step ``t``; ``rests`` names its evidence: events ("E3"), steps ("step 9")."""

    t: int
    text: str
    rests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outside:
    """What did not fit a brief: ``count`` of ``what``, to be found at ``where`` (a file and a place in it)."""

    what: str
    count: int
    where: str


@dataclass(frozen=True, slots=True)
class WorkingBrief:
    """The selective view of the records that is returned to the agent after step ``t``."""

    t: int = 0
    focus: str = ""
    hypothesis: str = ""
    guidance: tuple[Procedure, ...] = ()
    events: tuple[Event, ...] = ()
    relations: tuple[Relation, ...] = ()
    alerts: tuple[Alert, ...] = ()
    outside: tuple[Outside, ...] = ()


@dataclass(frozen=True, slots=True)
class ProjectState:
    """The records at one step: events in order, relations by key, procedures by name."""

    task: TaskState = field(default_factory=TaskState)
    events: tuple[Event, ...] = ()
    relations: tuple[Relation, ...] = ()
    procedures: tuple[Procedure, ...] = ()

    @property
    def open_relations(self) -> tuple[Relation, ...]:
        """The relations nothing has inspected or edited since they were opened."""
        return tuple(r for r in self.relations if r.state == "open")


@dataclass(frozen=True, slots=True)
class StateChange:
    """What one step changed in the records: what it replaced, appended, opened or closed. None = as before."""

    t: int
    task: TaskState | None = None
    events: tuple[Event, ...] = ()
    relations: tuple[Relation, ...] = ()
    procedures: tuple[Procedure, ...] = ()

    def __bool__(self) -> bool:
        return self.task is not None or bool(self.events or self.relations or self.procedures)


def apply_changes(state: ProjectState, changes: Iterable[StateChange]) -> ProjectState:
    """The state after the changes, in order; O(state + changes)."""
    task, events = state.task, list(state.events)
    relations = {r.key: r for r in state.relations}
    procedures = {p.name: p for p in state.procedures}
    for change in changes:
        task = change.task if change.task is not None else task
        events.extend(change.events)
        relations.update((r.key, r) for r in change.relations)
        procedures.update((p.name, p) for p in change.procedures)
    return ProjectState(task, tuple(events), _values(relations), tuple(procedures[n] for n in sorted(procedures)))


def _values(relations: Mapping[tuple[str, str, str], Relation]) -> tuple[Relation, ...]:
    return tuple(relations[key] for key in sorted(relations))


def invoked(procedure: Procedure, t: int, outcome: Outcome, failure: str = "") -> Procedure:
    """The procedure after one more invocation; ``failure`` replaces the latest one when it failed."""
    failed = outcome == "failed"
    return replace(
        procedure,
        runs=procedure.runs + 1,
        failures=procedure.failures + failed,
        history=(*procedure.history, Invocation(t, outcome))[-HISTORY:],
        latest_failure=failure if failed else procedure.latest_failure,
    )


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with the stored records: ``line`` is 1-based in ``file``, 0 where no one line is meant."""

    file: str
    line: int
    why: str

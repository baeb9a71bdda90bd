"""Harness: the records of a run that wrote none, derived step by step by fixed rules (StateHarness, Table 3).

In: one ``Act`` after the other, with what the step wrote and what that may affect. Out: the ``StateChange`` of the
step; everything in it is marked derived. Pure and streaming: the state after a step depends on nothing later, so
that hooks of a live run and a pass over a recorded one agree.

Rules. Focus: the last stated intention, behind the to-do item in progress; a person's message replaces it, and a
write does when nothing was intended lately. Hypothesis: the last hedged statement, until a finding, a rejection or a
person's message. Events: each step's writes, each test, the failures of builds, linters, type checkers and code runs,
commits, what was found, decided or given up, what a person asked for. Relations: opened by a write for what it may
affect, closed by the first later read, search hit or write of the target, tests also by a run of them that passed.
Guidance: ``use`` while it works, ``verify`` after a failure, ``avoid`` when it fails again alike or without a write
in between, ``freeze`` when both hold once more.

Departs: in the paper the working agent authors these records; here fixed rules stand in for it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from core.harness.acts import Act
from core.harness.impact import Impact, Written, to_open
from core.harness.outcomes import Result, result_of
from core.harness.procedure_names import Invoked, covers, procedure_of
from core.harness.project_state import (
    COMMITTED,
    DEFERRED,
    ROOT_CAUSE,
    TEST_FAILED,
    TEST_PASSED,
    Event,
    EventKind,
    Observed,
    Procedure,
    ProjectState,
    Relation,
    StateChange,
    TaskState,
    UsePolicy,
    invoked,
)
from core.harness.said import Statement, clip, first_sentence, statements

Key = tuple[str, str, str]
_OBSERVATION = 2000  # characters of the first message that are kept
_NAMED = 4  # files or symbols an event names before it counts the rest
_FAILURE = 200
_LASTS = 8  # steps for which a stated intention is taken for the reason of what is done
_REFUSED = ("The user doesn't want to", "Sibling tool call errored", "[Request interrupted", "<tool_use_error>")
_NOT_ASKED = ("<", "[", "Operation stopped by hook", "Caveat: ")  # the client's words in a person's message
_COMMIT = re.compile(r"^\[\S+(?: \([^)]*\))? [0-9a-f]{7,40}\] (.*)", re.MULTILINE)
_EVENT_OF: Mapping[str, tuple[EventKind, str]] = {
    "finding": ("finding", ""),
    "root-cause": ("finding", ROOT_CAUSE),
    "decision": ("decision", ""),
    "deferred": ("decision", DEFERRED),
    "rejected": ("rejected-assumption", ""),
}


@dataclass(frozen=True, slots=True)
class Derivation:
    """The records so far and what deriving the next ones needs; immutable, a step copies only what it changes.

    ``open_at`` are the keys of open relations by target. ``written`` is the step of the last write, ``tested`` that
    of the last test with a verdict, ``intended`` that of the intention ``intent``, ``reads`` how often each file was
    read since it was last written, with the last step.
    """

    task: TaskState = field(default_factory=TaskState)
    events: tuple[Event, ...] = ()
    relations: Mapping[Key, Relation] = field(default_factory=lambda: MappingProxyType({}))
    procedures: Mapping[str, Procedure] = field(default_factory=lambda: MappingProxyType({}))
    open_at: Mapping[str, tuple[Key, ...]] = field(default_factory=lambda: MappingProxyType({}))
    reads: Mapping[str, tuple[int, int]] = field(default_factory=lambda: MappingProxyType({}))
    todo: str = ""
    intent: str = ""
    intended: int = 0
    written: int = 0
    tested: int = 0

    @property
    def state(self) -> ProjectState:
        """The records as a value; O(relations)."""
        relations = tuple(self.relations[key] for key in sorted(self.relations))
        return ProjectState(
            self.task, self.events, relations, tuple(self.procedures[name] for name in sorted(self.procedures))
        )


def begin(environment: str = "") -> Derivation:
    """Nothing observed yet, in an environment that is known from outside ("Claude Code 2.1.7, branch main")."""
    return Derivation(task=TaskState(environment=environment, derived=True))


def resume(state: ProjectState) -> Derivation:
    """A derivation that goes on from records that were kept; what only deriving needs starts anew."""
    relations = {r.key: r for r in state.relations}
    open_at: dict[str, tuple[Key, ...]] = {}
    for relation in state.open_relations:
        open_at[relation.target] = (*open_at.get(relation.target, ()), relation.key)
    return Derivation(state.task, state.events, relations, {p.name: p for p in state.procedures}, open_at)


def advance(
    before: Derivation, act: Act, writes: Sequence[Written] = (), impacts: Sequence[Impact] = ()
) -> tuple[Derivation, StateChange]:
    """The derivation after one step and what it changed; ``impacts`` are those of the step's writes.

    Cost: the step's text; a copy of the relations when one opens or closes.
    """
    step = _Step(before, act)
    step.say()
    if act.call and not act.hidden:
        step.run()
    if not act.hidden:
        step.close((*act.reads, *act.searched), "inspected")
        step.read()
    step.write(writes, impacts)
    return step.finish()


class _Step:
    """One step being worked in: the changes so far, over the derivation before it."""

    def __init__(self, before: Derivation, act: Act) -> None:
        self.before, self.act = before, act
        self.now = before
        self.events: list[Event] = []
        self.relations: dict[Key, Relation] = {}
        self.procedures: dict[str, Procedure] = {}

    def _event(self, kind: EventKind, text: str, reason: str = "", tag: str = "", paths: Sequence[str] = ()) -> None:
        n = len(self.before.events) + len(self.events) + 1
        self.events.append(Event(n, self.act.t, kind, text, reason, tag, tuple(sorted(paths)), derived=True))

    # -- words ------------------------------------------------------------------------------------------

    def say(self) -> None:
        """Focus, hypothesis and events of what was said, and of a to-do call."""
        act = self.act
        if act.hidden or act.summary:
            return
        if act.todo is not None:
            if act.todo != self.now.todo:
                self.now = replace(self.now, todo=clip(act.todo), intent="")
                self._focus(self.now.todo)
        elif act.kind == "say" and act.user:
            self._asked(act.text)
        elif act.kind == "say":
            for statement in statements(act.text):
                self._stated(statement)

    def _asked(self, text: str) -> None:
        said = first_sentence(text)
        if not said or text.startswith(_NOT_ASKED):
            return
        if not self.now.task.observation:
            task = replace(self.now.task, observation=text.strip()[:_OBSERVATION], derived=True)
            self.now = replace(self.now, task=task)
        else:
            self._event("decision", f"asked: {clip(text)}", reason="the person said so")
        self.now = replace(self.now, todo="", intent="")
        self._focus(f"Asked: {said}", hypothesis="")

    def _stated(self, statement: Statement) -> None:
        if statement.kind == "intention":
            self.now = replace(self.now, intent=statement.text, intended=self.act.t)
            todo = self.now.todo
            self._focus(f"{todo}: {statement.text}" if todo else statement.text)
            return
        if statement.kind == "hypothesis":
            self._focus(self.now.task.focus, statement.text)
            return
        kind, tag = _EVENT_OF[statement.kind]
        self._event(kind, statement.text, tag=tag)
        if statement.kind in ("root-cause", "rejected") and self.now.task.hypothesis:
            self._focus(self.now.task.focus, "")

    def _focus(self, focus: str, hypothesis: str | None = None) -> None:
        task = self.now.task
        guess = task.hypothesis if hypothesis is None else hypothesis
        if focus and (focus, guess) != (task.focus, task.hypothesis):
            since = self.act.t if focus != task.focus else task.since
            self.now = replace(self.now, task=replace(task, focus=focus, hypothesis=guess, since=since, derived=True))

    # -- runs -------------------------------------------------------------------------------------------

    def run(self) -> None:
        """A test or other recognised run as event and guidance; a commit."""
        act = self.act
        if act.normal and (commit := _COMMIT.search(act.text)) is not None and "git" in act.command:
            self._event("change", f"committed: {clip(commit[1])}", tag=COMMITTED)
        if not act.purpose or act.text.startswith(_REFUSED):
            return
        result = result_of(act.text, not act.normal, act.purpose)
        procedure = procedure_of(act.command, act.purpose)
        name = procedure.name or act.purpose
        before = self.now.procedures.get(name, Procedure(name, derived=True))
        failure = clip(result.failure, _FAILURE)
        after = _guided(before, invoked(before, act.t, result.outcome, failure), self.now.written)
        self.procedures[name] = after
        self.now = replace(self.now, procedures={**self.now.procedures, name: after})
        if act.test:
            self._tested(name, result, procedure)
        elif result.outcome == "failed":
            self._event("finding", f"{name} failed: {failure}" if failure else f"{name} failed")
        elif before.history and before.history[-1].outcome == "failed":
            self._event("finding", f"{name} works again")

    def _tested(self, name: str, result: Result, procedure: Invoked) -> None:
        said = clip(result.failure or result.summary, _FAILURE)
        tag = {"passed": TEST_PASSED, "failed": TEST_FAILED, "unknown": ""}[result.outcome]
        words = {"passed": "passed", "failed": "failed", "unknown": "ended without a verdict"}[result.outcome]
        self._event("test", f"{name} {words}" + (f": {said}" if said else ""), tag=tag)
        if result.outcome != "unknown":
            self.now = replace(self.now, tested=self.act.t)
        if result.outcome == "passed":
            ran = (path for path in self.now.open_at if covers(procedure.arguments, path))
            self.close(sorted(ran), "run", only="test")

    # -- files ------------------------------------------------------------------------------------------

    def close(self, paths: Sequence[str], how: Observed, only: str = "") -> None:
        """Relations to files that were looked at, written or, as tests, run are checked; ``only`` one kind if given."""
        hit = [path for path in paths if path in self.now.open_at]
        if not hit:
            return
        open_at, relations = dict(self.now.open_at), dict(self.now.relations)
        for path in hit:
            keys = open_at.pop(path)
            left = tuple(key for key in keys if only and key[2] != only)
            if left:
                open_at[path] = left
            for key in (key for key in keys if key not in left):
                relations[key] = replace(relations[key], state="checked", how=how, closed=self.act.t)
                self.relations[key] = relations[key]
        self.now = replace(self.now, open_at=open_at, relations=relations)

    def read(self) -> None:
        if not self.act.reads or not self.act.normal:
            return
        reads = dict(self.now.reads)
        for path in self.act.reads:
            reads[path] = (reads.get(path, (0, 0))[0] + 1, self.act.t)
        self.now = replace(self.now, reads=reads)

    def write(self, writes: Sequence[Written], impacts: Sequence[Impact]) -> None:
        """A change event for what the step wrote; relations for what that may affect."""
        if not writes:
            return
        paths = sorted({w.path for w in writes})
        self.close(paths, "edited")
        fresh = self.now.intent and self.act.t - self.now.intended <= _LASTS
        if not fresh:  # what was said long ago is not what is done now
            named = f"{', '.join(paths[:_NAMED])}{', …' if len(paths) > _NAMED else ''}"
            self._focus(self.now.todo or f"Changing {named}")
        self._event("change", _told(writes), reason=self.now.intent if fresh else self.now.todo, paths=paths)
        reads = {p: n for p, n in self.now.reads.items() if p not in paths}
        self.now = replace(self.now, reads=reads, written=self.act.t)
        self._open(to_open([i for i in impacts if i.path not in paths]))

    def _open(self, impacts: Sequence[Impact]) -> None:
        open_at, relations = dict(self.now.open_at), dict(self.now.relations)
        for impact in impacts:
            relation = Relation(impact.source, impact.path, impact.kind, impact.why, "open", self.act.t, derived=True)
            known = relations.get(relation.key)
            if known is None or known.state == "checked":
                open_at[impact.path] = (*open_at.get(impact.path, ()), relation.key)
            relations[relation.key] = self.relations[relation.key] = relation
        self.now = replace(self.now, open_at=open_at, relations=relations)

    def finish(self) -> tuple[Derivation, StateChange]:
        change = StateChange(
            self.act.t,
            self.now.task if self.now.task is not self.before.task else None,
            tuple(self.events),
            tuple(self.relations[key] for key in sorted(self.relations)),
            tuple(self.procedures[name] for name in sorted(self.procedures)),
        )
        if self.events:
            self.now = replace(self.now, events=(*self.now.events, *self.events))
        return self.now, change


def _told(writes: Sequence[Written]) -> str:
    """What was written in words: "edited a.py (load, Reader.open), created b.py"."""
    told = []
    for write in sorted(writes, key=lambda w: w.path):
        names = write.symbols
        more = f", {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        told.append(f"{write.how} {write.path}" + (f" ({', '.join(names[:_NAMED])}{more})" if names else ""))
    rest = f" and {len(told) - _NAMED} more files" if len(told) > _NAMED else ""
    return ", ".join(told[:_NAMED]) + rest


def _guided(before: Procedure, after: Procedure, written: int) -> Procedure:
    """The procedure with the policy its last invocation calls for, and why; ``written`` is the step of the last write.

    A failure that differs from the one before and follows a write is work under way, not a dead end.
    """
    t, outcome = after.history[-1].t, after.history[-1].outcome
    if outcome != "failed":
        said = f"it worked at step {t}" if outcome == "passed" else f"its output at step {t} gave no verdict"
        return replace(after, policy="use", rationale=said, derived=True)
    policy: UsePolicy = "verify"
    why = f"it failed at step {t}"
    if before.policy != "use":
        since = before.history[-1].t
        idle = written < since
        alike = _likeness(before.latest_failure) == _likeness(after.latest_failure)
        if idle and alike and before.policy in ("avoid", "freeze"):
            policy, why = "freeze", f"it failed alike at steps {since} and {t} and nothing was written in between"
        elif idle or alike:
            what = "nothing was written in between" if idle else "with the same failure"
            policy, why = "avoid", f"it failed at steps {since} and {t}, {what}: change something first"
    return replace(after, policy=policy, rationale=why, derived=True)


def _likeness(failure: str) -> str:
    """A failure without its numbers: line numbers and times move."""
    return re.sub(r"\d+", "0", failure)

"""Live, EDGE: one event after the other is taken in, whole or not at all, and answered.

In: files of the inbox. Out: entries of the journal, the record files, an answer for each event. Everything a step
is made of is worked out before anything is kept; then one transaction keeps it. After an error inside that work the
event is answered with nothing and the process ends: the next one begins from the journal.

Cost of an event: its own text, one look at the work tree for a run or a prompt, the graph update of what was written.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from core.graph.facts import FactsCache
from core.graph.graph import CodeGraph
from core.graph.shelf import Shelf
from core.harness.acts import act_of
from core.harness.brief_file import write_brief
from core.harness.files import BRIEF, read_state
from core.harness.impact import Impact, ImpactIndex, Written, to_open
from core.harness.project_state import Problem, StateChange
from core.harness.run import HarnessStep
from core.replay.paths import Roots, clean_path
from core.trajectory.steps import Step
from storage.facts_version import version
from storage.live.answers import HEARD, encoded, started, told, unfinished
from storage.live.client import FOLDER, INBOX
from storage.live.entries import Began, Edited, Entry, Stepped, from_json, to_json
from storage.live.event import HookEvent, read_event, step_of
from storage.live.journal import Journal
from storage.live.live import Live, after
from storage.live.opened import regular
from storage.live.records import differing, edits, read_records, write_file, write_records
from storage.live.spoken import Spoken, allowed, said_step
from storage.live.worktree import Worktree

_LARGEST = 40 << 20  # bytes of an inbox file
_TURN = frozenset({"UserPromptSubmit", "Stop", "SessionStart", "SessionEnd", "PreCompact"})
_NOTHING = b"{}\n"


class Keeper:
    """The project's state in memory, over its journal; the state folder is the working directory."""

    def __init__(self, root: Path, journal: Journal) -> None:
        """Cost: the entries so far; the code graph of the files as last seen, from the shelf where it is there."""
        self._journal = journal
        self._tree = Worktree(root, journal)
        self._roots = _roots(root)
        self._untold = [str(part) for part in journal.note("untold") or []]
        self._shown: set[tuple[str, str]] = set()  # what the transcript showed during this event
        self._looked = False  # whether all files were looked at during this event
        self._spoken: dict[str, Spoken] = {}
        self.live = folded(journal)
        self._begin_from_files()
        if self._tree.empty:
            self._tree.changes()
            with journal.transaction():
                self._tree.settle()
        texts = journal.texts()
        self._graph = _graph(texts, journal)
        self._index = ImpactIndex(texts)

    def warming(self) -> Iterator[None]:
        """Reads what a graph from the shelf left for when it is asked, a file at a time: no hook shall wait for it."""
        for path in self._graph.paths():
            self._graph.symbols(path)
            yield

    def _begin_from_files(self) -> None:
        """Records without a journal: what an earlier one left is where this one begins."""
        if self.live.t or self._journal.note("written") is not None:
            return
        texts = read_records().texts
        state, problems = read_state(texts)
        whole = {name: text for name, text in texts.items() if name not in {p.file for p in problems}}
        with self._journal.transaction():
            if whole:
                t = max((e.t for e in state.events), default=0)
                self._add(Edited(StateChange(t, state.task, state.events, state.relations, state.procedures)))
            self._journal.noted("written", whole)

    # -- events ---------------------------------------------------------------------------------------

    def take(self, name: str) -> bytes:
        """Take in everything in the inbox, in order; the answer to the event called ``name``."""
        for waiting in sorted(os.listdir(INBOX)):
            if not waiting.startswith("."):
                self._take_one(waiting)
        return self._journal.answer(name) or _NOTHING

    def _take_one(self, name: str) -> None:
        if self._journal.answer(name) is None:
            try:
                data = _inbox_file(name)
                event = read_event(data) if data else "not a regular file"
                with self._journal.transaction():
                    self._journal.answered(name, self._event(event) if isinstance(event, HookEvent) else _NOTHING)
            except Exception:
                self._journal.answered(name, _NOTHING)
                _remove(name)
                raise
            self._write_files()
        _remove(name)

    def _event(self, event: HookEvent) -> bytes:
        """Take in one event; its answer."""
        self._shown, self._looked = set(), False
        problems = self._agent_edits()
        steps = [step for entry in self._entries(event) if (step := self._add(entry)) is not None]
        parts = told(steps, self.live, event.session, problems)
        if event.agent or event.name not in HEARD:  # it is told at the next event that the agent itself hears
            self._untold, parts = [*self._untold, *parts][-8:], []
        elif event.name == "SessionStart":
            self._untold, parts = [], [*started(self.live, event.session), *parts]
        else:
            self._untold, parts = [], [*self._untold, *parts]
        self._journal.noted("untold", self._untold)
        return encoded(event.name, parts, self._message(event))

    def _message(self, event: HookEvent) -> str:
        """For the person, once for each set of files that is left."""
        message = unfinished(self.live) if event.name == "Stop" else ""
        if not message or message == self._journal.note("message"):
            return ""
        self._journal.noted("message", message)
        return message

    def _entries(self, event: HookEvent) -> Iterator[Entry]:
        """What the event says happened, in order; each is added before the next is worked out."""
        if event.name == "SessionStart":
            yield from self._session(event)
        elif event.name == "PreToolUse":
            yield from self._said(event, event.call)
            self._journal.call(event.session, event.call, json.dumps(_kept(event)))
        elif event.name in ("PostToolUse", "PostToolUseFailure", "PermissionDenied"):
            yield from self._said(event, event.call)
            for number, call, _ in self._journal.calls(event.session):
                if call == event.call:
                    self._journal.called(number)
            yield self._stepped(event.session, step_of(event, self.live.t + 1))
        elif event.name in _TURN:
            yield from self._said(event)
            yield from self._lost(event)
            if event.name == "UserPromptSubmit" and ("user", event.prompt.strip()) not in self._shown:
                yield self._heard(event, "user", event.prompt)
            elif event.name == "Stop" and event.last:
                yield from self._last_words(event)
        self._remember(event.session)

    def _session(self, event: HookEvent) -> Iterator[Entry]:
        """A session begins or goes on; what changed while no agent worked is no step of it."""
        yield from self._said(event)
        yield from self._lost(event)
        if event.source != "compact":
            changes = self._tree.changes()
            self._tree.settle()
            if changes:
                self._index.update(
                    self._graph, self._graph.update({p: new for p, (_, new) in changes.items()}), changes
                )
        environment = "; ".join(filter(None, ("Claude Code", event.model, _branch(self._tree))))
        yield Began(event.session, environment, event.source in ("", "startup", "clear"))

    def _lost(self, event: HookEvent) -> Iterator[Entry]:
        """Calls of the session that never came back: a turn is over, so they will not."""
        for number, _, body in self._journal.calls(event.session):
            self._journal.called(number)
            call = HookEvent(**json.loads(body))
            yield self._stepped(event.session, step_of(call, self.live.t + 1, done=False))

    def _said(self, event: HookEvent, call: str = "") -> Iterator[Entry]:
        """What the transcript says was said since, up to the message of a call."""
        spoken = self._transcript(event)
        if spoken is None or event.agent:
            return
        spoken.read()
        for draft in spoken.until(call):
            self._shown.add((draft.role, draft.text.strip()))
            yield self._stepped(event.session, said_step(draft, self.live.t + 1))

    def _heard(self, event: HookEvent, role: str, text: str) -> Entry:
        """What a hook itself says was said."""
        spoken = self._transcript(event)
        if spoken is not None:
            spoken.tell(role, text)
        step = Step(self.live.t + 1, "say", "user" if role == "user" else "assistant", "", "", text, neutral=True)
        return self._stepped(event.session, step)

    def _last_words(self, event: HookEvent) -> Iterator[Entry]:
        """The last words of a turn, unless the transcript has shown them already."""
        if self._journal.note(f"last:{event.session}") != event.last.strip():
            yield self._heard(event, "assistant", event.last)

    # -- steps ----------------------------------------------------------------------------------------

    def _stepped(self, session: str, step: Step) -> Stepped:
        """The entry of a step: what it was, what it wrote, which relations that opens."""
        act = act_of(step, self._roots.key, FOLDER)
        if step.kind == "say" and step.role == "assistant":
            self._journal.noted(f"last:{session}", step.text.strip())
        looks = (act.kind == "run" and not step.neutral) or (act.kind == "say" and act.user)
        if looks and not self._looked:
            self._looked = True
            changes = self._tree.changes(named=self._named(step))
        else:
            changes = self._tree.changes([*act.reads, *act.searched], (*act.edits, *self._named(step)))
        self._tree.settle()
        if not changes:
            return Stepped(session, act)
        delta = self._graph.update({path: new for path, (_, new) in changes.items()})
        written, impacts = self._index.update(self._graph, delta, changes)
        return Stepped(session, act, _by_path(written), _opening(written, impacts))

    def _named(self, step: Step) -> list[str]:
        """The project's files a step would write by name."""
        paths = {path for w in step.writes for path in (w.path, w.target) if path and w.op != "git"}
        keys = {key for path in paths if (key := self._roots.key(path)) is not None}
        return sorted(key for key in keys if not key.startswith(FOLDER + "/"))

    def _add(self, entry: Entry) -> HarnessStep | None:
        self._journal.add(to_json(entry))
        self.live, step = after(self.live, entry)
        return step

    def _agent_edits(self) -> tuple[Problem, ...]:
        """Take over what was written into the record files; what is wrong with them and was not said before."""
        read, written = read_records(), self._journal.note("written") or {}
        new: tuple[Problem, ...] = ()
        if differing(read, written):
            change, new = edits(read, written, self.live.state, self.live.t)
            if change or new:
                self._add(Edited(change, new))
            held = {name: text for name, text in written.items() if name in read.broken}
            self._journal.noted("written", held | {n: t for n, t in read.texts.items() if n not in read.broken})
        said = [asdict(p) for p in read.problems]
        if said != (self._journal.note("form") or []):
            self._journal.noted("form", said)
            new = (*new, *read.problems)
        return new

    def _write_files(self) -> None:
        """Bring the files up to date; an edit that came in between is taken over first at the next event."""
        read, written = read_records(), self._journal.note("written") or {}
        with contextlib.suppress(OSError):  # what cannot be written now is written after the next event
            if not differing(read, written):
                fresh = write_records(self.live.state, written, read)
                if fresh:
                    self._journal.noted("written", {**written, **fresh})
            brief = write_brief(self.live.brief())
            if brief != self._journal.note("brief"):
                write_file(BRIEF, brief)
                self._journal.noted("brief", brief)

    # -- transcripts ----------------------------------------------------------------------------------

    def _transcript(self, event: HookEvent) -> Spoken | None:
        """The session's transcript, as far as it was read; None where reading it was not allowed."""
        path = allowed(event.transcript, event.transcripts)
        if not path:
            return None
        known = self._spoken.get(event.session)
        if known is None or known.path != path:
            at = self._journal.note(f"spoken:{event.session}") or {}
            same = at.get("path") == path
            known = Spoken(path, at["offset"] if same else 0, at["waiting"] if same else 0, at.get("told"))
            self._spoken[event.session] = known
        return known

    def _remember(self, session: str) -> None:
        known = self._spoken.get(session)
        if known is not None:
            at = {"path": known.path, "offset": known.offset, "waiting": known.waiting, "told": known.told}
            self._journal.noted(f"spoken:{session}", at)


def folded(journal: Journal) -> Live:
    """The state after everything in the journal; O(entries)."""
    live = Live()
    for body in journal.entries():
        live, _ = after(live, from_json(body))
    return live


def _graph(texts: Mapping[str, str], journal: Journal) -> CodeGraph:
    """The code graph of these texts; what its building leaves is kept for the next start."""
    asked: list[str] = []

    def fetch(names: Sequence[str]) -> dict[str, bytes]:
        asked[:] = [f"{version()}/{name}" for name in names]
        found = journal.shelved(asked)
        return {name.partition("/")[2]: body for name, body in found.items()}

    shelf = Shelf(fetch)
    graph = CodeGraph(texts, facts=FactsCache(shelf=shelf))
    offered = {f"{version()}/{name}": body for name, body in shelf.take().items()}
    if offered:
        journal.shelve(offered, asked)
    return graph


def _roots(root: Path) -> Roots:
    """Both names of the project's folder, as given and as it really is."""
    names = dict.fromkeys(clean_path(os.fspath(folder)).rstrip("/") for folder in (root, Path(os.path.realpath(root))))
    return Roots(tuple((name, "") for name in names))


def _by_path(written: Sequence[Written]) -> tuple[Written, ...]:
    return tuple(sorted(written, key=lambda w: w.path))


def _opening(written: Sequence[Written], impacts: Sequence[Impact]) -> tuple[Impact, ...]:
    """The impacts that become open relations: the rest says nothing to the records."""
    paths = {w.path for w in written}
    ranked = sorted(impacts, key=lambda i: (-i.score, i.path, i.source))
    return to_open([i for i in ranked if i.path not in paths])


def _kept(event: HookEvent) -> dict[str, Any]:
    """What is needed of a call to know it again if it never comes back."""
    return {
        "name": event.name, "session": event.session, "cwd": event.cwd, "agent": event.agent, "tool": event.tool,
        "call": event.call, "fields": dict(event.fields),
    }  # fmt: skip


def _branch(tree: Worktree) -> str:
    """The branch the work tree is on, "" if it is on none."""
    _, text = tree.read(".git/HEAD")
    mark = "ref: refs/heads/"
    return f"branch {text[len(mark) :].strip()[:200]}" if text is not None and text.startswith(mark) else ""


def _inbox_file(name: str) -> bytes | None:
    try:
        _, data = regular(os.path.join(INBOX, name), _LARGEST + 1)
    except OSError:
        return None
    return data if len(data) <= _LARGEST else None


def _remove(name: str) -> None:
    try:
        os.unlink(os.path.join(INBOX, name))
    except IsADirectoryError:
        os.rename(os.path.join(INBOX, name), os.path.join(INBOX, f".{name}"))
    except FileNotFoundError:
        return

"""A run driven step by step by a test: reads, edits and tests over a tree held by a graph, as the pipeline does it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from core.context.actions import Action, Nomination
from core.context.defaults import Surroundings, default_action
from core.context.fresh import FreshViews
from core.context.maintain import Maintained
from core.options import Options
from core.records.held import Held
from core.records.inventory import build_record
from core.records.queries import falsified_queries
from core.records.record import Record
from core.replay.lines import line_map, split_lines
from core.replay.world import Sight
from core.tape.drift import Drift, drift_of
from core.tape.nominate import Listing
from core.tape.staleness import Staleness, StatusChange
from core.tape.tape import Tape
from core.trajectory.steps import Step
from tests.tape.toy_graph import ToyGraph


def numbered(lines: Sequence[str], start: int, mark: str = "→", width: int = 6) -> str:
    return "\n".join(f"{str(n).rjust(width)}{mark}{line}" for n, line in enumerate(lines, start))


class Driver:
    def __init__(self, files: dict[str, str], options: Options | None = None, graph=None) -> None:  # type: ignore[no-untyped-def]
        self.options = options or Options()
        self.graph = graph or ToyGraph(files)
        self.t = 0
        self.texts: list[dict[str, str]] = [dict(files)]
        self.graphs: list[dict[str, object]] = [self.views()]
        self.tape = Tape(self.options, self.graph.view)
        self.held = Held()
        self.listing = Listing(self.tape, self.held)
        self.staleness = Staleness(self.tape, self.graph, self.text_at)
        self.measured = Staleness(self.tape, self.graph, self.text_at)
        self.maintained = Maintained(self.tape, self.graph, self.text_at, self.options, self.measured)
        self.records: dict[str, Record] = {}
        self.rows: list[tuple[Nomination, Action]] = []
        self.statuses: list[StatusChange] = []
        self.actions: list[Action] = []
        self.drifts: list[Drift] = []

    def views(self) -> dict[str, object]:
        return {s.id: self.graph.view(s.id) for p in self.graph.paths() for s in self.graph.symbols(p)}

    def text_at(self, path: str, t: int) -> str | None:
        return self.texts[min(t, len(self.texts) - 1)].get(path)

    def around(self) -> Surroundings:
        fresh = FreshViews(self.text_at, self.graph, self.options)
        return Surroundings(self.tape, self.graph, self.text_at, self.held, self.options, fresh)

    def read(self, path: str, start: int = 1, end: int | None = None, mark: str = "→") -> Record:
        lines = split_lines(self.texts[-1][path])
        end = len(lines) if end is None else end
        shown = lines[start - 1 : end]
        step = Step(self.t + 1, "read", "assistant", "Read", "{}", numbered(shown, start, mark))
        whole = start == 1 and end == len(lines)
        return self.step(step, [Sight(step.t, path, start, tuple(shown), "read", whole)])

    def search(self, *places: tuple[str, int]) -> Record:
        sights, out = [], []
        for path, n in places:
            line = split_lines(self.texts[-1][path])[n - 1]
            sights.append(Sight(self.t + 1, path, n, (line,), "search"))
            out.append(f"{path}:{n}:{line}")
        step = Step(self.t + 1, "search", "assistant", "Grep", '{"pattern":"x"}', "\n".join(out))
        return self.step(step, sights)

    def test(self, command: str = "pytest -q", text: str = "3 passed") -> Record:
        step = Step(self.t + 1, "run", "assistant", "Bash", "{}", text, command=command, purpose="test")
        return self.step(step, [])

    def write(self, path: str, text: str | None, known: bool = True) -> Record:
        """An edit: its new lines are those that differ from the text before."""
        return self.writes({path: text})

    def writes(self, changes: dict[str, str | None], opaque: Sequence[str] = ()) -> Record:
        t = self.t + 1
        before = self.texts[-1]
        sights = []
        for path, text in sorted(changes.items()):
            after = split_lines(text or "")
            for b in line_map(before.get(path, ""), text or "").blocks:
                if b.new_end >= b.new_start:
                    sights.append(Sight(t, path, b.new_start, tuple(after[b.new_start - 1 : b.new_end]), "new"))
        call = json.dumps({"new": changes})
        return self.step(Step(t, "edit", "assistant", "Edit", call, "ok"), sights, changes, opaque)

    def step(
        self,
        step: Step,
        sights: Sequence[Sight],
        changes: dict[str, str | None] | None = None,
        opaque: Sequence[str] = (),
    ) -> Record:
        self.t = t = step.t
        texts = dict(self.texts[-1])
        for path, text in (changes or {}).items():
            texts.pop(path, None)
            if text is not None:
                texts[path] = text
        self.texts.append(texts)
        wrote = bool(changes or opaque)
        if wrote:
            delta = self.graph.update(dict(changes or {}))
            drift = drift_of(t, t, delta, {*(changes or {}), *opaque}, opaque, self.options)
            self.tape.append(drift, delta)
            self.drifts.append(drift)
            if self.options.queries:
                pairs = {p: (self.texts[-2].get(p), c) for p, c in (changes or {}).items()}
                self.tape.note_queries(falsified_queries(self.held.queries(), pairs), t)
        record = build_record(step, sights, self.graph, self.options)
        assert record is not None
        if wrote:
            for watch in (self.staleness, self.measured):
                found = watch.write(t, changes or {}, opaque, self.tape.touched(t))
                if watch is self.staleness:
                    self.statuses.extend(found)
        self.records[record.id] = record
        self.held.add(record)
        self.statuses.append(self.staleness.add(record))
        self.maintained.enter(record)
        rows = self.listing.at(t)
        self.rows.extend((n, default_action(self.records[n.record_id], n, self.around())) for n in rows)
        self.actions.extend(self.maintained.act(t))
        self.graphs.append(self.views())
        return record

    def status(self, record: Record) -> str:
        change = self.staleness.status(record.id)
        assert change is not None
        return change.status

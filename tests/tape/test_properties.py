"""What must hold of every run (Theorem 1, METHOD 3), on generated repositories and edit scripts."""

from __future__ import annotations

import ast
import os

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.context.fresh import FreshViews
from core.context.still import Still
from core.graph.graph import CodeGraph
from core.graph.symbols import View
from core.options import Options
from core.records.record import State, Symbols
from core.tape.drift import calls_moved
from core.tape.nominate import nominate
from core.tape.staleness import STALE
from tests.tape.driver import Driver
from tests.tape.scripts import Act, repositories, scripts
from tests.tape.toy_graph import ToyGraph

# The same properties hold over the reference graph and over the incremental one.
GRAPHS = {"toy": lambda files, options: ToyGraph(files), "code": CodeGraph}
KIND = os.environ.get("STATETAPE_GRAPH", "code")
EXAMPLES = int(os.environ.get("STATETAPE_EXAMPLES", "60"))
few = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
switches = st.builds(
    Options,
    uses=st.booleans(),
    edges=st.sampled_from(["outgoing", "both"]),
    gain=st.booleans(),
    checked=st.just(True),
    shown_lines=st.booleans(),
    undo=st.booleans(),
    dedupe=st.booleans(),
    fresh=st.sampled_from(["own", "drifted"]),
)


def play(files: dict[str, str], script: list[Act], options: Options, graph: object = None) -> Driver:
    run = Driver(files, options, graph or GRAPHS[KIND](files, options))
    for act in script:
        step(run, act)
    return run


def step(run: Driver, act: Act) -> None:
    path = f"{act.path}.py"
    text = run.text_at(path, run.t)
    if act.what == "test":
        run.test()
    elif act.what == "put" and text != act.text:
        run.write(path, act.text)
    elif text is None or not text.strip():
        return
    elif act.what == "delete":
        run.write(path, None)
    elif act.what == "back":
        older = run.texts[act.a % len(run.texts)].get(path)
        if older is not None and older != text:
            run.write(path, older)
    elif act.what == "whole":
        run.read(path)
    else:
        on_lines(run, act, path, text)


def on_lines(run: Driver, act: Act, path: str, text: str) -> None:
    lines = text.rstrip("\n").split("\n")
    a, b = sorted((act.a % len(lines), act.b % len(lines)))
    if act.what == "read":
        run.read(path, a + 1, b + 1)
    elif act.what == "search":
        run.search((path, a + 1), (path, b + 1)) if a != b else run.search((path, a + 1))
    else:
        if act.what == "tweak":
            n = act.a % len(lines)
            lines[n : n + 1] = {0: [lines[n], lines[n]], 1: [], 2: [lines[n] + "  # new"]}[act.b]
            new = "\n".join(lines) + "\n"
        else:
            parts = text.rstrip("\n").split("\n\n\n")
            i, j = act.a % len(parts), act.b % len(parts)
            parts[i], parts[j] = parts[j], parts[i]
            new = "\n\n\n".join(parts) + "\n"
        if new != text and (KIND == "code" or parses(new)):
            run.write(path, new)


def parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


@given(repositories, scripts, switches)
@few
def test_windows_equal_the_stored_snapshots(files: dict[str, str], script: list[Act], options: Options) -> None:
    run = play(files, script, options)
    ids = sorted({i for snapshot in run.graphs for i in snapshot})
    for born in range(run.t + 1):
        for t in range(born, run.t + 1):
            for i in ids:
                before, after = run.graphs[born].get(i), run.graphs[t].get(i)
                drifted = tuple(
                    u for u in range(born + 1, t + 1) if _drifted(run.graphs[u - 1].get(i), run.graphs[u].get(i))
                )
                assert run.tape.changed_in(i, born, t) == drifted
                assert run.tape.view_at(i, t) == after
                assert ((run.tape.last(i, t) or -1) > born) == bool(drifted)
                assert run.tape.same_view(i, born, t) == _same(before, after, options)
                if options.edges == "outgoing" and isinstance(before, View) and isinstance(after, View):
                    assert run.tape.rewired_between(i, born, t) == calls_moved(before, after, options)


def _drifted(before: object, after: object) -> bool:
    return isinstance(before, View) and (not isinstance(after, View) or before.own != after.own)


def _same(before: object, after: object, options: Options) -> bool:
    if not isinstance(before, View) or not isinstance(after, View):
        return before is after
    return before.own == after.own and before.calls == after.calls and (not options.uses or before.uses == after.uses)


@given(repositories, scripts)
@few
def test_theorem_1a(files: dict[str, str], script: list[Act]) -> None:
    """A record that is not nominated has equal local views at birth and now, and is not stale."""
    run = play(files, script, Options(gain=True))
    nominated = {n.record_id for n in nominate(run.held, run.tape, run.t)}
    for record in run.held:
        if record.id in nominated:
            continue
        assert run.status(record) not in STALE, (record, run.texts)
        if isinstance(record.referent, Symbols):
            for i in record.referent.ids:
                assert run.graphs[record.born].get(i) == run.graphs[run.t].get(i)


@given(repositories, scripts, switches)
@few
def test_every_stale_record_is_nominated(files: dict[str, str], script: list[Act], options: Options) -> None:
    run = play(files, script, options)
    listed = {n.record_id for n, _ in run.rows}
    for change in run.statuses:
        if change.status in STALE:
            assert change.record_id in listed, (change, run.records[change.record_id], run.texts)


@given(repositories, scripts, switches)
@few
def test_what_is_remembered_over_writes_equals_what_is_made_anew(
    files: dict[str, str], script: list[Act], options: Options
) -> None:
    graph = CodeGraph(files, options)
    run, still = Driver(files, options, graph), Still(graph)
    fresh = FreshViews(run.text_at, still, options)
    for act in script:
        step(run, act)
        still.moved([f"{act.path}.py"])
        nominations = nominate(run.held, run.tape, run.t)
        assert run.listing.current(run.t) == nominations
        for path in graph.paths():
            assert still.symbols(path) == graph.symbols(path)
        for symbol in graph.symbols():
            assert still.symbol(symbol.id) == symbol
            assert still.callers(symbol.id) == graph.callers(symbol.id)
        for nomination in nominations:
            record, ids = run.records[nomination.record_id], [hit.id for hit in nomination.hits]
            anew = FreshViews(run.text_at, graph, options)
            assert fresh.sights(record, run.t, ids) == anew.sights(record, run.t, ids)
            assert fresh.record(record, run.t, ids) == anew.record(record, run.t, ids)


@given(repositories, scripts, switches)
@few
def test_rows_obey_the_contract(files: dict[str, str], script: list[Act], options: Options) -> None:
    run = play(files, script, options)
    listed: dict[str, set[str]] = {}
    steps = {d.t for d in run.drifts}
    for nomination, action in run.rows:
        record = run.records[nomination.record_id]
        ids = {hit.id for hit in nomination.hits}
        assert ids - listed.get(record.id, set())
        listed.setdefault(record.id, set()).update(ids)
        assert nomination.t in steps
        assert action.t == nomination.t
        assert list(nomination.hits) == sorted(nomination.hits, key=lambda h: h.id)
        for hit in nomination.hits:
            assert hit.writes
            assert list(hit.writes) == sorted(set(hit.writes))
            assert all(record.born < w <= nomination.t and w in steps for w in hit.writes)
        assert action.tokens_before == record.tokens
        assert (
            (action.text is None)
            == (action.name == "keep")
            == (action.tokens_after == action.tokens_before and action.text is None)
        )
        if isinstance(record.referent, State):
            assert action.name in ("rerun", "drop")
            assert len(listed[record.id]) == 1
        if record.kind == "edit":
            assert action.name != "refresh"


@given(repositories, scripts, switches)
@few
def test_theorem_1b(files: dict[str, str], script: list[Act], options: Options) -> None:
    """After every write the maintained context holds no stale tracked record that was not kept."""
    run = Driver(files, options, GRAPHS[KIND](files, options))
    for act in script:
        step(run, act)
        kept = {a.record_id for a in run.actions if a.name == "keep"}
        held_true, held_stale, held_none = run.measured.tokens()
        assert held_true + held_stale + held_none == sum(r.tokens for r in run.maintained.records())
        for record in run.maintained.records():
            change = run.measured.status(record.id)
            assert change is not None
            assert change.status not in STALE or record.id in kept, (change, record, run.texts)


@given(repositories, scripts)
@few
def test_no_kept_record_is_false_but_for_its_bindings(files: dict[str, str], script: list[Act]) -> None:
    """With the default switches a keep is right: the record's text is true after it."""
    run = play(files, script, Options())
    for record in run.maintained.records():
        change = run.measured.status(record.id)
        assert change is not None
        assert change.status not in STALE, (change, record, run.texts)


@given(repositories, scripts)
@few
def test_a_fresh_view_shows_the_present_text(files: dict[str, str], script: list[Act]) -> None:
    run = play(files, script, Options())
    for item in run.maintained.items():
        assert item.until is None or item.until > item.from_t
        if item.form != "fresh":
            continue
        lines: dict[int, str] = {}
        for printed in item.text.split("\n"):
            if "→" in printed:
                number, _, line = printed.partition("→")
                lines[int(number)] = line
        texts = [t.split("\n") for t in run.texts[item.from_t].values()]
        if lines:
            assert any(all(n <= len(t) and t[n - 1] == line for n, line in lines.items()) for t in texts)


@given(repositories, scripts)
@few
def test_statuses_do_not_depend_on_the_path_taken(files: dict[str, str], script: list[Act]) -> None:
    """A record whose files are as they were at birth is text-true, however they got there."""
    run = play(files, script, Options())
    for record in run.held:
        if all(run.text_at(s.path, record.born) == run.text_at(s.path, run.t) for s in record.sights):
            assert run.status(record) != "text-stale"

"""JavaScript and TypeScript: what must never be missed (GRAPH.md section 3), one edit a test, by what Delta says."""

from __future__ import annotations

import pytest

from core.graph.graph import CodeGraph
from core.graph.symbols import Delta

BASE = {
    "package.json": '{"name": "root", "workspaces": ["packages/*"]}',
    "packages/core/package.json": '{"name": "@m/core", "main": "dist/index.js"}',
    "packages/core/src/index.ts": "export * from './api';\nexport { make as build } from './api';\n",
    "packages/core/src/api.ts": """\
export interface Runner { run(): void }

export class Base {
  part = new Part();
  run() { this.step(); }
  step() {}
}

export class Part { go() {} }

export function make() { return new Base(); }

export const LIMIT = 3;

function first() {}

export let hook = first;
""",
    "impl.ts": """\
import { Base, type Runner } from '@m/core';

export class Job extends Base implements Runner {
  stop() {}
}

export class Other { step() {} }
""",
    "main.ts": """\
import { Job } from './impl';
import { build, LIMIT, hook, type Runner } from '@m/core';
import * as tools from './tools';
import path from 'path';

const made = build();

function use(r: Runner) { r.run(); }
function inherited(j: Job) { j.step(); }
function result() { build().step(); }
function part() { made.part.go(); }
function limit() { return LIMIT; }
function hooked() { hook(); }
function builtin() { return parseInt('1'); }
function missing() { tools.late(); }
function outside() { path.join('x'); }
function value() { register(limit); }
function register(f: () => number) { f(); }
""",
}


def edit(path: str, *pairs: tuple[str, str], more: dict[str, str | None] | None = None) -> tuple[CodeGraph, Delta]:
    """The graph and the Delta after replacing texts in one file, and setting others."""
    graph = CodeGraph(BASE)
    text = BASE.get(path, "")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return graph, graph.update({path: text, **(more or {})})


def targets(graph: CodeGraph, name: str) -> set[str]:
    return {e.target for e in graph.callees(f"main.ts::{name}")}


API = "packages/core/src/api.ts"


def test_the_graph_before_any_edit() -> None:
    graph = CodeGraph(BASE)
    assert targets(graph, "use") == {f"{API}::Runner.run"}
    assert targets(graph, "inherited") == {f"{API}::Base.step"}
    assert targets(graph, "result") == {f"{API}::make", f"{API}::Base.step"}
    assert targets(graph, "part") == {f"{API}::Part.go"}
    assert targets(graph, "hooked") == {f"{API}::first"}
    assert targets(graph, "missing") == {"<external>::tools.late"}


def test_1_a_method_hides_an_inherited_one() -> None:
    graph, delta = edit("impl.ts", ("stop() {}", "stop() {}\n  step() {}"))
    assert targets(graph, "inherited") == {"impl.ts::Job.step"}
    assert {(e.source, e.target, e.kind) for e in delta.gained} >= {
        ("main.ts::inherited", "impl.ts::Job.step", "call"),
        (f"{API}::Base.run", "impl.ts::Job.step", "override"),
    }
    assert "impl.ts::Job" in delta.after  # its members differ


def test_1_an_implementation_of_an_interface_appears() -> None:
    graph, delta = edit("impl.ts", ("class Other {", "class Other implements Runner { run() {}"))
    assert ("main.ts::use", "impl.ts::Other.run", "override") in {(e.source, e.target, e.kind) for e in delta.gained}
    assert graph.overrides("impl.ts::Other.run") == (f"{API}::Runner.run",)
    assert graph.overridden_by(f"{API}::Runner.run") == ("impl.ts::Other.run",)


def test_1_a_literal_of_the_type_is_an_implementation() -> None:
    _, delta = edit("impl.ts", ("export class Other", "export const plain: Runner = { run() {} };\nexport class Other"))
    assert ("main.ts::use", "impl.ts::plain.run", "override") in {(e.source, e.target, e.kind) for e in delta.gained}


def test_2_a_definition_takes_the_place_of_a_builtin() -> None:
    graph, delta = edit("main.ts", ("function value()", "function parseInt(x: string) {}\nfunction value()"))
    assert targets(graph, "builtin") == {"main.ts::parseInt"}
    assert "main.ts::builtin" in delta.after


@pytest.mark.parametrize("path", ["tools.ts", "tools.js", "tools/index.tsx", "tools.mjs"])
def test_2_a_missing_module_appears(path: str) -> None:
    graph, delta = edit("main.ts", more={path: "export function late() {}\n"})
    assert targets(graph, "missing") == {f"{path}::late"}
    assert "main.ts::missing" in delta.after
    graph.update({path: "function late() {}\n"})
    assert targets(graph, "missing") == set()


def test_2_a_package_of_the_workspace_appears() -> None:
    files = {"packages/path/package.json": '{"name": "path"}', "packages/path/index.js": "exports.join = () => {};\n"}
    graph, delta = edit("main.ts", more=dict(files))
    assert "main.ts::outside" in delta.after
    assert targets(graph, "outside") == {"packages/path/index.js::exports.join"}


def test_2_paths_of_a_tsconfig_appear() -> None:
    config = '{"compilerOptions": {"paths": {"path": ["./impl.ts"]}}}'
    graph, delta = edit("main.ts", ("import path", "import { Job as path }"), more={"tsconfig.json": config})
    assert "main.ts::outside" in delta.after
    graph.update({"tsconfig.json": None})
    assert targets(graph, "outside") == {"<external>::path.Job.join"}


@pytest.mark.parametrize(
    ("path", "old", "new", "reader"),
    [
        (API, "return new Base()", "return new Part()", "result"),
        (API, "return new Base()", "return new Part()", "part"),
        (API, "part = new Part()", "part = new Base()", "part"),
        (API, "hook = first", "hook = make", "hooked"),
        (API, "function first() {}", "", "hooked"),
        (API, "LIMIT = 3", "LIMIT = 4", "limit"),
        (API, "export const LIMIT", "const LIMIT", "limit"),
        ("packages/core/src/index.ts", "make as build", "hook as build", "result"),
        ("packages/core/src/index.ts", "export * from './api';", "export * from './other';", "hooked"),
        ("packages/core/package.json", "@m/core", "@m/renamed", "result"),
        ("impl.ts", "extends Base implements", "extends Other implements", "inherited"),
        ("impl.ts", "export class Job", "class Job", "inherited"),
        ("main.ts", "from 'path'", "from 'posix'", "outside"),
        ("main.ts", "import { build,", "import { Base as build,", "result"),
        ("main.ts", "const made = build()", "const made: Runner = build()", "part"),
    ],
)
def test_3_interface_changes_move_edges(path: str, old: str, new: str, reader: str) -> None:
    _, delta = edit(path, (old, new))
    before, after = delta.before[f"main.ts::{reader}"], delta.after[f"main.ts::{reader}"]
    assert before is not None
    assert after is not None
    assert before.own == after.own


def test_3_a_field_is_stored_by_another_method() -> None:
    _, delta = edit(API, ("  step() {}\n", "  step() { this.part = new Base(); }\n"))
    assert "main.ts::part" not in delta.after  # Base has no go
    _, delta = edit(API, ("  step() {}\n", "  step() { this.part = { go() {} }; }\n"))
    assert "main.ts::part" in delta.after


def test_3_a_deleted_and_a_moved_file() -> None:
    graph, delta = edit("main.ts", more={API: None})
    assert {"main.ts::result", "main.ts::part", "main.ts::hooked"} <= set(delta.after)
    graph.update({"packages/core/src/api/index.ts": BASE[API]})
    assert targets(graph, "result") == {
        "packages/core/src/api/index.ts::make",
        "packages/core/src/api/index.ts::Base.step",
    }


def test_3_a_syntax_error_keeps_the_last_good_edges() -> None:
    graph, delta = edit(API, ("function first() {}", "function first( {"))
    assert delta.parse_errors == (API,)
    assert targets(graph, "result") == {f"{API}::make", f"{API}::Base.step"}
    assert {s for s in delta.after if s.startswith("main.ts")} == set()
    assert graph.symbol(f"{API}::make") is not None


def test_4_calls_on_unknown_receivers_stay_out_of_the_edges() -> None:
    files = {
        "a.ts": "function f(unknown) { unknown.step(); }\nclass T { step() {} }\n",
        "b.py": "x.step()\n",
    }
    graph = CodeGraph(files)
    assert graph.callees("a.ts::f") == ()
    assert graph.unresolved() == {"a.ts": 1, "b.py": 1}
    assert [e.target for e in graph.weak("a.ts::f")] == ["a.ts::T.step"]
    assert graph.weak("b.py::<module>") == ()  # another language


def test_5_module_level_values_and_class_bodies_call() -> None:
    graph = CodeGraph(BASE)
    assert {e.target for e in graph.callees("main.ts::<module>")} == {f"{API}::make"}
    assert {e.target for e in graph.callees(f"{API}::Base")} == {f"{API}::Part"}
    assert ("main.ts::limit", "possible") in {(e.target, e.tier) for e in graph.callees("main.ts::value")}


def test_body_edits_and_moved_lines_touch_nothing_else() -> None:
    _, delta = edit(API, ("function first() {}", "// a comment\n\nfunction first() { 1; }"))
    assert set(delta.after) == {f"{API}::first", f"{API}::<module>"}
    _, delta = edit(API, ("export class Part", "\n\n\nexport class Part"))
    assert not delta


def test_contract_of_classes() -> None:
    graph = CodeGraph(BASE)
    assert graph.bases("impl.ts::Job") == (f"{API}::Base", f"{API}::Runner")
    assert graph.subclasses(f"{API}::Runner") == ("impl.ts::Job",)
    assert graph.callers(f"{API}::Runner.run")[0].source == "main.ts::use"
    imports = {e.target for e in graph.relations("main.ts::<module>") if e.kind == "import" and "main" in e.source}
    assert imports == {
        "impl.ts::<module>",
        "packages/core/src/index.ts::<module>",
        "<external>::path",
        "<external>::tools",
    }
    view = graph.view("main.ts::limit")
    assert view is not None
    assert [name for name, _ in view.uses] == ["LIMIT"]
    assert (f"{API}::<module>", "reads LIMIT") in {(e.target, e.why) for e in graph.relations("main.ts::limit")}


def test_references_of_a_text_that_is_not_there_yet() -> None:
    graph = CodeGraph(BASE)
    text = "import { Base, LIMIT } from '@m/core';\n\nclass Fresh extends Base {\n  go() { this.step(LIMIT); }\n}\n"
    found = {(r.line, r.kind, r.target) for r in graph.references("fresh.ts", text)}
    assert found == {
        (1, "import", "packages/core/src/index.ts::<module>"),
        (3, "inherits", f"{API}::Base"),
        (4, "call", f"{API}::Base.step"),
        (4, "uses", f"{API}::<module>"),
    }
    assert graph.symbol("fresh.ts::Fresh") is None

"""Rust: what must never be missed (each an edit, each must show in the Delta), and what must not show at all.

The numbers in names are those of the design notes: 1 overrides, 2 negative look-ups, 3 interface changes that
move edges with no body change, 4 unresolved receivers, 5 top levels that call.
"""

from __future__ import annotations

import pytest

from core.graph.graph import CodeGraph
from core.graph.symbols import Delta

BASE = {
    "Cargo.toml": '[package]\nname = "m"\n\n[dependencies]\nother = "1"\n',
    "src/api.rs": """\
pub trait Runner {
    fn run(&self) -> u8;
    fn twice(&self) -> u8 {
        self.run()
    }
}

pub struct Base {
    pub part: Part,
}

pub struct Part;

impl Base {
    pub fn step(&self) {}
}

impl Part {
    pub fn step(&self) {}
}

pub const LIMIT: u8 = 3;

pub fn first() {}

pub fn make() -> Base {
    Base { part: Part }
}

macro_rules! shout {
    ($x:expr) => {
        first($x)
    };
}
pub(crate) use shout;
""",
    "src/job.rs": """\
use crate::api::{Base, Part, Runner};

pub struct Job {
    base: Base,
}

impl Runner for Job {
    fn run(&self) -> u8 {
        1
    }
}

impl std::ops::Deref for Job {
    type Target = Base;
    fn deref(&self) -> &Base {
        &self.base
    }
}

pub struct Idle;

impl Idle {
    pub fn run(&self) -> u8 {
        2
    }
}
""",
    "src/main.rs": """\
mod api;
mod job;

use api::*;
use job::{Idle, Job};

static MADE: Base = make();

fn object(r: &dyn Runner) {
    r.run();
}

fn default(j: Job) {
    j.twice();
}

fn through(j: &Job) {
    j.step();
}

fn field(b: Base) {
    b.part.step();
}

fn constant() {
    MADE.step();
}

fn result() {
    make().step();
}

fn limit() -> u8 {
    LIMIT
}

fn missing() {
    helper();
}

fn outside() {
    other::call();
}

fn prelude() {
    drop(1);
}

fn value() {
    register(limit);
}

fn register(f: fn() -> u8) {
    f();
}

fn loud() {
    shout!(1);
}
""",
}


def edit(path: str, *pairs: tuple[str, str], more: dict[str, str | None] | None = None) -> tuple[CodeGraph, Delta]:
    """The graph and the Delta after replacing texts in one file, and setting others."""
    graph = CodeGraph(BASE)
    text = BASE.get(path, "")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new, 1)
    return graph, graph.update({path: text, **(more or {})})


def targets(graph: CodeGraph, name: str) -> set[str]:
    return {e.target for e in graph.callees(f"src/main.rs::{name}")}


def test_the_base_resolves() -> None:
    graph = CodeGraph(BASE)
    assert not graph.syntax_errors()
    assert targets(graph, "object") == {"src/api.rs::Runner.run", "src/job.rs::Job.run"}
    assert targets(graph, "default") == {"src/api.rs::Runner.twice"}
    assert targets(graph, "through") == {"src/api.rs::Base.step"}
    assert targets(graph, "field") == {"src/api.rs::Part.step"}
    assert targets(graph, "constant") == {"src/api.rs::Base.step"}
    assert targets(graph, "outside") == {"<external>::other.call"}
    assert targets(graph, "loud") == {"src/api.rs::shout"}
    assert targets(graph, "missing") == set()


def test_1_a_new_implementation_of_a_trait_in_another_file() -> None:
    more = {"src/late.rs": "use super::*;\n\nimpl Runner for Idle {\n    fn run(&self) -> u8 { 3 }\n}\n"}
    graph, delta = edit("src/main.rs", ("mod job;", "mod job;\nmod late;"), more=more)
    assert "src/main.rs::object" in delta.after
    assert "src/late.rs::Idle.run" in targets(graph, "object")
    assert "src/api.rs::Runner.twice" in delta.after  # its self.run() may run the new one
    assert "src/job.rs::Idle" not in delta.after  # its own text is the same


def test_1_a_method_takes_the_place_of_a_default_one() -> None:
    graph, delta = edit(
        "src/job.rs", ("    fn run(&self) -> u8 {\n        1", "    fn twice(&self) -> u8 {\n        1")
    )
    assert targets(graph, "default") == {"src/job.rs::Job.twice"}
    assert targets(graph, "object") == {"src/api.rs::Runner.run"}
    assert {"src/main.rs::default", "src/main.rs::object"} <= set(delta.after)


def test_1_a_method_of_its_own_hides_the_one_behind_deref() -> None:
    graph, delta = edit("src/job.rs", ("pub struct Idle;", "impl Job {\n    fn step(&self) {}\n}\n\npub struct Idle;"))
    assert targets(graph, "through") == {"src/job.rs::Job.step"}
    assert "src/main.rs::through" in delta.after
    assert [(e.source, e.target) for e in delta.lost] == [("src/main.rs::through", "src/api.rs::Base.step")]


def test_2_a_definition_takes_the_place_of_a_name_of_the_prelude() -> None:
    graph, delta = edit("src/api.rs", ("pub fn first() {}", "pub fn first() {}\n\npub fn drop(n: u8) {}"))
    assert targets(graph, "prelude") == {"src/api.rs::drop"}
    assert "src/main.rs::prelude" in delta.after


def test_2_a_missing_function_appears_behind_a_glob() -> None:
    graph, delta = edit("src/api.rs", ("pub fn first() {}", "pub fn first() {}\n\npub fn helper() {}"))
    assert targets(graph, "missing") == {"src/api.rs::helper"}
    assert "src/main.rs::missing" in delta.after
    graph.update({"src/api.rs": BASE["src/api.rs"]})
    assert targets(graph, "missing") == set()


def test_2_a_crate_becomes_one_of_the_repository() -> None:
    more = {"lib/Cargo.toml": '[package]\nname = "other"\n', "lib/src/lib.rs": "pub fn call() {}\n"}
    graph, delta = edit("src/main.rs", more=more)
    assert targets(graph, "outside") == {"lib/src/lib.rs::call"}
    assert "src/main.rs::outside" in delta.after


@pytest.mark.parametrize(
    ("path", "old", "new", "reader"),
    [
        ("src/api.rs", "make() -> Base {", "make() -> Part {", "result"),
        ("src/api.rs", "pub part: Part", "pub part: Base", "field"),
        ("src/api.rs", "LIMIT: u8 = 3", "LIMIT: u8 = 4", "limit"),
        ("src/job.rs", "type Target = Base;", "type Target = Part;", "through"),
        ("src/job.rs", "impl Runner for Job", "impl Runner for Idle", "default"),
        ("src/job.rs", "use crate::api::{Base, Part, Runner}", "use crate::api::{Base, Part}", "object"),
        ("src/main.rs", "static MADE: Base", "static MADE: Part", "constant"),
        ("src/main.rs", "use api::*;", "use api::{make, Base, Part as P, Runner};", "limit"),
        ("src/main.rs", "mod api;", '#[path = "job.rs"]\nmod api;', "result"),
        ("src/api.rs", "macro_rules! shout", "macro_rules! whisper", "loud"),
        ("Cargo.toml", 'other = "1"', 'else = "1"', "outside"),
    ],
)  # fmt: skip
def test_3_interface_changes_move_edges(path: str, old: str, new: str, reader: str) -> None:
    _, delta = edit(path, (old, new))
    moved = f"src/main.rs::{reader}"
    assert moved in delta.after
    before, after = delta.before[moved], delta.after[moved]
    assert before is not None
    assert after is not None
    assert before.own == after.own


def test_3_a_deleted_and_a_moved_module() -> None:
    graph, delta = edit("src/main.rs", more={"src/api.rs": None})
    assert "src/main.rs::result" in delta.after
    assert targets(graph, "result") == set()
    graph.update({"src/api/mod.rs": BASE["src/api.rs"]})
    assert targets(graph, "result") == {"src/api/mod.rs::make", "src/api/mod.rs::Base.step"}


def test_3_a_syntax_error_keeps_the_last_good_edges() -> None:
    graph, delta = edit("src/api.rs", ("pub fn first() {}", "pub fn first( {"))
    assert delta.parse_errors == ("src/api.rs",)
    assert targets(graph, "result") == {"src/api.rs::make", "src/api.rs::Base.step"}
    assert {s for s in delta.after if s.startswith("src/main.rs")} == set()
    assert graph.symbol("src/api.rs::make") is not None


def test_4_calls_on_unknown_receivers_stay_out_of_the_edges() -> None:
    graph = CodeGraph({"a.rs": "fn f() { unknown.step() }\n\nstruct T;\n\nimpl T {\n    fn step(&self) {}\n}\n"})
    assert graph.callees("a.rs::f") == ()
    assert graph.unresolved() == {"a.rs": 1}
    assert [e.target for e in graph.weak("a.rs::f")] == ["a.rs::T.step"]
    assert graph.weak_size() == (1, 1)


def test_5_statics_call() -> None:
    graph = CodeGraph(BASE)
    assert {e.target for e in graph.callees("src/main.rs::<module>")} == {"src/api.rs::make"}


def test_body_edits_and_moved_lines_touch_nothing_else() -> None:
    _, delta = edit("src/api.rs", ("pub fn first() {}", "// a comment\n\npub fn first() { 1; }"))
    assert set(delta.after) == {"src/api.rs::first", "src/api.rs::<module>"}
    _, delta = edit("src/api.rs", ("pub struct Base", "\n\n\npub struct Base"))
    assert not delta


def test_contract_of_methods() -> None:
    graph = CodeGraph(BASE)
    assert graph.overrides("src/job.rs::Job.run") == ("src/api.rs::Runner.run",)
    assert graph.overridden_by("src/api.rs::Runner.run") == ("src/job.rs::Job.run",)
    assert graph.bases("src/job.rs::Job") == ("<external>::std.ops.Deref", "src/api.rs::Runner")
    assert "src/job.rs::Job" in graph.subclasses("src/api.rs::Runner")
    assert graph.bases("src/job.rs::Idle") == ()
    assert graph.overrides("src/job.rs::Idle.run") == ()


def test_uses_reach_across_files() -> None:
    graph = CodeGraph(BASE)
    view = graph.view("src/main.rs::limit")
    assert view is not None
    assert [name for name, _ in view.uses] == ["LIMIT"]
    assert ("uses", "src/api.rs::<module>") in {(e.kind, e.target) for e in graph.relations("src/main.rs::limit")}
    assert ("uses", "src/job.rs::Job") in {(e.kind, e.target) for e in graph.relations("src/main.rs::through")}
    imports = {e.target for e in graph.relations("src/main.rs::<module>") if e.kind == "import"}
    assert imports == {"src/api.rs::<module>", "src/job.rs::<module>", "src/job.rs::Idle", "src/job.rs::Job"}


def test_a_function_passed_has_an_edge_from_who_passes_it() -> None:
    graph = CodeGraph(BASE)
    found = {(e.target, e.tier) for e in graph.callees("src/main.rs::value")}
    assert found == {("src/main.rs::register", "certain"), ("src/main.rs::limit", "possible")}


def test_references_of_a_text_that_is_not_there_yet() -> None:
    graph = CodeGraph(BASE)
    text = "use crate::api::Runner;\n\nfn fresh(r: &dyn Runner) {\n    r.run();\n    crate::api::first();\n}\n"
    found = {(r.line, r.kind, r.target) for r in graph.references("src/fresh.rs", text)}
    assert (4, "call", "src/api.rs::Runner.run") not in found  # no module declares the file: it is its own crate
    changed = BASE["src/main.rs"].replace("mod api;", "mod api;\nmod fresh;")
    graph.update({"src/main.rs": changed})
    found = {(r.line, r.kind, r.target) for r in graph.references("src/fresh.rs", text)}
    assert found == {
        (1, "import", "src/api.rs::Runner"),
        (3, "uses", "src/api.rs::Runner"),
        (4, "call", "src/api.rs::Runner.run"),
        (4, "override", "src/job.rs::Job.run"),
        (5, "call", "src/api.rs::first"),
    }
    assert graph.symbol("src/fresh.rs::fresh") is None

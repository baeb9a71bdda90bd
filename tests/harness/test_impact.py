"""What an edit may affect, against hand-worked expectations; the names of many writes against those of one reading."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from core.graph.graph import CodeGraph
from core.harness.edits import differing_lines, edit_of
from core.harness.impact import Impact, ImpactIndex, Written, to_open, without_size
from core.harness.names import NameIndex, names_in
from tests.harness.project import FILES, NEW_LOADER


def affected(path: str, after: str | None, files: dict[str, str] = FILES) -> tuple[tuple[Written, ...], list[Impact]]:
    graph, index = CodeGraph(files), ImpactIndex(files)
    delta = graph.update({path: after})
    written, impacts = index.update(graph, delta, {path: (files.get(path), after)})
    return written, list(impacts)


def firm(impacts: list[Impact]) -> dict[str, str]:
    return {i.path: i.why for i in impacts if i.firm}


def test_a_changed_signature_concerns_callers_tests_documentation_and_configuration() -> None:
    written, impacts = affected("pkg/loader.py", NEW_LOADER)
    assert written == (Written("pkg/loader.py", "edited", ("load_table",)),)
    assert set(firm(impacts)) == {"pkg/service.py", "pkg/cli.py", "tests/test_loader.py", "README.md", "settings.toml"}
    assert {i.kind for i in impacts if i.firm} == {"caller", "test", "documentation", "configuration"}
    assert [i.score for i in impacts] == sorted((i.score for i in impacts), reverse=True)
    assert "notes.md" not in {i.path for i in impacts}


def test_a_changed_body_concerns_nobody_firmly_but_its_tests() -> None:
    _, impacts = affected("pkg/loader.py", FILES["pkg/loader.py"].replace("open(path)", "open(path, 'r')"))
    assert firm(impacts) == {"tests/test_loader.py": "is named after loader.py"}
    assert {"pkg/service.py", "pkg/cli.py"} <= {i.path for i in impacts}  # to look at, not to follow


def test_a_removed_function_concerns_who_called_it_though_the_edge_is_gone() -> None:
    after = FILES["pkg/loader.py"].replace("load_table", "read_table")
    _, impacts = affected("pkg/loader.py", after)
    assert firm(impacts)["pkg/cli.py"].startswith("calls load_table, which was removed")


def test_a_deleted_file_is_said_to_be_deleted() -> None:
    written, impacts = affected("pkg/loader.py", None)
    assert written == (Written("pkg/loader.py", "deleted"),)
    assert {"pkg/service.py", "pkg/cli.py"} <= set(firm(impacts))


def test_overriding_methods_are_named() -> None:
    files = {
        "base.py": "class Base:\n    def run(self):\n        return 1\n",
        "sub.py": "from base import Base\n\n\nclass Sub(Base):\n    def run(self):\n        return 2\n",
    }
    _, impacts = affected("base.py", files["base.py"].replace("run(self)", "run(self, n)"), files)
    assert firm(impacts) == {"sub.py": "Sub.run overrides Base.run, whose signature changed"}


def test_a_test_beside_another_file_of_that_name_is_that_files() -> None:
    files = {"a/session.py": "X = 1\n", "b/session.py": "Y = 1\n", "b/test_session.py": "", "it/test_session.py": ""}
    _, impacts = affected("a/session.py", "X = 2\n", files)
    assert set(firm(impacts)) == {"it/test_session.py"}


def test_relations_opened_by_one_edit_are_few() -> None:
    found = [Impact("a", f"f{n}", "caller", "", 9.0 - n, True) for n in range(20)] + [
        Impact("a", "g", "test", "", 1, False)
    ]
    assert [i.path for i in to_open(found)] == [f"f{n}" for n in range(8)]


def test_size_moves_the_order_only() -> None:
    files = {**FILES, "pkg/large.py": FILES["pkg/cli.py"] + "".join(f"name_{n} = {n}\n" for n in range(500))}
    graph, index = CodeGraph(files), ImpactIndex(files)
    delta = graph.update({"pkg/loader.py": NEW_LOADER})
    _, found = index.update(graph, delta, {"pkg/loader.py": (FILES["pkg/loader.py"], NEW_LOADER)})
    code = [i.path for i in found if i.kind == "caller"]
    assert code[0] == "pkg/large.py"
    plain = [i.path for i in without_size(found, index.names) if i.kind == "caller"]
    assert plain[:3] == ["pkg/cli.py", "pkg/large.py", "pkg/service.py"]  # as much evidence each: by name
    assert sorted(plain) == sorted(code)


def test_a_moved_line_does_not_differ() -> None:
    assert differing_lines("a\nb\nc", "c\na\nb") == []
    assert sorted(differing_lines("a\nb\nb", "b\nd\na")) == ["b", "d"]


def test_an_edit_says_what_callers_depend_on_first() -> None:
    before = "def a(x):\n    return 1\n\n\ndef b():\n    return 2\n\n\ndef c():\n    pass\n"
    after = "def a(x, y):\n    return 1\n\n\ndef b():\n    return 3\n\n\nclass D:\n    def m(self):\n        pass\n"
    graph = CodeGraph({"m.py": before})
    edit = edit_of(graph, graph.update({"m.py": after}), "m.py", before, after)
    assert (edit.resigned, edit.removed, edit.inside) == (("m.py::a",), ("m.py::c",), ("m.py::b",))
    assert edit.created == ("m.py::D", "m.py::D.m")
    assert edit.symbols == ("a", "c", "D", "b")


def test_names_leave_out_what_names_nothing() -> None:
    assert names_in("def load_table(self, x): return the_value + 12") == {"load_table", "the_value"}


TEXTS = st.one_of(st.none(), st.text("ab_ \n", max_size=20).map(lambda s: s.replace("a", "alpha").replace("b", "beta")))
CHANGES = st.dictionaries(st.sampled_from(["a.py", "b.md", "c.toml"]), TEXTS, max_size=3)


@given(st.lists(CHANGES, max_size=6))
def test_names_after_writes_are_those_of_the_texts(changes: list[dict[str, str | None]]) -> None:
    index, texts = NameIndex({}), {}
    for change in changes:
        index.update(change)
        texts = {p: t for p, t in {**texts, **change}.items() if t is not None}
    fresh = NameIndex(texts)
    words = {name for text in texts.values() for name in names_in(text)} | {"alpha", "beta"}
    assert {w: set(index.files(w)) for w in words} == {w: set(fresh.files(w)) for w in words}
    assert set(index.paths()) == set(texts)
    assert index.weighed(words, most=1.0) == fresh.weighed(words, most=1.0)

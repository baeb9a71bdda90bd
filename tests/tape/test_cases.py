"""Hand-worked cases of the tape: what a write drifts, whom it nominates, what is measured, what is done."""

from __future__ import annotations

import pytest

from core.graph.symbols import Delta, Edge, View
from core.options import Options
from core.records.record import Symbols
from core.replay.world import Sight
from core.tape.drift import calls_moved, drift_of, is_documentation
from core.tape.nominate import STATE_ID, nominate
from core.tape.tape import Tape
from core.trajectory.steps import Step
from tests.tape.driver import Driver

CONFIG = """from json_io import load

LIMIT = 3


def read_config(path):
    return load(path)


def other(x):
    y = x + LIMIT

    return y
"""
JSON_IO = "def load(path):\n    return path\n"
YAML_IO = "def load(path):\n    return [path]\n"
FILES = {"config.py": CONFIG, "json_io.py": JSON_IO, "yaml_io.py": YAML_IO}


def driver(**switches: object) -> Driver:
    files = dict(FILES)
    return Driver(files, Options(**switches))  # type: ignore[arg-type]


def hits(run: Driver) -> list[tuple[int, str, list[tuple[str, str, tuple[int, ...]]], str]]:
    return [(n.t, n.record_id, [(h.id, h.why, h.writes) for h in n.hits], a.name) for n, a in run.rows]


def test_body_edit_nominates_and_refreshes() -> None:
    run = driver()
    whole = run.read("config.py")
    part = run.read("config.py", 6, 7)
    run.write("config.py", CONFIG.replace("return load(path)", "return load(path, 1)"))
    assert run.drifts[0].changed == ("config.py::read_config",)
    expected = [("config.py::read_config", "changed", (3,))]
    assert hits(run) == [(3, whole.id, expected, "refresh"), (3, part.id, expected, "refresh")]
    assert run.status(whole) == "text-stale"
    assert run.statuses[-2].record_id == part.id
    assert run.statuses[-2].stale_lines == ((7, 7),)
    assert run.rows[1][1].text == "     6→def read_config(path):\n     7→    return load(path, 1)"


def test_import_change_rewires_and_drops() -> None:
    run = driver()
    record = run.read("config.py", 6, 7)
    run.write("config.py", CONFIG.replace("json_io", "yaml_io"))
    drift = run.drifts[0]
    assert drift.changed == ("config.py::<module>",)
    assert drift.rewired == ("config.py::read_config",)
    assert drift.lost_callers == ("json_io.py::load",)
    assert hits(run) == [(2, record.id, [("config.py::read_config", "rewired", (2,))], "drop")]
    assert run.status(record) == "view-stale"
    text = run.rows[0][1].text
    assert text is not None
    assert "read_config calls something else now" in text
    assert "\n" not in text


def test_a_binding_that_is_read_keeps_with_a_note() -> None:
    run = driver()
    record = run.read("config.py", 10, 13)
    run.write("config.py", CONFIG.replace("LIMIT = 3", "LIMIT = 4"))
    assert hits(run) == [(2, record.id, [("config.py::other", "uses", (2,))], "keep")]
    assert run.rows[0][1].text is None
    assert run.status(record) == "true"
    off = driver(uses=False)
    off.read("config.py", 10, 13)
    off.write("config.py", CONFIG.replace("LIMIT = 3", "LIMIT = 4"))
    assert hits(off) == []
    assert off.drifts[0].uses == ()


def test_unshown_lines_of_a_covered_symbol_keep() -> None:
    run = driver()
    record = run.read("config.py", 10, 11)
    run.write("config.py", CONFIG.replace("return y", "return -y"))
    assert [row[3] for row in hits(run)] == ["keep"]
    assert run.status(record) == "true"
    strict = driver(shown_lines=False)
    strict.read("config.py", 10, 11)
    strict.write("config.py", CONFIG.replace("return y", "return -y"))
    assert [row[3] for row in hits(strict)] == ["refresh"]


def test_inserting_between_shown_lines_of_one_symbol_falsifies_between_two_does_not() -> None:
    run = driver()
    body = run.read("config.py", 10, 13)
    both = run.read("config.py", 6, 13)
    whole = run.read("config.py")
    run.write("config.py", CONFIG.replace("\n\ndef other", "\n\ndef new():\n    return 0\n\n\ndef other"))
    assert [run.status(r) for r in (body, both, whole)] == ["true"] * 3
    at_whole = run.staleness.status(whole.id)
    assert at_whole is not None
    assert (at_whole.incomplete, at_whole.moved) == (True, True)
    assert hits(run) == []
    run.write("config.py", run.texts[-1]["config.py"].replace("LIMIT\n\n", "LIMIT\n\n    y += 1\n"))
    assert [run.status(r) for r in (body, both, whole)] == ["text-stale"] * 3
    change = run.staleness.status(body.id)
    assert change is not None
    assert change.stale_lines == ((12, 11),)


def test_blank_lines_and_trailing_blanks_belong_to_nothing() -> None:
    run = driver()
    record = run.read("config.py")
    run.write("config.py", CONFIG.replace("LIMIT\n\n", "LIMIT  \n\n\n"))
    assert hits(run) == []
    assert run.status(record) == "true"


def test_undo_is_kept_and_true_again() -> None:
    run = driver()
    record = run.read("config.py", 6, 7)
    changed = CONFIG.replace("return load(path)", "return 1")
    run.write("config.py", changed)
    assert run.status(record) == "text-stale"
    run.write("config.py", CONFIG)
    assert run.status(record) == "true"
    assert run.tape.last("config.py::read_config") == 3
    assert run.tape.last("config.py::read_config", 2) == 2
    late = nominate([record], run.tape, 3)
    assert [(h.why, h.writes) for h in late[0].hits] == [("changed", (2, 3))]
    assert [(row[1], row[3]) for row in hits(run)] == [("r1", "refresh"), ("r2", "drop")]  # r2: the edit undone


def test_moved_inside_its_file_stays_and_a_removed_one_says_where_it_went() -> None:
    run = driver()
    record = run.read("config.py", 6, 7)
    head, middle, tail = CONFIG.split("\n\n\n")
    run.write("config.py", "\n\n\n".join([head, tail.rstrip("\n"), middle]) + "\n")
    assert run.status(record) == "true"
    assert hits(run) == []
    moved = run.staleness.status(record.id)
    assert moved is not None
    assert moved.moved
    run.writes({"config.py": "\n\n\n".join([head, tail]), "new.py": middle + "\n"})
    assert run.status(record) == "text-stale"
    row = run.rows[-1]
    assert [(h.id, h.why) for h in row[0].hits] == [("config.py::read_config", "removed")]
    assert row[1].name == "drop"
    assert "moved to new.py::read_config" in (row[1].text or "")


def test_an_edit_is_never_refreshed() -> None:
    run = driver()
    edit = run.write("config.py", CONFIG.replace("return y", "return -y"))
    assert edit.referent is not None
    assert run.rows == []
    run.write("config.py", run.texts[-1]["config.py"].replace("y = x", "y = 2 * x"))
    assert [(n.record_id, a.name) for n, a in run.rows] == [(edit.id, "keep")]
    run.write("config.py", run.texts[-1]["config.py"].replace("return -y", "return 0"))
    actions = {(a.t, a.record_id): a.name for a in run.actions}
    assert actions == {(2, "r1"): "keep", (3, "r1"): "drop", (3, "r2"): "keep"}


def test_tests_are_stale_after_any_code_write_and_only_the_newest_gets_a_stub() -> None:
    run = driver()
    first = run.test("cd /x && pytest -q | tail -5")
    run.test("pytest -q", "2 passed")
    other = run.test("ruff check")
    run.writes({"README.md": None}, opaque=("README.md",))
    assert run.rows == []
    assert run.status(first) == "true"
    run.write("json_io.py", JSON_IO + "\n\nX = 1\n")
    assert hits(run) == [
        (5, "r1", [(STATE_ID, "state", (5,))], "drop"),
        (5, "r2", [(STATE_ID, "state", (5,))], "rerun"),
        (5, other.id, [(STATE_ID, "state", (5,))], "rerun"),
    ]
    assert run.status(first) == "state-stale"
    run.write("json_io.py", JSON_IO)
    assert [r[1] for r in hits(run)] == ["r1", "r2", "r3", "r5"]  # a test record has one row, at its first write
    forms = {i.origin: i.form for i in run.maintained.items() if i.until is None}
    assert forms == {"r1": "tomb", "r2": "stub", "r3": "stub", "r4": "record", "r5": "tomb", "r6": "record"}


def test_files_of_unknown_text_nominate_on_any_write() -> None:
    run = driver()
    known = run.read("config.py", 6, 7)
    run.writes({}, opaque=("config.py",))
    assert hits(run) == [(2, known.id, [("config.py", "opaque", (2,))], "drop")]


@pytest.mark.parametrize(
    ("was", "now", "moved"),
    [
        ((), ("a.py::f",), False),  # it was unresolved: the implementation came after its test
        (("<external>::pkg.io.f",), ("src/pkg/io.py::f",), False),  # a placeholder for what stands there now
        (("<external>::json.load",), ("yaml_io.py::load",), True),  # the import moved
        (("<external>::json.load",), ("<external>::yaml.load",), True),
        (("<builtin>::open",), ("a.py::open",), True),
        (("a.py::f",), ("b.py::f",), True),
        (("a.py::f",), (), True),
        (("a.py::A.f",), ("a.py::A.f", "b.py::B.f"), True),  # a new override
    ],
)
def test_gained_calls_are_no_rewiring_retargeted_and_lost_ones_are(
    was: tuple[str, ...], now: tuple[str, ...], moved: bool
) -> None:
    before, after = View("h", (("f", was),) if was else ()), View("h", (("f", now),) if now else ())
    assert calls_moved(before, after, Options()) is moved
    assert calls_moved(before, after, Options(gain=True)) is (was != now)


def test_edges_both_is_equation_six_literally() -> None:
    edge = Edge("a.py::f", "b.py::g", "call", "certain", "import")
    delta = Delta({"a.py::f": View("1")}, {"a.py::f": View("1", (("g", ("b.py::g",)),))}, (), (edge,))
    assert drift_of(1, 1, delta, ["a.py"], [], Options()).rewired == ()
    assert drift_of(1, 1, delta, ["a.py"], [], Options(edges="both")).rewired == ("a.py::f", "b.py::g")


def test_possible_edges_make_a_possible_hit() -> None:
    for tier, expected in (("possible", "possible"), ("certain", "certain")):
        gained = Edge("a.py::f.inner", "b.py::B.m", "override", tier, "override")  # type: ignore[arg-type]
        views = View("1", (("x.m", ("a.py::A.m",)),)), View("1", (("x.m", ("a.py::A.m", "b.py::B.m")),))
        delta = Delta({"a.py::f": views[0]}, {"a.py::f": views[1]}, (), (gained,))
        tape = Tape(Options(), lambda _: None)
        tape.append(drift_of(2, 2, delta, ["b.py"], [], Options()), delta)
        assert tape.rewired_between("a.py::f", 1, 2)
        assert tape.tier("a.py::f", (2,)) == expected


def test_the_tape_refuses_to_go_back_in_time() -> None:
    tape = Tape(Options(), lambda _: None)
    tape.append(drift_of(5, 5, Delta({}, {}), ["a"], [], Options()), Delta({}, {}))
    with pytest.raises(ValueError):
        tape.append(drift_of(4, 4, Delta({}, {}), ["a"], [], Options()), Delta({}, {}))


def test_documentation() -> None:
    assert [
        is_documentation(p) for p in ("README", "docs/a.txt", "CHANGES.md", "requirements.txt", "docs/conf.py")
    ] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_incomplete_is_about_what_is_new_only() -> None:
    text = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
    run = Driver({"a.py": text})
    whole = run.read("a.py")
    run.write("a.py", text.replace("return 1", "return 11"))
    change = run.staleness.status(whole.id)
    assert change is not None
    assert (change.status, change.incomplete, change.stale_lines) == ("text-stale", False, ((2, 2),))
    run.write("a.py", "X = 1\n\n\n" + text)
    change = run.staleness.status(whole.id)
    assert change is not None
    assert (change.status, change.incomplete, change.moved) == ("true", True, True)


def test_of_a_record_through_known_and_unknown_files_only_the_known_part_is_measured() -> None:
    run = driver()
    lines = tuple(CONFIG.split("\n")[5:7])
    sights = [Sight(1, "config.py", 6, lines, "search"), Sight(1, "vendor/x.py", 1, ("import x",), "search")]
    mixed = run.step(Step(1, "search", "assistant", "Grep", "{}", "..."), sights)
    alone = run.step(
        Step(2, "read", "assistant", "Read", "{}", "..."), [Sight(2, "vendor/x.py", 1, ("import x",), "read")]
    )
    assert (run.status(mixed), run.status(alone)) == ("true", "none")
    run.writes({"vendor/x.py": "import y\n"})
    assert hits(run) == [(3, r, [("vendor/x.py", "opaque", (3,))], "drop") for r in ("r1", "r2")]
    assert (run.status(mixed), run.status(alone)) == ("true", "none")
    run.write("config.py", CONFIG.replace("return load(path)", "return 1"))
    assert (run.status(mixed), run.status(alone)) == ("text-stale", "none")


def test_a_refresh_keeps_lines_of_unknown_files_until_they_are_written() -> None:
    lines = tuple(CONFIG.split("\n")[6:7])
    shown = f"config.py:7:{lines[0]}\nvendor/x.py:1:import x"
    sights = [Sight(1, "config.py", 7, lines, "search"), Sight(1, "vendor/x.py", 1, ("import x",), "search")]
    changed = CONFIG.replace("return load(path)", "return load(path, 1)")
    run = driver()
    run.step(Step(1, "search", "assistant", "Grep", "{}", shown), sights)
    run.write("config.py", CONFIG.replace("return y", "return -y"))
    assert [a.name for _, a in run.rows] == []
    run.write("config.py", changed)
    action = next(a for n, a in run.rows if n.record_id == "r1")
    assert action.name == "refresh"
    assert action.text == "config.py:7:    return load(path, 1)\nvendor/x.py:1:import x"
    fresh = run.maintained.records()[0]
    assert fresh.referent == Symbols(("config.py::read_config",), ("vendor/x.py",))
    run = driver(dedupe=False)
    run.step(Step(1, "search", "assistant", "Grep", "{}", shown), sights)
    run.writes({"config.py": changed}, opaque=("vendor/x.py",))
    assert run.rows[-1][1].name == "refresh"
    assert run.rows[-1][1].text == "config.py:7:    return load(path, 1)"

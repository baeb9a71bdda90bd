"""The model-free manager's rules one by one, each with weights that switch the others off."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.manager.candidates import candidates, choose, drifted, focused, label, rank, reshaped, score, seeds
from core.manager.deterministic import files_named, manage
from core.manager.uses import uses
from core.manager.walk import distances, walk
from core.manager.weights import Weights
from tests.manager.scene import Scene
from tests.policies.contexts import gone, named

OFF = Weights(
    output_age=0, test_age=0, refresh_age=0, near_writes=0, far_writes=0, far_idle=0, idle=0, orphan_writes=0,
    superseded=0, recent_writes=4, focus=0, budget=0, unasked=False, rest=1, late=0, shared=0, largest=10_000,
    least=0, site=1, first_hop=1, second_hop=0,
    callee=1, caller=1, signature=1, contract=0, older=-1, edited=0, named=0, turned=0, imported=0, module_seed=0,
    possible=0,
)  # fmt: skip
FILES = {
    "base.py": 'class Reader:\n    """Reads."""\n\n    def rows(self, path):\n        raise NotImplementedError\n',
    "text.py": (
        "from base import Reader\nfrom clean import strip\n\n\n"
        "class TextReader(Reader):\n    def rows(self, path):\n        return [strip(line) for line in open(path)]\n"
    ),
    "clean.py": "def strip(line):\n    return line.strip()\n\n\ndef tidy(line):\n    return line\n",
    "main.py": "from text import TextReader\n\n\ndef main(path):\n    return TextReader().rows(path)\n",
    "far.py": "def far(x):\n    return x\n",
    "tests/test_text.py": "from text import TextReader\n\n\ndef test_rows():\n    assert TextReader().rows('x')\n",
    "README.md": "# Readers\n\nSee TextReader.rows.\n",
}
INLINE = FILES["text.py"].replace("strip(line) for", "line.strip() for")


def after(scene: Scene, path: str, old: str, new: str) -> None:
    text = scene.texts[-1][path]
    assert old in text
    scene.write(path, text.replace(old, new))


def evicted(scene: Scene, weights: Weights) -> set[str]:
    plan = manage(scene.moment(), weights)
    return {a.record_id for a in plan.actions if a.name == "drop" and a.successor is None}


def test_what_lost_its_last_caller_leaves() -> None:
    """The introduction's `_read_json`: true, untouched, and nothing calls it any more."""
    scene = Scene(FILES)
    scene.read("clean.py", 1, 2)  # r1: strip
    scene.read("clean.py", 5, 6)  # r2: tidy, which never had a caller
    scene.read("text.py")  # r3
    scene.write("text.py", INLINE)  # r4
    assert evicted(scene, replace(OFF, orphan_writes=1)) == {"r1"}
    assert evicted(scene, replace(OFF, orphan_writes=2)) == set()
    assert evicted(scene, OFF) == set()
    scene.read("clean.py", 1, 2)  # r5: the agent reads it again: it is not finished with
    assert evicted(scene, replace(OFF, orphan_writes=1)) == set()


def test_a_view_far_from_everything_that_changed_leaves_when_it_is_old() -> None:
    scene = Scene(FILES)
    scene.read("far.py")  # r1
    scene.read("clean.py")  # r2: text calls it
    scene.read("text.py")  # r3
    after(scene, "text.py", "open(path)", "open(path, encoding='utf-8')")  # r4
    after(scene, "text.py", "line in open", "row in open")  # r5
    assert evicted(scene, replace(OFF, far_writes=2)) == {"r1"}
    assert evicted(scene, replace(OFF, far_writes=3)) == set()
    assert evicted(scene, replace(OFF, far_writes=2, far_idle=5)) == set()
    assert evicted(scene, replace(OFF, far_writes=2, far_idle=4)) == {"r1"}


def test_a_view_that_newer_records_show_leaves() -> None:
    scene = Scene(FILES)
    scene.read("clean.py", 1, 2)  # r1
    scene.read("clean.py")  # r2
    scene.read("main.py", 4, 5)  # r3: half of it is read again
    scene.read("main.py", 5, 5)  # r4
    scene.read("text.py")  # r5
    scene.write("text.py", INLINE)  # r6
    assert evicted(scene, replace(OFF, superseded=1.0)) == {"r1"}
    assert evicted(scene, replace(OFF, superseded=0.5)) == {"r1", "r3"}


def test_old_output_and_old_tests_leave_and_talk_stays() -> None:
    scene = Scene(FILES)
    scene.user("Go.")  # r1
    scene.say("I will.")  # r2
    scene.run("ls", "base.py")  # r3
    scene.find("base.py")  # r4
    scene.test()  # r5
    scene.read("text.py")  # r6
    scene.write("text.py", INLINE)  # r7
    assert evicted(scene, replace(OFF, output_age=4)) == {"r3"}
    assert evicted(scene, replace(OFF, output_age=3)) == {"r3", "r4"}
    assert named(manage(scene.moment(), OFF))["r5"] == "rerun"
    assert evicted(scene, replace(OFF, test_age=2)) == {"r5"}
    assert gone(manage(scene.moment(), replace(OFF, output_age=1, test_age=1, idle=1))).isdisjoint({"r1", "r2"})


def test_a_test_of_a_module_nothing_written_since_is_near() -> None:
    scene = Scene(FILES | {"tests/test_far.py": "from far import far\n\n\ndef test_far():\n    assert far(1)\n"})
    scene.test("pytest tests/test_far.py -q")  # r1
    scene.test("python -m unittest tests.test_text")  # r2
    scene.test("pytest -q")  # r3
    scene.write("text.py", INLINE)  # r4
    assert evicted(scene, OFF) == {"r1"}
    assert files_named(scene.moment(), "cd x && pytest ./tests/test_far.py::test_far tests.test_text") == (
        "tests/test_far.py",
        "tests/test_text.py",
    )


def test_an_old_refresh_becomes_a_drop() -> None:
    scene = Scene(FILES)
    scene.read("clean.py")  # r1
    after(scene, "clean.py", "return line.strip()", "return line.strip(' ')")  # r2
    for _ in range(4):
        scene.say("...")
    after(scene, "far.py", "return x", "return x + 1")  # r7, which leaves strip alone
    weights = replace(OFF, near_writes=1)
    assert named(manage(scene.moment(), replace(weights, refresh_age=6))) == {"r1": "refresh"}
    (action,) = manage(scene.moment(), replace(weights, refresh_age=5)).actions
    assert action.name == "drop"
    assert action.successor is not None
    assert "strip changed" in action.successor.text


def test_the_walk_follows_every_kind_of_edge_both_ways() -> None:
    scene = Scene(FILES)
    reached = walk(scene.graph, {"text.py::TextReader.rows": 3})
    near = {i: (way.hop, way.direction, way.kind) for i, way in reached.items()}
    expected = {
        "text.py::TextReader.rows": (0, "self", ""),
        "clean.py::strip": (1, "out", "call"),
        "main.py::main": (1, "in", "call"),
        "tests/test_text.py::test_rows": (1, "in", "call"),
    }
    assert {i: near[i] for i in expected} == expected
    assert reached["main.py::main"].step == 3
    assert distances(scene.graph, ["text.py::TextReader.rows"]) == {i: way.hop for i, way in reached.items()}
    # Round the corner: tidy's file mate is no neighbour, but other callers of a callee are, by a turn.
    assert "clean.py::tidy" not in reached
    assert walk(scene.graph, {"none.py::x": 1}) == {}


def test_candidates_are_what_nothing_held_shows() -> None:
    scene = Scene(FILES)
    scene.read("text.py")  # r1
    scene.read("clean.py", 1, 1)  # r2: half of strip
    scene.write("text.py", INLINE.replace("path):", "path, limit=None):"))  # r3: strip is not called now
    moment = scene.moment()
    near = walk(moment.graph, seeds(moment, OFF))
    found = {c.reach.symbol: c for c in candidates(moment, near, moment.records, {})}
    assert "tests/test_text.py::test_rows" not in found  # test code is not retrieved
    assert not any(c.path == "README.md" for c in found.values())
    main = found["main.py::main"]
    assert (main.rule, main.pieces, main.reshaped, main.edited, main.latest) == ("G3", ((4, 5),), True, False, True)
    assert reshaped(moment, "text.py::TextReader.rows", 3)
    after(scene, "text.py", "return [line.strip()", "return [strip(line)")  # r4
    moment = scene.moment()
    found = {c.reach.symbol: c for c in candidates(moment, walk(moment.graph, seeds(moment, OFF)), moment.records, {})}
    assert found["clean.py::strip"].pieces == ((2, 2),)
    assert found["clean.py::strip"].rule == "G2"
    assert not found["main.py::main"].reshaped  # the latest write left the signature alone


def test_a_base_class_is_a_contract() -> None:
    scene = Scene(FILES)
    scene.read("text.py")
    after(scene, "text.py", "class TextReader(Reader):\n", 'class TextReader(Reader):\n    """Reads text."""\n\n')
    moment = scene.moment()
    near = walk(moment.graph, seeds(moment, OFF))
    base = moment.graph.symbol("base.py::Reader")
    assert base is not None
    assert label(near["base.py::Reader"], base) == "G4"


def test_scores_order_and_the_budget_cuts() -> None:
    scene = Scene(FILES, task="Make main faster.")
    scene.read("text.py")
    after(scene, "text.py", "path):", "path, limit=None):")
    moment = scene.moment()
    found = candidates(moment, walk(moment.graph, seeds(moment, OFF)), moment.records, {})
    ranked = rank(moment, found, OFF)
    names = [one.candidate.reach.symbol for one in ranked]
    # main: first hop, a caller, of a changed signature = 3; strip: first hop, a callee = 2.
    assert names.index("main.py::main") < names.index("clean.py::strip")
    assert {n: s.score for n, s in zip(names, ranked, strict=True)}["main.py::main"] == 3
    assert choose(ranked, 0) == ()
    first = ranked[0]
    assert choose(ranked, first.tokens) == first.retrievals
    everything = choose(ranked, 100_000)
    assert len({(r.path, r.start, r.end) for r in everything}) == len(everything)
    by_name = {one.candidate.reach.symbol: one.candidate for one in ranked}
    assert score(by_name["main.py::main"], replace(OFF, named=5)) == 8
    assert [r.candidate.reach.symbol for r in rank(moment, found, replace(OFF, least=3))] == ["main.py::main"]
    assert all(r.tokens <= 20 for r in rank(moment, found, replace(OFF, largest=20)))


def test_seeds_are_the_drift_of_the_last_writes() -> None:
    scene = Scene(FILES)
    after(scene, "far.py", "return x", "return x + 1")
    after(scene, "clean.py", "return line\n", "return line + ''\n")
    scene.read("main.py")
    moment = scene.moment()
    assert seeds(moment, replace(OFF, recent_writes=1)) == {"clean.py::tidy": 2}
    assert seeds(moment, OFF) == {"far.py::far": 1, "clean.py::tidy": 2}
    assert drifted(moment, 0) == {"far.py::far": 1, "clean.py::tidy": 2}
    assert seeds(moment, replace(OFF, recent_writes=1, focus=1)) == {"clean.py::tidy": 2, "main.py::main": 3}


def test_the_focus_is_what_was_read_since_the_last_write() -> None:
    scene = Scene(FILES)
    scene.read("main.py")  # r1
    after(scene, "far.py", "return x", "return x + 1")  # r2
    assert focused(scene.moment(), 20) == {}
    scene.read("clean.py")  # r3
    scene.say("...")  # r4
    scene.read("clean.py", 5, 6)  # r5
    moment = scene.moment()
    assert focused(moment, 20) == {"clean.py::strip": 3, "clean.py::tidy": 5}
    assert focused(moment, 2) == {"clean.py::tidy": 5}
    assert focused(moment, 0) == {}


def test_the_rest_of_a_definition_read_in_part_is_an_edit_site() -> None:
    scene = Scene(FILES)
    after(scene, "far.py", "return x", "return x + 1")  # r1
    scene.read("clean.py", 1, 1)  # r2: half of strip
    scene.say("...")
    scene.say("...")
    scene.read("main.py", 4, 4)  # r5: half of main
    moment = scene.moment()
    focus = focused(moment, 20)
    near = walk(moment.graph, seeds(moment, replace(OFF, focus=20)))
    found = {c.reach.symbol: c for c in candidates(moment, near, moment.records, focus)}
    strip, main = found["clean.py::strip"], found["main.py::main"]
    assert (strip.rule, strip.pieces, strip.rest, strip.late) == ("G1", ((2, 2),), True, False)
    assert (main.rule, main.pieces, main.rest, main.late) == ("G1", ((5, 5),), True, True)
    # What main calls is not the rest of anything.
    rows = found["text.py::TextReader.rows"]
    assert (rows.rule, rows.rest, rows.read, rows.late) == ("G2", False, True, True)
    assert score(strip, replace(OFF, rest=7)) == 7
    assert score(main, replace(OFF, rest=7, late=2)) == 9
    assert score(rows, replace(OFF, rest=7, late=2)) == 1 + 1 + 2
    plan = manage(moment, replace(OFF, focus=20, budget=10_000, rest=7, least=7, unasked=True))
    assert [(r.path, r.start, r.end, r.rule, r.why) for r in plan.retrievals] == [
        ("clean.py", 2, 2, "G1", "was read in part"),
        ("main.py", 5, 5, "G1", "was read in part"),
    ]


def test_what_several_definitions_in_focus_depend_on_ranks_higher() -> None:
    scene = Scene({**FILES, "two.py": "from clean import strip, tidy\n\n\ndef two(x):\n    return tidy(strip(x))\n"})
    scene.read("text.py")
    scene.read("two.py")
    moment = scene.moment()
    near = walk(moment.graph, seeds(moment, replace(OFF, focus=20)))
    found = {c.reach.symbol: c for c in candidates(moment, near, moment.records, focused(moment, 20))}
    assert (found["clean.py::strip"].shared, found["clean.py::tidy"].shared) == (True, False)
    gain = score(found["clean.py::strip"], replace(OFF, shared=3)) - score(found["clean.py::tidy"], OFF)
    assert gain == 3


def test_it_decides_without_a_nomination_only_when_told_to() -> None:
    scene = Scene(FILES)
    scene.read("main.py", 4, 4)
    moment = scene.moment()
    asked = replace(OFF, focus=20, budget=10_000)
    assert manage(moment, asked).retrievals == ()
    assert manage(moment, asked).note == "nothing is nominated"
    assert manage(moment, replace(asked, unasked=True)).retrievals != ()


def test_what_the_last_write_made_false_is_refreshed_however_idle() -> None:
    """A view drifted by the last write is where the work is; one that drifted before it goes when idle."""
    scene = Scene(FILES)
    scene.read("clean.py")  # r1
    scene.read("far.py")  # r2
    after(scene, "clean.py", "return line\n", "return line or ''\n")  # r3
    after(scene, "far.py", "return x", "return x + 1")  # r4
    for _ in range(4):
        scene.say("...")
    weights = replace(OFF, near_writes=1, refresh_age=2)
    actions = {a.record_id: a.name for a in manage(scene.moment(), weights).actions}
    assert (actions["r1"], actions["r2"]) == ("drop", "refresh")


def test_uses_tell_how_far_the_task_is_done_with_a_record() -> None:
    scene = Scene(FILES)
    scene.read("clean.py", 1, 2)  # r1
    scene.say("...")  # r2
    scene.read("clean.py")  # r3
    after(scene, "far.py", "return x", "return 2 * x")  # r4
    scene.say("...")  # r5
    moment = scene.moment()
    found = uses(moment, distances(moment.graph, drifted(moment, 0)), moment.records)
    one = found["r1"]
    assert (one.age, one.writes, one.idle, one.hop, one.orphaned, one.covered) == (4, 1, 2, None, None, 1.0)
    assert (found["r3"].idle, found["r3"].covered) == (2, 0.0)
    assert (found["r4"].hop, found["r4"].writes) == (0, 0)


@pytest.mark.parametrize("budget", [0, 40, 10_000])
def test_the_moments_budget_binds_too(budget: int) -> None:
    scene = Scene(FILES)
    scene.read("text.py")
    after(scene, "text.py", "path):", "path, limit=None):")
    plan = manage(scene.moment(budget), replace(OFF, budget=60))
    assert sum(r.tokens for r in plan.retrievals) <= min(budget, 60)

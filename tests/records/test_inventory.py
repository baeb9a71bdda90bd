"""From steps and sights to records: kinds, texts, referents, and when records leave."""

from __future__ import annotations

import dataclasses

import pytest

from core.options import Options
from core.records.inventory import build_record, command_key, gone_steps
from core.records.record import OwnLines, Query, Record, State, Symbols
from core.replay.world import Sight
from core.tokens import count_tokens
from core.trajectory.steps import Compaction, Step, Trajectory
from tests.tape.toy_graph import ToyGraph

TEXT = "import os\n\n\ndef f():\n    return 1\n\n\nclass A:\n    x = 1\n\n    def m(self):\n        return 2\n"
GRAPH = ToyGraph({"a.py": TEXT, "b.py": "X = 1\n"})


def make(kind: str, text: str = "out", sights: tuple[Sight, ...] = (), **more: object) -> Record | None:
    options = more.pop("options", Options())
    opaque = more.pop("opaque", ())
    role = more.pop("role", "assistant")
    step = Step(7, kind, role, more.pop("tool", "Tool"), more.pop("call", "{}"), text, **more)  # type: ignore[arg-type]
    return build_record(step, sights, GRAPH, options, opaque)  # type: ignore[arg-type]


def sight(path: str, start: int, end: int, source: str = "read", whole: bool = False) -> Sight:
    lines = tuple(TEXT.split("\n")[start - 1 : end])
    return Sight(7, path, start, lines, source, whole)  # type: ignore[arg-type]


def test_a_read_covers_what_its_lines_overlap() -> None:
    record = make("read", sights=(sight("a.py", 5, 9),))
    assert record is not None
    assert record.referent == Symbols(("a.py::A", "a.py::f"))
    assert (record.id, record.kind, record.path, record.start, record.end) == ("r7", "read", "a.py", 5, 9)
    assert record.tokens == count_tokens("out")
    assert record.owned == (OwnLines("a.py::f", "a.py", 4, 5), OwnLines("a.py::A", "a.py", 8, 9))


def test_blank_lines_cover_nothing() -> None:
    record = make("read", sights=(sight("a.py", 6, 7),))
    assert record is not None
    assert record.referent == Symbols(())


def test_an_edit_is_its_call_and_result_and_claims_its_new_text_and_snippet_only() -> None:
    sights = (sight("a.py", 4, 4, "new"), sight("a.py", 8, 8, "snippet"), sight("a.py", 1, 1, "original"))
    record = make("edit", "done", sights, call='{"new":"def f()"}')
    assert record is not None
    assert record.text == '{"new":"def f()"}\ndone'
    assert record.referent == Symbols(("a.py::A", "a.py::f"))
    assert [s.source for s in record.sights] == ["new", "snippet"]
    run = make("run", "done", sights, call="cat > a.py <<EOF")
    assert run is not None
    assert run.text == "done"
    assert [s.source for s in run.sights] == ["snippet"]


def test_a_failed_edit_is_a_record_without_claim() -> None:
    record = make("edit", "String to replace not found", call="{}", failed=True)
    assert record is not None
    assert record.referent is None
    assert record.failed


@pytest.mark.parametrize(
    ("more", "kind", "referent"),
    [
        ({"kind": "run", "purpose": "test", "command": "pytest"}, "test", State(7)),
        ({"kind": "run", "purpose": "lint", "command": "ruff ."}, "test", State(7)),
        ({"kind": "run", "command": "sleep 1"}, "run", None),
        ({"kind": "search", "command": "find . -name x"}, "search", Query("find . -name x")),
        ({"kind": "search", "call": '{"pattern":"x"}'}, "search", Query('{"pattern":"x"}')),
        ({"kind": "search", "failed": True}, "search", None),
        ({"kind": "say"}, "say", None),
        ({"kind": "say", "role": "user"}, "user", None),
        ({"kind": "run", "tool": "Task"}, "agent", None),
        ({"kind": "run", "purpose": "test", "empty": True}, "test", None),
    ],
)
def test_kinds_and_referents(more: dict[str, object], kind: str, referent: object) -> None:
    record = make(**more)  # type: ignore[arg-type]
    assert record is not None
    assert (record.kind, record.referent) == (kind, referent)


def test_summaries_are_told_from_user_messages() -> None:
    record = make("say", "This session is being continued from a previous conversation that ran out", role="user")
    assert record is not None
    assert record.kind == "summary"


def test_hidden_and_empty_steps_leave_no_record() -> None:
    assert make("read", sights=(sight("a.py", 4, 5),), agent="sub1") is None
    assert make("run", "") is None
    assert make("edit", "", call="{}") is not None


def test_thinking_is_held_only_when_switched_on() -> None:
    off, on = make("say", "a", thinking="hmm"), make("say", "a", thinking="hmm", options=Options(thinking=True))
    assert off is not None
    assert on is not None
    assert (off.text, on.text) == ("a", "hmm\na")


def test_files_of_unknown_text_are_opaque() -> None:
    record = make("read", sights=(sight("a.py", 4, 5), sight("nowhere.py", 1, 2)), opaque=("b.py", "a.py"))
    assert record is not None
    assert record.referent == Symbols(("a.py::f",), ("a.py", "nowhere.py"))


def test_a_search_through_several_files_has_no_primary_path() -> None:
    one = make("search", sights=(sight("a.py", 4, 4, "search"), sight("a.py", 9, 9, "search")))
    two = make("search", sights=(sight("a.py", 4, 4, "search"), sight("b.py", 1, 1, "search")))
    assert one is not None
    assert two is not None
    assert (one.path, one.start, one.end) == ("a.py", 4, 9)
    assert (two.path, two.start, two.end) == (None, None, None)
    assert two.referent == Symbols(("a.py::f", "b.py::<module>"))


def test_reruns_of_one_test_share_a_command() -> None:
    assert {
        command_key(c)
        for c in (
            "pytest -q",
            "cd /repo && pytest -q 2>&1 | tail -20",
            " pytest -q | head -50",
            "pytest -q 2>&1 || true",
            "cd /repo; source .venv/bin/activate && pytest -q",
        )
    } == {"pytest -q"}
    assert command_key("| tail -5") == "| tail -5"


def test_compactions_empty_the_context_and_micro_ones_take_named_results() -> None:
    steps = tuple(
        Step(t, "run", "assistant", "Bash", "{}", "x", call_id=f"c{t}", agent="sub" if t == 3 else "")
        for t in range(1, 9)
    )
    compactions = (
        Compaction(6, "full"),
        Compaction(4, "micro", removed=("c2", "c5", "c3")),
        Compaction(7, "micro", removed=("c7", "c1")),
    )
    trajectory = Trajectory("r", "s", "f", "a", (), "", "", "", "", "", steps, compactions=compactions)
    assert gone_steps(trajectory) == {"r1": 7, "r2": 5, "r4": 7, "r5": 7, "r6": 7, "r7": 8}
    assert gone_steps(dataclasses.replace(trajectory, compactions=())) == {}

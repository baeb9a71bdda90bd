"""Records that no client would write: ids, clocks, counts, compactions and tool inputs of every wrong shape."""

from __future__ import annotations

from typing import Any

import pytest

from core.errors import NotATranscript
from tests.bad_input.hostile import FILE, SOURCE, TASK, TEXT, Records, analysed, bash, edit, read, within
from tests.trajectory.sessions import CWD, assistant, at, call, record, result, text, user

ODD: list[Any] = [
    None, [], {}, 0, -1, 10**30, 2**63, 1.5, 1e308, True, "", " ", "x", ["a"], [None], [{}], [[]], {"a": 1}, "\ud800",
    "x" * 100, "../../../etc/passwd", "/", "~", "²", "99999999999999999999",
]  # fmt: skip
RUN: Records = [TASK, *read("r", FILE, SOURCE, 1), *edit("e", FILE, "return x", "return 2", 3), user("More.", 5)]
AFTER = TEXT.replace("return x", "return 2")


def full(second: float, uuid: str, **about: Any) -> dict[str, Any]:
    return record("system", second, uuid, subtype="compact_boundary", compactMetadata=about)


def micro(second: float, *removed: Any) -> dict[str, Any]:
    about = {"compactedToolIds": list(removed)}
    return record("system", second, f"micro{second}", subtype="microcompact_boundary", microcompactMetadata=about)


# -- ids --------------------------------------------------------------------------------------------


def test_cyclic_and_backward_parents_change_nothing() -> None:
    said = [(s.kind, s.text) for s in analysed(*RUN).trajectory.steps]
    own = [{**r, "parentUuid": r["uuid"]} for r in RUN]
    circle = [{**r, "parentUuid": RUN[n - 1]["uuid"]} for n, r in enumerate(RUN)]
    back = [{**r, "parentUuid": RUN[min(n + 1, len(RUN) - 1)]["uuid"]} for n, r in enumerate(RUN)]
    for records in (own, circle, back, [{**r, "parentUuid": "nobody"} for r in RUN]):
        assert [(s.kind, s.text) for s in analysed(*records).trajectory.steps] == said


def test_a_chain_of_20000_parents_that_points_back_is_linear() -> None:
    chain = [{**user(f"m{n}", n % 3000, f"u{n}"), "parentUuid": f"u{n + 1}"} for n in range(20_000)]
    with within(30):
        assert len(analysed(*chain).trajectory.steps) == 20_000


def test_a_result_without_its_call_and_a_call_without_its_result() -> None:
    run = analysed(TASK, result("gone", "1→x", 1), assistant([call("open", "Read", file_path=FILE)], 2, "m"))
    orphan, unanswered = run.trajectory.steps[1:]
    assert (orphan.call_id, orphan.call, orphan.text) == ("gone", "", "1→x")
    assert (unanswered.call_id, unanswered.text, unanswered.empty) == ("open", "", True)
    assert dict(run.trajectory.unknown) == {"call without a result": 1, "result without a call": 1}


def test_two_calls_and_two_results_of_one_id_are_one_step() -> None:
    calls = assistant([call("c", "Read", file_path=FILE), call("c", "Write", file_path=FILE, content="x")], 1, "m")
    run = analysed(TASK, calls, result("c", "ok", 2), result("c", "no", 3, uuid="other"))
    assert [s.call_id for s in run.trajectory.steps] == ["", "c"]
    assert run.trajectory.steps[1].tool == "Read"


def test_10000_parallel_calls_in_one_message() -> None:
    calls = [call(f"c{n}", "Read", file_path=f"{CWD}/f{n}.py") for n in range(10_000)]
    results = [result(f"c{n}", f"     1→x = {n}", 2, uuid=f"r{n}") for n in reversed(range(10_000))]
    with within(40):
        run = analysed(TASK, assistant(calls, 1, "m"), *results)
    assert [s.call_id for s in run.trajectory.steps[1:]] == [f"c{n}" for n in range(10_000)]
    assert [s.text for s in run.trajectory.steps[1:]] == [f"     1→x = {n}" for n in range(10_000)]


# -- clocks -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "clock",
    [
        lambda n: None, lambda n: at(100 - n), lambda n: at(5), lambda n: "99999-99-99T99:99:99Z", lambda n: 1e308,
        lambda n: -5, lambda n: [1], lambda n: "0000-00-00T00:00:00Z", lambda n: "2026-01-01T00:00:00+99:99",
        lambda n: ["2026-01-01T00:00:00", "2026-01-01T00:00:00Z", None, 5, "x", True][n],
        lambda n: 1767225600000 + n, lambda n: "😀",
    ],
)  # fmt: skip
def test_clocks_that_are_missing_absurd_or_run_backwards_do_not_move_a_step(clock: Any) -> None:
    strange = [{**r, "timestamp": clock(n)} for n, r in enumerate(RUN)]
    run = analysed(*strange)
    assert [s.kind for s in run.trajectory.steps] == ["say", "read", "edit", "say"]
    assert [(w.t, w.after) for w in run.replay.writes] == [(3, AFTER)]
    assert all(isinstance(s.time, str) for s in run.trajectory.steps)


# -- counts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "counted"),
    [
        (7, 7), (0, 0), (-5, 0), (10**30, 0), (2**63, 0), ("12", 0), (1.5, 0), (1e308, 0), (None, 0), (True, 0),
        ([], 0), ({}, 0),
    ],
)  # fmt: skip
def test_usage_that_is_no_count_is_not_counted(said: Any, counted: int) -> None:
    usage = {"input_tokens": said, "output_tokens": said, "cache_read_input_tokens": said, "cache_creation": said}
    run = analysed(TASK, assistant([text("Hi.")], 1, "m", usage))
    (found,) = run.trajectory.usages
    assert (found.input, found.output, found.cache_read) == (counted, counted, counted)
    boundary = full(2, "s", trigger=said, preTokens=said)
    cut = analysed(TASK, boundary, user("Summary.", 3, isCompactSummary=True)).trajectory.compactions
    assert [c.pre_tokens for c in cut] == [said if counted or (said == 0 and said is not False) else None]


@pytest.mark.parametrize("usage", [[], "x", 5, None, True])
def test_a_usage_that_is_no_object_is_none(usage: Any) -> None:
    message = assistant([text("Hi.")], 1, "m")
    message["message"]["usage"] = usage
    assert analysed(TASK, message).trajectory.usages == ()


# -- compactions ------------------------------------------------------------------------------------


def test_a_compaction_before_anything_and_two_in_a_row() -> None:
    summary = user("Summary.", 3, "s1", isCompactSummary=True)
    first = analysed(full(0, "c1"), {**summary, "timestamp": at(0.5)}, *RUN)
    assert [c.after for c in first.trajectory.compactions] == [0]
    assert [r.gone for r in first.records] == [None] * len(first.records)
    twice = analysed(*RUN, full(6, "c1"), full(6.5, "c2"), {**summary, "timestamp": at(7)}, *bash("b", "ls", "a.py", 8))
    assert {c.after for c in twice.trajectory.compactions} == {4}
    assert [r.gone for r in twice.records] == [5, 5, 5, 5, None, None]
    again = user("Again.", 9, "s2", isCompactSummary=True)
    apart = analysed(*RUN, full(6, "c1"), {**summary, "timestamp": at(7)}, full(8, "c2"), again)
    assert [c.after for c in apart.trajectory.compactions] == [4, 5]
    assert [r.gone for r in apart.records] == [5, 5, 5, 5, 6, None]
    with pytest.raises(NotATranscript, match="no step in it"):
        analysed(full(0, "c1"))


def test_a_microcompaction_takes_away_what_it_names_and_nothing_else() -> None:
    run = analysed(TASK, *read("r", FILE, SOURCE, 1), micro(2, "nobody", None, 5, ["r"], "r", "r"), *RUN[3:])
    assert [(r.id, r.gone) for r in run.records][:2] == [("r1", None), ("r2", 3)]
    assert {r.gone for r in run.records[2:]} == {None}
    early = analysed(micro(0, "r"), *RUN)
    assert [r.gone for r in early.records] == [None] * 4


def test_thousands_of_compactions_are_linear() -> None:
    many = [r for n in range(2000) for r in (full(n, f"c{n}"), user(f"s{n}", n + 0.5, f"s{n}", isCompactSummary=True))]
    with within(20):
        run = analysed(TASK, *many)
    assert [r.gone for r in run.records] == [*range(2, 2002), None]


# -- shapes -----------------------------------------------------------------------------------------

TOOLS = {
    "Read": ("file_path", "offset", "limit"),
    "Edit": ("file_path", "old_string", "new_string", "replace_all"),
    "MultiEdit": ("file_path", "edits"),
    "Write": ("file_path", "content"),
    "Bash": ("command", "timeout"),
    "Grep": ("pattern", "path", "output_mode"),
    "Glob": ("pattern", "path"),
    "NotebookEdit": ("notebook_path", "new_source", "edit_mode"),
    "Task": ("prompt", "subagent_type"),
    "TodoWrite": ("todos",),
    "apply_patch": ("input",),
}
USUAL = {"old_string": "return x", "file_path": FILE, "path": FILE, "notebook_path": FILE}


@pytest.mark.parametrize("tool", TOOLS)
def test_tool_inputs_and_results_of_wrong_types_are_steps(tool: str) -> None:
    records: Records = [TASK, *read("first", FILE, SOURCE, 1)]
    for key in TOOLS[tool]:
        for n, odd in enumerate(ODD):
            fields = {**{k: USUAL.get(k, "y") for k in TOOLS[tool]}, key: odd}
            name = f"{key}{n}"
            records.append(assistant([call(name, tool, **fields)], 2, f"m-{name}"))
            records.append(result(name, odd, 3, {"filePath": odd, "file": odd, "structuredPatch": odd, "edits": odd}))
    for n, odd in enumerate(ODD):
        whole = assistant([call(f"whole{n}", tool)], 4, f"w{n}")
        whole["message"]["content"][0]["input"] = odd
        records += [whole, result(f"whole{n}", "ok", 5, odd)]
    run = analysed(*records)
    expected = [r["message"]["content"][0]["id"] for r in records if r["type"] == "assistant"]
    assert [s.call_id for s in run.trajectory.steps[1:]] == expected
    assert not any(w.path.startswith(("/", "..")) for w in run.replay.writes)


@pytest.mark.parametrize("key", ["content", "id", "model", "role", "usage", "stop_reason"])
def test_message_fields_of_wrong_types(key: str) -> None:
    for odd in ODD:
        message = assistant([text("Hi."), call("c", "Read", file_path=FILE)], 1, "m")
        message["message"][key] = odd
        run = analysed(TASK, message, result("c", "     1→x", 2)).trajectory
        kept = [s.call_id or s.text for s in run.steps]
        if key == "content":
            assert kept[0] == "Fix it."
            assert kept[-1] == "c"
        elif key != "role":
            assert kept == ["Fix it.", "Hi.", "c"]
        assert all(isinstance(model, str) for model in run.models)


@pytest.mark.parametrize(
    "key",
    [
        "uuid", "parentUuid", "sessionId", "cwd", "version", "gitBranch", "requestId", "toolUseResult", "agentId",
        "isMeta", "isSidechain", "isCompactSummary", "sourceToolAssistantUUID", "timestamp", "userType", "message",
    ],
)  # fmt: skip
def test_record_fields_of_wrong_types(key: str) -> None:
    for odd in ODD:
        strange = [{**r, key: odd} for r in RUN[1:]]
        run = analysed(TASK, *strange)  # any exception fails
        assert run.trajectory.steps[0].text == "Fix it."
        assert [s.t for s in run.trajectory.steps] == list(range(1, len(run.trajectory.steps) + 1))


# -- edits and paths --------------------------------------------------------------------------------


def test_an_edit_that_does_not_apply_is_said_and_the_file_is_unknown_until_seen() -> None:
    later = [*edit("n", FILE, "nowhere", "y", 2), *read("s", FILE, [*SOURCE, "# end"], 4)]
    run = analysed(TASK, *read("r", FILE, SOURCE, 1), *later).replay
    assert run.unapplied == ((3, "a.py", "old text not found"),)
    assert run.opaque == (("a.py", 3, 4),)
    assert [(w.t, w.known_at, w.opaque) for w in run.writes] == [(3, 3, True), (3, 4, False)]
    assert run.writes[-1].after == TEXT + "# end\n"


@pytest.mark.parametrize("path", ["/etc/passwd", f"{CWD}/../../etc/passwd", "../../../../../../etc/passwd", "/", "~/x"])
def test_paths_outside_the_repository_are_counted_and_touch_nothing(path: str) -> None:
    run = analysed(*RUN, *read("o", path, ["root:x"], 6), *edit("p", path, "root", "toor", 7)).replay
    assert {w.path for w in run.writes} == {"a.py"}
    assert {s.path for s in run.sights} == {"a.py"}
    assert sum(count for _, count in run.outside) >= 1
    assert dict(run.base) == {"a.py": TEXT}


ODD_NAMES = {
    "<module>": None, "a::b.py": None, "a#2.py": None, 'a"b.py': None, "a'b.py": None, "a b .py": None, "😀.py": None,
    "\u202egnp.py": None, "-rf.py": None, "%s%n.py": None, "$(rm).py": None, "*.py": None, "</script>.py": None,
    "a\nb.py": None, "a\tb.py": None, "a\\b.py": None, "./a.py": "a.py", "x/../a.py": "a.py", "x//a.py": "x/a.py",
    "e\u0301.py": None, "<module>.py::f": None, "x" * 3000 + ".py": None, "d/" * 500 + "a.py": None,
}  # fmt: skip


@pytest.mark.parametrize("name", ODD_NAMES, ids=lambda name: ascii(name[:12]))
def test_files_of_any_name_have_symbols_of_their_own(name: str) -> None:
    path = f"{CWD}/{name}"
    run = analysed(TASK, *read("r", path, SOURCE, 1), *edit("e", path, "return x", "return 2", 3), *RUN[3:])
    key = ODD_NAMES[name] or name
    first = run.replay.writes[0]
    assert (first.path, first.after) == (key, AFTER)
    symbols = {s.id for s in run.symbols}
    if key.endswith(".py"):
        assert {f"{key}::f", f"{key}::g"} <= symbols
        assert f"{key}::g" in run.drifts[0].changed
    else:
        assert f"{key}::<module>" in run.drifts[0].changed

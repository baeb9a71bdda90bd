"""Whatever is done to the lines of a session: no crash, no step from nowhere, no step twice, counts that add up."""

import json
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import NotATranscript
from core.trajectory.load import load_bytes
from core.trajectory.steps import Trajectory
from tests.trajectory.sessions import CWD, assistant, call, numbered, record, result, text, to_lines, user

FILE = f"{CWD}/a.py"
READ = {"type": "text", "file": {"filePath": FILE, "content": "x\ny\n", "numLines": 3, "startLine": 1, "totalLines": 3}}
PATCH = [{"oldStart": 1, "newStart": 1, "lines": ["-x", "+z"]}]
EDIT = {"filePath": FILE, "oldString": "x", "newString": "z", "originalFile": "x\ny\n", "structuredPatch": PATCH}
SIDE = {"isSidechain": True, "agentId": "ag1"}
MICRO = {"compactedToolIds": ["c1"]}

SESSION_LINES = [
    user("Fix it.", 0, "u0"),
    assistant([{"type": "thinking", "thinking": "Hm."}, text("Looking.")], 1, "m1", {"output_tokens": 1}),
    assistant([call("c1", "Read", file_path=FILE)], 2, "m1", {"output_tokens": 9}),
    result("c1", numbered(["x", "y", ""]), 3, READ),
    assistant([call("c2", "Bash", command="cd src && sed -n 1,2p a.py > b.py")], 4, "m1"),
    result("c2", "", 5, {"stdout": "", "stderr": "", "interrupted": False}),
    assistant([call("c3", "Task", prompt="Edit.")], 6, "m2"),
    user("Edit.", 6.1, "h0", **SIDE),
    assistant([call("c4", "Edit", file_path=FILE, old_string="x", new_string="z")], 7, "hm1", **SIDE),
    result("c4", "updated", 8, EDIT, **SIDE),
    result("c3", [{"type": "text", "text": "Edited."}], 9, {"status": "completed", "agentId": "ag1"}),
    record("system", 10, "s1", subtype="microcompact_boundary", microcompactMetadata=MICRO),
    record("attachment", 11, "at1", attachment={"type": "edited_text_file", "filename": FILE, "snippet": " 1→z"}),
    record("system", 12, "s2", subtype="compact_boundary", compactMetadata={"trigger": "auto", "preTokens": 5}),
    user("Summary.", 13, "u1", isCompactSummary=True),
    assistant([call("c5", "TodoWrite", todos=[]), call("c6", "LS", path=".")], 14, "m3"),
    result("c6", "- a.py", 15, "- a.py"),
    result("c5", "ok", 16, {"oldTodos": []}),
    {"type": "mode", "mode": "code", "sessionId": "s"},
    assistant([text("Done.")], 17, "m4", {"output_tokens": 3}),
]
LINES = [line for line in to_lines(*SESSION_LINES).split(b"\n") if line]
CALL_IDS = {f"c{number}" for number in range(1, 7)} | {"at1"}


def attempt(lines: list[bytes]) -> Trajectory | None:
    """The trajectory, None when the lines are no run."""
    try:
        return load_bytes("s.jsonl", b"\n".join(lines))
    except NotATranscript:
        return None


def check(lines: list[bytes]) -> Trajectory | None:
    """What must hold of any lines at all."""
    t = attempt(lines)
    if t is None:
        return None
    data = b"\n".join(lines)
    spelled = data.decode("utf-8", "replace").replace("\0", "")
    assert [step.t for step in t.steps] == list(range(1, len(t.steps) + 1))
    ids = Counter(step.call_id for step in t.steps if step.call_id)
    assert all(count == 1 for count in ids.values())
    assert all(call_id in spelled or json.dumps(call_id)[1:-1] in spelled for call_id in ids)
    assert t.lines == sum(bool(line.strip()) and not line.strip().startswith(b"//") for line in data.split(b"\n"))
    assert len(t.skipped) <= t.lines
    assert all(0 <= c.after <= len(t.steps) for c in t.compactions)
    assert all(1 <= usage.t <= len(t.steps) for usage in t.usages)
    assert [step.turn for step in t.steps] == sorted(step.turn for step in t.steps)
    json.dumps([step.text for step in t.steps], ensure_ascii=False).encode("utf-8")
    for message in {step.message_id for step in t.steps if step.message_id and not step.agent}:
        numbers = [step.t for step in t.steps if step.message_id == message and step.kind != "say" and not step.agent]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers))) if numbers else True
    return t


WHOLE = check(LINES)


def facts(t: Trajectory) -> Counter:
    """What every step says, whatever its place."""
    return Counter((s.agent, s.kind, s.call_id, s.text, s.failed, s.shown, s.writes, s.neutral) for s in t.steps)


def test_the_session_itself():
    assert WHOLE is not None
    assert [step.call_id or step.text for step in WHOLE.steps] == [
        *["Fix it.", "Looking.", "c1", "c2", "Edit.", "c4", "c3", "at1", "Summary.", "c5", "c6", "Done."]
    ]
    assert [c.after for c in WHOLE.compactions] == [7, 8]
    assert WHOLE.skipped == ()


@given(st.permutations(LINES))
@settings(max_examples=150, deadline=None)
def test_shuffled_lines_give_the_same_steps(lines: list[bytes]):
    t = check(lines)
    assert t is not None
    assert facts(t) == facts(WHOLE)
    assert sum(usage.output for usage in t.usages) == sum(usage.output for usage in WHOLE.usages) == 12


@given(st.lists(st.integers(0, len(LINES) - 1), max_size=30), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_repeated_lines_give_the_same_steps(repeats: list[int], random):
    lines = list(LINES)
    for index in repeats:
        lines.insert(random.randrange(index, len(lines)) + 1, LINES[index])
    t = check(lines)
    assert t is not None
    assert facts(t) == facts(WHOLE)
    assert len(t.usages) == len(WHOLE.usages)


@given(st.sets(st.integers(0, len(LINES) - 1)))
@settings(max_examples=150, deadline=None)
def test_missing_lines_never_add_a_step(missing: set[int]):
    t = check([line for index, line in enumerate(LINES) if index not in missing])
    if t is not None:
        assert {step.call_id for step in t.steps} - {""} <= CALL_IDS
        texts = {step.text for step in WHOLE.steps} | {""}
        assert {step.text for step in t.steps} <= texts
        assert len(t.steps) <= len(WHOLE.steps)


@given(st.integers(0, len(b"\n".join(LINES))))
@settings(max_examples=150, deadline=None)
def test_a_file_cut_anywhere_loses_only_the_cut_line(end: int):
    data = b"\n".join(LINES)[:end]
    t = check([data])
    if t is not None:
        assert len(t.skipped) <= 1
        whole = {step.text for step in WHOLE.steps}
        assert {step.text for step in t.steps if step.role == "user" or step.text} <= whole


@given(st.lists(st.tuples(st.integers(0, len(b"\n".join(LINES)) - 1), st.integers(0, 255)), max_size=40))
@settings(max_examples=200, deadline=None)
def test_corrupted_bytes_never_crash(changes: list[tuple[int, int]]):
    data = bytearray(b"\n".join(LINES))
    for index, byte in changes:
        data[index] = byte
    check([bytes(data)])


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def paths_of(value: object, at: tuple = ()) -> list[tuple]:
    """Every place inside a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(path for key, item in items for path in paths_of(item, (*at, key)))]


@given(st.data())
@settings(max_examples=400, deadline=None)
def test_any_value_in_any_place_never_crashes(data):
    index = data.draw(st.integers(0, len(SESSION_LINES) - 1))
    line = json.loads(LINES[index])
    path = data.draw(st.sampled_from([path for path in paths_of(line) if path]))
    holder = line
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = data.draw(ANY_JSON)
    lines = list(LINES)
    lines[index] = json.dumps(line).encode()
    check(lines)


@given(st.lists(ANY_JSON, max_size=5))
@settings(max_examples=100, deadline=None)
def test_lines_of_any_json_are_skipped_or_counted(values: list):
    noise = [json.dumps(value).encode() for value in values]
    t = check([*LINES, *noise])
    assert t is not None
    assert facts(t) == facts(WHOLE)

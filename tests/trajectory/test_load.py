"""Files -> runs: what is one run, what is not a transcript, and what a person is told (CONTRACT, ingest)."""

import hashlib
import os
from pathlib import Path
from typing import BinaryIO

import pytest

import core.trajectory.load as door
from core.errors import InputError, NoStep, NotATranscript
from core.trajectory.load import RunFiles, discover, load, load_bytes
from core.trajectory.run_files import FileHead, group_runs
from tests.trajectory.sessions import SESSION, assistant, parsed, text, to_lines, user, written

SUMMARY = {"type": "summary", "summary": "What was done.", "leafUuid": "x"}


def test_a_folder_gives_one_run_a_session_sorted_by_path_and_nothing_hidden_or_linked(tmp_path: Path):
    b = written(tmp_path, "b/two.jsonl", user("b", 0))
    a = written(tmp_path, "a/one.jsonl", user("a", 0))
    outside = written(tmp_path.parent, f"{tmp_path.name}-outside.jsonl", user("x", 0))
    (tmp_path / "a/link.jsonl").symlink_to(outside)
    (tmp_path / "a/loop").symlink_to(tmp_path)
    written(tmp_path, ".hidden/three.jsonl", user("c", 0))
    written(tmp_path, "a/.four.jsonl", user("d", 0))
    (tmp_path / "README.md").write_text("# Notes\n")
    odd = written(tmp_path, "run.log", user("e", 0))
    notes = tmp_path / "notes.json"
    notes.write_text('{"a": 1}')
    assert [run.path for run in discover([tmp_path])] == [a, b, notes, odd]


def test_a_file_given_twice_or_with_its_folder_is_one_run(tmp_path: Path):
    path = written(tmp_path, "one.jsonl", user("a", 0))
    assert discover([path, tmp_path, Path(os.path.relpath(path)), path]) == (RunFiles(path, (), "one.jsonl"),)


def test_notes_beside_sub_agents_files_are_no_runs_but_a_broken_agent_file_is_not_lost(tmp_path: Path):
    main = written(tmp_path, f"{SESSION}.jsonl", user("a", 0))
    folder = f"{SESSION}/subagents"
    broken = written(tmp_path, f"{folder}/agent-x.jsonl", '{"type":"user","mess')
    written(tmp_path, f"{folder}/workflows/wf/journal.jsonl", {"type": "started", "agentId": "x"})
    written(tmp_path, f"{folder}/agent-x.meta.json", {"agentType": "reviewer"})
    assert discover([tmp_path]) == (RunFiles(main, (broken,), main.name),)
    t = load(RunFiles(main, (broken,)))
    assert [(skipped.source, skipped.line) for skipped in t.skipped] == [("agent-x.jsonl", 1)]


def test_unrelated_files_may_share_a_session_and_the_agent_goes_to_the_one_that_names_it():
    def head(path: str, **more):
        return FileHead(Path(path), "s", **more)

    asked = []

    def mentions(path: Path, word: str) -> bool:
        asked.append((path.name, word))
        return path.name == "b.jsonl"

    heads = [head("/p/a.jsonl"), head("/p/b.jsonl"), head("/p/x.jsonl", is_agent=True, agent="ag1")]
    a, b = group_runs(heads, mentions)
    assert (a.agents, b.agents) == ((), (Path("/p/x.jsonl"),))
    assert asked == [("a.jsonl", "ag1"), ("b.jsonl", "ag1")]
    far = [head("/p/a.jsonl"), head("/q/x.jsonl", is_agent=True, agent="ag1")]
    assert [run.main for run in group_runs(far, mentions)] == [Path("/p/a.jsonl"), None]


def test_the_folder_an_agent_file_stands_in_wins_over_the_session_it_names():
    heads = [
        FileHead(Path("/p/one.jsonl"), "one"),
        FileHead(Path("/p/two.jsonl"), "two"),
        FileHead(Path("/p/one/subagents/agent-x.jsonl"), "two", is_agent=True, agent="x"),
    ]
    one, two = group_runs(heads, lambda path, word: False)
    assert (len(one.agents), len(two.agents)) == (1, 0)


@pytest.mark.parametrize(
    ("data", "why", "skip"),
    [
        (b"", "empty file", True),
        (b"\n \n\0", "only blank", True),
        (to_lines(SUMMARY, SUMMARY), "only a summary", True),
        (b"\x7fELF\2\1\1" + bytes(200), "not JSON lines: looks binary", True),
        ("Ordinary prose, nothing else.\n".encode("utf-16"), "not JSON lines: UTF-16 text; save it as UTF-8", True),
        (b"# Notes\nnothing\n", "not JSON lines: looks like plain text", True),
        (b'{"name": "x", "age": 3}', "JSON, but of no transcript format known here (keys age, name)", True),
        (b'[\n {"a": 1}\n]', "JSON, but of no transcript format known here", True),
        (
            to_lines({"type": "mode", "sessionId": "s"}, {"type": "atis", "sessionId": "s"}, "{cut"),
            "no step in it: 3 lines of types atis, mode, 1 of them not usable",
            False,
        ),
    ],
)
def test_what_is_no_run_says_why_and_whether_it_is_skipped_or_refused(
    tmp_path: Path, data: bytes, why: str, skip: bool
):
    path = tmp_path / "x.jsonl"
    path.write_bytes(data)
    for attempt in (lambda: load(*discover([path])), lambda: load_bytes("x.jsonl", data)):
        with pytest.raises(NotATranscript) as raised:
            attempt()
        assert (str(raised.value), raised.value.skip) == (why, skip)
        assert isinstance(raised.value, NoStep) is not skip


def test_a_path_that_is_not_there_is_refused_not_skipped(tmp_path: Path):
    (run,) = discover([tmp_path / "none.jsonl"])
    with pytest.raises(InputError, match=r"none\.jsonl: cannot be read") as raised:
        load(run)
    assert not isinstance(raised.value, NotATranscript)


def test_agents_of_an_empty_session_file_are_still_a_run(tmp_path: Path):
    written(tmp_path, f"{SESSION}/subagents/agent-x.jsonl", user("Look.", 0, isSidechain=True, agentId="x"))
    (tmp_path / f"{SESSION}.jsonl").write_bytes(b"")
    (run,) = discover([tmp_path])
    assert run.main == tmp_path / f"{SESSION}.jsonl"
    assert [step.agent for step in load(run).steps] == ["x"]


def test_one_file_is_open_at_a_time_however_many_sub_agents_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    written(tmp_path, f"{SESSION}.jsonl", user("Go.", 0))
    for n in range(50):
        line = user(f"Look {n}.", n + 1, isSidechain=True, agentId=f"x{n}")
        written(tmp_path, f"{SESSION}/subagents/agent-x{n}.jsonl", line)
    (run,) = discover([tmp_path])
    opened: list[BinaryIO] = []
    real = door._open

    def opening(path: Path) -> BinaryIO:
        assert all(handle.closed for handle in opened)
        opened.append(real(path))
        return opened[-1]

    monkeypatch.setattr(door, "_open", opening)
    assert {step.agent for step in load(run).steps} == {"", *(f"x{n}" for n in range(50))}
    assert len(opened) >= 51


def test_the_format_is_told_by_content_not_by_name_and_behind_a_first_line_of_any_length():
    first = user("x" * 400_000, 0)
    assert load_bytes("notes.txt", to_lines(first)).format == "claude-code"
    joined = to_lines(first).strip() + to_lines(user("b", 1))
    assert len(load_bytes("rollout.traj.json", joined).steps) == 2


def test_an_uploaded_agent_file_is_hidden_and_a_folder_in_a_name_is_not_kept():
    t = load_bytes("../../agent-x.jsonl", to_lines(user("Look.", 0, isSidechain=True, agentId="x")))
    assert (t.sources, t.steps[0].agent) == (("agent-x.jsonl",), "x")


def test_an_agent_file_is_known_behind_a_first_line_of_any_length(tmp_path: Path):
    main = written(tmp_path, "main.jsonl", user("Go.", 0))
    prompt = user("x" * 400_000, 1, isSidechain=True, agentId="x")
    agent = written(tmp_path, "work.jsonl", {key: prompt[key] for key in sorted(prompt, key=lambda k: k == "message")})
    assert discover([tmp_path]) == (RunFiles(main, (agent,), main.name),)


def test_size_hash_and_progress_are_of_everything_read(tmp_path: Path):
    lines = [user("x" * 1000, second) for second in range(3000)]
    path = written(tmp_path, "one.jsonl", *lines)
    parts: list[float] = []
    t = load(RunFiles(path), parts.append)
    assert t.size == path.stat().st_size
    assert parts == sorted(parts)
    assert parts[-1] == 1.0
    assert len(parts) >= 3
    assert t.content_hash == load_bytes("other.jsonl", path.read_bytes()).content_hash
    assert len(t.content_hash) == len(hashlib.sha256().hexdigest())
    assert t.content_hash != parsed(*lines[1:]).content_hash


def test_the_run_id_is_of_the_session_and_the_first_record_and_stays_when_the_file_grows():
    lines = [user("a", 0), assistant([text("b")], 1, "m")]
    t = parsed(lines[0])
    assert t.run_id.startswith(f"{SESSION}-")
    assert parsed("// copied", "", *lines).run_id == t.run_id
    assert parsed(user("other", 0)).run_id != t.run_id

"""A run that is still being written: at every moment the same as what a reader of the whole lines would see."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.trajectory.follow import Follower
from core.trajectory.load import RunFiles, discover, load
from core.trajectory.steps import Trajectory


def line(n: int, role: str, text: str) -> bytes:
    record = {
        "type": role,
        "sessionId": "s",
        "uuid": f"u{n}",
        "timestamp": f"2026-01-01T00:00:{n:02d}Z",
        "message": {"role": role, "id": f"m{n}", "content": [{"type": "text", "text": text}]},
    }
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


LINES = [line(n, "user" if n % 3 == 0 else "assistant", f"text {n} — ü") for n in range(12)]
WHOLE = b"".join(LINES)


def follower(path: Path) -> Follower:
    path.touch()
    return Follower(RunFiles(path))


def bare(trajectory: Trajectory | None) -> Trajectory | None:
    return trajectory and replace(trajectory, size=0)


@settings(max_examples=60, deadline=None)
@given(cuts=st.lists(st.integers(0, len(WHOLE)), max_size=8))
def test_any_way_of_growing_shows_the_whole_lines_so_far(
    cuts: list[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("grow")
    grown, alone = folder / "a.jsonl", folder / "b.jsonl"
    live = follower(grown)
    lines = 0
    for end in sorted([*cuts, len(WHOLE)]):
        grown.write_bytes(WHOLE[:end])
        found = live.poll()
        whole = WHOLE[: WHOLE.rfind(b"\n", 0, end) + 1]
        assert live.waiting == end - len(whole)
        if whole.count(b"\n") == lines:
            assert found is None
            continue
        lines = whole.count(b"\n")
        alone.write_bytes(whole)
        expected = replace(load(RunFiles(alone)), sources=("a.jsonl",))
        steps = tuple(replace(s, source="a.jsonl") if s.source == "b.jsonl" else s for s in expected.steps)
        assert bare(found) == bare(replace(expected, steps=steps))
    assert live.poll() is None


def test_only_what_was_added_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(WHOLE * 40)
    live = Follower(RunFiles(path))
    live.poll()
    read = 0
    opened = Path.open

    class Counting:
        def __init__(self, handle: object) -> None:
            self.handle = handle

        def __enter__(self) -> Counting:
            return self

        def __exit__(self, *_: object) -> None:
            self.handle.close()  # type: ignore[attr-defined]

        def read(self, size: int) -> bytes:
            nonlocal read
            data: bytes = self.handle.read(size)  # type: ignore[attr-defined]
            read += len(data)
            return data

        def seek(self, at: int) -> None:
            self.handle.seek(at)  # type: ignore[attr-defined]

    with path.open("ab") as handle:
        handle.write(LINES[0])
    monkeypatch.setattr("core.trajectory.follow.grows", lambda path: True)
    monkeypatch.setattr("core.trajectory.follow.discover", lambda paths: ())
    monkeypatch.setattr(Path, "open", lambda self, *args, **kwargs: Counting(opened(self, *args, **kwargs)))
    assert live.poll() is not None
    assert len(LINES[0]) <= read < 3 * 4096 + len(LINES[0]) + 1 < len(WHOLE) * 40


@pytest.mark.parametrize("second", [WHOLE[: len(WHOLE) // 2], LINES[5] + WHOLE, b""])
def test_a_file_that_is_another_one_now_is_read_anew(tmp_path: Path, second: bytes) -> None:
    path = tmp_path / "a.jsonl"
    live = follower(path)
    path.write_bytes(WHOLE + LINES[0][:20])
    assert live.poll() is not None
    path.write_bytes(second)
    found = live.poll()
    whole = second[: second.rfind(b"\n") + 1]
    assert (found.lines if found else 0) == whole.count(b"\n")


def test_nothing_is_said_before_the_first_step(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    live = follower(path)
    assert live.poll() is None
    path.write_bytes(b'{"type":"summary","summary":"x","leafUuid":"u"}\n')
    assert live.poll() is None
    path.write_bytes(path.read_bytes() + WHOLE)
    found = live.poll()
    assert found is not None
    assert found.steps


def test_finish_takes_a_last_line_without_an_end(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    live = follower(path)
    path.write_bytes(WHOLE.rstrip(b"\n"))
    assert live.poll() is not None
    assert live.waiting == len(LINES[-1]) - 1
    found = live.finish()
    assert found is not None
    assert found.lines == len(LINES)
    assert found == load(RunFiles(path))


def test_a_sub_agents_file_that_appears_later_is_taken_along(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(WHOLE)
    live = Follower(discover([path])[0])
    assert live.poll() is not None
    folder = tmp_path / "s" / "subagents"
    folder.mkdir(parents=True)
    agent = [json.loads(text) | {"isSidechain": True, "agentId": "x1", "uuid": f"a{n}"} for n, text in enumerate(LINES)]
    (folder / "agent-x1.jsonl").write_bytes(b"".join(json.dumps(r).encode() + b"\n" for r in agent))
    with path.open("ab") as handle:
        handle.write(line(30, "user", "go on"))
    found = live.poll()
    assert found is not None
    assert {s.agent for s in found.steps} == {"", "x1"}


def test_a_document_is_read_again_when_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "run.traj"
    steps = [{"action": "ls", "observation": "a.py", "response": "look", "thought": "look", "state": "{}"}]
    path.write_text(json.dumps({"environment": "swe_main", "trajectory": steps, "history": [], "info": {}}))
    live = Follower(RunFiles(path))
    first = live.poll()
    assert first is not None
    assert live.poll() is None
    path.write_text(json.dumps({"environment": "swe_main", "trajectory": steps * 2, "history": [], "info": {}}))
    os.utime(path, ns=(1, 1))
    second = live.poll()
    assert second is not None
    assert len(second.steps) > len(first.steps)


def test_a_file_that_went_is_an_error_with_its_path(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    live = follower(path)
    path.unlink()
    with pytest.raises(InputError, match=r"a\.jsonl: cannot be read"):
        live.poll()

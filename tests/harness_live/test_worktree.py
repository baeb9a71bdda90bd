"""Which files of the project are looked at, and that none outside it is."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.live.client import FOLDER
from storage.live.settings import EVENTS, SETTINGS, hooks, make_folder, write_hooks
from storage.live.spoken import Spoken, allowed
from tests.harness_live.project import Project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.py").write_text("def secret():\n    return 1\n")
    made = Project(tmp_path / "project", {"a.py": "x = 1\n", "sub/b.py": "y = 1\n", ".gitignore": "*.log\nout/\n"})
    made.hook("SessionStart", source="startup")
    yield made
    made.journal.connection.close()


def changed(project: Project) -> list[str]:
    return [path for e in project.live.state.events if e.kind == "change" for path in e.paths]


def test_a_run_that_writes_is_seen_by_looking(project: Project) -> None:
    project.put("sub/b.py", "y = 2\n")
    project.put("c.py", "z = 1\n")
    (project.root / "a.py").unlink()
    project.bash("make")
    (event,) = [e for e in project.live.state.events if e.kind == "change"]
    assert event.text.startswith("deleted a.py, created c.py, edited sub/b.py")
    assert event.paths == ("a.py", "c.py", "sub/b.py")
    project.bash("make")
    assert len(changed(project)) == 3


def test_what_is_passed_over(project: Project) -> None:
    project.put("run.log", "1\n")
    project.put("out/made.py", "1\n")
    project.put("node_modules/x/index.js", "1\n")
    project.put("inner/.git/HEAD", "ref: refs/heads/main\n")
    project.put("inner/d.py", "1\n")
    (project.root / "picture.png").write_bytes(b"\x89PNG\0")
    project.put(f"{FOLDER}/notes.md", "1\n")
    project.bash("make")
    assert changed(project) == []
    project.call("Write", "w1", {"file_path": str(project.root / "run.log"), "content": "2\n"}, {"type": "update"})
    assert changed(project) == ["run.log"]  # a call names it to be written


def test_links_do_not_lead_out(project: Project, tmp_path: Path) -> None:
    (project.root / "link.py").symlink_to(tmp_path / "outside" / "secret.py")
    (project.root / "folder").symlink_to(tmp_path / "outside")
    project.bash("make")
    for path in ("folder/secret.py", "link.py", "../outside/secret.py", "sub/../../outside/secret.py"):
        given = {"file_path": f"{project.root}/{path}", "old_string": "1", "new_string": "2"}
        project.call("Edit", path, given, {"filePath": given["file_path"]})
    outside = {"file_path": str(tmp_path / "outside" / "secret.py"), "content": "x"}
    project.call("Write", "w", outside, {"type": "create"})
    assert changed(project) == []
    assert all("secret" not in text for text in project.journal.texts().values())


def test_a_link_in_the_place_of_a_known_file_is_its_end(project: Project, tmp_path: Path) -> None:
    (project.root / "a.py").unlink()
    (project.root / "a.py").symlink_to(tmp_path / "outside" / "secret.py")
    project.bash("make")
    assert project.live.state.events[-1].text.startswith("deleted a.py")


def test_looking_at_what_is_no_file_leaves_nothing_open(project: Project) -> None:
    for name in ("task_state.md", "breakthrough_log.md"):
        (project.root / FOLDER / name).unlink()
        (project.root / FOLDER / name).mkdir()
    (project.root / "folder.py").mkdir()
    given = {"file_path": f"{project.root}/folder.py", "content": "x"}
    project.call("Write", "f", given, {"type": "create"})
    before = len(os.listdir("/proc/self/fd"))
    for n in range(5):
        project.call("Write", f"g{n}", given, {"type": "create"})
    assert len(os.listdir("/proc/self/fd")) <= before


def test_transcripts_only_below_the_folder_that_was_named(tmp_path: Path) -> None:
    inner = tmp_path / "projects" / "p"
    inner.mkdir(parents=True)
    (inner / "s.jsonl").write_text("")
    (tmp_path / "other.jsonl").write_text("")
    (inner / "link.jsonl").symlink_to(tmp_path / "other.jsonl")
    folder = str(tmp_path / "projects")
    assert allowed(str(inner / "s.jsonl"), folder) == os.path.realpath(inner / "s.jsonl")
    for path in (tmp_path / "other.jsonl", inner / "link.jsonl", inner / "s.txt", inner / ".." / ".." / "other.jsonl"):
        assert allowed(str(path), folder) == "", path
    assert allowed(str(inner / "s.jsonl"), "") == ""
    assert allowed("p/s.jsonl", folder) == ""


def test_a_transcript_is_read_as_it_grows(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "t"
    folder.mkdir()
    path = folder / "s.jsonl"

    def say(n: int, *blocks: dict[str, object]) -> bytes:
        message = {"id": f"m{n}", "role": "assistant", "content": list(blocks)}
        return json.dumps({"type": "assistant", "uuid": f"u{n}", "sessionId": "s", "message": message}).encode() + b"\n"

    intention = {"type": "text", "text": "I'll rename the loader."}
    call = {"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "true"}}
    later = {"type": "text", "text": "I suspect the codec is wrong."}
    whole = say(1, intention, call, later)
    path.write_bytes(whole[:-20])
    own = {"transcript_path": str(path)}
    project.hook("PreToolUse", str(folder), tool_name="Bash", tool_use_id="c1", tool_input={"command": "true"}, **own)
    assert project.live.t == 0  # the line has no end yet
    path.write_bytes(whole)
    project.hook(
        "PostToolUse", str(folder), tool_name="Bash", tool_use_id="c1", tool_input={"command": "true"},
        tool_response={"stdout": "", "stderr": ""}, **own,
    )  # fmt: skip
    assert (project.live.t, project.live.state.task.focus) == (2, "Rename the loader")
    assert project.live.state.task.hypothesis == ""  # said behind the call, comes behind it
    project.again()
    project.hook("Stop", str(folder), last_assistant_message="I suspect the codec is wrong.", **own)
    assert (project.live.t, project.live.state.task.hypothesis) == (3, "I suspect the codec is wrong.")
    project.hook("Stop", str(folder), last_assistant_message="I suspect the codec is wrong.", **own)
    assert project.live.t == 3
    path.write_bytes(b"")  # became shorter: nothing is made of it
    project.hook("Stop", str(folder), **own)
    assert project.live.t == 3


def test_a_transcript_that_is_gone_or_no_file(tmp_path: Path) -> None:
    spoken = Spoken(str(tmp_path / "none.jsonl"))
    spoken.read()
    assert list(spoken.until()) == []
    os.mkfifo(tmp_path / "pipe.jsonl")
    spoken = Spoken(str(tmp_path / "pipe.jsonl"))
    spoken.read()
    assert list(spoken.until()) == []


def test_settings_are_written_only_when_asked_and_keep_what_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_folder(tmp_path)
    assert not (tmp_path / ".claude").exists()
    other = {"hooks": [{"type": "command", "command": "mine"}]}
    (tmp_path / ".claude").mkdir()
    (tmp_path / SETTINGS).write_text(json.dumps({"model": "m", "hooks": {"Stop": [other], "Else": []}}))
    for _ in range(2):  # twice is once
        write_hooks(tmp_path)
        found = json.loads((tmp_path / SETTINGS).read_text())
        assert found["model"] == "m"
        assert found["hooks"]["Stop"] == [other, *hooks()["hooks"]["Stop"]]
        assert set(found["hooks"]) == {*EVENTS, "Else"}
    (tmp_path / SETTINGS).write_text("{broken")
    with pytest.raises(Exception, match="not JSON"):
        write_hooks(tmp_path)
    assert (tmp_path / SETTINGS).read_text() == "{broken"

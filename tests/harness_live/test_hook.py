"""The hook command as a client calls it: exit code 0, JSON on stdout, in time; crowds and kills lose nothing."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks.harness.player import play
from storage.live.client import FOLDER, INBOX, MOST, SOCKET, keep
from storage.live.journal import FILE
from storage.live.keeper import folded
from storage.live.settings import make_folder
from tests.harness_live.project import (
    FILES,
    ROOT,
    command,
    comparable,
    inside,
    resident,
    run_hook,
    steps_of,
    stop,
)

PROMPT = json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "Fix the loader."}).encode()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    root = tmp_path / "project"
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    monkeypatch.chdir(tmp_path)
    make_folder(root)
    monkeypatch.chdir(tmp_path)
    yield root
    stop(root)


def harmless(done: subprocess.CompletedProcess[bytes], says: str) -> None:
    assert (done.returncode, json.loads(done.stdout)) == (0, {})
    assert says in done.stderr.decode()
    assert done.stderr.decode().isprintable() or done.stderr.count(b"\n") == 1


@pytest.mark.parametrize(
    "data",
    [
        b"", b"  \n", b"{", b"[]", b"null", b"\xff\xfe\0", b'{"hook_event_name": 3}', b'{"hook_event_name": "Unheard"}',
        b'{"hook_event_name": "PostToolUse", "tool_name": ["x"], "tool_input": "y", "tool_response": {"file": {}}}',
        b'{"hook_event_name": "PreToolUse", "session_id": "\\ud800", "tool_input": {"file_path": "\\u0000"}}',
        b'{"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {"file_path": "/etc/hosts"}}',
        b'{"hook_event_name": "Stop", "last_assistant_message": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    ],
)  # fmt: skip
def test_whatever_stands_on_stdin(project: Path, data: bytes) -> None:
    done = run_hook(project, data)
    assert (done.returncode, json.loads(done.stdout)) == (0, {})
    good = run_hook(project, PROMPT)  # and the next one is served
    assert (good.returncode, good.stderr) == (0, b"")
    assert not (project / FOLDER / "resident.log").exists()


def test_more_than_is_read(project: Path) -> None:
    harmless(run_hook(project, b'{"x": "' + b"y" * (MOST + 10) + b'"}'), "more than 32 MB")


def test_stdin_that_is_never_closed(project: Path) -> None:
    began = time.monotonic()
    with subprocess.Popen(command(project, limit=0.3), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as hook:
        assert hook.wait(timeout=20) == 0
        assert hook.stdout is not None
        assert json.loads(hook.stdout.read()) == {}
    assert time.monotonic() - began < 15


def test_no_folder_and_a_folder_behind_a_link(tmp_path: Path, project: Path) -> None:
    (tmp_path / "bare").mkdir()
    harmless(run_hook(tmp_path / "bare", PROMPT), "harness init")
    harmless(run_hook(tmp_path / "nowhere", PROMPT), "harness init")
    (tmp_path / "bare" / FOLDER).symlink_to(project / FOLDER)
    harmless(run_hook(tmp_path / "bare", PROMPT), "no .stateharness")
    assert list((project / FOLDER / INBOX).iterdir()) == []


@pytest.mark.parametrize("words", [["--nonsense", "1"], ["--limit"], ["--limit", "soon"], ["stray"]])
def test_words_it_does_not_know(project: Path, words: list[str]) -> None:
    harmless(run_hook(project, PROMPT, *words), "expected hook")


def test_a_folder_that_cannot_be_written(project: Path) -> None:
    box = project / FOLDER / INBOX
    box.rmdir()
    box.write_text("a file in its place")
    harmless(run_hook(project, PROMPT), "cannot be kept")
    box.unlink()
    box.symlink_to(project)
    harmless(run_hook(project, PROMPT), "cannot be kept")
    assert resident(project) is None


def test_a_process_that_never_answers_costs_the_limit(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project / FOLDER)
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(SOCKET)
        door.listen(1)
        harmless(run_hook(project, PROMPT, limit=0.3), "the event is kept")
    (project / FOLDER / SOCKET).unlink()
    assert len(list((project / FOLDER / INBOX).iterdir())) == 1
    run_hook(project, PROMPT)
    with inside(project) as journal:
        assert folded(journal).t == 2  # both
    assert list((project / FOLDER / INBOX).iterdir()) == []


def test_foreign_files_in_the_folder(project: Path, tmp_path: Path) -> None:
    folder = project / FOLDER
    (folder / FILE).write_bytes(b"not a journal" * 999)
    (tmp_path / "secret").write_text("- E1, step 1, finding: secret\n")
    (folder / "breakthrough_log.md").symlink_to(tmp_path / "secret")
    (folder / "task_state.md").mkdir()
    os.mkfifo(folder / "skill_states.json")
    (folder / INBOX / "0-link").symlink_to(tmp_path / "secret")
    (folder / INBOX / "0-folder").mkdir()
    done = run_hook(project, PROMPT)
    assert (done.returncode, done.stderr) == (0, b"")
    with inside(project) as journal:
        assert [e.text for e in folded(journal).state.events] == []
        assert folded(journal).state.task.observation == "Fix the loader."
    assert (tmp_path / "secret").read_text() == "- E1, step 1, finding: secret\n"
    assert (folder / f"{FILE}.broken-1").read_bytes() == b"not a journal" * 999


def test_only_this_user_can_look_in(project: Path) -> None:
    run_hook(project, PROMPT)
    assert stat.S_IMODE((project / FOLDER).stat().st_mode) == 0o700
    for name in (SOCKET, FILE, "task_state.md", "context_brief.md", "lock"):
        assert stat.S_IMODE((project / FOLDER / name).stat().st_mode) == 0o600, name


def test_a_crowd_of_hooks_loses_nothing_and_starts_one_process(project: Path) -> None:
    """Twenty-four hooks at once, of a project whose process does not run yet."""
    answers: list[subprocess.CompletedProcess[bytes]] = []

    def one(n: int) -> None:
        body = {"hook_event_name": "UserPromptSubmit", "session_id": f"s{n % 3}", "prompt": f"Do part number {n}."}
        answers.append(run_hook(project, json.dumps(body).encode()))

    threads = [threading.Thread(target=one, args=(n,)) for n in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(a.returncode, a.stderr) for a in answers] == [(0, b"")] * 24
    with inside(project) as journal:
        live = folded(journal)
        asked = {e.text for e in live.state.events} | {f"asked: {live.state.task.observation}"}
        assert asked == {f"asked: Do part number {n}." for n in range(24)}
        assert [e.n for e in live.state.events] == list(range(1, 24))
        assert len(live.sessions) == 3


def test_a_kill_at_any_moment_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run is played while its resident process is killed again and again; the state is that of the run."""
    source = ROOT / "sample_runs" / "runs" / "config_walk.jsonl"
    session = play(source, str(ROOT / "sample_runs" / "bases" / "config_walk"), tmp_path)
    session.write_base()
    make_folder(session.root)
    monkeypatch.chdir(tmp_path)
    over, kills = threading.Event(), []

    def strike() -> None:
        pid = resident(session.root)
        if pid is not None:
            os.kill(pid, signal.SIGKILL)
            kills.append(pid)

    def killer() -> None:
        wait = 0.05
        while not over.wait(wait):
            strike()
            wait = (wait * 1.7) % 3.1 + 0.05  # no rhythm: starts, work and idle moments are all hit

    thread = threading.Thread(target=killer)
    thread.start()
    try:
        for n, event in enumerate(session.events()):
            session.prepare(event)
            done = run_hook(
                session.root, json.dumps(event.body).encode(), "--transcripts", str(session.transcript.parent)
            )
            assert (done.returncode, done.stderr) == (0, b"")
            if n % 5 == 4:  # and between events, however fast the machine plays them
                strike()
    finally:
        over.set()
        thread.join()
    assert len(set(kills)) >= 5
    with inside(session.root) as journal:
        assert comparable(steps_of(journal)) == comparable(session.followed().steps)


def test_the_process_ends_by_itself(project: Path) -> None:
    words = [sys.executable, str(ROOT / "cli.py"), "harness", "resident", "--project", str(project), "--idle", "0.2"]
    assert subprocess.run(words, timeout=120, capture_output=True).returncode == 0
    assert not (project / FOLDER / SOCKET).exists()


def test_what_waits_in_the_inbox_is_taken_in_by_the_next_process(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / FOLDER)
    keep("00000000000000000001-1", b"\n" + PROMPT)
    run_hook(project, json.dumps({"hook_event_name": "Notification", "session_id": "s", "message": "hm"}).encode())
    with inside(project) as journal:
        assert folded(journal).state.task.observation == "Fix the loader."

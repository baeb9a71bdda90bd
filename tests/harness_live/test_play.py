"""A recorded run played through the hooks gives what the offline pass gives, step for step."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from benchmarks.harness.player import Play, play
from core.harness.brief_file import write_brief
from core.harness.files import read_state
from storage.live.client import keep
from storage.live.journal import open_journal
from storage.live.keeper import Keeper
from storage.live.records import read_records
from storage.live.settings import make_folder
from tests.harness_live.project import ROOT, comparable, steps_of

RUNS = {"config_walk": "config_walk", "ledger_long": "ledger"}
MIRROR = Path(os.environ.get("STATETAPE_CORPUS", "")) / "claude_code"
# Sessions that need no base but their own evidence.
CORPUS = ("energy-import-export-py_2.1.231_e31e5543", "entire-cli-go_2.1.14_89e8867f9092-0")


def played(session: Play, monkeypatch: pytest.MonkeyPatch, restart_every: int = 0) -> Keeper:
    """The keeper after all events, begun anew after every so many."""
    session.write_base()
    make_folder(session.root)
    monkeypatch.chdir(session.root / ".stateharness")
    keeper = Keeper(session.root, open_journal())
    folder = str(session.transcript.parent) if session.spoken else ""
    for n, event in enumerate(session.events(), 1):
        session.prepare(event)
        if restart_every and n % restart_every == 0:
            keeper._journal.connection.close()
            keeper = Keeper(session.root, open_journal())
        keep(f"{n:09d}", folder.encode() + b"\n" + json.dumps(event.body).encode())
        answer = json.loads(keeper.take(f"{n:09d}"))
        assert "decision" not in answer
        assert answer.get("continue", True)
        assert "permissionDecision" not in answer.get("hookSpecificOutput", {})
    return keeper


def assert_same(session: Play, keeper: Keeper) -> None:
    run = session.followed()
    assert comparable(steps_of(keeper._journal)) == comparable(run.steps)
    last = len(run.steps)
    assert write_brief(keeper.live.brief()) == write_brief(run.brief_at(last))
    assert keeper.live.alerts() == run.alerts_at(last)
    state, problems = read_state(read_records().texts)
    assert problems == ()
    assert state == keeper.live.state
    assert (state.events, state.relations, state.procedures) == (
        run.state_at(last).events, run.state_at(last).relations, run.state_at(last).procedures,
    )  # fmt: skip


@pytest.mark.parametrize("spoken", [True, False], ids=["with transcript", "without"])
@pytest.mark.parametrize("name", sorted(RUNS))
def test_a_played_run_is_the_run(name: str, spoken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = ROOT / "sample_runs" / "bases" / RUNS[name]
    session = play(ROOT / "sample_runs" / "runs" / f"{name}.jsonl", str(base), tmp_path, spoken)
    keeper = played(session, monkeypatch)
    assert len(keeper.live.state.events) > 10
    assert_same(session, keeper)


def test_beginning_anew_in_between_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = ROOT / "sample_runs" / "bases" / "config_walk"
    session = play(ROOT / "sample_runs" / "runs" / "config_walk.jsonl", str(base), tmp_path)
    assert_same(session, played(session, monkeypatch, restart_every=1))


@pytest.mark.corpus
@pytest.mark.skipif(not os.environ.get("STATETAPE_CORPUS"), reason="STATETAPE_CORPUS names no folder")
@pytest.mark.parametrize("name", CORPUS)
def test_a_played_run_of_the_corpus_is_the_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = play(MIRROR / f"{name}.jsonl", "none", tmp_path)
    assert_same(session, played(session, monkeypatch, restart_every=97))

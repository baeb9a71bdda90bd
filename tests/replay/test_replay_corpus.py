"""Replay of recorded runs by others: what is reconstructed agrees with what they show."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.errors import NotATranscript
from core.replay.base import load_base
from core.replay.replay import replay
from core.trajectory.load import discover, load

CORPUS = os.environ.get("STATETAPE_CORPUS", "")
pytestmark = [pytest.mark.corpus, pytest.mark.skipif(not CORPUS, reason="needs STATETAPE_CORPUS")]


def test_recorded_runs_agree_with_themselves() -> None:
    compared = equal = 0
    for files in discover([Path(CORPUS) / "claude_code"]):
        try:
            trajectory = load(files)
        except NotATranscript:
            continue
        result = replay(trajectory, load_base("none", trajectory))
        assert all(1 <= w.t <= w.known_at <= len(trajectory.steps) for w in result.writes)
        assert all(w.before != w.after or w.opaque for w in result.writes)
        assert all(not path.startswith(("/", "..")) for path in result.base)
        compared += result.compared
        equal += sum(o.equal for o in result.observations)
    assert compared > 50_000
    assert equal / compared >= 0.95

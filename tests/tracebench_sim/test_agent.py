"""A simulated session is what it claims: the product reads it, replays it to the patched tree, and scores it."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest

from benchmarks.tracebench.agent import Simulated, simulate
from benchmarks.tracebench.labels import read_labels, write_labels
from benchmarks.tracebench.parameters import ASSUMED, FITTED, Parameters
from benchmarks.tracebench.scoring import score
from benchmarks.tracebench.tests_output import NOTICE
from core.errors import InputError
from core.policies import POLICIES
from core.replay.base import load_base
from core.replay.replay import replay
from core.replay.world import History
from core.tracebench.points import find_points
from core.tracebench.scores import pool
from core.trajectory.load import discover, load
from core.trajectory.steps import Trajectory
from tests.tracebench_sim.small import PATCH, TEXTS, reference

SEEDS = (0, 1, 2, 3)
# Short bursts, so that a small patch has several points; wrong edits often.
PARAMETERS = replace(Parameters(), burst=1.0, wrong=0.5, related=0.5, neighbour=0.5, search=0.5)


def written(folder: Path, seed: int, parameters: Parameters = PARAMETERS) -> tuple[Simulated, Path, Path]:
    """The session of a seed and the base it starts from, as files."""
    simulated = simulate(reference(), parameters, seed)
    session = folder / "run.jsonl"
    session.write_text(simulated.session, encoding="utf-8")
    base = folder / "base"
    for path, text in TEXTS.items():
        (base / path).parent.mkdir(parents=True, exist_ok=True)
        (base / path).write_text(text, encoding="utf-8")
    return simulated, session, base


def loaded(session: Path) -> Trajectory:
    return load(discover([session])[0])


@pytest.mark.parametrize("seed", SEEDS)
def test_the_product_finds_the_points_the_labels_are_at(tmp_path: Path, seed: int) -> None:
    simulated, session, _ = written(tmp_path, seed)
    trajectory = loaded(session)
    assert not trajectory.skipped
    assert [p.t for p in find_points(trajectory) if p.anchor == "P"] == list(simulated.points)
    assert {label.t for label in simulated.labels} <= set(simulated.points)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_replay_ends_at_the_patched_tree_and_fits_every_shown_line(tmp_path: Path, seed: int) -> None:
    simulated, session, base = written(tmp_path, seed)
    assert simulated.left == 0
    trajectory = loaded(session)
    replayed = replay(trajectory, load_base(str(base), trajectory))
    assert replayed.fidelity == 1.0
    history = History(replayed)
    end = len(trajectory.steps)
    patched = reference().task.patched
    paths = sorted(TEXTS.keys() | patched.keys())
    assert {p: history.text(p, end) for p in paths} == {p: patched.get(p) for p in paths}


@pytest.mark.parametrize("seed", SEEDS)
def test_regions_stand_where_they_say_in_w_t(tmp_path: Path, seed: int) -> None:
    # A wrong edit cuts the last line of what it edits.
    simulated, session, base = written(tmp_path, seed, replace(PARAMETERS, wrong=0.0))
    trajectory = loaded(session)
    history = History(replay(trajectory, load_base(str(base), trajectory)))
    named = [label for label in simulated.labels if label.symbol.rpartition("::")[2] in ("tax", "rounded", "run")]
    assert named
    for label in named:
        lines = (history.text(label.path, label.t) or "").split("\n")
        name = label.symbol.rpartition("::")[2]
        assert lines[label.start - 1].startswith(f"def {name}("), label
        assert lines[label.end - 1].startswith("    return"), label


def test_the_same_seed_is_the_same_bytes_and_another_is_not() -> None:
    first, again, other = (simulate(reference(), PARAMETERS, seed) for seed in (5, 5, 6))
    assert first == again
    assert first.session != other.session


def test_it_says_that_it_is_a_simulation(tmp_path: Path) -> None:
    session = simulate(reference(), PARAMETERS, 0).session
    lines = [json.loads(line) for line in session.splitlines()]
    models = {line["message"]["model"] for line in lines if line["type"] == "assistant"}
    assert models == {"simulated-agent"}
    runs = [line for line in lines if isinstance(line.get("toolUseResult"), dict) and "stdout" in line["toolUseResult"]]
    assert any(line["toolUseResult"]["stdout"].startswith(NOTICE) for line in runs)


def test_labels_come_back_and_belong_to_one_transcript() -> None:
    simulated = simulate(reference(), PARAMETERS, 0)
    text = write_labels(simulated.labels, simulated.session)
    found = read_labels(text, simulated.session)
    assert not found.skipped
    mine = {(g.t, g.rule, g.path, g.start, g.end) for g in simulated.labels}
    assert {(t, g.rule, g.path, g.start, g.end) for t, regions in found.regions.items() for g in regions} == mine
    with pytest.raises(InputError, match="of transcript"):
        read_labels(text, simulated.session + "\n")


def test_the_whole_way_to_scores(tmp_path: Path) -> None:
    simulated, session, base = written(tmp_path, 1)
    labels = read_labels(write_labels(simulated.labels, simulated.session), simulated.session)
    result = score(session, str(base), labels, POLICIES)
    assert result.fidelity == 1.0
    assert [p.t for p in result.points] == list(simulated.points)
    assert {p.t for p in result.points if not p.skip} == {label.t for label in simulated.labels}
    sums = {row.policy: row.sums for row in pool(result.scores)}
    evicted, oracle = sums["evict-all"], sums["oracle-retrieve"]
    assert (evicted.cleared, evicted.lost) == (evicted.unneeded, evicted.held_needed)
    assert oracle.found == oracle.missing
    assert {s.gold_source for s in result.scores} == {"imported"}


def test_every_parameter_says_where_it_comes_from() -> None:
    names = [f.name for f in fields(Parameters)]
    assert sorted([*FITTED, *ASSUMED]) == sorted(names)


def test_the_patch_applies() -> None:
    patched = reference().task.patched
    assert "shop/old.py" not in patched
    assert patched["shop/tax.py"].startswith('RATES = {"food": 7}\n\n\ndef tax(cost, kind):\n')
    assert PATCH.count("\n+") - PATCH.count("\n+++") == 5 + 1 + 1 + 1 + 2

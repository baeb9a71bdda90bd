"""Which graph facts of a run outlive it: those of its base, shared with other runs, and no version it wrote."""

from __future__ import annotations

from pathlib import Path

from core.graph.facts import FactsCache, FileFacts
from core.options import Options
from core.pipeline import _RunFacts, analyse
from core.replay.base import load_base
from core.trajectory.load import discover, load

SAMPLES = Path(__file__).parents[1] / "sample_runs"


def facts(name: str) -> FileFacts:
    return FileFacts(language=name, symbols=())


def test_facts_of_versions_are_the_run_s_own_and_those_of_the_base_are_shared() -> None:
    shared = FactsCache()
    shared.put(("py", "known"), facts("known"))
    one = _RunFacts(shared)
    one.put(("py", "base"), facts("base"))
    one.in_base = False
    one.put(("py", "version"), facts("version"))
    assert [one.get(("py", name)) for name in ("known", "base", "version")] == [
        facts("known"),
        facts("base"),
        facts("version"),
    ]
    assert shared.keys() == [("py", "base"), ("py", "known")]
    assert _RunFacts(shared).get(("py", "version")) is None


def test_a_run_leaves_the_facts_of_its_base_alone() -> None:
    transcripts = [run for run in discover([SAMPLES]) if run.path.suffix == ".jsonl"]
    trajectory = load(transcripts[0])
    base = load_base("none", trajectory)
    shared = FactsCache()
    found = analyse(trajectory, base, Options(), policies={}, facts=shared)
    written = {w.after for w in found.replay.writes if w.after is not None}
    assert written - set(found.replay.base.values())
    assert 0 < len(shared) <= len(set(found.replay.base.values()))

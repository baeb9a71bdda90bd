"""Halves, relations and tables: small inputs with known answers."""

from __future__ import annotations

import json
import math
import os
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.tracebench.contenders import contenders, family
from benchmarks.tracebench.instances import halves, read_instances, repository
from benchmarks.tracebench.parameters import Parameters
from benchmarks.tracebench.relations import Relations, Use, read_report, restore, save
from benchmarks.tracebench.report import markdown, net, re_at, report
from benchmarks.tracebench.runs import Scored
from core.policies import POLICIES
from core.tracebench.scores import PointScore, Sums, ce, pool
from tests.tracebench_sim.small import instance

CORPUS = os.environ.get("STATETAPE_CORPUS")


def test_halves_are_halves_of_each_repository() -> None:
    known = [
        instance(f"{repo}-{n}", repo) for repo, count in (("a/a", 6), ("b/b", 5), ("c/c", 1)) for n in range(count)
    ]
    half = halves(known, 0)
    count = {repo: sum(half[i.id] == "train" for i in known if i.repo == repo) for repo in ("a/a", "b/b", "c/c")}
    assert count["a/a"] == 3
    assert count["b/b"] in (2, 3)
    assert sum(h == "train" for h in half.values()) == 6
    assert half == halves(reversed(known), 0)
    assert half != halves(known, 1)


def test_a_repository_is_found_under_its_usual_names(tmp_path: Path) -> None:
    (tmp_path / "psf+requests" / "repo" / "objects").mkdir(parents=True)
    (tmp_path / "dvc" / ".git").mkdir(parents=True)
    assert repository(tmp_path, "psf/requests") == tmp_path / "psf+requests" / "repo"
    assert repository(tmp_path, "iterative/dvc") == tmp_path / "dvc"
    assert repository(tmp_path, "dask/dask") is None


def test_relations_come_back_as_they_were(tmp_path: Path) -> None:
    relations = Relations((Use("a.py", 3, ("b.py", 1), "call"),), {("a.py", 1): (("b.py", 5),)}, {"a": "a.py"})
    save(relations, tmp_path / "kept.json.gz")
    first = (tmp_path / "kept.json.gz").read_bytes()
    save(relations, tmp_path / "kept.json.gz")
    assert (tmp_path / "kept.json.gz").read_bytes() == first
    assert restore(tmp_path / "kept.json.gz") == relations
    assert restore(tmp_path / "none.json.gz") is None


def test_a_report_is_read_without_what_lies_outside(tmp_path: Path) -> None:
    root, out = tmp_path / "state", tmp_path / "report"
    (out / "definitions").mkdir(parents=True)
    (out / "call_graphs").mkdir()

    def module(n: int, name: str, path: Path) -> dict[str, object]:
        return {
            "module_id": n,
            "module_name": name,
            "source_path": {"FileSystem": str(path)},
            "info_filename": f"{name}:{n}.json",
        }

    modules = {"1": module(1, "a", root / "a.py"), "2": module(2, "lib", Path("/usr/lib/lib.py"))}
    (out / "pyrefly.pysa.json").write_text(json.dumps({"modules": modules}))
    function = {"name": "f", "name_location": "4:5-4:6"}
    above = {"module_id": 1, "class_id": 1, "class_name": "B"}
    classes = {
        "0": {"name_location": "8:7-8:8", "bases": [above], "mro": {"Resolved": [above]}},
        "1": {"name_location": "1:7-1:8", "bases": [], "mro": {"Resolved": []}},
    }
    (out / "definitions" / "a:1.json").write_text(
        json.dumps({"function_definitions": {"F:0": function}, "class_definitions": classes})
    )
    called = {"target": {"Function": {"module_id": 1, "function_id": "F:0"}}}
    outside = {"target": {"Function": {"module_id": 2, "function_id": "F:0"}}}
    made = {"target": {"Function": {"module_id": 2, "function_id": "F:9"}}, "receiver_class": above}
    sites = {
        "9:1-9:4": {"Call": {"call_targets": [called, outside]}},
        "10:1-10:4": {"Call": {"init_targets": [made]}},
        "10:1-10:2|identifier|B": {"Identifier": {"if_called": {"init_targets": [made]}}},
        "11:1-11:4": {"AttributeAccess": {"property_getters": [called]}},
    }
    (out / "call_graphs" / "a:1.json").write_text(json.dumps({"call_graphs": {"MTL": sites}}))
    found = read_report(out, root)
    assert found.uses == (
        Use("a.py", 9, ("a.py", 4), "call"),
        Use("a.py", 10, ("a.py", 1), "constructor"),
        Use("a.py", 10, ("a.py", 1), "name"),
        Use("a.py", 11, ("a.py", 4), "property"),
    )
    assert found.bases == {("a.py", 8): (("a.py", 1),)}
    assert found.modules == {"a": "a.py"}


def test_re_at_a_share_found_mixes_the_neighbours() -> None:
    small = Sums(points=2, missing=100, found=20, added=200)  # 20% for 100 a point
    large = Sums(points=2, missing=100, found=60, added=1000)  # 60% for 500 a point
    assert re_at([large, small], 0.1) == pytest.approx(1e5 * 0.1 / 50)
    assert re_at([large, small], 0.4) == pytest.approx(1e5 * 0.4 / 300)
    assert math.isnan(re_at([large, small], 0.7))


def test_the_net_row_counts_only_what_nothing_shows_any_more() -> None:
    sums = Sums(points=1, unneeded=100, held_needed=50, cleared=80, lost=40, net_lost=4)
    (row,) = pool([PointScore("statetape", 3, "imported", "ok", sums)])
    assert (ce(net(row).sums), ce(row.sums)) == (20, 2)


def test_families() -> None:
    names = ("recency-2", "age-40", "observation-masking:5", "statetape:idle=5", "evict-all")
    assert [family(name) for name in names] == ["recency", "age", "observation-masking", "statetape:idle", "evict-all"]
    assert contenders().keys() > POLICIES.keys()


def test_the_report_of_one_run_by_hand() -> None:
    own = {"t": 4, "edits": 0, "held": 100, "unneeded": 60, "held_needed": 40, "stale": 30, "stale_needed": 0}
    point = {**own, "needed": 50, "gold_held": 20, "missing": 30, "rules": {"G1": 1, "G2": 2, "G3": 0, "G4": 1}}
    held = {"points": 1, "unneeded": 60, "held_needed": 40, "missing": 30}
    rows = {
        "statetape": Sums(**held, dropped=40, cleared=36, lost=4, net_lost=0, found=15, added=500),
        "evict-all": Sums(**held, dropped=100, cleared=60, lost=40, net_lost=40),
        "oracle-evict": Sums(**held, dropped=60, cleared=60),
        "oracle-retrieve": Sums(**held, found=30, added=30),
    }
    scores = tuple(PointScore(name, 4, "imported", "ok", sums) for name, sums in rows.items())
    facts = {"candidates": 2, "steps": 9, "made": 3, "left": 0, "fidelity": 1.0}
    run = Scored("a", "a/a", (point,), scores, facts)
    document = report([run], {"a": "test"}, Parameters(), 0, 3, ["b", "c"])
    shares = document["shares"]["test"]
    assert (shares["unneeded"], shares["stale"], shares["missing"], shares["regions"]) == (0.6, 0.5, 0.6, 4.0)
    assert shares["beside_site"] == 0.75
    half = document["halves"]["test"]
    assert half["checks"]["evict_all_ce"] == [1.5, 1.5]
    assert half["checks"]["oracle_retrieve_re"] == [pytest.approx(1e5 / 30)] * 2
    text = markdown(document)
    assert "| statetape | 9.00" in text
    assert "| the paper | 48 | 403 | 18,100 | 73.4% | 72.3% | 58.5% |" in text
    json.dumps(document, allow_nan=False)
    oracles = tuple(s for s in scores if s.policy.startswith("oracle"))  # what --shares scores
    bare = report([replace(run, scores=oracles)], {"a": "test"}, Parameters(), 0, 3, ["b", "c"])
    assert (bare["shares"], bare["halves"]) == (document["shares"], {})


@pytest.mark.corpus
@pytest.mark.skipif(not CORPUS, reason="STATETAPE_CORPUS is not set")
def test_the_real_instances_split_evenly() -> None:
    known = read_instances(Path(CORPUS or "") / "swe_evo" / "instances.jsonl")
    assert len(known) == 48
    assert sum(h == "train" for h in halves(known, 0).values()) == 24

"""Policies scored at a point: sums worked out by hand, and what must hold at every point of every run."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.context.moment import Moment
from core.context.plan import Plan, PlanAction, context_after, retrieval
from core.policies import POLICIES, policy
from core.records.record import State, Symbols
from core.replay.lines import split_lines
from core.tape.staleness import STALE, Staleness
from core.tracebench.evaluate import evaluate, prepare, score_plan
from core.tracebench.overlap import tokens_on
from core.tracebench.scores import PointScore, Sums
from tests.manager.scene import Scene
from tests.policies.contexts import FILES, worked
from tests.tape.scripts import Act, repositories, scripts
from tests.tape.test_properties import step

GOLD = (("G1", "app/a.py", 8, 9), ("G2", "app/a.py", 4, 5), ("G3", "app/b.py", 8, 9))


@dataclass
class Given:
    """A policy with a fixed plan."""

    plan: Plan
    name: str = "given"
    source: str = ""
    needs_model: bool = False
    parameters = None

    def decide(self, moment: Moment, /) -> Plan:
        return self.plan


def sums_of(scene: Scene, plan: Plan) -> Sums:
    carrier = scene.carrier()
    return evaluate(scene.moment(), scene.point(*GOLD, carrier=carrier), carrier, {"given": Given(plan)})[0].sums  # type: ignore[dict-item]


def drop(*ids: str) -> Plan:
    return Plan(tuple(PlanAction(i, "drop", None) for i in ids))


def test_the_sums_of_a_hand_made_plan() -> None:
    scene = worked()
    n = {r.id: r.tokens for r in scene.held}
    point = scene.point(*GOLD)
    # Needed: r2 (both definitions), r6 (lines 8-9), r7 (wrote line 9). r3 shows 1-5 of b, the gold there is 8-9.
    assert {r.record_id for r in point.records if r.needed} == {"r2", "r6", "r7"}
    lone = tokens_on(FILES["app/b.py"], [(8, 9)])
    assert point.missing == lone
    sums = sums_of(scene, drop("r2", "r3", "r5"))
    assert sums.dropped == n["r2"] + n["r3"] + n["r5"]
    assert sums.lost == n["r2"]
    assert sums.cleared == n["r3"] + n["r5"]
    # r2 was about lines 4-5, now shown by nothing, and 8-9, shown by r6 (line 8) and r7 (line 9).
    text = scene.texts[-1]["app/a.py"]
    lines_4_5, gold = tokens_on(text, [(4, 5)]), tokens_on(text, [(4, 5), (8, 9)])
    assert sums.net_lost == n["r2"] * lines_4_5 // gold
    assert sums.gold_lost == lines_4_5
    assert (sums.found, sums.added) == (0, 0)
    assert sums.file_cleared == n["r3"]
    assert sums.stale_left == n["r6"]  # r2 and r6 show the old line 9, r5 ran before the write


def test_a_refresh_is_lost_gross_and_not_net() -> None:
    scene = worked()
    refresh = next(a for a in POLICIES["statetape-defaults"].decide(scene.moment()).actions if a.record_id == "r2")
    assert refresh.name == "refresh"
    assert refresh.successor is not None
    sums = sums_of(scene, Plan((refresh,)))
    assert sums.lost == scene.records["r2"].tokens
    assert (sums.net_lost, sums.gold_lost) == (0, 0)
    assert sums.added == refresh.successor.tokens


def test_found_counts_missing_lines_once_and_only_as_they_are() -> None:
    scene = worked()
    text = scene.texts[-1]["app/b.py"]
    lone = tokens_on(text, [(8, 9)])
    whole = retrieval("app/b.py", 1, 9, text, "G2", "why")
    part = retrieval("app/b.py", 9, 9, text, "G2", "why")
    other = retrieval("app/b.py", 8, 9, text.replace("return x", "return 0"), "G2", "a text that is not there")
    assert sums_of(scene, Plan(retrievals=(whole, part))).found == lone
    assert sums_of(scene, Plan(retrievals=(whole, part))).added == whole.tokens + part.tokens
    assert sums_of(scene, Plan(retrievals=(part,))).found == tokens_on(text, [(9, 9)])
    assert sums_of(scene, Plan(retrievals=(other,))).found == tokens_on(text, [(8, 8)])
    held = retrieval("app/a.py", 4, 5, scene.texts[-1]["app/a.py"], "G2", "held already")
    assert sums_of(scene, Plan(retrievals=(held,))).found == 0


def test_a_policy_without_its_model_has_no_numbers() -> None:
    scene = worked()
    carrier = scene.carrier()
    point = scene.point(*GOLD, carrier=carrier)
    (score, *_) = evaluate(scene.moment(), point, carrier, {"no-tape": POLICIES["no-tape"]})
    assert score.state == "needs-model"
    assert score.sums == Sums(1, point.unneeded, point.held_needed, point.missing)


def test_gold_in_the_base_state_is_met_through_line_maps() -> None:
    """With a reference patch regions are lines of w_0: what is retrieved from w_t counts where it still stands."""
    scene = worked()
    scene.write("app/b.py", "# one more line\n" + FILES["app/b.py"])
    carrier = scene.carrier()
    point = scene.point(("G3", "app/b.py", 8, 9))
    point = type(point)(**{**{f: getattr(point, f) for f in point.__slots__}, "gold_source": "reference"})
    ground = prepare(scene.moment(), point, carrier)
    assert ground.state == 0
    now = scene.texts[-1]["app/b.py"]
    found = score_plan(ground, "p", Plan(retrievals=(retrieval("app/b.py", 9, 10, now, "G3", ""),))).sums.found
    assert found == tokens_on(FILES["app/b.py"], [(8, 9)])


few = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
rules = st.sampled_from(["G1", "G2", "G3", "G4"])
modules = st.sampled_from(["one", "two", "three"])
golds = st.lists(st.tuples(rules, modules, st.integers(0, 30), st.integers(0, 6)), min_size=1, max_size=4)


def played(files: dict[str, str], script: list[Act]) -> Scene:
    scene = Scene(files, task="make alpha call beta")
    scene.user(scene.task)
    for act in script:
        step(scene, act)
    return scene


def regions(scene: Scene, wanted: list[tuple[str, str, int, int]]) -> list[tuple[str, str, int, int]]:
    found = []
    for rule, name, start, more in wanted:
        text = scene.text_at(f"{name}.py", scene.t)
        count = len(split_lines(text or ""))
        if count:
            first = start % count + 1
            found.append((rule, f"{name}.py", first, min(first + more, count)))
    return found


@few
@given(repositories, scripts, golds)
def test_sums_add_up_for_every_policy(files: dict[str, str], script: list[Act], wanted: list) -> None:  # type: ignore[type-arg]
    scene = played(files, script)
    carrier = scene.carrier()
    point = scene.point(*regions(scene, wanted), carrier=carrier)
    moment = scene.moment()
    scores = {s.policy: s for s in evaluate(moment, point, carrier)}
    assert scores.keys() == POLICIES.keys() | {"oracle-evict", "oracle-retrieve"}
    for score in scores.values():
        check(score, point.held)
    everything = scores["evict-all"].sums
    assert (everything.cleared, everything.lost) == (point.unneeded, point.held_needed)
    assert everything.net_lost == point.held_needed
    assert everything.gold_lost == point.gold_held
    nothing = scores["keep-all"].sums
    assert (nothing.dropped, nothing.added, nothing.gold_lost) == (0, 0, 0)
    evict = scores["oracle-evict"].sums
    assert (evict.cleared, evict.lost, evict.gold_lost, evict.added) == (point.unneeded, 0, 0, 0)
    best = scores["oracle-retrieve"].sums
    assert best.found == point.missing == max(s.sums.found for s in scores.values())
    assert scores == {s.policy: s for s in evaluate(scene.moment(), point, scene.carrier())}  # deterministic


def check(score: PointScore, held: int) -> None:
    s = score.sums
    assert s.unneeded + s.held_needed == held == s.line_unneeded + s.line_needed or score.state == "needs-model"
    assert s.dropped == s.cleared + s.lost == s.line_cleared + s.line_lost
    assert 0 <= s.cleared <= s.unneeded
    assert 0 <= s.net_lost <= s.lost <= s.held_needed
    assert 0 <= s.found <= s.missing
    assert s.added > 0 or s.found == 0
    assert s.retrieved <= s.added
    assert s.file_cleared <= s.cleared
    assert s.file_lost == s.lost  # only what shows repository lines can be needed


@few
@given(repositories, scripts)
def test_no_stale_tracked_record_is_left_but_those_kept(files: dict[str, str], script: list[Act]) -> None:
    """Theorem 1(b) for the tape's defaults and the model-free manager: what is added is true, what stays was kept."""
    scene = played(files, script)
    moment = scene.moment()
    for name in ("statetape-defaults", "statetape"):
        plan = POLICIES[name].decide(moment)
        after = context_after(plan, moment.records, moment.t)
        kept = {a.record_id for a in plan.actions if a.name == "keep"}
        watch = Staleness(scene.tape, scene.graph, scene.text_at)
        for record in after:
            born = scene.status(record) if record.id in scene.records else watch.add(record).status
            tracked = isinstance(record.referent, (Symbols, State))
            if tracked and born in STALE:
                assert record.id in kept, (name, record)
        # Every nomination is settled exactly once, and nothing but what is held is acted on.
        ids = [a.record_id for a in plan.actions]
        assert len(ids) == len(set(ids))
        assert {n.record_id for n in moment.nominations} <= set(ids)
        assert set(ids) <= {r.id for r in moment.records}


@few
@given(repositories, scripts)
def test_what_the_manager_retrieves_is_unread_source_within_budget(files: dict[str, str], script: list[Act]) -> None:
    scene = played(files, script)
    moment = scene.moment(budget=120)
    plan = POLICIES["statetape"].decide(moment)
    assert sum(r.tokens for r in plan.retrievals) <= 120
    for one in plan.retrievals:
        text = scene.text_at(one.path, scene.t)
        assert text is not None
        assert one.text.split("\n")[1:] == split_lines(text)[one.start - 1 : one.end]
        assert one.rule in ("G1", "G2", "G3", "G4")
        assert 0 <= one.hop <= 2


@pytest.mark.parametrize("name", ["recency-3", "age-3", "observation-masking", "statetape", "corvus", "span-overlap"])
def test_the_users_words_stay(name: str) -> None:
    moment = worked().moment()
    assert "r1" in {r.id for r in context_after(policy(name).decide(moment), moment.records, moment.t)}


def test_a_moment_shows_no_future() -> None:
    scene = worked()
    t = scene.t
    moment = scene.moment()
    scene.write("app/a.py", "later = 1\n")
    assert moment.text("app/a.py", t + 5) == scene.text_at("app/a.py", t)
    assert moment.steps[-1].t == t
    assert all(d.known_at <= t for d in moment.drifts)
    assert all(r.gone is None for r in moment.records)

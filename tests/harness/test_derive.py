"""Procedure guidance and the log, derived one step at a time."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from core.harness.acts import Act
from core.harness.checks import check_history, check_structure
from core.harness.derive import Derivation, advance, begin, resume
from core.harness.impact import Impact, Written
from core.harness.project_state import StateChange, apply_changes

BAD = "E   ValueError: line 12\n=== 1 failed in 0.1s ==="
ALIKE = "E   ValueError: line 99\n=== 1 failed in 0.2s ==="
OTHER = "E   KeyError: 'x'\n=== 1 failed in 0.1s ==="
GOOD = "=== 1 passed in 0.1s ==="


def test_run(t: int, output: str) -> Act:
    return Act(t, "run", call=True, tool="Bash", shell=True, purpose="test", command="pytest", text=output)


test_run.__test__ = False  # type: ignore[attr-defined]


def policies(*what: str) -> list[str]:
    """The policy of pytest after each step; "w" is a write, anything else an output."""
    known, found = begin(), []
    for t, said in enumerate(what, 1):
        if said == "w":
            known, _ = advance(known, Act(t, "edit", call=True, tool="Edit", edits=("a.py",)), (Written("a.py"),))
        else:
            known, _ = advance(known, test_run(t, said))
            found.append(known.procedures["pytest"].policy)
    return found


def test_guidance_follows_the_failures() -> None:
    assert policies(GOOD, BAD, GOOD) == ["use", "verify", "use"]
    # Again without a write in between: avoid; alike once more: freeze; a pass ends it.
    assert policies(BAD, BAD, ALIKE, GOOD) == ["verify", "avoid", "freeze", "use"]
    # A different failure after a write is work under way.
    assert policies(BAD, "w", OTHER, "w", BAD) == ["verify", "verify", "verify"]
    # The same failure after a write is not.
    assert policies(BAD, "w", ALIKE) == ["verify", "avoid"]
    # Different failures without a write never freeze.
    assert policies(BAD, OTHER, BAD) == ["verify", "avoid", "avoid"]


def test_a_run_that_was_refused_is_no_invocation() -> None:
    known, change = advance(begin(), test_run(1, "The user doesn't want to proceed with this tool use."))
    assert not change
    assert not known.procedures


def test_a_hypothesis_ends_with_a_root_cause() -> None:
    known, _ = advance(begin(), Act(1, "say", text="I'll look at `a`. I suspect the cache is stale."))
    assert known.task.hypothesis == "I suspect the cache is stale."
    known, change = advance(known, Act(2, "say", text="The root cause is a missing flush in `a`."))
    assert known.task.hypothesis == ""
    assert [(e.kind, e.tag, e.is_progress) for e in change.events] == [("finding", "root-cause", True)]


def test_an_old_intention_is_no_reason() -> None:
    known, _ = advance(begin(), Act(1, "say", text="I'll update the loader."))
    _, soon = advance(known, Act(9, "edit", call=True, tool="Edit"), (Written("a.py"),))
    later, late = advance(known, Act(10, "edit", call=True, tool="Edit"), (Written("a.py"),))
    assert [soon.events[0].reason, late.events[0].reason] == ["Update the loader", ""]
    assert later.task.focus == "Changing a.py"


PATHS = st.sampled_from(["a.py", "b.py", "c.py"])
ACTS = st.one_of(
    st.builds(lambda text: ("say", text), st.sampled_from(["I'll fix `a`.", "I suspect b.", "I was wrong.", "Done."])),
    st.builds(lambda path: ("read", path), PATHS),
    st.builds(lambda path, to: ("write", path, to), PATHS, PATHS),
    st.builds(lambda output: ("test", output), st.sampled_from([GOOD, BAD, OTHER])),
)


@settings(max_examples=150)
@given(st.lists(ACTS, max_size=30), st.integers(0, 30))
def test_changes_add_up_to_the_records_and_break_no_rule(acts: list[tuple[str, ...]], cut: int) -> None:
    known, changes, states = begin("here"), [], []
    start = known.state
    for t, act in enumerate(acts, 1):
        known, change = _step(known, t, act)
        changes.append(change)
        states.append(known.state)
    assert apply_changes(start, changes) == known.state
    for before, after in zip([start, *states], states, strict=False):
        assert check_history(before, after) == ()
    # Before the first message of a person there is no observation to hold; nothing else may be wrong.
    assert [p for p in check_structure(known.state) if "observation" not in p.why or "closed" in p.why] == []
    assert {k for keys in known.open_at.values() for k in keys} == {r.key for r in known.state.open_relations}
    # A derivation resumed from the records goes on with equal records.
    cut = min(cut, len(acts))
    resumed = resume(states[cut - 1]) if cut else begin("here")
    for t, act in enumerate(acts[cut:], cut + 1):
        resumed, _ = _step(resumed, t, act)
    assert resumed.state.relations == known.state.relations
    assert len(resumed.state.events) == len(known.state.events)


def _step(known: Derivation, t: int, act: tuple[str, ...]) -> tuple[Derivation, StateChange]:
    if act[0] == "say":
        return advance(known, Act(t, "say", text=act[1]))
    if act[0] == "read":
        return advance(known, Act(t, "read", call=True, tool="Read", reads=(act[1],)))
    if act[0] == "test":
        return advance(known, test_run(t, act[1]))
    impacts = () if act[1] == act[2] else (Impact(act[1], act[2], "caller", "calls it", 1.0, True),)
    return advance(known, Act(t, "edit", call=True, tool="Edit", edits=(act[1],)), (Written(act[1]),), impacts)

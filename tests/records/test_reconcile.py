"""The fit of held tokens to billed tokens, on lines whose slope and intercept are known."""

from core.records.reconcile import reconcile
from core.trajectory.steps import Compaction, Usage


def usage(t: int, billed: int, agent: str = "") -> Usage:
    return Usage(t, f"m{t}", "model", 10, billed - 10, 0, 0, 5, agent)


def test_a_context_that_explains_the_bill_is_complete() -> None:
    held = {t: 1000 * t for t in range(40)}
    (segment,) = reconcile([usage(t, 14_000 + 1300 * (t - 1)) for t in range(1, 21)], held, (), 20)
    assert (segment.first, segment.last, segment.requests) == (1, 20, 20)
    assert segment.slope is not None
    assert round(segment.slope, 6) == 1.3
    assert segment.intercept is not None
    assert round(segment.intercept) == 14_000
    assert segment.complete is True


def test_a_compaction_starts_a_segment_and_hidden_growth_marks_it() -> None:
    held = {t: 1000 * t for t in range(11)} | {t: 100 * t for t in range(11, 30)}
    usages = [usage(t, 14_000 + 1300 * (t - 1)) for t in range(1, 11)]
    usages += [usage(t, 14_000 + 900 * t) for t in range(12, 25)]  # nine billed tokens a held one
    first, second = reconcile(usages, held, (Compaction(10, "full"), Compaction(15, "micro")), 24)
    assert (first.complete, second.complete) == (True, False)
    assert (second.first, second.last) == (11, 24)


def test_sub_agents_and_too_few_requests_say_nothing() -> None:
    usages = [usage(t, 20_000, "a1") for t in range(1, 20)] + [usage(3, 15_000)]
    (segment,) = reconcile(usages, {}, (), 20)
    assert (segment.requests, segment.complete, segment.slope) == (1, None, None)


def test_no_steps_no_segments() -> None:
    assert reconcile((), {}, (), 0) == ()

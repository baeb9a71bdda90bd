"""What the context stages remember is what they would work out now: a run analysed with and without their memory."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from core.context import plan
from core.context.fresh import FreshViews
from core.context.standing import Standing
from core.options import Options
from core.records.held import Held
from core.records.record import OwnLines, Record, Symbols
from core.replay.world import Sight
from tests.test_pipeline import RUNS, analysed

OPTIONS = (Options(), Options(fresh="drifted"), Options(dedupe=False))


@pytest.mark.parametrize("options", OPTIONS, ids=["own", "drifted", "no-dedupe"])
@pytest.mark.parametrize("run", sorted(RUNS))
def test_a_run_is_the_same_without_memory(run: str, options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = analysed(run, options)
    asked = 0
    view, stands, lines = FreshViews._of, Standing.of, Standing.lines

    def forgetful_view(self: FreshViews, *args: Any) -> Any:
        nonlocal asked
        asked += 1
        self._made.clear()
        self._parts.clear()
        return view(self, *args)

    def forgetful_of(self: Standing, *args: Any) -> Any:
        nonlocal asked
        asked += 1
        self._told.clear()
        return stands(self, *args)

    def forgetful_lines(self: Standing, *args: Any) -> Any:
        self._lines.clear()
        return lines(self, *args)

    monkeypatch.setattr(FreshViews, "_of", forgetful_view)
    monkeypatch.setattr(Standing, "of", forgetful_of)
    monkeypatch.setattr(Standing, "lines", forgetful_lines)
    monkeypatch.setattr(plan, "_kept", plan._retrieval)
    monkeypatch.setattr(plan, "_kept_lines", plan._lines)
    assert analysed(run, options) == usual
    assert asked > 0


FULL = Record(
    id="r3",
    kind="read",
    born=3,
    text="1: a",
    tokens=4,
    referent=Symbols(("a.py::f",), ("b.py",)),
    path="a.py",
    start=1,
    end=1,
    sights=(Sight(3, "a.py", 1, ("a",), "read", False),),
    gone=9,
    tool="Read",
    command="c",
    failed=True,
    owned=(OwnLines("a.py", 1, 1, "a.py::f"),),
)


def test_a_record_in_the_place_of_another_is_what_replace_would_make() -> None:
    unset = [f.name for f in dataclasses.fields(Record) if getattr(FULL, f.name) in (None, "", (), False, 0)]
    assert unset == []  # else a field could be forgotten unseen
    said: dict[str, Any] = {"id": "r3@7", "born": 7, "text": "gone", "tokens": 1}
    assert FULL.instead(**said) == dataclasses.replace(FULL, **said, referent=None, sights=(), owned=())
    more: dict[str, Any] = {**said, "referent": Symbols(("b.py::g",)), "sights": FULL.sights, "owned": FULL.owned}
    assert FULL.instead(**more) == dataclasses.replace(FULL, **more)


def test_what_shows_a_path_later_is_given_newest_first() -> None:
    held = Held()
    for born, path in ((5, "a.py"), (3, "a.py"), (3, "b.py"), (8, "b.py"), (9, "c.py"), (6, "a.py")):
        sights = (Sight(born, path, 1, ("a",), "read", False),)
        held.add(dataclasses.replace(FULL, id=f"r{born}{path[0]}", born=born, sights=sights))
    after = held.get("r3a")
    assert after is not None
    assert [r.id for r in held.showing_after(after, ["a.py", "b.py"])] == ["r8b", "r6a", "r5a", "r3b"]
    for record in held:
        newer = [r for r in held.showing(["a.py", "b.py"]) if (r.born, r.id) > (record.born, record.id)]
        assert held.showing_after(record, ["a.py", "b.py"]) == newer[::-1]

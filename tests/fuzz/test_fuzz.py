"""A short run of the fuzz targets with fixed seeds; ``python -m tests.fuzz.run`` goes on for as long as one likes."""

from __future__ import annotations

import pytest

from core.trajectory.load import load_bytes
from tests.fuzz.mutate import dumped
from tests.fuzz.targets import Fuzz, seeds, words_given
from tests.trajectory import test_mini_swe_agent


@pytest.fixture(scope="module")
def fuzz() -> Fuzz:
    return Fuzz(seeds(None))


@pytest.mark.parametrize("part", range(4))
def test_damaged_inputs(fuzz: Fuzz, part: int) -> None:
    for number in range(part * 100, part * 100 + 100):
        fuzz.one(number)


def test_an_invented_word_would_be_found(fuzz: Fuzz) -> None:
    data = dumped(test_mini_swe_agent.RUN)
    trajectory = load_bytes("x.traj.json", data)
    fuzz._holds(trajectory, data)
    with pytest.raises(AssertionError, match="invented"):
        Fuzz([])._holds(trajectory, data.replace(b"Looking", b"Lxxxing"))
    assert "Looking" in words_given(data)

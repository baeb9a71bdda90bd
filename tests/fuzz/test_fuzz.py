"""A short run of the fuzz targets with fixed seeds; ``python -m tests.fuzz.run`` goes on for as long as one likes."""

from __future__ import annotations

from contextlib import suppress

import pytest

from core.replay.replay import replay
from core.replay.sed_regex import NotUnderstood, compile_regex
from core.trajectory.load import load_bytes
from core.trajectory.openhands_tools import _skill_calls
from core.trajectory.shell import read_command
from tests.fuzz.mutate import dumped
from tests.fuzz.targets import Fuzz, seeds, words_given
from tests.replay.runs import base, run, shell
from tests.trajectory import test_codex, test_mini_swe_agent


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


def test_totals_no_machine_counts_in_are_read() -> None:
    """Found by the fuzzer: a token total of more than 64 bits."""
    huge = b'"total_token_usage": {"more": 1' + b"0" * 30 + b", "
    lines = [line.replace(b'"total_token_usage": {', huge) for line in test_codex.LINES]
    assert lines != test_codex.LINES
    assert len(load_bytes("r.jsonl", b"\n".join(lines)).usages) == len(test_codex.WHOLE.usages)


@pytest.mark.parametrize("pattern", ["[a--b]", "[---]", "[a&&b]", "[~~|||]", "[[a]", "[a-c]"])
def test_patterns_of_the_shell_are_no_operations_on_sets(pattern: str) -> None:
    """Found by the fuzzer: Python warns of ``--`` and the like in a set, for it may mean something else one day."""
    result = replay(run(shell(f"rm -f {pattern} /home/dev/repo/{pattern}")), base({"a": "x\n", "z": "y\n"}))
    assert "z" not in {write.path for write in result.writes}


@pytest.mark.parametrize("script", ["x = 1or 2", "import os\nx = 0x1for x in 'ab'", "assert 1if 2else 3"])
def test_python_does_not_warn_of_scripts_of_a_transcript(script: str) -> None:
    """Found by the fuzzer: numbers that run into a word. The tests take a warning for an error."""
    assert read_command(f"python - <<'E'\n{script}\nE", "/r", "", False).kind == "run"
    assert read_command(f'python -c "{script}"', "/r", "", False).kind == "run"
    assert _skill_calls(f"open_file('/r/a')\n{script}") == [("open_file", ["/r/a"])]


def test_python_does_not_warn_of_sets_in_sed() -> None:
    for pattern in ("[a--b]", "[---]", "[a&&b]", "[~~|||]", "[[a]"):
        with suppress(NotUnderstood):
            compile_regex(pattern, extended=False, ignore_case=False)

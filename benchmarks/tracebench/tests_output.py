"""What a test run would print: names and source lines are the repository's, the results are made up and say so."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from benchmarks.tracebench.definitions import outline
from benchmarks.tracebench.gold import Reference
from benchmarks.tracebench.working import Working
from core.tracebench.paths import is_test

NOTICE = "[simulated: no test was run, results are made up]"


def test_file(reference: Reference, path: str) -> str | None:
    """The test file that uses the most of what ``path`` defines, by the type checker's account."""
    old = reference.old(path)
    if old is None:
        return None
    users = Counter(
        user
        for definition in old.definitions
        for user, _ in reference.users.get((path, definition.line), ())
        if is_test(user)
    )
    return min(users, key=lambda p: (-users[p], p), default=None)


def command(test_command: str, path: str | None, lines: int) -> str:
    """The command line: the instance's own, one file, cut to its end."""
    return f"{test_command} {path or 'tests'} 2>&1 | tail -n {lines}"


def output(working: Working, path: str | None, edited: str, lines: int, fails: bool, dice: random.Random) -> str:
    """The last ``lines`` lines of a run of a test file after ``edited`` was edited."""
    named = outline(working.text(path)) if path and working.exists(path) else None
    names = [d.name.replace(".", "::") for d in named.definitions if d.short.startswith("test")] if named else []
    names = names or ["test_smoke"]
    bad = sorted(dice.sample(names, min(len(names), dice.randint(1, 2)))) if fails else []
    shown = path or "tests/test_all.py"
    found = ["=" * 35 + " FAILURES " + "=" * 35] if bad else []
    for name in bad:
        found += _failure(working, shown, edited, name, dice)
    found.append("=" * 27 + " short test summary info " + "=" * 27)
    found += [f"PASSED {shown}::{name}" for name in names if name not in bad]
    found += [f"FAILED {shown}::{name} - AssertionError" for name in bad]
    tally = [f"{len(bad)} failed"] * bool(bad) + [f"{len(names) - len(bad)} passed"] * (len(names) > len(bad))
    found.append(f"{'=' * 20} {', '.join(tally)} in {dice.randint(30, 900) / 100}s {'=' * 20}")
    return "\n".join([NOTICE, *found[-lines:]])


def _failure(working: Working, path: str, edited: str, name: str, dice: random.Random) -> Sequence[str]:
    text = working.text(edited).split("\n") if working.exists(edited) else [""]
    at = dice.randrange(max(1, len(text) - 6))
    body = [f"    {line}" for line in text[at : at + 6]]
    return [
        f"{'_' * 30} {name} {'_' * 30}",
        "",
        *body,
        "E       AssertionError",
        "",
        f"{edited}:{at + 6}: AssertionError",
    ]

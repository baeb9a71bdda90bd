"""What must hold of every damaged input: one function a target, each takes a seeded random source and asserts.

Parsers: no error but ``StateTapeError``, steps numbered from 1, counts that add up, and no invented step: every word
of a step stands in the input, or is one the parser also writes for undamaged runs. Shell, replay and scripts: no
error at all. All: bounded work.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from core.errors import StateTapeError
from core.replay.replay import replay
from core.replay.script.run import run_script
from core.trajectory.load import load_bytes
from core.trajectory.shell import read_command
from core.trajectory.steps import Trajectory
from tests.fuzz.mutate import BITS, PYTHON_BITS, damaged, damaged_lines, dumped, spliced
from tests.replay.runs import base, read, run, shell
from tests.trajectory import test_claude_properties, test_codex, test_mini_swe_agent, test_openhands, test_swe_agent

MOST_SECONDS = 10.0
_WORD = re.compile(r"[^\W\d_]{6,}")

Seeds = list[tuple[str, list[bytes]]]
COMMANDS = (
    "cat > a <<'EOF'\nx\ny\nEOF\n",
    "sed -i -e '1,2s/x/y/g' -e '$d' a && git add -A && git commit -m 'x' && git checkout HEAD~1 -- a",
    "cd s && for f in *.py; do sed -n '1,5p' $f | head -3; done; echo done > ../b",
    "python - <<'E'\nL = open('a').readlines()\nL.insert(0, 'q\\n')\nopen('a', 'w').writelines(L)\nE\n",
    "git stash && make test; git stash pop || (rm -rf s; mkdir -p s/t; touch s/t/u)",
    "patch -p1 <<E\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n-x\n+z\n y\nE\n",
    "bash -c \"printf '%s\\n' x y | tee a b >/dev/null\"; X=$(echo a); mv $X c; cp -r s t; cat a",
    "grep -rn 'x' . | head -5; find . -name '*.py' -exec sed -i s/a/b/ {} +; rg -n y",
)
SCRIPT = """import re
s = open('a').read()
L = s.split('\\n')
for i, x in enumerate(L):
    if 'x' in x:
        L.insert(i, 'n')
        break
s = re.sub(r'(x+)y?', r'<\\1>', '\\n'.join(L))
with open('a', 'w') as f:
    f.write(s)
print('ok')
"""
OUTPUTS = (
    "",
    "x\ny\n",
    "a:1:x\n",
    "patching file a\n",
    "Traceback (most recent call last):\n",
    "HEAD is now at 0123456 x\n",
)


def seeds(corpus: Path | None) -> Seeds:
    """Undamaged runs of every format: those of the tests and, when given, small ones of a folder."""
    found: Seeds = [
        ("r.jsonl", list(test_claude_properties.LINES)),
        ("r.jsonl", list(test_codex.LINES)),
        ("x.traj.json", [dumped(test_mini_swe_agent.RUN)]),
        ("x.traj", [dumped(test_swe_agent.RUN)]),
        ("x.output.jsonl", [dumped(test_openhands.ROW)]),
        ("x.json", [dumped(test_openhands.EVENTS)]),
    ]
    for path in sorted(corpus.rglob("*")) if corpus else ():
        if path.suffix in (".jsonl", ".json", ".traj") and path.is_file() and 0 < path.stat().st_size < 200_000:
            found.append((path.name, path.read_bytes().split(b"\n")))
    return found


def _strings(value: Any, found: list[str]) -> None:
    pending = [value]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            pending += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            pending += value


def words_given(data: bytes) -> str:
    """Everything an input says, with JSON's escapes undone, also in texts that are JSON again."""
    found = [data.decode("utf-8", "replace")]
    decoder = json.JSONDecoder(strict=False)
    for line in [found[0], *found[0].split("\n")]:
        at = line.find("{")
        while 0 <= at < len(line) and len(found) < 100_000:
            try:
                value, at = decoder.raw_decode(line, at)
            except (ValueError, RecursionError):
                at += 1
            else:
                _strings(value, found)
            at = line.find("{", at)
    inner: list[str] = []
    for text in found[1:]:
        if text[:1] in ("{", "["):
            try:
                _strings(json.loads(text), inner)
            except (ValueError, RecursionError):
                continue
    return "\n".join(found + inner)


class Fuzz:
    """The targets over a set of seeds; ``counts`` says how many inputs of each kind were tried."""

    def __init__(self, given: Seeds) -> None:
        self.seeds = given
        self.known: set[str] = set()
        self.counts: dict[str, int] = {}
        for name, lines in given:
            try:
                steps = load_bytes(name, b"\n".join(lines)).steps
            except StateTapeError:
                continue
            self.known |= {word for step in steps for word in _WORD.findall(step.text)}

    def one(self, seed: int) -> None:
        """One input of one target, both chosen by ``seed``; raises what was found wrong."""
        random = Random(seed)
        target: Callable[[Random], None] = random.choice(
            (self.parser, self.parser, self.shell, self.replayed, self.script)
        )
        began = time.process_time()
        target(random)
        assert time.process_time() - began < MOST_SECONDS, "took too long"
        self.counts[target.__name__] = self.counts.get(target.__name__, 0) + 1

    def parser(self, random: Random) -> None:
        """A damaged run through the door."""
        name, lines = random.choice(self.seeds)
        if len(lines) == 1 and random.random() < 0.8:
            try:
                data = dumped(damaged(json.loads(lines[0]), random))
            except ValueError:
                data = damaged_lines(lines, random)
        else:
            data = damaged_lines(lines, random)
        if random.random() < 0.1:
            data += random.choice((b"", b"\n")) + b"\n".join(random.choice(self.seeds)[1])
        try:
            trajectory = load_bytes(name, data)
        except StateTapeError:
            return
        self._holds(trajectory, data)

    def _holds(self, trajectory: Trajectory, data: bytes) -> None:
        steps = trajectory.steps
        assert [step.t for step in steps] == list(range(1, len(steps) + 1))
        assert len(trajectory.skipped) <= trajectory.lines <= data.count(b"\n") + 1 + data.count(b"{")
        assert all(0 <= c.after <= len(steps) for c in trajectory.compactions)
        assert all(1 <= u.t <= len(steps) and min(u.input, u.cache_read, u.output) >= 0 for u in trajectory.usages)
        given = words_given(data)
        for step in steps:
            for word in set(_WORD.findall(step.text)) - self.known:
                # A step may join two texts of its record.
                joined = (word[:at] in given and word[at:] in given for at in range(1, len(word)))
                assert word in given or any(joined), f"invented: {word!r}"

    def shell(self, random: Random) -> None:
        """A damaged command line through the shell reader."""
        action = read_command(*self._command(random))
        assert all(write.path.startswith("/") or not write.path for write in action.writes)
        assert all(shown.start >= 1 and shown.path.startswith("/") for shown in action.shown)

    def replayed(self, random: Random) -> None:
        """Damaged commands replayed one after the other on a small repository."""
        texts = [self._command(random) for _ in range(random.randint(1, 6))]
        steps = [shell(command, output, failed) for command, _, output, failed in texts]
        files = {"a": "x\ny\n", "s/b.py": "def f():\n    return 1\n", "c": ""}
        result = replay(run(*steps, read("a", "x\ny\n")), base(files))
        assert all(0 <= o.equal <= o.compared for o in result.observations)
        assert all(not w.path.startswith("/") and 1 <= w.t <= w.known_at <= len(steps) + 1 for w in result.writes)

    def script(self, random: Random) -> None:
        """A damaged Python script through the interpreter."""
        files = {"/r/a": "x\ny\n" * random.choice((1, 1, 200))}
        source = spliced(SCRIPT, random, PYTHON_BITS)
        found = run_script(source, "/r", lambda path: files.get(path, False))
        assert found is None or all(path.startswith("/") for path, _ in found.files)
        assert found == run_script(source, "/r", lambda path: files.get(path, False))

    def _command(self, random: Random) -> tuple[str, str, str, bool]:
        text = random.choice(COMMANDS)
        if random.random() < 0.5:
            text += random.choice(BITS) + random.choice(COMMANDS)
        text = (
            spliced(text, random) if random.random() < 0.9 else "".join(random.choices(BITS, k=random.randint(1, 12)))
        )
        cwd = random.choice(("/home/dev/repo", "/home/dev/repo", "/", ""))
        return text, cwd, random.choice(OUTPUTS), random.random() < 0.2

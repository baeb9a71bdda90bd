"""Structural damage to recorded runs and shell text, drawn from a seeded random source."""

from __future__ import annotations

import json
from random import Random
from typing import Any

VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1 << 31,
    1 << 63,
    10**400,
    1e308,
    -0.0,
    "",
    " ",
    "\0",
    "\ud800",
    "é\u202e🐍",
    "x" * 5000,
    [],
    {},
    [[]],
    {"": {}},
    "../../etc/passwd",
    "/",
    "~",
    "C:\\x\\y",
    "\r\n\r\n",
    "1",
    "true",
    "{}",
    "[]",
)
BITS = (
    "'",
    '"',
    "$(",
    ")",
    "`",
    "<<EOF\n",
    "\nEOF\n",
    "<<'E'",
    "|",
    "||",
    "&&",
    ";",
    ">",
    ">>",
    "2>&1",
    "{",
    "}",
    "(",
    "\\",
    "\n",
    "\t",
    "$X",
    "${X:-y}",
    "*",
    "**/",
    "?",
    "[a-",
    "~",
    "-",
    "--",
    "#",
    "!",
    "sed -i 's/a/b/' a",
    "sed -i '2,$d' a",
    "rm -rf ",
    "mv a b",
    "git checkout -- ",
    "git stash",
    "git stash pop",
    "patch -p1 < d",
    "python - <<E\n",
    "tee a",
    "cd /r",
    "xargs ",
    "for f in a b; do ",
    "; done",
    "if true; then ",
    "; fi",
    "while :; do ",
    "case $x in a) ;; esac",
    "\0",
    "é",
    "𠀀",
    "\ufeff",
)
PYTHON_BITS = (
    "s = open('a').read()\n",
    "L = open('a').readlines()\n",
    "open('a', 'w').write(s)\n",
    "for x in L:\n    ",
    "while s:\n    ",
    "s = s * 99999\n",
    "L = L * 99999\n",
    "L += L\n",
    "s += s\n",
    "import re\n",
    "s = re.sub('(a*)*b', 'x', s)\n",
    "L.append(L)\n",
    "def f(x):\n    return f(x)\n",
    "f(1)\n",
    "[",
    "]",
    "(",
    ")",
    ":",
    "lambda: ",
    "del L[1:]\n",
    "L[0], L[1] = L[1], L[0]\n",
    "print(s)\n",
    "s = s[::-1]\n",
    "s = '%s' % (s,)\n",
    "s = f'{s!r:>9}'\n",
    "try:\n    x\nexcept Exception:\n    pass\n",
    "1/0\n",
    "s = ''.join(sorted(L))\n",
    "n = len(s)\n",
    "s.__class__\n",
    "open('a', 'r+').truncate()\n",
    "import os\nos.rename('a', 'b')\n",
    "L = [x for x in L if x for y in L]\n",
    "s = s.replace('', s)\n",
    "x = {1: L}\n",
    "x[1].sort()\n",
    "s = str(L)\n",
    "s = max(L)\n",
)


def nested(depth: int) -> Any:
    """A value as deep as asked."""
    value: Any = "deep"
    for level in range(depth):
        value = [value] if level % 2 else {"content": value}
    return value


def _places(value: Any, found: list[tuple[Any, Any]]) -> None:
    pending = [value]
    while pending and len(found) < 3000:
        holder = pending.pop()
        for key in list(holder) if isinstance(holder, dict) else range(len(holder)):
            found.append((holder, key))
            if isinstance(holder[key], dict | list):
                pending.append(holder[key])


def damaged(value: Any, random: Random) -> Any:
    """``value`` with one to four of its parts replaced, removed, repeated or swapped."""
    value = json.loads(json.dumps(value))
    for _ in range(random.randint(1, 4)):
        places: list[tuple[Any, Any]] = []
        if isinstance(value, dict | list):
            _places(value, places)
        if not places:
            return random.choice(VALUES)
        holder, key = random.choice(places)
        way = random.randrange(7)
        if way == 0:
            holder[key] = random.choice(VALUES)
        elif way == 1:
            del holder[key]
        elif way == 2:
            other, at = random.choice(places)
            if at in other if isinstance(other, dict) else at < len(other):
                holder[key], other[at] = other[at], holder[key]
                value = json.loads(json.dumps(value)) if not _loops(value) else VALUES[0]
        elif way == 3 and isinstance(holder, list):
            holder.insert(key, holder[key])
        elif way == 4:
            holder[key] = nested(random.choice((3, 60, 400)))
        elif way == 5 and isinstance(holder[key], str):
            holder[key] = spliced(holder[key], random)
        elif isinstance(holder, dict):
            holder[random.choice(("content", "type", "id", "uuid", "text", "cwd", str(key) + "x"))] = holder[key]
            value = json.loads(json.dumps(value)) if not _loops(value) else VALUES[0]
    return value


def _loops(value: Any) -> bool:
    """Whether a swap put a value into itself."""
    try:
        json.dumps(value)
    except (ValueError, RecursionError):
        return True
    return False


def spliced(text: str, random: Random, bits: tuple[str, ...] = BITS) -> str:
    """``text`` with pieces cut out, put in or moved."""
    for _ in range(random.randint(1, 4)):
        at, to = sorted(random.randint(0, len(text)) for _ in range(2))
        way = random.randrange(4)
        if way == 0:
            text = text[:at] + text[to:]
        elif way == 1:
            text = text[:at] + random.choice(bits) + text[at:]
        elif way == 2:
            text = text[:to] + text[at:to] * random.choice((1, 2, 30)) + text[to:]
        else:
            text = text[at:to] + text[:at] + text[to:]
    return text[:20_000]


def damaged_lines(lines: list[bytes], random: Random) -> bytes:
    """The lines of a session, some damaged, cut, repeated, shuffled or joined."""
    lines = list(lines)
    for _ in range(random.randint(1, 3)):
        if not lines:
            break
        at = random.randrange(len(lines))
        way = random.randrange(7)
        if way == 0:
            lines[at] = lines[at][: random.randint(0, len(lines[at]))]
        elif way == 1:
            lines.insert(random.randrange(len(lines)), lines[at])
        elif way == 2:
            random.shuffle(lines)
        elif way == 3:
            lines[at : at + 2] = [b"".join(lines[at : at + 2])]
        elif way == 4:
            del lines[at]
        elif way == 5:
            lines[at] = bytes(random.randrange(256) if random.random() < 0.02 else b for b in lines[at])
        else:
            try:
                value = json.loads(lines[at])
            except ValueError:
                continue
            lines[at] = dumped(damaged(value, random))
    return b"\n".join(lines)


def dumped(value: Any) -> bytes:
    """A value as JSON, lone surrogates and huge numbers as they come."""
    return json.dumps(value).encode()

"""Trajectory, shell, part 8: the numbered content lines of ``grep``-like output.

In: the words of a search, its output. Out: ``Shown`` values, consecutive lines of a file in one.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import replace
from functools import cache, partial

from core.trajectory.shell_literals import Call, absolute
from core.trajectory.shell_runs import UNKNOWN, texts_of, unwrap
from core.trajectory.shell_words import Word, names
from core.trajectory.steps import Shown, ShownSource

_MATCH = re.compile(r"(.+?):(\d+):(.*)", re.DOTALL)
_CONTEXT = re.compile(r"(\d+)([-:])(.*)", re.DOTALL)
_MAX_NAME = 1000
# Long options of grep and rg as the letter that says the same to the reader of their output.
_LONG = {
    **dict.fromkeys(("--null", "--vimgrep", "--column", "--heading", "--pretty"), "Z"),
    **dict.fromkeys(("--only-matching", "--replace"), "o"),
    **dict.fromkeys(("--files-with-matches", "--files", "--files-without-match"), "l"),
    **dict.fromkeys(("--count", "--json", "--count-matches"), "c"),
    "--line-number": "n",
    "--quiet": "q",
    "--byte-offset": "b",
}
_FILTERS = names("sort uniq grep egrep rg fgrep head tail less more")


def runs(rows: list[tuple[str, int, str]], source: ShownSource, whole: bool = False) -> list[Shown]:
    """Consecutive numbered lines of one file as one ``Shown`` each."""
    shown: list[Shown] = []
    group: list[str] = []
    for at, (path, number, text) in enumerate(rows):
        if at and rows[at - 1][0] == path and rows[at - 1][1] + 1 == number:
            group.append(text)
            continue
        if group:
            shown.append(Shown(rows[at - 1][0], rows[at - 1][1] - len(group) + 1, tuple(group), source))
        group = [text]
    if group:
        shown.append(Shown(rows[-1][0], rows[-1][1] - len(group) + 1, tuple(group), source))
    return [replace(shown[0], whole=True)] if whole and len(shown) == 1 else shown


def letters_of(words: list[str]) -> set[str]:
    letters: set[str] = set()
    at = 1
    while at < len(words):
        word = words[at]
        if word == "--":
            break
        if word.startswith("--"):
            letters.update(_LONG.get(word.split("=")[0], ""))
        elif word.startswith("-") and len(word) > 1:
            for c in word[1:]:
                letters.add(c)
                if c in "eABCmfgtTdD":  # the rest of the word, or the next one, is this option's value
                    at += 1 if word.endswith(c) else 0
                    break
        at += 1
    return letters


def search_lines(words: list[str], calls: list[Call], text: str) -> list[Shown]:
    """Content lines of a search that numbers them; filters that keep whole lines may follow."""
    call = calls[0]
    git = words[:2] == ["git", "grep"]
    words = words[1:] if git else words
    letters = letters_of(words)
    for later in calls[1:]:
        after, _ = unwrap(texts_of(later.words))
        if (
            not after
            or after[0] not in _FILTERS
            or (after[0] not in ("head", "tail") and letters_of(after) & set("nclLoqbZ"))
        ):
            return []
        if after[0] in ("head", "tail") and any(w.startswith("-c") for w in after):
            return []
    if "n" not in letters or letters & set("clLoqZb") or call.cwd is None:
        return []
    files = _search_files(words)
    several = git or "r" in letters or "R" in letters or "H" in letters or len(files) != 1
    default = ""
    if not several and UNKNOWN not in files[0] and not any(c in files[0] for c in "*?"):
        default = absolute(Word(files[0]), call.cwd) or ""
    return list(parse_search_output(text, call.cwd, default_path=default))


def _search_files(words: list[str]) -> list[str]:
    """The files named to a grep: operands after the pattern."""
    operands: list[str] = []
    pattern, at = False, 1
    while at < len(words):
        word = words[at]
        if word == "--":
            operands.extend(words[at + 1 :])
            break
        if word.startswith("-") and len(word) > 1:
            pattern = pattern or word in ("-e", "-f") or word.startswith(("--regexp", "--file="))
            if not word.startswith("--") and word[-1] in "eABCmfgtTdD":
                at += 1
        else:
            operands.append(word)
        at += 1
    return operands if pattern else operands[1:]


def parse_search_output(stdout: str, cwd: str, *, default_path: str = "") -> tuple[Shown, ...]:
    """The numbered content lines of a grep-like output, consecutive lines of a file as one ``Shown``.

    Understood: ``path:12:content``, ``path-12-content`` (context, for a path that also has a match),
    ``12:content`` and ``12-content`` with ``default_path``. Prefix and content are split at the first ``:`` or
    ``-`` after the line number only; content is kept as it is. Lines without a number give nothing.
    """
    return tuple(runs(numbered_rows(stdout, cwd, default_path), "search"))


def numbered_rows(stdout: str, cwd: str, default_path: str) -> list[tuple[str, int, str]]:
    lines = stdout.split("\n")
    rows: list[tuple[str, int, str]] = []
    first = next((line for line in lines if line.strip()), "")
    # ``default_path`` may be a folder: the output itself says whether its lines name their files.
    if default_path and _CONTEXT.fullmatch(first):
        for line in lines:
            match = _CONTEXT.fullmatch(line)
            if match and len(match[1]) < 10:
                rows.append((default_path, int(match[1]), match[3]))
        return rows
    # A context line's path is told from its content by the match lines of the same file around it.
    matched = [_MATCH.fullmatch(line) for line in lines]
    names = {m[1] for m in matched if m and len(m[2]) < 10 and len(m[1]) < _MAX_NAME}
    lengths = sorted({len(name) for name in names})
    resolved = cache(partial(_resolved, cwd))
    for line, match in zip(lines, matched, strict=True):
        context = _context(line, names, lengths)
        if context is not None and (match is None or len(context[0]) < len(match[1])):
            rows.append((resolved(context[0]), context[1], context[2]))
        elif match and len(match[2]) < 10:
            rows.append((resolved(match[1]), int(match[2]), match[3]))
    return rows


def _context(line: str, names: set[str], lengths: list[int]) -> tuple[str, int, str] | None:
    """(name, number, content) of ``name-12-content`` for a known name, the shortest that fits."""
    for length in lengths:
        if line[length : length + 1] != "-" or line[:length] not in names:
            continue
        match = _CONTEXT.fullmatch(line, length + 1)
        if match and match[2] == "-" and len(match[1]) < 10:
            return line[:length], int(match[1]), match[3]
    return None


def _resolved(cwd: str, name: str) -> str:
    return "/" + posixpath.normpath(posixpath.join(cwd or "/", name)).lstrip("/")

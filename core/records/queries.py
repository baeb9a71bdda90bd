"""Searches without content, asked again of each written file (switch ``queries``; the paper leaves them untracked).

In: the command of a ``Query`` record and a file's text before and after a write. Out: whether the write
changed what the search would find in that file. A search is a union over files, so its answer changed if and
only if it changed in a written file: nothing else is read. Understood are rg, grep, fd, find and ls by name
and pattern, and git status and diff, which any write changes; of a pattern only what cannot run away: at most
one unbounded repetition, none of a group, no look-around. Every other search stays untracked.
"""

from __future__ import annotations

import re
import shlex
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

from core.records.record import Query, Record

_RECURSIVE = frozenset({"rg", "grep", "egrep", "fgrep", "ag"})
_TAKES_VALUE = frozenset(
    {"-A", "-B", "-C", "-m", "-e", "-g", "-t", "-f", "--glob", "--type", "--include", "--exclude", "--max-count"}
    | {"-maxdepth", "-mindepth", "-name", "-iname", "-path", "-type"}
)
_RUNAWAY = re.compile(r"\(\?[=!<]|\\[1-9]|\)[*+?{]|\)\\?\{")
_UNBOUNDED = re.compile(r"(?<!\\)(?:[*+]|\{\d*,\})")
_LONG = 200_000


@dataclass(frozen=True, slots=True)
class Question:
    """A search as it can be asked of one file: by name globs and folder, then by pattern (None: existence).

    ``lists`` asks only whether the file matches; ``any_write`` is for commands that every change shows in.
    """

    names: tuple[str, ...] = ()
    under: str = ""
    pattern: re.Pattern[str] | None = None
    lists: bool = False
    any_write: bool = False


def falsified_queries(
    records: Iterable[Record], changes: Mapping[str, tuple[str | None, str | None]]
) -> tuple[str, ...]:
    """Ids of the query records whose answer differs in one of the written files (path -> text before, after)."""
    return tuple(
        record.id
        for record in records
        if isinstance(record.referent, Query)
        and (asked := question(record.referent.command)) is not None
        and any(answer(asked, path, was) != answer(asked, path, now) for path, (was, now) in changes.items())
    )


def answer(asked: Question, path: str, text: str | None) -> object:
    """What the search finds in one file: comparable with what it finds in another text of it."""
    if asked.any_write:
        return text
    if text is None or not path.startswith(asked.under) or not _named(asked.names, path):
        return None
    if asked.pattern is None:
        return True
    if len(text) > _LONG:
        return text
    found = [line for line in text.split("\n") if asked.pattern.search(line[:400])]
    return bool(found) if asked.lists else found


def _named(names: tuple[str, ...], path: str) -> bool:
    name = path.rpartition("/")[2]
    return not names or any(fnmatchcase(name, glob.rpartition("/")[2]) for glob in names)


@lru_cache(maxsize=4096)
def question(command: str) -> Question | None:
    """The search a command makes, None when it is not one that can be asked again."""
    words = _first_command(command)
    if not words:
        return None
    program = words[0].rpartition("/")[2]
    if program == "git":
        return Question(any_write=True) if len(words) > 1 and words[1] in ("status", "diff") else None
    if program in ("fd", "find", "ls"):
        return _by_name(program, words[1:])
    return _by_pattern(program, words[1:]) if program in _RECURSIVE else None


def _first_command(command: str) -> list[str]:
    """The words of a command line up to its first pipe, separator or redirection; none if a quote is not closed."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split, lexer.commenters = True, ""
    words: list[str] = []
    try:
        for word in lexer:
            if word and not word.strip("|&;<>"):
                return words[:-1] if word[0] == ">" and words and words[-1].isdigit() else words
            words.append(word)
    except ValueError:
        return []
    return words


def _by_name(program: str, words: list[str]) -> Question | None:
    operands, options = _split(words)
    if program == "find":
        names = tuple(v for o, v in options if o in ("-name", "-iname", "-path"))
        return Question(names, _folder(operands[:1]))
    if program == "ls":
        return Question((), _folder(operands[:1]))
    names = tuple(v for o, v in options if o == "--glob") or tuple(operands[:1])
    return Question(names, _folder(operands[1:2]))


def _by_pattern(program: str, words: list[str]) -> Question | None:
    operands, options = _split(words)
    flags = "".join(o[1:] for o, _ in options if o.startswith("-") and not o.startswith("--"))
    given = [v for o, v in options if o == "-e"]
    text = given[0] if given else operands[0] if operands else ""
    basic = program == "grep" and "E" not in flags and "P" not in flags
    fixed = program == "fgrep" or "F" in flags
    pattern = _compiled(text, basic, fixed, "i" in flags)
    if pattern is None:
        return None
    names = tuple(v for o, v in options if o in ("-g", "--glob", "--include") and not v.startswith("!"))
    return Question(names, _folder(operands[0 if given else 1 :]), pattern, "l" in flags)


def _split(words: list[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Operands, and options with their values ("" without)."""
    operands: list[str] = []
    options: list[tuple[str, str]] = []
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if not word.startswith("-") or word == "-":
            operands.append(word)
        elif equals:
            options.append((name, value))
        elif word in _TAKES_VALUE:
            options.append((word, next(rest, "")))
        else:
            options.append((word, ""))
    return operands, options


def _folder(operands: list[str]) -> str:
    """The one relative folder searched, "" when it is another or cannot be told."""
    if len(operands) != 1 or operands[0].startswith(("/", "~", "$")) or ".." in operands[0]:
        return ""
    folder = operands[0].removeprefix("./").rstrip("/")
    return "" if folder in ("", ".") or any(c in folder for c in "*?[") else folder


def _compiled(text: str, basic: bool, fixed: bool, ignore_case: bool) -> re.Pattern[str] | None:
    if not text or len(text) > 300:
        return None
    if fixed:
        text = re.escape(text)
    elif basic:
        text = re.sub(r"\\?[|+?(){}]", lambda m: m[0][1:] if len(m[0]) == 2 else "\\" + m[0], text)
    if _RUNAWAY.search(text) or len(_UNBOUNDED.findall(text)) > 1:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return re.compile(text, re.IGNORECASE if ignore_case else 0)
        except (re.error, OverflowError, RecursionError):
            return None

"""Replay: a POSIX regular expression of ``sed`` as a Python one that cannot run away.

In: a basic (or, with ``-E``, extended) expression. Out: a compiled pattern. Expressions whose matching could take
exponential time, or too long on the lines at hand, raise ``NotUnderstood``.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from functools import lru_cache

MAX_STEPS = 20_000_000
MAX_OPTIONAL = 12


class NotUnderstood(Exception):
    """A script does something this interpreter does not know; the write becomes opaque."""


def compile_regex(source: str, extended: bool, ignore_case: bool) -> re.Pattern[str]:
    """The Python pattern of ``source``; raises NotUnderstood for what it does not know or could run away."""
    pattern = _translate(source, extended)
    _refuse_runaway(pattern)
    _refuse_ambiguous(pattern)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Python thinks of a stranger's expression is nobody's concern
        try:
            # re.ASCII: POSIX classes and \\w of the C locale; DOTALL is moot, a line holds no newline.
            return re.compile(pattern, re.IGNORECASE if ignore_case else 0)
        except (re.error, OverflowError, RecursionError) as error:
            raise NotUnderstood(f"expression {source[:40]!r}") from error


def check_cost(regex: re.Pattern[str], lines: Sequence[str]) -> None:
    """Raises NotUnderstood when ``regex`` could take longer than a moment on ``lines``."""
    steps = 0
    for line in lines:
        steps += cost(regex, line)
        if steps > MAX_STEPS * 10:
            raise NotUnderstood("expression too costly for the file")


def cost(regex: re.Pattern[str], line: str) -> int:
    """The most steps that finding ``regex`` in ``line`` may take."""
    steps: int = (len(line) + 1) ** min(_loops(regex.pattern) + 1, 8)
    return steps


@lru_cache(maxsize=1024)
def _loops(pattern: str) -> int:
    return max(1, len(re.findall(r"(?<!\\)[*+]|(?<!\\)\{\d*,\}", pattern)))


_CLASSES = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r"\s",
    "blank": r" \t",
    "punct": r"!-/:-@\[-`{-~",
    "xdigit": "0-9A-Fa-f",
}


def _translate(source: str, extended: bool) -> str:
    out: list[str] = []
    at = 0
    while at < len(source):
        character = source[at]
        if character == "[":
            text, at = _bracket(source, at)
            out.append(text)
            continue
        if character == "\\":
            at += 1
            if at >= len(source):
                raise NotUnderstood("a trailing backslash")
            out.append(_escaped(source[at], extended))
        elif character in "(){}|+?" and not extended:
            out.append("\\" + character)
        elif character == "*" and (not out or out[-1] in ("(", "|", "^")):
            out.append("\\*")
        elif character == "^" and not extended:
            out.append("^" if not out or out[-1] in ("(", "|") else "\\^")
        elif character == "$" and not extended:
            ends = at + 1 == len(source) or source.startswith(("\\)", "\\|"), at + 1)
            out.append(r"\Z" if ends else "\\$")
        elif character == "$":
            out.append(r"\Z")
        elif character == "{" and re.match(r"\{\d*,?\d*\}", source[at:]) is None:
            out.append("\\{")
        elif character in ".*^(){}|+?":
            out.append(character)
        else:
            out.append(re.escape(character))
        at += 1
    return "".join(out)


def _escaped(character: str, extended: bool) -> str:
    if character in "(){}|+?" and not extended:
        return character
    if character in "123456789":
        return f"(?:\\{character})"
    if character in "wWsSbB":
        return "\\" + character
    if character == "n":
        return "\n"
    if character == "t":
        return "\t"
    if character in "<>":
        return r"\b(?=\w)" if character == "<" else r"\b(?<=\w)"
    if character in "`'":
        return r"\A" if character == "`" else r"\Z"
    if character.isalnum():
        raise NotUnderstood(f"escape \\{character}")
    return re.escape(character)


def _bracket(source: str, at: int) -> tuple[str, int]:
    """A bracket expression from ``at``: its Python form and the index after it."""
    out, i = ["["], at + 1
    if source[i : i + 1] == "^":
        out.append("^")
        i += 1
    first = i
    while i < len(source) and (source[i] != "]" or i == first):
        match = re.compile(r"\[:(\w+):\]").match(source, i)
        if match:
            if match[1] not in _CLASSES:
                raise NotUnderstood(f"class {match[1][:20]!r}")
            out.append(_CLASSES[match[1]])
            i = match.end()
            continue
        if source[i] == "\\" and source[i + 1 : i + 2] in ("n", "t", "]", "\\"):
            # GNU reads \\n and \\t in brackets; the others are two characters, as POSIX says.
            out.append({"n": "\\n", "t": "\\t"}.get(source[i + 1], "\\\\"))
            i += 2 if source[i + 1] in "nt\\" else 1
            continue
        out.append("\\" + source[i] if source[i] in "\\[&~|^" else source[i])
        i += 1
    if i >= len(source):
        raise NotUnderstood("an unfinished bracket")
    return "".join(out) + "]", i + 1


def _refuse_runaway(pattern: str) -> None:
    """No loop over a group that itself loops, branches or may be empty; few optional parts."""
    stack: list[bool] = []  # for each open group: whether it holds a loop, a branch or an option
    optional = 0
    at = 0
    closed_risky = False
    just_closed = False
    while at < len(pattern):
        character = pattern[at]
        if character == "\\":
            at += 2
            just_closed = False
            continue
        if character == "[":
            end = at + 1
            while end < len(pattern) and (pattern[end] != "]" or end == at + 1 or pattern[at + 1 : end] == "^"):
                end += 2 if pattern[end] == "\\" else 1
            at, just_closed = end + 1, False
            continue
        if character == "(":
            stack.append(False)
            if pattern.startswith("(?", at):
                at += 2
        elif character == ")":
            closed_risky = stack.pop() if stack else False
            if stack:
                stack[-1] = stack[-1] or closed_risky
            just_closed = True
            at += 1
            continue
        elif character in "*+{" or character == "?":
            optional += character == "?"
            if just_closed and closed_risky and character != "?":
                raise NotUnderstood("a loop in a loop")
            if stack:
                stack[-1] = True
        elif character == "|" and stack:
            stack[-1] = True
        just_closed = False
        at += 1
    if optional > MAX_OPTIONAL:
        raise NotUnderstood("too many optional parts")


def _refuse_ambiguous(pattern: str) -> None:
    """POSIX takes the longest branch, Python the first: only branches that cannot both match are the same to both."""
    levels: list[list[str]] = [[""]]
    for token in re.findall(r"\\.|\[\^?\]?[^\]]*\]|\(\?[:=<!]+|.", pattern, re.DOTALL):
        if token.startswith("("):
            levels.append([""])
        elif token == ")":
            if len(levels) > 1:
                _check_branches(levels.pop())
                levels[-1][-1] += "("  # a group: no plain text
        elif token == "|":
            levels[-1].append("")
        else:
            levels[-1][-1] += token
    for branches in levels:
        _check_branches(branches)


def _check_branches(branches: list[str]) -> None:
    if len(branches) == 1:
        return
    heads = [branch[:2] if branch.startswith("\\") else branch[:1] for branch in branches]
    special = any(not head or head in tuple(".[(^") or re.match(r"\\[wWsSbBAZ1-9]", head) for head in heads)
    plain = all(re.fullmatch(r"(\\[^\w]|[\w\s\-/=,;:<>\"'!@#%&~])+", branch) for branch in branches)
    optional = any(
        branch[len(head) : len(head) + 1] in tuple("*?{") for branch, head in zip(branches, heads, strict=True)
    )
    distinct = len(set(heads)) == len(heads) and not special and not optional
    apart = plain and not any(a != b and b.startswith(a) for a in branches for b in branches)
    if not distinct and not apart:
        raise NotUnderstood("branches that can match at the same place")

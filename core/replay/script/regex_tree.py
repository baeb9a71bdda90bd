"""Replay, script, part 2a: a pattern as the items that the matcher goes through.

In: a pattern's tree, as the parser of the standard library gives it, and its flags. Out: pairs (kind, value): TEXT, ONE
character of a test, RUN of such a test, GROUP, BRANCH, REPEAT, AT an anchor, SAME as a group, AHEAD and BEHIND.
What is rare in edit scripts (conditionals, repeated groups that may be empty) is ``NotKnown``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from core.replay.script.meter import NotKnown

Items = tuple[tuple[str, Any], ...]


def items_of(parsed: Any, flags: int) -> Items:
    """The items of a parsed pattern, neighbouring texts as one."""
    items: list[tuple[str, Any]] = []
    for operator, value in parsed:
        item = _item(str(operator), value, flags)
        if item[0] == "TEXT" and items and items[-1][0] == "TEXT":
            items[-1] = ("TEXT", items[-1][1] + item[1])
        elif item[0] == "ALL":
            items.extend(item[1])
        else:
            items.append(item)
    return tuple(items)


def _item(name: str, value: Any, flags: int) -> tuple[str, Any]:
    if name == "LITERAL" and not flags & re.IGNORECASE:
        return "TEXT", chr(value)
    test = _test(name, value, flags)
    if test is not None:
        return "ONE", test
    if name == "AT":
        return "AT", str(value)
    if name == "SUBPATTERN":
        number, added, removed, inner = value
        if added or removed:
            raise NotKnown("flags inside an expression")
        return ("ALL", items_of(inner, flags)) if number is None else ("GROUP", (number, items_of(inner, flags)))
    if name == "BRANCH":
        return "BRANCH", tuple(items_of(branch, flags) for branch in value[1])
    if name in ("MAX_REPEAT", "MIN_REPEAT"):
        return _repeated(name == "MAX_REPEAT", value, flags)
    if name == "GROUPREF" and not flags & re.IGNORECASE:
        return "SAME", value
    if name in ("ASSERT", "ASSERT_NOT") and value[0] == 1:
        return "AHEAD", (items_of(value[1], flags), name == "ASSERT")
    if name in ("ASSERT", "ASSERT_NOT"):
        low, high = value[1].getwidth()
        if low != high:
            raise NotKnown("a look behind of unknown width")
        return "BEHIND", (items_of(value[1], flags), name == "ASSERT", int(low))
    raise NotKnown(f"an expression with {name}")


def _repeated(greedy: bool, value: Any, flags: int) -> tuple[str, Any]:
    low, high, inner = int(value[0]), int(value[1]), value[2]
    if len(inner) == 1:
        test = _test(str(inner[0][0]), inner[0][1], flags)
        if test is not None:
            return "RUN", (low, high, greedy, test)
    if inner.getwidth()[0] == 0:
        raise NotKnown("a repeated part that may be empty")
    return "REPEAT", (low, high, greedy, items_of(inner, flags))


def _test(name: str, value: Any, flags: int) -> Callable[[str], bool] | None:
    """The test of one character, None when the node stands for something else."""
    fold = bool(flags & re.IGNORECASE)
    if name == "LITERAL":
        wanted = chr(value)
        return (lambda c: c.lower() == wanted.lower()) if fold else wanted.__eq__
    if name == "NOT_LITERAL":
        wanted = chr(value)
        return (lambda c: c.lower() != wanted.lower()) if fold else wanted.__ne__
    if name == "ANY":
        return (lambda c: True) if flags & re.DOTALL else (lambda c: c != "\n")
    if name == "IN":
        return _in_set(value, bool(flags & re.ASCII), fold)
    return None


def _in_set(parts: Any, ascii_only: bool, fold: bool) -> Callable[[str], bool]:
    negated = bool(parts) and str(parts[0][0]) == "NEGATE"
    tests: list[Callable[[str], bool]] = []
    for operator, value in parts[1:] if negated else parts:
        if str(operator) == "LITERAL":
            tests.append(chr(value).__eq__)
        elif str(operator) == "RANGE":
            tests.append(_between(*value))
        elif str(operator) == "CATEGORY":
            tests.append(category(str(value), ascii_only))
        else:
            raise NotKnown(f"a set with {operator}")

    def holds(character: str) -> bool:
        cases = (character, character.lower(), character.upper()) if fold else (character,)
        return any(test(case) for case in cases for test in tests) is not negated

    return holds


def _between(low: int, high: int) -> Callable[[str], bool]:
    return lambda c: len(c) == 1 and low <= ord(c) <= high


def category(name: str, ascii_only: bool) -> Callable[[str], bool]:
    """The test of ``\\d``, ``\\s``, ``\\w`` and their opposites."""
    flags = re.ASCII if ascii_only else 0
    letter = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}[name.removeprefix("CATEGORY_").removeprefix("NOT_")]
    holds = re.compile("\\" + (letter.upper() if "_NOT_" in name else letter), flags).match
    return lambda c: holds(c) is not None


def needed(items: Sequence[tuple[str, Any]]) -> str:
    """The longest text that every match holds, "" when there is none."""
    found = [value for kind, value in items if kind == "TEXT"]
    found += [needed(value[1]) for kind, value in items if kind == "GROUP"]
    return max(found, key=len, default="")

"""Replay, script, part 2: regular expressions matched with a count of the work, so that none can run away.

In: a pattern, flags, a text, a ``Meter``. Out: ``Found`` values, as Python's ``re`` finds them. The parser of the
standard library gives the pattern's tree (regex_tree); the matcher over it backtracks in Python's order, a step
counted for each try.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from core.replay.script.meter import Meter, NotKnown, Raised
from core.replay.script.regex_tree import category, items_of, needed

MAX_PATTERN = 10_000
MAX_DEPTH = 150
"""Groups and repeats open at once: the matcher calls itself for each."""
TRY = 4
"""Steps that one try of what follows a repeat counts: it takes about as long as so many others."""

_KNOWN_FLAGS = re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE | re.UNICODE | re.ASCII
_Groups = dict[int, tuple[int, int]]
_Next = Callable[[int, int], int]  # (position, depth) -> end of the match or -1
_parser: Any = re._parser  # type: ignore[attr-defined]  # the tree of a pattern has no public name


@dataclass(frozen=True, slots=True)
class Found:
    """One match: ``spans`` of its groups that took part, 0 the whole, in ``text``."""

    text: str
    spans: _Groups
    names: dict[str, int]
    groups: int

    def span(self, group: int | str = 0) -> tuple[int, int]:
        """Start and end of a group, (-1, -1) when it took no part."""
        number = self.names.get(group) if isinstance(group, str) else group
        if number is None or not 0 <= number <= self.groups:
            raise Raised("IndexError", "no such group")
        return self.spans.get(number, (-1, -1))

    def group(self, group: int | str = 0) -> str | None:
        """The text of a group, None when it took no part."""
        start, end = self.span(group)
        return None if start < 0 else self.text[start:end]


@dataclass(frozen=True, slots=True)
class Regex:
    """A pattern ready to be matched."""

    pattern: str
    flags: int
    tree: tuple[tuple[str, Any], ...]
    names: dict[str, int]
    groups: int
    needed: str = ""

    def find(self, text: str, start: int, meter: Meter, how: str = "search", filled_at: int = -1) -> Found | None:
        """The first match at or after ``start`` (``search``), at it (``match``) or of all that follows (``fullmatch``).

        The match may not end at ``filled_at``: after an empty match there, the next one is not the same again.
        """
        if self.flags & re.IGNORECASE and not text.isascii():
            raise NotKnown("letters with unusual cases")
        run = _Matcher(self.flags, text, meter, how == "fullmatch", filled_at)
        head: tuple[str, Any] = self.tree[0] if self.tree else ("", "")
        at, upcoming = start, start - 1
        while at <= len(text):
            if how == "search" and self.needed and upcoming < at:
                upcoming = text.find(self.needed, at)
                meter.text((upcoming if upcoming >= 0 else len(text)) - at)
                if upcoming < 0:
                    return None
            if how == "search" and head[0] == "TEXT":
                before, at = at, text.find(head[1], at)
                meter.text((at if at >= 0 else len(text)) - before)
                if at < 0:
                    return None
            meter.spend()
            run.groups = {}
            end = run.sequence(self.tree, 0, at, 0, run.end)
            if end >= 0:
                return Found(text, {**run.groups, 0: (at, end)}, self.names, self.groups)
            if how != "search":
                return None
            at += 1
        return None

    def all(self, text: str, meter: Meter) -> Iterator[Found]:
        """Every match, as ``finditer`` gives them."""
        at, filled = 0, -1
        while at <= len(text):
            found = self.find(text, at, meter, filled_at=filled)
            if found is None:
                return
            yield found
            start, at = found.span()
            filled = at if start == at else -1


class _Matcher:
    """One search in one text: the groups so far, the flags, the work left."""

    __slots__ = ("filled_at", "flags", "groups", "meter", "text", "whole")

    def __init__(self, flags: int, text: str, meter: Meter, whole: bool, filled_at: int) -> None:
        self.flags, self.text, self.meter, self.whole, self.filled_at = flags, text, meter, whole, filled_at
        self.groups: _Groups = {}

    def end(self, at: int, depth: int) -> int:
        """What stands after the whole pattern."""
        return -1 if at == self.filled_at or (self.whole and at != len(self.text)) else at

    def sequence(self, items: Sequence[tuple[str, Any]], index: int, at: int, depth: int, then: _Next) -> int:
        """The end of the first match of ``items[index:]`` from ``at`` that lets ``then`` match, -1 when none does."""
        while index < len(items):
            kind, value = items[index]
            if kind == "TEXT":
                self.meter.spend()
                if not self.text.startswith(value, at):
                    return -1
                at += len(value)
            elif kind == "ONE":
                self.meter.spend()
                if at >= len(self.text) or not value(self.text[at]):
                    return -1
                at += 1
            elif kind == "AT":
                if not self._anchor(value, at):
                    return -1
            elif kind == "SAME":
                span = self.groups.get(value)
                if span is None or not self.text.startswith(self.text[slice(*span)], at):
                    return -1
                self.meter.text(span[1] - span[0])
                at += span[1] - span[0]
            else:
                if depth > MAX_DEPTH:
                    raise NotKnown("an expression nested too deep")
                return self._branching(kind, value, items, index, at, depth + 1, then)
            index += 1
        return then(at, depth)

    def _branching(
        self, kind: str, value: Any, items: Sequence[tuple[str, Any]], index: int, at: int, depth: int, then: _Next
    ) -> int:
        def rest(position: int, deeper: int) -> int:
            return self.sequence(items, index + 1, position, deeper, then)

        if kind == "RUN":
            return self._run(value, at, depth, rest)
        if kind == "GROUP":
            return self._group(value, at, depth, rest)
        if kind == "BRANCH":
            for branch in value:
                kept = dict(self.groups)
                end = self.sequence(branch, 0, at, depth, rest)
                if end >= 0:
                    return end
                self.groups = kept
            return -1
        if kind == "REPEAT":
            return self._repeat(value, at, depth, rest, 0)
        inner, wanted = value[0], value[1]
        start = at - value[2] if kind == "BEHIND" else at
        kept = dict(self.groups)
        held = start >= 0 and self.sequence(inner, 0, start, depth, lambda position, _: position) >= 0
        if held is not wanted:
            self.groups = kept
            return -1
        if not wanted:
            self.groups = kept
        return rest(at, depth)

    def _run(self, value: tuple[int, int, bool, Callable[[str], bool]], at: int, depth: int, rest: _Next) -> int:
        """A repeated single character: no call of itself for each one."""
        low, high, greedy, test = value
        limit = min(at + high, len(self.text))
        reached = at
        while reached < limit and (greedy or reached < at + low) and test(self.text[reached]):
            reached += 1
        self.meter.spend(1 + (reached - at) // 4)
        if reached < at + low:
            return -1
        kept = dict(self.groups)
        if greedy:
            for position in range(reached, at + low - 1, -1):
                self.meter.spend(TRY)
                end = rest(position, depth)
                if end >= 0:
                    return end
                self.groups = dict(kept)
            return -1
        while True:
            self.meter.spend(TRY)
            end = rest(reached, depth)
            if end >= 0:
                return end
            self.groups = dict(kept)
            if reached >= limit or not test(self.text[reached]):
                return -1
            reached += 1

    def _group(self, value: tuple[int, Sequence[tuple[str, Any]]], at: int, depth: int, rest: _Next) -> int:
        number, inner = value
        before = self.groups.get(number)

        def closed(position: int, deeper: int) -> int:
            earlier = self.groups.get(number)
            self.groups[number] = (at, position)
            end = rest(position, deeper)
            if end < 0:
                self._restore(number, earlier)
            return end

        end = self.sequence(inner, 0, at, depth, closed)
        if end < 0:
            self._restore(number, before)
        return end

    def _restore(self, number: int, span: tuple[int, int] | None) -> None:
        if span is None:
            self.groups.pop(number, None)
        else:
            self.groups[number] = span

    def _repeat(
        self, value: tuple[int, int, bool, Sequence[tuple[str, Any]]], at: int, depth: int, rest: _Next, done: int
    ) -> int:
        low, high, greedy, inner = value
        self.meter.spend(TRY)

        def again(position: int, deeper: int) -> int:
            if deeper > MAX_DEPTH:
                raise NotKnown("an expression repeated too often")
            return self._repeat(value, position, deeper + 1, rest, done + 1)

        kept = dict(self.groups)
        ways = (True, False) if greedy else (False, True)
        for more in ways:
            if done >= high if more else done < low:
                continue
            end = self.sequence(inner, 0, at, depth, again) if more else rest(at, depth)
            if end >= 0:
                return end
            self.groups = dict(kept)
        return -1

    def _anchor(self, name: str, at: int) -> bool:
        text, lines = self.text, bool(self.flags & re.MULTILINE)
        if name == "AT_BEGINNING":
            return at == 0 or (lines and text[at - 1] == "\n")
        if name == "AT_BEGINNING_STRING":
            return at == 0
        if name == "AT_END_STRING":
            return at == len(text)
        if name == "AT_END":
            return at == len(text) or (text[at] == "\n" and (lines or at == len(text) - 1))
        word = category("CATEGORY_WORD", bool(self.flags & re.ASCII))
        edge = (at > 0 and word(text[at - 1])) != (at < len(text) and word(text[at]))
        return edge if name == "AT_BOUNDARY" else not edge


@lru_cache(maxsize=256)
def compile_regex(pattern: str, flags: int) -> Regex:
    """``pattern`` ready to be matched; raises ``Raised`` where Python refuses it, NotKnown where this reader does."""
    if len(pattern) > MAX_PATTERN or flags & ~_KNOWN_FLAGS:
        raise NotKnown("an expression with rare flags")
    try:
        parsed = _parser.parse(pattern, flags)
    except re.error as error:
        raise Raised("error", str(error)) from error
    except (OverflowError, RecursionError, ValueError) as error:
        raise NotKnown("an expression that cannot be read") from error
    found = int(parsed.state.flags)
    if found & re.LOCALE or (found & re.IGNORECASE and not pattern.isascii()):
        raise NotKnown("an expression with rare flags")
    names = dict(parsed.state.groupdict)
    items = items_of(parsed, found)
    return Regex(pattern, found, items, names, parsed.state.groups - 1, needed(items))

"""Look-ups with recorded dependencies: the machinery that makes the linked graph equal to one from scratch.

A look-up is a pure function of other look-ups and of inputs, named by a tuple whose first element says
which rule computes it. Every value is remembered with what was read for it, INCLUDING MISSES: reading an
input that does not exist is a dependency like any other. When inputs change, everything that may depend on
them is marked, and on demand each marked value is first checked: if what it read has equal values it stands,
and nothing above it is computed again.

Look-ups may be circular (a function that returns its own result). A circle is solved as a whole: all its
members start at the rule's bottom value and are computed again until none moves, so the result does not
depend on which member was asked first, as long as rules only grow with what they read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

Key = tuple[Any, ...]
Rule = Callable[["Lookups", Key], Any]
_ROUNDS = 60


class _Memo:
    __slots__ = ("changed", "checked", "clean", "deps", "group", "value")

    def __init__(self, value: Any, deps: tuple[Key, ...], group: tuple[Key, ...], revision: int) -> None:
        self.value = value
        self.deps: tuple[Key, ...] | None = deps
        self.changed = revision
        self.checked = revision
        self.clean = True
        self.group = group


class _Frame:
    __slots__ = ("deps", "index", "key", "low", "members")

    def __init__(self, key: Key, index: int, deps: dict[Key, None]) -> None:
        self.key = key
        self.index = index
        self.low = index + 1  # beyond itself: nobody below was read in a circle
        self.deps = deps
        self.members: list[Key] = []


class Lookups:
    """Memoised rules over mutable inputs; ``rules`` maps a name to (rule, bottom value)."""

    def __init__(self, rules: Mapping[str, tuple[Rule, Any]], read: Callable[[Key], Any], flow: bool = False) -> None:
        self.flow = flow  # whether arguments passed anywhere are inputs too (("argument", ...))
        self._rules = rules
        self._read = read
        self._memos: dict[Key, _Memo] = {}
        self._readers: dict[Key, set[Key]] | None = None
        self._inputs: dict[Key, int] = {}
        self._revision = 1
        self._stack: list[_Frame] = []
        self._reads: dict[Key, None] | None = None  # ``deps`` of the top of the stack
        self._active: dict[Key, _Frame] = {}
        self._checking: set[Key] = set()
        self._provisional: dict[Key, Any] = {}
        self._done: dict[Key, int] = {}
        self._trail: dict[Key, dict[Key, None]] = {}
        self._moves = 0

    # -- reading --------------------------------------------------------------------------------------

    def input(self, key: Key) -> Any:
        """The value of an input, recorded as read by the look-up being computed."""
        if self._reads is not None:
            self._reads[key] = None
        return self._read(key)

    def get(self, key: Key) -> Any:
        """The value of a look-up, recorded as read by the look-up being computed."""
        if self._reads is not None:
            self._reads[key] = None
        memo = self._memos.get(key)
        if memo is not None and memo.clean:
            return memo.value
        return self._slow(key, memo)

    def peek(self, key: Key) -> Any:
        """The remembered value, current or not; None if there is none. Records nothing."""
        memo = self._memos.get(key)
        return memo.value if memo is not None else None

    def dependencies(self) -> dict[Key, tuple[Key, ...]]:
        """Everything remembered, with what each read, inputs included."""
        return {key: memo.deps or () for key, memo in self._memos.items()}

    def _slow(self, key: Key, memo: _Memo | None) -> Any:
        active = self._active.get(key)
        if active is not None:
            top = self._stack[-1]
            top.low = min(top.low, active.index)
            active.low = min(active.low, active.index)
            return self._provisional.get(key, self._rules[key[0]][1])
        if key in self._done:
            return self._unfinished(key)
        if memo is not None and key not in self._checking:
            if self._stands(key, memo):
                return self._memos[key].value  # checking may have computed it anew
            if key in self._done:
                return self._unfinished(key)
        return self._compute(key)

    def _unfinished(self, key: Key) -> Any:
        """The value so far of a member of a circle whose head is still being computed."""
        top = self._stack[-1]
        top.low = min(top.low, self._done[key])
        return self._provisional[key]

    # -- checking -------------------------------------------------------------------------------------

    def _stands(self, key: Key, memo: _Memo) -> bool:
        """Whether a marked value is still right, its circle included; marks it clean if so."""
        members = memo.group or (key,)
        if any(m in self._checking or m in self._active for m in members):
            return False
        inside = set(members)
        held = [self._memos.get(m) for m in members]
        self._checking.update(members)
        try:
            good = all(self._member_stands(m, inside) for m in members)
        finally:
            self._checking.difference_update(members)
        # Checking may have computed a member of the circle by another way: then the others start again.
        good = good and all(self._memos.get(m) is h for m, h in zip(members, held, strict=True))
        for m in members:
            found = self._memos.get(m)
            if found is None or found.clean:
                continue
            if good:
                found.clean, found.checked = True, self._revision
            else:
                found.deps = None  # the whole circle starts again from its bottom
        current = self._memos.get(key)
        return current is not None and current.clean

    def _member_stands(self, key: Key, inside: set[Key]) -> bool:
        memo = self._memos.get(key)
        if memo is None or memo.deps is None:
            return False
        checked = memo.checked
        for dep in memo.deps:
            if dep in inside:
                member = self._memos.get(dep)
                if member is None or member.changed > checked:
                    return False  # computed anew as part of another circle
                continue
            if dep[0] not in self._rules:
                if self._inputs.get(dep, 0) > checked:
                    return False
                continue
            if dep in self._active or dep in self._done or dep in self._checking:
                return False
            found = self._memos.get(dep)
            if found is None:
                return False
            if not found.clean:
                if not self._stands(dep, found) and dep not in self._active:
                    self._detached(dep)
                found = self._memos.get(dep)
                if found is None or not found.clean:
                    return False
            if found.changed > checked:
                return False
        return True

    def _detached(self, key: Key) -> None:
        """Compute ``key`` for checking: whatever it reads in a circle is not the business of the reader."""
        frame = _Frame(("", key), len(self._stack), {})
        self._stack.append(frame)
        reads, self._reads = self._reads, frame.deps
        try:
            self._compute(key)
        finally:
            self._reads = reads
            self._stack.pop()
        if frame.low < frame.index and self._stack:
            self._stack[-1].low = min(self._stack[-1].low, frame.low)
        if self._stack:
            self._stack[-1].members += frame.members

    # -- computing ------------------------------------------------------------------------------------

    def _compute(self, key: Key) -> Any:
        rule, bottom = self._rules[key[0]]
        stack, outer = self._stack, self._reads
        # A circle may stand on something read only in an early round: what any round read is a dependency.
        frame = _Frame(key, len(stack), self._trail.get(key) or {})
        self._active[key] = frame
        try:
            for _ in range(_ROUNDS):
                moves = self._moves
                for member in frame.members:
                    self._done.pop(member, None)
                stack.append(frame)
                self._reads = frame.deps
                try:
                    value = rule(self, key)
                finally:
                    self._reads = outer
                    stack.pop()
                if frame.low > frame.index:
                    break
                if self._provisional.get(key, bottom) != value:
                    self._provisional[key] = value
                    self._moves += 1
                if frame.low < frame.index or moves == self._moves:
                    break
        except BaseException:
            self._abandon(frame)
            raise
        finally:
            del self._active[key]
        if frame.low < frame.index:
            self._postpone(frame, value)
        else:
            self._settle(key, value, tuple(frame.deps), frame.members)
        return value

    def _postpone(self, frame: _Frame, value: Any) -> None:
        """Leave a member of a circle to the look-up further down that is the circle's head."""
        self._provisional[frame.key] = value
        self._done[frame.key] = frame.low
        self._trail[frame.key] = frame.deps
        for member in frame.members:  # their head is further down than this frame thought
            if member in self._done:
                self._done[member] = min(self._done[member], frame.low)
        if self._stack:
            parent = self._stack[-1]
            parent.low = min(parent.low, frame.low)
            parent.members.append(frame.key)
            parent.members += frame.members

    def _settle(self, key: Key, value: Any, deps: tuple[Key, ...], members: list[Key]) -> None:
        """Remember a finished value, and with the head of a circle all members of it."""
        if self._trail:
            self._trail.pop(key, None)
        if not members:
            if self._provisional:
                self._provisional.pop(key, None)
            self._remember(key, value, deps, ())
            return
        unique = [m for m in dict.fromkeys(members) if m in self._done]
        group = (key, *unique)
        left = [m for m in dict.fromkeys(members) if m not in self._done and m in self._trail]
        if left:  # read in an early round only: what they read still counts for the circle
            deps = tuple(dict.fromkeys((*deps, *(d for m in left for d in self._trail[m]))))
        for member in left:
            del self._trail[member]
            self._provisional.pop(member, None)
        for member in unique:
            found = self._provisional.pop(member)
            del self._done[member]
            self._remember(member, found, tuple(self._trail.pop(member)), group)
        self._provisional.pop(key, None)
        self._remember(key, value, deps, group)

    def _remember(self, key: Key, value: Any, deps: tuple[Key, ...], group: tuple[Key, ...]) -> None:
        old = self._memos.get(key)
        memo = self._memos[key] = _Memo(value, deps, group, self._revision)
        if old is not None and old.value == value:
            memo.value, memo.changed = old.value, old.changed
        if self._readers is None:
            return
        readers = self._readers
        for dep in deps:
            found = readers.get(dep)
            if found is None:
                readers[dep] = {key}
            else:
                found.add(key)

    def _abandon(self, frame: _Frame) -> None:
        """Forget half-finished circles after an error, so that the next question starts clean."""
        for member in (frame.key, *frame.members):
            self._done.pop(member, None)
            self._trail.pop(member, None)
            self._provisional.pop(member, None)

    # -- writing --------------------------------------------------------------------------------------

    def change(self, keys: Iterable[Key], roots: frozenset[str]) -> set[Key]:
        """Mark what may depend on the changed inputs; the marked look-ups of the rules in ``roots``.

        Cost: the number of marked look-ups (the first call also indexes all remembered ones).
        """
        readers = self._index()
        self._revision += 1
        found: set[Key] = set()
        pending: list[Key] = []
        for key in keys:
            self._inputs[key] = self._revision
            pending.extend(readers.get(key, ()))
        memos = self._memos
        while pending:
            key = pending.pop()
            memo = memos.get(key)
            if memo is None or not memo.clean:
                if memo is not None and key[0] in roots:
                    found.add(key)
                continue
            memo.clean = False
            if key[0] in roots:
                found.add(key)
            pending.extend(readers.get(key, ()))
        return found

    def forget(self, key: Key) -> None:
        """Drop one look-up nobody will ask for again."""
        self._memos.pop(key, None)

    def _index(self) -> dict[Key, set[Key]]:
        if self._readers is None:
            readers: dict[Key, set[Key]] = {}
            for key, memo in self._memos.items():
                for dep in memo.deps or ():
                    found = readers.get(dep)
                    if found is None:
                        readers[dep] = {key}
                    else:
                        found.add(key)
            self._readers = readers
        return self._readers

    def __len__(self) -> int:
        return len(self._memos)

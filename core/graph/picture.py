"""A whole linked graph as one document and back (stage 3): the same files again are not linked again.

In: a graph just built from texts. Out: bytes; and from those what leaves every symbol, the names of all files,
and which symbols read which inputs. Linking is a pure function of the inputs that were read for it, so a symbol
stands until one of them moves; then it is linked like any other, from the facts of the files.

The document is a line of JSON, in which all texts are numbers of a list of words, and two arrays of 32-bit
numbers: for every look-up and every input the look-ups that read it. Inputs are known by a checksum: two that
share one make symbols be linked again that need not be. Look-ups stand in the order they were made in: two pictures
of one graph need not be the same bytes.
"""

from __future__ import annotations

import hashlib
import sys
import zlib
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Any, get_args

import orjson

from core.graph.encoding import BadEntry
from core.graph.link import Linked, split_id
from core.graph.lookups import Key, Lookups
from core.graph.sources import Names
from core.graph.symbols import Edge, EdgeKind, Tier

_KINDS: tuple[EdgeKind, ...] = get_args(EdgeKind)
_TIERS: tuple[Tier, ...] = get_args(Tier)
_ENDS = [(kind, tier) for kind in _KINDS for tier in _TIERS]
_NUMBER = {end: number for number, end in enumerate(_ENDS)}


def picture_name(files: Mapping[str, tuple[str, str]], module_symbol: bool) -> str:
    """The name of the picture of these files: by path the key of their text in the facts cache."""
    found = hashlib.blake2b(b"\1" if module_symbol else b"\0", digest_size=16)
    for path, (language, content) in sorted(files.items()):
        found.update(f"{path}\0{language}\0{content}\0".encode("utf-8", "surrogatepass"))
    return f"graph:{found.hexdigest()}"


class Readers:
    """Which symbols read which inputs, directly or through other look-ups; each is told once."""

    def __init__(self, symbols: list[str], inputs: list[int], starts: array[int], readers: array[int]) -> None:
        self._symbols = symbols  # they are the first look-ups
        self._first = len(starts) - 1 - len(inputs)  # inputs follow the look-ups
        self._inputs = inputs
        self._index: dict[int, list[int]] | None = None
        self._starts, self._readers = starts, readers
        self._seen = bytearray(len(starts))

    def of(self, keys: Iterable[Key]) -> set[str]:
        """The symbols that read one of these inputs and were not told before. Cost: the look-ups between them."""
        if self._index is None:
            self._index = {}
            for at, checksum in enumerate(self._inputs, self._first):
                self._index.setdefault(checksum, []).append(at)
        starts, readers, seen = self._starts, self._readers, self._seen
        pending = [at for key in keys for at in self._index.get(_checksum(key), ())]
        found: set[str] = set()
        while pending:
            at = pending.pop()
            if not seen[at]:
                seen[at] = 1
                if at < len(self._symbols):
                    found.add(self._symbols[at])
                pending.extend(readers[starts[at] : starts[at + 1]])
        return found


@dataclass(frozen=True, slots=True)
class Picture:
    """What ``draw`` saw."""

    linked: dict[str, Linked]
    names: Names
    errors: dict[str, int]
    readers: Readers


def draw(linked: Mapping[str, Linked], names: Names, errors: Mapping[str, int], lookups: Lookups) -> bytes | None:
    """A graph as a document, with the line of the first syntax error by path; None where it cannot be one."""
    symbols = sorted(linked)
    numbers: dict[Key, int] = {("symbol", *split_id(symbol)): at for at, symbol in enumerate(symbols)}
    read = lookups.dependencies()
    if not numbers.keys() <= read.keys():
        return None
    for key in read:
        numbers.setdefault(key, len(numbers))
    known = len(numbers)
    readers: list[list[int]] = [[] for _ in range(known)]
    for key, deps in read.items():
        at = numbers[key]
        for dep in deps:
            to = numbers.setdefault(dep, len(readers))
            if to == len(readers):
                readers.append([])
            readers[to].append(at)
    words: dict[str, int] = {}
    document = [
        [_row(symbol, linked[symbol], words) for symbol in symbols],
        [
            [_word(words, part) for part in chain((kind, name), *sorted(holders))]
            for (kind, name), holders in sorted(names.items())
            if holders
        ],
        [_checksum(key) for key, at in numbers.items() if at >= known],
        list(words),
        known,
        sorted(errors.items()),
    ]
    starts = array("I", accumulate(map(len, readers), initial=0))
    try:
        head = orjson.dumps(document)
    except orjson.JSONEncodeError:  # a lone surrogate in a name
        return None
    return head + b"\n" + _bytes(starts) + _bytes(array("I", chain.from_iterable(readers)))


def view(body: bytes) -> Picture:
    """The picture in a document. Raises BadEntry for anything that ``draw`` did not make."""
    head, _, rest = body.partition(b"\n")
    try:
        rows, sets, inputs, words, known, errors = orjson.loads(head)
        nodes = known + len(inputs)
        numbers = _numbers(rest)
        starts, readers = numbers[: nodes + 1], numbers[nodes + 1 :]
        if len(starts) <= nodes or starts[-1] != len(readers) or max(readers, default=0) >= nodes:
            raise ValueError("readers that are not there")
        if known < len(rows) or {*map(type, inputs)} - {int} or {*map(type, words)} - {str}:
            raise ValueError("inputs or words that are none")
        broken = {path: line for path, line in errors if type(path) is str and type(line) is int}
        if len(broken) < len(errors):
            raise ValueError("syntax errors that are none")
        linked = dict([_linked(row, words) for row in rows])
        names: Names = {}
        for kind, name, *flat in sets:
            texts = [words[n] for n in flat]
            names[words[kind], words[name]] = set(zip(texts[::2], texts[1::2], strict=True))
    except (ValueError, TypeError, LookupError) as error:
        raise BadEntry(f"no picture of a graph: {error}") from error
    return Picture(linked, names, broken, Readers(list(linked), inputs, starts, readers))


def _row(symbol: str, linked: Linked, words: dict[str, int]) -> list[Any]:
    return [
        _word(words, symbol),
        [_flat(e, words) for e in linked.edges],
        [[_word(words, name), *(_word(words, t) for t in targets)] for name, targets in linked.calls],
        [[_word(words, part) for part in use] for use in linked.uses],
        [_flat(e, words) for e in linked.relations],
        [_word(words, name) for name in linked.weak],
        linked.unresolved,
        linked.sites,
    ]


def _linked(row: list[Any], words: list[str]) -> tuple[str, Linked]:
    number, edges, calls, uses, relations, weak, unresolved, sites = row
    source = words[number]
    return source, Linked(
        _edges(source, edges, words),
        tuple([(words[name], tuple([words[t] for t in targets])) for name, *targets in calls]),
        tuple([(words[name], words[text]) for name, text in uses]),
        _edges(source, relations, words),
        tuple([words[name] for name in weak]),
        unresolved,
        sites,
    )


def _edges(source: str, flat: list[Any], words: list[str]) -> tuple[Edge, ...]:
    return tuple([Edge(source, words[t], _ENDS[end][0], _ENDS[end][1], words[why]) for t, end, why in flat])


def _flat(edge: Edge, words: dict[str, int]) -> tuple[int, int, int]:
    return _word(words, edge.target), _NUMBER[edge.kind, edge.tier], _word(words, edge.why)


def _word(words: dict[str, int], text: str) -> int:
    return words.setdefault(text, len(words))


def _checksum(key: Key) -> int:
    return zlib.crc32(repr(key).encode("utf-8", "surrogatepass"))


def _bytes(numbers: array[int]) -> bytes:
    return _ordered(numbers).tobytes()


def _numbers(data: bytes) -> array[int]:
    numbers = array("I")
    numbers.frombytes(data)
    return _ordered(numbers)


def _ordered(numbers: array[int]) -> array[int]:
    """``numbers`` with the lowest byte first, as they are stored."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers

"""The facts of a file as bytes and back, exactly (stage 3): what lets a graph start warm from storage.

In: ``FileFacts`` under a name. Out: an entry: a seal, and compressed JSON; nothing in it is ever run. Tuples are
JSON lists; a NamedTuple of ``core.graph`` is an object whose one key numbers its type in a table at the head, a
frozenset an object whose key is empty; text, whole numbers, truth values and None are themselves. The seal is a
hash of the name and of all that follows: an entry cut short, altered or moved to another name is none. Cells, most
of an entry, stay JSON until one is asked for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, get_args

import orjson
import zstandard

from core.graph.facts import CellKey, FileFacts, SymbolFact
from core.graph.symbols import SymbolKind

_SEAL = 16  # bytes
_LARGEST = 1 << 28  # bytes an entry may unfold to
_OPTIONS = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_SUBCLASS
_HOME = "core.graph."
_KINDS = frozenset(get_args(SymbolKind))
_DEEP = frozenset([list, dict])


class BadEntry(ValueError):
    """Bytes that are no entry of this name."""


def seal(name: str, body: bytes) -> bytes:
    """``body`` compressed, under a seal that holds for ``name`` only."""
    packed = zstandard.ZstdCompressor(level=3).compress(body)
    return _seal_of(name, packed) + packed


def unseal(name: str, entry: bytes) -> bytes:
    """What was sealed under ``name``. Raises BadEntry for anything else."""
    packed = entry[_SEAL:]
    if entry[:_SEAL] != _seal_of(name, packed):
        raise BadEntry(f"{name}: the seal is broken")
    try:
        if not 0 <= zstandard.frame_content_size(packed) <= _LARGEST:
            raise BadEntry(f"{name}: unfolds to too much")
        return zstandard.ZstdDecompressor().decompress(packed)
    except zstandard.ZstdError as error:
        raise BadEntry(f"{name}: {error}") from error


def _seal_of(name: str, packed: bytes) -> bytes:
    key = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=32).digest()
    return hashlib.blake2b(packed, digest_size=_SEAL, key=key).digest()


def encode(name: str, facts: FileFacts) -> bytes:
    """``facts`` as the entry ``name``. Raises ValueError where they hold what no entry can (a lone surrogate)."""
    table: dict[type[Any], str] = {}
    symbols = [
        (s.qual, s.kind, s.name, s.start, s.end, s.own, s.own_hash, s.signature, s.parent) for s in facts.symbols
    ]
    document = (
        facts.language,
        symbols,
        [*zip(*facts.cells, strict=True)],
        [*facts.cells.values()],
        [*zip(*sorted(facts.names), strict=True)],
        [*zip(*facts.lines, strict=True)],
        [*facts.lines.values()],
        [*facts.scopes.items()],
        facts.blocks,
        [*facts.bindings.items()],
        facts.error_line,
    )
    try:
        body = orjson.dumps(document, _numbered(table), _OPTIONS)
    except orjson.JSONEncodeError as error:
        raise ValueError(f"{name}: {error}") from error
    return seal(name, orjson.dumps([_types()[0][kind] for kind in table]) + b"\n" + body)


def decode(name: str, entry: bytes) -> FileFacts:
    """The facts stored as ``name``. Raises BadEntry for bytes that ``encode`` did not write for it."""
    head, _, body = unseal(name, entry).partition(b"\n")
    try:
        build = _builder([_types()[1][kind] for kind in orjson.loads(head)])
        language, symbols, keys, cells, names, spots, lines, scopes, blocks, bindings, error = orjson.loads(body)
        return FileFacts(
            language=_str(language),
            symbols=tuple([_symbol(*s) for s in symbols]),
            cells=Cells(dict(zip(_rows(keys, 3), cells, strict=True)), build),
            names=frozenset(_rows(names, 3)),
            lines=dict(zip(_rows(spots, 2), map(_ints, lines), strict=True)),
            scopes={_str(qual): _strs(owned) for qual, owned in scopes},
            blocks=_spans(blocks),
            bindings={
                _str(name): span for (name, _), span in zip(bindings, _spans(b for _, b in bindings), strict=True)
            },
            error_line=None if error is None else _ints([error])[0],
        )
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise BadEntry(f"{name}: {type(error).__name__}: {error}") from error


class Cells(Mapping[CellKey, Any]):
    """Cells as they were written, each built when it is first asked for; one of no known shape is None."""

    __slots__ = ("_build", "_built", "_raw")

    def __init__(self, raw: dict[CellKey, Any], build: Callable[[Any], Any]) -> None:
        self._raw = raw
        self._built: dict[CellKey, Any] = {}
        self._build = build

    def __getitem__(self, key: CellKey) -> Any:
        if key in self._built:
            return self._built[key]
        try:
            value = self._build(self._raw[key])
        except (ValueError, TypeError, AttributeError, RecursionError):
            value = None
        self._built[key] = value
        return value

    def get(self, key: CellKey, default: Any = None) -> Any:
        """The cell, or ``default`` where there is none."""
        return self[key] if key in self._raw else default

    def __iter__(self) -> Iterator[CellKey]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)


@lru_cache(maxsize=1)
def _types() -> tuple[dict[type[Any], str], dict[str, type[Any]]]:
    """The names of the NamedTuples that facts may hold, and the way back: those defined in ``core.graph``."""
    found = {k for k in tuple.__subclasses__() if k.__module__.startswith(_HOME) and hasattr(k, "_fields")}
    names = {kind: f"{kind.__module__.removeprefix(_HOME)}.{kind.__name__}" for kind in found}
    return names, {name: kind for kind, name in names.items()}


def _numbered(table: dict[type[Any], str]) -> Callable[[Any], Any]:
    """What JSON itself does not know, as objects; the types met are numbered in ``table``."""
    known = _types()[0]

    def stand_in(value: Any) -> Any:
        kind = type(value)
        number = table.get(kind)
        if number is None:
            if kind is frozenset:
                return {"": sorted(value, key=repr)}
            if kind not in known:
                raise TypeError(f"facts cannot hold a {kind.__name__}")
            number = table[kind] = str(len(table))
        return {number: tuple(value)}

    return stand_in


def _builder(types: list[type[Any]]) -> Callable[[Any], Any]:
    makers: dict[str, Callable[[list[Any]], Any]] = {str(i): kind._make for i, kind in enumerate(types)}
    makers[""] = frozenset

    def build(value: Any) -> Any:
        kind = type(value)
        if kind is list:
            return tuple([build(v) if type(v) in _DEEP else v for v in value])
        if kind is not dict:
            return value
        ((number, fields),) = value.items()
        if number not in makers:
            raise ValueError("a type that is not in the table")
        return makers[number]([build(v) if type(v) in _DEEP else v for v in fields])

    return build


def _symbol(
    qual: Any, kind: Any, name: Any, start: Any, end: Any, own: Any, own_hash: Any, signature: Any, parent: Any
) -> SymbolFact:
    if kind not in _KINDS:
        raise ValueError(f"no kind of symbol: {kind!r}")
    first, last = _ints((start, end))
    above = None if parent is None else _str(parent)
    return SymbolFact(_str(qual), kind, _str(name), first, last, _spans(own), _str(own_hash), _str(signature), above)


def _str(value: Any) -> str:
    if type(value) is not str:
        raise TypeError(f"text expected, found {type(value).__name__}")
    return value


def _strs(values: Any) -> tuple[str, ...]:
    if {*map(type, values)} - {str}:
        raise TypeError("texts expected")
    return tuple(values)


def _rows(columns: Any, width: int) -> list[Any]:
    """Columns of texts as rows of ``width``; no column at all is no row."""
    if len(columns) not in (0, width):
        raise ValueError(f"{width} columns expected, found {len(columns)}")
    return [*zip(*map(_strs, columns), strict=True)]


def _ints(values: Any) -> tuple[int, ...]:
    if {*map(type, values)} - {int}:
        raise TypeError("whole numbers expected")
    return tuple(values)


def _spans(values: Any) -> tuple[tuple[int, int], ...]:
    return tuple([(first, last) for first, last in map(_ints, values)])

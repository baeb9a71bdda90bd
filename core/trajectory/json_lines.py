"""Stage 1, the lowest layer: bytes of a JSON-lines file become records (JSON objects with a ``type``).

In: raw lines. Out: (line number, record) pairs, and a ``Tally`` of what was read, skipped and repaired.
Real files join two objects on one line, hold ``//`` comments, blank lines, NUL runs and a cut last
line, carry invalid UTF-8 and lone surrogates; all of it is settled here, once, so that nothing behind
this module ever sees text that cannot be stored.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from core.errors import NoStep
from core.trajectory.steps import Skipped

Record = dict[str, Any]

MAX_LINE = 1 << 28
"""Longest line that is parsed, in bytes; the reader cuts a longer one to this length."""

_DECODER = json.JSONDecoder(strict=False)
# A write cut off by a crash is continued by the next record on the same line. Only records start with
# this key, and inside a JSON string its quotes would be escaped, so it is safe to start again there.
_RECORD_START = re.compile(r'\{"parentUuid"')
_MAX_RESTARTS = 20  # each costs a pass over the line: a hostile line must not cost its square
_NUL_REMOVED = "text:NUL removed"
_SURROGATE = re.compile("[\ud800-\udfff]")
_NOT_IN_AN_ID = re.compile(r"[^A-Za-z0-9._-]")


@dataclass(frozen=True, slots=True)
class Source:
    """One file to parse: its ``name`` without the folder, and its raw lines, readable once."""

    name: str
    lines: Iterable[bytes]


@dataclass(slots=True)
class Tally:
    """What reading has met so far: lines that count, lines not used, and repairs or meaningless things by name."""

    lines: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)


def read_records(source: Source, tally: Tally) -> Iterator[tuple[int, Record]]:
    """Each record of ``source`` with its 1-based line number, in file order; O(bytes), one line in memory at a time.

    Blank and ``//`` lines are not counted in ``tally.lines``; every counted line yields a record, is
    skipped with a reason, or both (a joined line with a broken end).
    """
    number = 0
    for line in source.lines:
        number += 1
        if number == 1:
            line = line.strip().removeprefix(b"\xef\xbb\xbf").strip()
        if line[:1] != b"{" and (not line or line.isspace() or line.lstrip().startswith(b"//")):
            continue
        tally.lines += 1
        values, why = _decode(line, tally.unknown)
        line = b""  # a long one is not held while its records are worked on
        for value in values:
            if not isinstance(value, dict):
                why = why or f"not an object: {_json_name(value)}"
            elif not isinstance(value.get("type"), str):
                why = why or "an object without a type"
            else:
                yield number, value
        if why:
            tally.skipped.append(Skipped(source.name, number, why))


def whole_objects(lines: Iterable[bytes]) -> Iterator[Record]:
    """The JSON objects among ``lines`` that stand on one line each; what is none, or cut, is passed over."""
    for line in lines:
        line = line.strip()
        if line[:1] == b"{" and line[-1:] == b"}":
            try:
                yield orjson.loads(line)
            except orjson.JSONDecodeError:
                continue


def read_document(source: Source, tally: Tally) -> Any:
    """The one JSON value of a source that is not JSON lines, cleaned as records are; O(bytes), all in memory.

    Raises NoStep, with the reason, when there is none, when it is broken or longer than ``MAX_LINE``. What stands
    behind the first value is counted as skipped.
    """
    size, lines = 0, []
    for line in source.lines:
        size += len(line)
        if size >= MAX_LINE:
            raise NoStep(f"longer than {MAX_LINE >> 20} MB, which is the most that is read of one JSON document")
        lines.append(line)
    data = b"".join(lines).strip().removeprefix(b"\xef\xbb\xbf").strip()
    if not data.strip(b"\0 \t\r\n"):
        raise NoStep("only blank")
    values, why = _decode(data, tally.unknown)
    if not values:
        raise NoStep(f"one JSON document, but {why or 'empty'}")
    if why or len(values) > 1:
        tally.skipped.append(
            Skipped(source.name, 1, why or f"{len(values) - 1} more JSON values behind the first, which alone is read")
        )
    return values[0]


def _decode(line: bytes, unknown: Counter[str]) -> tuple[list[Any], str]:
    """The JSON values on one line and, when some of it could not be read, why."""
    has_nul = b"\0" in line
    try:
        value = orjson.loads(line.replace(b"\0", b"") if has_nul else line)
    except orjson.JSONDecodeError:
        stripped = line.strip()  # JSON itself knows fewer blanks
        return _decode_hard(line, unknown) if len(stripped) == len(line) else _decode(stripped, unknown)
    if has_nul or b"\\u0000" in line:
        return _cleaned([value], unknown, {_NUL_REMOVED} if has_nul else set())
    return [value], ""


def _decode_hard(line: bytes, unknown: Counter[str]) -> tuple[list[Any], str]:
    """As ``_decode`` for what the strict parser refuses: joined objects, surrogates, bad UTF-8, broken tails."""
    if len(line) >= MAX_LINE:
        return [], f"longer than {MAX_LINE >> 20} MB"
    repairs = set()
    if b"\0" in line:
        repairs.add(_NUL_REMOVED)
        line = line.replace(b"\0", b"")
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        repairs.add("text:invalid UTF-8 replaced")
        text = line.decode("utf-8", "replace")
    values: list[Any] = []
    why = "" if text.strip() else "only NUL bytes"
    at, restarts = 0, 0
    while at < len(text):
        try:
            value, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            why = why or _why_broken(error, at)
            start = _RECORD_START.search(text, at + 1)
            restarts += 1
            if start is None or restarts > _MAX_RESTARTS:
                break
            at = start.start()
            continue
        values.append(value)
        while at < len(text) and text[at].isspace():
            at += 1
    cleaned, too_deep = _cleaned(values, unknown, repairs)
    return cleaned, why or too_deep


def _why_broken(error: Exception, at: int) -> str:
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return f"broken JSON at character {getattr(error, 'pos', at) + 1}: {getattr(error, 'msg', 'number too long')}"


def _cleaned(values: list[Any], unknown: Counter[str], repairs: set[str]) -> tuple[list[Any], str]:
    try:
        return [_clean(value, repairs) for value in values], ""
    except RecursionError:
        return [], "nested too deeply"
    finally:
        unknown.update(repairs)


def _clean(value: Any, repairs: set[str]) -> Any:
    """``value`` with every text free of NUL and lone surrogates; names of the repairs made are added to ``repairs``."""
    if isinstance(value, str):
        if "\0" in value:
            repairs.add(_NUL_REMOVED)
            value = value.replace("\0", "")
        if _SURROGATE.search(value):
            repairs.add("text:lone surrogate replaced")
            value = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return value
    if isinstance(value, dict):
        return {_clean(key, repairs): _clean(item, repairs) for key, item in value.items()}
    if isinstance(value, list):
        return [_clean(item, repairs) for item in value]
    return value


def _json_name(value: Any) -> str:
    names = {str: "a string", list: "an array", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), "null")


def compact(value: Any) -> str:
    """``value`` as JSON without spaces, keys in the order given; "" for what cannot be written (nested too deeply)."""
    try:
        return orjson.dumps(value).decode()
    except (TypeError, ValueError):
        pass
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return ""


def make_run_id(session_id: str, first: Record) -> str:
    """``session_id`` (made safe, at most 80 characters) + "-" + 8 hex of a hash of the first non-empty record.

    The hash is over the record's values, not its bytes: spacing, key order and line ends do not change it.
    """
    try:
        text = json.dumps(first, sort_keys=True)
    except (TypeError, ValueError, RecursionError):
        text = ""
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    return f"{_NOT_IN_AN_ID.sub('_', session_id)[:80] or 'run'}-{digest}"

"""Stage 1, the door: files on disk -> one Trajectory a run. EDGE: the only file of this stage that opens files.

In: paths a person gave. ``discover`` groups them into runs, ``load`` reads one run. The format is decided by
the content of a file, never by its name or by what its metadata claims. A new format is one module with
``sniff`` and ``parse`` and one line in ``PARSERS``. Files packed with gzip or zstd are read through their
packing, up to ``MAX_UNPACKED`` bytes.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Protocol

import orjson

from core.errors import InputError, NoStep, NotATranscript
from core.trajectory import claude_code, codex, mini_swe_agent, openhands, swe_agent
from core.trajectory.json_lines import MAX_LINE, Source
from core.trajectory.run_files import FileHead, RunFiles, group_runs, session_folder
from core.trajectory.steps import Trajectory
from core.trajectory.streams import BUFFER, Meter, is_packed, skip, unpacked

__all__ = ["PARSERS", "Parser", "RunFiles", "discover", "grows", "load", "load_bytes", "load_streams"]

_HEAD = 1 << 18
_SUFFIXES = (".jsonl", ".ndjson", ".json", ".traj")
_MAX_ROWS = 100_000
_TEXT_CONTROLS = frozenset(b"\t\n\r\f\x1b")


class Parser(Protocol):
    """What a format module offers."""

    def sniff(self, head: bytes) -> bool:
        """Whether ``head``, the first bytes of a file, is of this format."""

    def parse(self, main: Source | None, agents: Sequence[Source] = ()) -> Trajectory:
        """The run these sources hold; ``size`` and ``content_hash`` are left for ``load`` to fill in."""


PARSERS: dict[str, Parser] = {
    claude_code.FORMAT: claude_code,
    codex.FORMAT: codex,
    mini_swe_agent.FORMAT: mini_swe_agent,
    swe_agent.FORMAT: swe_agent,
    openhands.FORMAT: openhands,
}


def discover(paths: Iterable[Path]) -> tuple[RunFiles, ...]:
    """The runs the given files and folders hold, sorted by path; one a run, never one a sub-agent's file.

    Folders are walked without following links and without hidden entries; a file of an unusual name counts
    there only if its content is a transcript's. A session given alone brings its sub-agents' files from
    beside it and from ``<session>/subagents``. A path that does not exist is returned too: ``load`` says so.
    """
    heads: dict[str, FileHead] = {}
    for path in paths:
        found = _walk(path) if os.path.isdir(path) else [path]
        for file in found:
            name = os.path.abspath(file)
            if name not in heads:
                heads[name] = _file_head(file)
    for head in [head for head in heads.values() if not head.is_agent and head.session]:
        for file in _beside(head):
            name = os.path.abspath(file)
            if name not in heads:
                beside = _file_head(file)
                if beside.is_agent:
                    heads[name] = beside
    return group_runs(heads.values(), _mentions)


def load(files: RunFiles, progress: Callable[[float], None] | None = None) -> Trajectory:
    """The run in ``files``; ``progress`` is told the part read, from 0 to 1, about once a megabyte.

    Raises NotATranscript with the reason (its ``skip`` tells skipped from refused), InputError when a file
    cannot be read. One file is open, and a block of it and one line in memory at a time, besides what the steps keep.
    """
    # An empty session file tells nothing, but its sub-agents' files may.
    main = files.main if files.main is not None and (_read_head(files.main).strip() or not files.agents) else None
    agents = [path for path in files.agents if path != main]
    parser = _parser_for(_read_head(main or agents[0]))
    meter = Meter(sum(_size(path) for path in (files.main, *agents) if path is not None), progress)
    sources = [Source(path.name, _lines(path, files, meter)) for path in (main, *agents) if path is not None]
    try:
        parsed = parser.parse(sources[0] if main else None, sources[1:] if main else sources)
    except OSError as error:
        raise InputError(f"{files.path}: cannot be read ({error.strerror})") from error
    return _measured(parsed, meter)


def _lines(path: Path, files: RunFiles, meter: Meter) -> Iterator[bytes]:
    """The lines of one file of a run, opened when the first is asked for; of a file of rows the run's own."""
    with _open(path) as handle:
        if files.row:
            skip(handle, files.offset)
            yield from meter.row(handle)
        else:
            yield from meter.lines(handle)


def grows(path: Path) -> bool:
    """Whether a file may be JSON lines that a running agent adds to at the end; packed files and documents are not."""
    head = _read_head(path)
    documents = (parser for name, parser in PARSERS.items() if name not in (claude_code.FORMAT, codex.FORMAT))
    with path.open("rb") as handle:
        packed = is_packed(handle.read(4))
    return not packed and not any(parser.sniff(head) for parser in documents)


def load_streams(streams: Sequence[tuple[str, BinaryIO]], has_main: bool) -> Trajectory:
    """As ``load``, for files already open: (name, handle) of the session's own when ``has_main``, then of its agents'.

    Raises NotATranscript with the reason.
    """
    heads = []
    for _, handle in streams:
        heads.append(handle.read(_HEAD))
        handle.seek(0)
    main = has_main and (bool(heads[0].strip()) or len(streams) == 1)
    used = streams if main or not has_main else streams[1:]
    parser = _parser_for(heads[len(streams) - len(used)])
    meter = Meter(0, None)
    sources = [Source(name, meter.lines(handle)) for name, handle in used]
    return _measured(parser.parse(sources[0] if main else None, sources[1:] if main else sources), meter)


def load_bytes(name: str, data: bytes) -> Trajectory:
    """As ``load``, for one file handed over as bytes (an upload); ``name`` is shown, never trusted."""
    with unpacked(io.BytesIO(data), name) as handle:
        head = handle.read(_HEAD)
    parser = _parser_for(head)
    meter = Meter(len(data), None)
    handle = unpacked(io.BytesIO(data), name)
    source = Source(Path(name).name, meter.lines(handle))
    is_agent = _agent_head(head)[0]
    return _measured(parser.parse(None, [source]) if is_agent else parser.parse(source), meter)


def _measured(parsed: Trajectory, meter: Meter) -> Trajectory:
    """``parsed`` with the size and hash of what was read; raises NoStep when there is no step in it."""
    if not parsed.steps:
        raise _no_step(parsed)
    meter.done()
    return replace(parsed, size=meter.size, content_hash=meter.content_hash)


def _no_step(parsed: Trajectory) -> NotATranscript:
    types = {name.removeprefix("type:"): n for name, n in parsed.unknown if name.startswith("type:")}
    if set(types) == {"summary"} and not parsed.skipped:
        return NotATranscript("only a summary")
    others = sorted(types) + sorted({name.split(":")[0] for name, _ in parsed.unknown if not name.startswith("type:")})
    of = f" of types {', '.join(others)}" if others else ""
    unusable = f", {len(parsed.skipped)} of them not usable" if parsed.skipped else ""
    return NoStep(f"no step in it: {parsed.lines} line{'s' if parsed.lines != 1 else ''}{of}{unusable}")


def _parser_for(head: bytes) -> Parser:
    for parser in PARSERS.values():
        if parser.sniff(head):
            return parser
    raise NotATranscript(_why_not(head))


def _why_not(head: bytes) -> str:
    """Why no parser takes a file that starts with ``head``, for a person."""
    if not head:
        return "empty file"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "not JSON lines: UTF-16 text; save it as UTF-8"
    head = head.removeprefix(b"\xef\xbb\xbf")
    if not head.strip(b"\0 \t\r\n"):
        return "only blank"
    if sum(byte < 32 and byte not in _TEXT_CONTROLS for byte in head[:4096]) > len(head[:4096]) // 50:
        return "not JSON lines: looks binary"
    first = next(line.strip() for line in head.split(b"\n") if line.strip())
    try:
        value = orjson.loads(first)
    except orjson.JSONDecodeError:
        if head.lstrip()[:1] in (b"{", b"["):
            return "JSON, but of no transcript format known here"
        return "not JSON lines: looks like plain text"
    if isinstance(value, dict):
        keys = ", ".join(sorted(str(key)[:30] for key in value)[:6])
        return f"JSON, but of no transcript format known here (keys {keys})"
    return "JSON, but of no transcript format known here"


def _walk(folder: Path) -> Iterator[Path]:
    """The files under ``folder`` that may be transcripts, sorted; links and hidden entries are left out."""
    for root, names, files in os.walk(folder):
        names[:] = sorted(name for name in names if not name.startswith("."))
        for name in sorted(files):
            path = Path(root, name)
            if name.startswith(".") or path.is_symlink() or not path.is_file():
                continue
            # Beside sub-agents' files the client keeps notes about them, which are no runs.
            if session_folder(path) is not None:
                if _file_head(path).is_agent:
                    yield path
            elif name.endswith(_SUFFIXES) or _looks_like_a_run(path):
                yield path


def _looks_like_a_run(path: Path) -> bool:
    """Whether the content of a file of an unusual name is a transcript's; most files are settled by a few bytes."""
    if _head_or_nothing(path, 64).lstrip()[:1] not in (b"{", b"[", b"/"):
        return False
    return any(parser.sniff(_head_or_nothing(path)) for parser in PARSERS.values())


def _beside(main: FileHead) -> Iterator[Path]:
    """Files that may be of the sub-agents of the session ``main``."""
    folder = main.path.parent
    try:
        yield from sorted(path for path in folder.glob("agent-*.jsonl") if path.is_file() and not path.is_symlink())
    except OSError:
        return
    for name in sorted({main.path.stem, Path(main.session).name} - {""}):
        yield from (path for path in _walk(folder / name / "subagents"))


def _file_head(path: Path) -> FileHead:
    head = _head_or_nothing(path)
    is_agent, session, agent = _agent_head(head)
    if openhands.is_rows(head):
        return FileHead(path, rows=_rows(path))
    named_so = session_folder(path) is not None and path.name.startswith("agent-") and path.suffix == ".jsonl"
    return FileHead(path, session, is_agent or named_so, agent)


def _agent_head(head: bytes) -> tuple[bool, str, str]:
    """Whether ``head`` is of a sub-agent's own file, the session it names, and the agent's id."""
    return codex.is_agent_file(head) if codex.sniff(head) else claude_code.is_agent_file(head)


def _rows(path: Path) -> tuple[tuple[int, int], ...]:
    """(Number, offset) of every row of a file that holds a run a row; () when there are too many to list."""
    rows: list[tuple[int, int]] = []
    try:
        with _open(path) as handle:
            at, number, ended = 0, 0, True
            while line := handle.readline(MAX_LINE):
                number += ended
                if ended and line.strip():
                    rows.append((number, at))
                ended = line.endswith(b"\n")
                at += len(line)
    except InputError:
        return ()
    return tuple(rows) if len(rows) <= _MAX_ROWS else ()


def _mentions(path: Path, word: str) -> bool:
    """Whether a file holds ``word``; read in pieces that overlap by its length."""
    needle, kept = word.encode("utf-8", "replace"), b""
    try:
        with _open(path) as handle:
            while piece := handle.read(1 << 20):
                if needle in kept + piece:
                    return True
                kept = piece[-len(needle) :]
    except (OSError, InputError):
        pass
    return False


def _head_or_nothing(path: Path, size: int = _HEAD) -> bytes:
    try:
        return _read_head(path, size)
    except InputError:
        return b""


def _read_head(path: Path, size: int = _HEAD) -> bytes:
    with _open(path) as handle:
        return handle.read(size)


def _open(path: Path) -> BinaryIO:
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"{path}: not a file")
        return unpacked(path.open("rb", buffering=BUFFER), str(path))
    except (OSError, ValueError) as error:  # a name with a NUL is a ValueError
        why = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{str(path)[:1000]}: cannot be read ({why})") from error


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0

"""Is this installation fit to work, and who is at the database? In: a database. Out: ``Finding`` lines."""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import platform
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.analysis import ANALYSIS_VERSION
from core.errors import StateTapeError
from core.tokens import RANK_FILE, RANK_SHA256, count_tokens
from storage.database import open_engine, probe
from storage.export import list_runs
from storage.place import locate, shown
from storage.schema import SCHEMA_VERSION

_REQUIREMENTS = Path(__file__).resolve().parents[1] / "requirements.txt"
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. ``state``: ok, missing (works with less), busy (for the moment), bad (must be repaired)."""

    what: str
    state: str
    says: str


def examine(target: str | None = None) -> list[Finding]:
    """Everything worth knowing, in a fixed order; creates and changes nothing."""
    return [*_versions(), *_rank_file(), *_grammars(), _chromium(), *_database(target)]


def _versions() -> Iterator[Finding]:
    yield Finding("statetape", "ok", f"analysis {ANALYSIS_VERSION}, schema {SCHEMA_VERSION}")
    yield Finding("python", "ok", platform.python_version())
    for line in _REQUIREMENTS.read_text(encoding="utf-8").splitlines():
        pinned = re.match(r"([A-Za-z0-9_.-]+)==([^\s#;]+)", line)
        if not pinned or pinned[1].startswith("tree-sitter-"):
            continue
        name, wanted = pinned.groups()
        try:
            found = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            yield Finding(name, "missing", f"not installed, {wanted} expected")
            continue
        note = "" if found == wanted else f", tested with {wanted}"
        yield Finding(name, "ok", f"{found}{note}")


def _rank_file() -> Iterator[Finding]:
    try:
        digest = hashlib.sha256(RANK_FILE.read_bytes()).hexdigest()
        counted = count_tokens("hello world")
    except (OSError, StateTapeError) as error:
        yield Finding("rank file", "bad", str(error))
        return
    good = digest == RANK_SHA256 and counted == 2
    yield Finding("rank file", "ok" if good else "bad", f"{RANK_FILE.name} sha256 {digest}")


def _grammars() -> Iterator[Finding]:
    names = re.findall(r"^(tree-sitter-[a-z-]+)==", _REQUIREMENTS.read_text(encoding="utf-8"), re.MULTILINE)
    for name in sorted(names):
        try:
            importlib.import_module(name.replace("-", "_"))
            yield Finding(f"grammar {name.removeprefix('tree-sitter-')}", "ok", importlib.metadata.version(name))
        except (ImportError, OSError) as error:
            yield Finding(f"grammar {name.removeprefix('tree-sitter-')}", "missing", str(error))


def _chromium() -> Finding:
    found = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if found is None:
        return Finding("chromium", "missing", "no picture export and no browser tests; pages offer HTML instead")
    return Finding("chromium", "ok", found)


def _database(target: str | None) -> Iterator[Finding]:
    try:
        url = locate(target)
    except StateTapeError as error:
        yield Finding("database", "bad", str(error))
        return
    lock = probe(target)
    holder = f"{lock.holder or 'a process'}{f' (process {lock.pid})' if lock.pid else ''}"
    says = {
        "missing": "not there yet; the first ingest makes it",
        "free": "nobody holds it",
        "read": f"being read by {holder}",
        "write": f"being written by {holder}: an ingest is in progress",
        "server": "a server; it does the locking",
        "unusable": lock.why,
    }
    state = {"unusable": "bad", "write": "busy", "read": "busy"}.get(lock.state, "ok")
    yield Finding("database lock", state, says[lock.state])
    if lock.state in {"missing", "unusable", "write"}:
        yield Finding("database", "bad" if lock.state == "unusable" else "ok", shown(url))
        return
    try:
        runs = list_runs(open_engine(target, create=False))
    except StateTapeError as error:
        yield Finding("database", "bad", str(error))
        return
    yield Finding("database", "ok", f"{shown(url)}: {len(runs)} run{'' if len(runs) == 1 else 's'}")

"""Replay, EDGE: a commit of a local git repository as the base, read with dulwich; no git process, no network.

In: ``PATH@REV`` (a work tree, a bare directory or a folder inside one) or, for ``auto:``, a path and the run. Out:
``Base``. ``auto`` compares blob hashes of what the run saw first with every commit's tree, each subtree once.
"""

from __future__ import annotations

import hashlib
import re
import stat
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dulwich.errors import NotGitRepository
from dulwich.objects import Blob, Commit, Tag, Tree
from dulwich.refs import SymrefLoop
from dulwich.repo import Repo

from core.errors import BaseError
from core.replay.base import MAX_FILE, Base, Files, is_kept
from core.replay.evidence import FirstSight, first_sights
from core.trajectory.steps import Trajectory

_STEP = re.compile(r"([~^])(\d*)")
_HEX = re.compile(r"[0-9a-f]{4,40}")


@dataclass(slots=True, weakref_slot=True)
class Repository:
    """An open repository and the folder of it that is the base ("" = all)."""

    repo: Any
    inside: str = ""
    trees: dict[bytes, dict[str, tuple[int, bytes]]] = field(default_factory=dict)

    def entries(self, sha: bytes) -> dict[str, tuple[int, bytes]]:
        """The entries of a tree, name -> (mode, id), each tree read once."""
        if sha not in self.trees:
            with _sound(self.repo):
                tree = self.repo[sha]
                items = list(tree.iteritems()) if isinstance(tree, Tree) else []
                self.trees[sha] = {e.path.decode("utf-8", "replace"): (int(e.mode), bytes(e.sha)) for e in items}
        return self.trees[sha]

    def read(self, sha: bytes) -> Any:
        """The object, None where there is none (a shallow or partial clone). Raises BaseError for a damaged one."""
        with _sound(self.repo):
            try:
                return self.repo[sha]
            except KeyError:
                return None

    def data(self, sha: bytes) -> bytes | None:
        """The bytes of a file; None for one that is not there, is no file or is over MAX_FILE."""
        with _sound(self.repo):
            blob = self.read(sha)
            data = bytes(blob.data) if isinstance(blob, Blob) else None
        return data if data is None or len(data) <= MAX_FILE else None


@contextmanager
def _sound(repo: Any) -> Iterator[None]:
    """What dulwich meets in a damaged repository (zlib, struct, assertions, its own) as one BaseError."""
    try:
        yield
    except BaseError:
        raise
    except Exception as error:
        why = (str(error).splitlines() or [""])[0][:100]
        raise BaseError(
            f"base {repo.path}: a damaged git repository ({type(error).__name__}: {why}); `git fsck` says what is lost"
        ) from error


def commit(spec: str, rest: str) -> Base:
    """The base ``git:PATH@REV``; no ``@`` means HEAD."""
    path, rev = split_spec(rest)
    repository = _open(spec, path, rest)
    sha = resolve(repository, rev)
    if sha is None:
        raise BaseError(
            f"base {spec!r}: no commit {rev!r} in {path}; give a hash, branch or tag that `git log` there knows"
        )
    return _base(spec, repository, sha)


def split_spec(rest: str) -> tuple[str, str]:
    """PATH and REV, split at the last ``@`` that ``{`` does not follow; REV is HEAD when there is none."""
    at = len(rest)
    while (at := rest.rfind("@", 0, at)) > 0:
        if rest[at + 1 : at + 2] != "{":
            return rest[:at], rest[at + 1 :] or "HEAD"
    return rest, "HEAD"


def _open(spec: str, path: str, given: str) -> Repository:
    if "://" in given or re.match(r"[\w.-]+@[\w.-]+:", given):
        raise BaseError(f"base {spec!r}: a URL is never fetched; clone it and give the folder")
    folder = Path(path)
    if not folder.is_dir():
        raise BaseError(
            f"base {spec!r}: no folder {path!r}; give a work tree, a bare repository or a folder inside one"
        )
    folder = folder.resolve()
    for root in (folder, *folder.parents):
        try:
            repo = Repo(str(root))
        except NotGitRepository:
            continue
        except Exception as error:  # its configuration is broken in one of many ways: the folder above is not meant
            why = (str(error).splitlines() or [type(error).__name__])[0]
            raise BaseError(f"base {spec!r}: {root} is a git repository that cannot be opened ({why})") from error
        repository = Repository(repo, folder.relative_to(root).as_posix() if folder != root else "")
        if repository.inside.startswith(".git"):
            repository.inside = ""
        weakref.finalize(repository, repo.close)
        return repository
    raise BaseError(f"base {spec!r}: {path!r} is not inside a git repository")


def resolve(repository: Repository, rev: str) -> bytes | None:
    """The commit id a revision names: (abbreviated) hash, branch, tag, remote branch, with ``~n`` and ``^n``."""
    match = re.match(r"([^~^@]+|@)((?:[~^]\d*)*)$", rev)
    if match is None:
        return None
    sha = _named(repository, "HEAD" if match[1] == "@" else match[1])
    for step in _STEP.finditer(match[2]):
        count = int(step[2]) if step[2] else 1
        if count > 100_000:
            return None
        for _ in range(count if step[1] == "~" else min(count, 1)):
            sha = _parent(repository, sha, count if step[1] == "^" else 1)
    return sha


def _parent(repository: Repository, sha: bytes | None, number: int) -> bytes | None:
    commit = _commit(repository, sha)
    with _sound(repository.repo):
        parents = commit.parents if commit is not None else []
    return parents[number - 1] if len(parents) >= number else None


def _commit(repository: Repository, sha: bytes | None) -> Any:
    """The commit object behind ``sha``, tags peeled; None when there is none."""
    for _ in range(10):
        found = repository.read(sha) if sha is not None else None
        if isinstance(found, Commit):
            return found
        if not isinstance(found, Tag):
            return None
        with _sound(repository.repo):
            sha = found.object[1]
    return None


def _named(repository: Repository, name: str) -> bytes | None:
    for prefix in ("", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"):
        found = _commit(repository, _ref(repository, (prefix + name).encode("utf-8", "replace")))
        if found is not None:
            return bytes(found.id)
    if _HEX.fullmatch(name) is None:
        return None
    if len(name) == 40:
        found = _commit(repository, name.encode())
        return bytes(found.id) if found is not None else None
    with _sound(repository.repo):
        matches = {bytes(sha) for sha in repository.repo.object_store.iter_prefix(name.encode())}
    commits = [sha for sha in sorted(matches) if _commit(repository, sha) is not None]
    return commits[0] if len(commits) == 1 else None


def _base(spec: str, repository: Repository, sha: bytes, matched: int = 0, compared: int = 0) -> Base:
    def at(rev: str) -> Mapping[str, str] | None:
        found = resolve(repository, rev)
        return _files(repository, found) if found is not None and _HEX.match(rev) else None

    def walk(rev: str) -> Mapping[str, str] | None:
        # HEAD of the run is the base commit, whatever the repository's own HEAD is now.
        if re.match(r"(HEAD|@)([~^]|$)", rev):
            rev = sha.decode() + rev[4 if rev.startswith("HEAD") else 1 :]
        return at(rev)

    label = f"commit {sha.decode()[:12]}"
    return Base(spec, label, _files(repository, sha), True, walk, matched, compared)


def _files(repository: Repository, sha: bytes) -> Files:
    blobs = dict(_walk(repository, _root_tree(repository, sha), ""))

    def load(path: str) -> bytes | None:
        return repository.data(blobs[path])

    return Files(blobs, load)


def _root_tree(repository: Repository, sha: bytes) -> bytes | None:
    """The tree of a commit, or of the folder of it that is the base."""
    commit = _commit(repository, sha)
    with _sound(repository.repo):
        tree: bytes | None = bytes(commit.tree) if commit is not None else None
    for part in repository.inside.split("/") if repository.inside else ():
        mode, inner = repository.entries(tree).get(part, (0, b"")) if tree else (0, b"")
        tree = inner if stat.S_ISDIR(mode) else None
    return tree


def _walk(repository: Repository, tree: bytes | None, prefix: str) -> Iterator[tuple[str, bytes]]:
    if tree is None or prefix.count("/") > 60:
        return
    for name, (mode, sha) in repository.entries(tree).items():
        path = prefix + name
        if not is_kept(path):
            continue
        if stat.S_ISDIR(mode):
            yield from _walk(repository, sha, path + "/")
        elif stat.S_ISREG(mode):
            yield path, sha


def auto(spec: str, path: str, trajectory: Trajectory) -> Base:
    """The commit of PATH whose files match most of what the run saw first; ties: most whole files, named by the run,
    then the newest before the run began, then the newest of all. Raises BaseError when nothing matches."""
    repository = _open(spec, path, path)
    sights = first_sights(trajectory)
    commits = _commits(repository)
    if not commits:
        raise BaseError(f"base {spec!r}: {path} has no commits")
    hint = resolve(repository, trajectory.base_hint) if trajectory.base_hint else None
    before = _seconds(trajectory.started)
    scorer = _Scorer(repository, sights)
    best: tuple[tuple[int, int, bool, bool, int], bytes, int] | None = None
    for sha, time in commits:
        whole, partial = scorer.score(sha)
        rank = (whole + partial, whole, sha == hint, before is None or time <= before, time)
        if best is None or rank > best[0]:
            best = (rank, sha, whole + partial)
    if best is None or (best[2] == 0 and hint is None):
        raise BaseError(f"base {spec!r}: no commit of {path} matches any of the {len(sights)} files the run saw first")
    base = _base(spec, repository, best[1], best[2], len(sights))
    label = f"{base.label}, matches {best[2]} of {len(sights)} first-seen files"
    return Base(spec, label, base.files, True, base.at, best[2], len(sights))


def _seconds(time: str) -> int | None:
    from datetime import datetime

    try:
        return int(datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp())
    except ValueError:
        return None


def _commits(repository: Repository) -> list[tuple[bytes, int]]:
    """Every commit reachable from any ref, with its time, in the order of ids."""
    with _sound(repository.repo):
        names = sorted(repository.repo.refs.allkeys())
    pending = [bytes(c.id) for name in names for c in [_commit(repository, _ref(repository, name))] if c is not None]
    seen: dict[bytes, int] = {}
    while pending:
        sha = pending.pop()
        if sha in seen:
            continue
        commit = _commit(repository, sha)
        if commit is None:
            continue
        with _sound(repository.repo):
            seen[bytes(sha)] = int(commit.commit_time)
            pending.extend(bytes(parent) for parent in commit.parents)
    return sorted(seen.items())


def _ref(repository: Repository, name: bytes) -> bytes | None:
    """The id a ref holds; None for one that is not there, holds no id, or leads to itself."""
    try:
        sha = bytes(repository.repo.refs[name])
    except (KeyError, ValueError, OSError, SymrefLoop):
        return None
    return sha if re.fullmatch(rb"[0-9a-f]{40}", sha) else None


@dataclass(slots=True)
class _Scorer:
    """How many first sights the tree of a commit agrees with; subtrees and blobs are looked at once."""

    repository: Repository
    sights: tuple[FirstSight, ...]
    hashes: list[frozenset[bytes]] = field(default_factory=list)
    paths: list[list[tuple[str, str | None]]] = field(default_factory=list)  # of each sight: first name, the rest
    found: dict[tuple[bytes, str], bytes | None] = field(default_factory=dict)
    agreed: dict[tuple[int, bytes], bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.hashes = [frozenset(_blob_ids(sight)) if sight.whole else frozenset() for sight in self.sights]
        self.paths = [[_split(path) for path in sight.candidates] for sight in self.sights]

    def score(self, sha: bytes) -> tuple[int, int]:
        """(whole files equal, partly seen files that agree)."""
        tree = _root_tree(self.repository, sha)
        entries = self.repository.entries(tree) if tree else {}
        whole = partial = 0
        for at, sight in enumerate(self.sights):
            blob = self._first(entries, at)
            if blob is None:
                continue
            if sight.whole:
                whole += blob in self.hashes[at]
            else:
                partial += self._agrees(at, sight, blob)
        return whole, partial

    def _first(self, entries: Mapping[str, tuple[int, bytes]], at: int) -> bytes | None:
        """The first candidate of a sight that is a file there. The root differs in every commit: of a path that does
        not begin with a name in it nothing more is looked at."""
        for head, tail in self.paths[at]:
            entry = entries.get(head)
            if entry is not None and (blob := self._under(entry, tail)) is not None:
                return blob
        return None

    def _under(self, entry: tuple[int, bytes], path: str | None) -> bytes | None:
        """The file at ``path`` below an entry of a tree; None means the entry itself."""
        mode, sha = entry
        if path is None:
            return sha if stat.S_ISREG(mode) else None
        if not stat.S_ISDIR(mode):
            return None
        key = (sha, path)
        if key not in self.found:
            head, tail = _split(path)
            inner = self.repository.entries(sha).get(head)
            self.found[key] = self._under(inner, tail) if inner is not None else None
        return self.found[key]

    def _agrees(self, at: int, sight: FirstSight, blob: bytes) -> bool:
        if (at, blob) not in self.agreed:
            data = self.repository.data(blob) or b""
            self.agreed[at, blob] = sight.agrees(data.decode("utf-8", "replace"))
        return self.agreed[at, blob]


def _split(path: str) -> tuple[str, str | None]:
    """The first name of a path, and the rest (None: there is none)."""
    head, slash, tail = path.partition("/")
    return head, tail if slash else None


def _blob_ids(sight: FirstSight) -> Iterator[bytes]:
    """The ids the blob may have: the final newline, and CRLF ends, cannot be seen in a view."""
    for end in ("\n", "\r\n"):
        text = end.join(sight.lines)
        for variant in (text + end, text) if sight.lines else ("",):
            data = variant.encode("utf-8", "surrogatepass")
            yield hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest().encode()

"""Replay: which file of the repository a path of the transcript names (METHOD 4, CONTRACT "Steps").

In: the absolute paths a run touched, its working folders, the paths of the base. Out: ``Roots``, which maps a path
to its key: relative to the repository root, with the name in front for another worktree, None outside.
A transcript's path is only ever compared with other text: nothing here touches the disk.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from core.trajectory.steps import Trajectory

# Folders whose files no base holds: what happens in them is not the repository's.
IGNORED = frozenset({".git", "node_modules", ".venv", "venv", "__pycache__", ".tox", ".mypy_cache", ".pytest_cache"})
_WORKTREE = re.compile(r"(^|[/._-])(worktrees?|trees)/")
_ALIASES = (("/private/tmp/", "/tmp/"), ("/private/var/", "/var/"))


@dataclass(frozen=True, slots=True)
class Roots:
    """The folders of the run that are the repository: (absolute folder, name), the main one with name ""."""

    roots: tuple[tuple[str, str], ...]

    @property
    def main(self) -> str:
        """The folder that is the base's root."""
        return next((folder for folder, name in self.roots if not name), "")

    def key(self, path: str) -> str | None:
        """The key of ``path``, None when it is outside the repository or in an ignored folder."""
        path = clean_path(path)
        for folder, name in self.roots:
            if folder and path.startswith(folder + "/"):
                inner = path[len(folder) + 1 :]
                parts = inner.split("/")
                if not inner or ".." in parts or "." in parts or IGNORED & set(parts):
                    return None
                return f"{name}/{inner}" if name else inner
        return None

    def folder_key(self, path: str) -> str | None:
        """As ``key`` for a folder: "" for the main root itself."""
        path = clean_path(path).rstrip("/")
        for folder, name in self.roots:
            if path == folder:
                return name
        return self.key(path)

    def foreign(self, key: str) -> bool:
        """Whether ``key`` belongs to another worktree, of which the base says nothing."""
        return any(name and key.startswith(name + "/") for _, name in self.roots)


def clean_path(path: str) -> str:
    """``path`` with forward slashes, without doubled ones, macOS's two names of /tmp and /var made one."""
    if "\\" in path and re.match(r"[A-Za-z]:[\\/]|\\\\", path):
        path = path.replace("\\", "/")
    if re.match(r"[A-Za-z]:/", path):
        path = "/" + path
    if "//" in path or "/./" in path or path.endswith("/."):
        path = "/" + posixpath.normpath(path).lstrip("/")
    for alias, real in _ALIASES:
        if path.startswith(alias):
            return real + path[len(alias) :]
    return path


def find_roots(trajectory: Trajectory, base_paths: Collection[str]) -> Roots:
    """The roots of a run: the main one maps the most touched paths into the base by their longest suffix.

    Without a base the run's own working folder is the root. Cost: touched paths times their depth.
    """
    touched = sorted(_touched(trajectory))
    folders = _folders(trajectory)
    main = _main(trajectory, touched, folders, base_paths)
    return _with_worktrees(trajectory, main, touched, folders, base_paths)


def _touched(trajectory: Trajectory) -> set[str]:
    paths: set[str] = set()
    for step in trajectory.steps:
        paths.update(clean_path(s.path) for s in step.shown if s.path)
        paths.update(clean_path(w.path) for w in step.writes if w.path and w.op != "git")
    return {p for p in paths if p.startswith("/")}


def _folders(trajectory: Trajectory) -> list[str]:
    """The working folders of the run, the first one first, each once."""
    given = [trajectory.cwd, *(step.cwd for step in trajectory.steps)]
    return list(dict.fromkeys(clean_path(folder).rstrip("/") for folder in given if folder))


def _main(trajectory: Trajectory, touched: list[str], folders: list[str], base_paths: Collection[str]) -> str:
    first = folders[0] if folders else ""
    if base_paths:
        votes: Counter[str] = Counter()
        for path in touched:
            root, depth = _implied(path, base_paths)
            if depth and (not folders or any(_related(root, folder) for folder in folders)):
                votes[root] += depth
        if votes:
            # Ties: the working folder itself, then the shallower root, then the name.
            return min(votes, key=lambda root: (-votes[root], root != first, len(root), root))
    if not first:
        return _common_folder([p for p in touched if not p.startswith(("/tmp/", "/var/", "/~/"))])
    above = [folder for folder in folders if first.startswith(folder + "/") and folder.count("/") >= 2]
    return min(above, key=len) if above else first


def _implied(path: str, base_paths: Collection[str]) -> tuple[str, int]:
    """The root that the longest suffix of ``path`` in the base implies, and how many parts that suffix has."""
    parts = path.strip("/").split("/")
    if len(parts) > 60:
        return "", 0
    for at in range(len(parts)):
        if "/".join(parts[at:]) in base_paths:
            return "/" + "/".join(parts[:at]) if at else "", len(parts) - at
    return "", 0


def _related(root: str, folder: str) -> bool:
    return root == folder or root.startswith(folder + "/") or folder.startswith(root + "/")


def _common_folder(paths: list[str]) -> str:
    folders = [posixpath.dirname(p) for p in paths]
    if not folders:
        return ""
    common = posixpath.commonpath(folders)
    return common if common != "/" else ""


def _with_worktrees(
    trajectory: Trajectory, main: str, touched: list[str], folders: list[str], base_paths: Collection[str]
) -> Roots:
    """Other roots: working folders and `git worktree add` targets that hold files of the same names as the base."""
    added = {folder for step in trajectory.steps for folder in _added(step.command, step.cwd)}
    inside = {p[len(main) + 1 :] for p in touched if main and p.startswith(main + "/")}
    known = base_paths or inside
    candidates = [f for f in [*folders, *sorted(added)] if f != main and not main.startswith(f + "/")]
    implied: Counter[str] = Counter()
    for path in touched:
        if main and path.startswith(main + "/"):
            continue
        root, depth = _implied(path, known)
        if depth >= 2 and not main.startswith(root + "/"):
            implied[root] += 1
    candidates += sorted(root for root, count in implied.items() if count >= 2 and root)
    roots = [(main, "")] if main else []
    taken = {p.split("/")[0] for p in inside} | {p.split("/")[0] for p in base_paths}
    for folder in dict.fromkeys(candidates):
        if any(folder == f or folder.startswith(f + "/") for f, _ in roots) and not _WORKTREE.search(folder):
            continue
        if main and folder.startswith(main + "/") and folder not in added and not _WORKTREE.search(folder[len(main) :]):
            continue
        shared = sum(p[len(folder) + 1 :] in known for p in touched if p.startswith(folder + "/"))
        if folder not in added and shared < (1 if _WORKTREE.search(folder) else 2):
            continue
        name = posixpath.basename(folder)
        while name in taken or name in IGNORED:
            name += ".worktree"
        taken.add(name)
        roots.append((folder, name))
    roots.sort(key=lambda root: (-len(root[0]), root))
    return Roots(tuple(roots))


def _added(command: str, cwd: str) -> Iterable[str]:
    if "worktree add" not in command:
        return
    words = command.split("worktree add", 1)[1].split()
    for word in words[:6]:
        if "/" in word and not word.startswith("-") and "$" not in word:
            yield clean_path(posixpath.normpath(posixpath.join(cwd or "/", word.strip("\"'"))))
            return

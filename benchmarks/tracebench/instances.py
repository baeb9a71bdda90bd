"""The instances of a SWE-EVO file, their repositories, and the two halves.

In: ``--instances FILE`` and ``--repos DIR``. Out: ``Task``s with base and patched texts. EDGE: reads both.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from core.replay.base_git import commit
from core.tracebench.hunks import Hunk
from core.tracebench.patch import read_patch, reference_hunks

Half = Literal["train", "test"]


@dataclass(frozen=True, slots=True)
class Instance:
    """One row of the file, as far as it is used."""

    id: str
    repo: str
    commit: str
    patch: str
    problem: str
    test_command: str
    failing: int


@dataclass(frozen=True)
class Task:
    """An instance with its repository: ``spec`` names the base for the product, texts are those of w_0."""

    instance: Instance
    spec: str
    texts: Mapping[str, str]

    @cached_property
    def hunks(self) -> tuple[Hunk, ...]:
        """The changed blocks of the reference patch in w_0, all files, by (path, line)."""
        hunks, _ = reference_hunks(read_patch(self.instance.patch), self.texts.get)
        return tuple(hunks)

    @cached_property
    def moves(self) -> dict[str, str]:
        """New paths of the files the patch renames, by their old paths."""
        files = read_patch(self.instance.patch).files
        return {f.old_path: f.new_path for f in files if f.old_path and f.new_path and f.old_path != f.new_path}

    @cached_property
    def patched(self) -> dict[str, str]:
        """The texts after the whole reference patch."""
        after = {self.moves.get(path, path): text for path, text in self.texts.items()}
        for hunk in self.hunks:
            if hunk.new_text is None:
                after.pop(hunk.path, None)
        for hunk in self.hunks:
            if hunk.new_text is not None:
                after[hunk.new_path or hunk.path] = hunk.new_text
        return after


def read_instances(path: Path) -> tuple[Instance, ...]:
    """The instances of a JSONL file, by id."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    found = [
        Instance(
            id=row["instance_id"],
            repo=row["repo"],
            commit=row["base_commit"],
            patch=row["patch"],
            problem=row.get("problem_statement") or row["instance_id"],
            test_command=(row.get("test_cmds") or "pytest").strip(),
            failing=_count(row),
        )
        for row in rows
    ]
    return tuple(sorted(found, key=lambda i: i.id))


def repository(repos: Path, repo: str) -> Path | None:
    """The git repository of ``owner/name`` below ``repos``: owner+name/repo, owner+name, owner/name or name."""
    flat = repo.replace("/", "+")
    for name in (f"{flat}/repo", flat, repo, repo.split("/")[1]):
        folder = repos / name
        if (folder / "objects").is_dir() or (folder / ".git").exists():
            return folder
    return None


def task(instance: Instance, folder: Path) -> Task:
    """The instance at its base commit; raises BaseError when the repository does not hold it."""
    spec = f"git:{folder}@{instance.commit}"
    base = commit(spec, spec.removeprefix("git:"))
    return Task(instance, spec, dict(base.files))


def halves(instances: Iterable[Instance], seed: int) -> dict[str, Half]:
    """Which half an instance is in: of each repository, by a seeded hash, every other one."""

    def drawn(instance: Instance) -> str:
        return hashlib.blake2b(f"{seed}:{instance.id}".encode(), digest_size=8).hexdigest()

    ordered: Sequence[Instance] = sorted(instances, key=lambda i: (i.repo, drawn(i)))
    return {instance.id: "test" if n % 2 else "train" for n, instance in enumerate(ordered)}


def python_texts(texts: Mapping[str, str]) -> dict[str, str]:
    """The Python files."""
    return {path: text for path, text in texts.items() if path.endswith(".py")}


def _count(row: Mapping[str, object]) -> int:
    listed = row.get("FAIL_TO_PASS")
    if isinstance(listed, str):
        listed = json.loads(listed)
    if isinstance(listed, list):
        return len(listed)
    given = row.get("FAIL_TO_PASS_n")
    return given if isinstance(given, int) else 1

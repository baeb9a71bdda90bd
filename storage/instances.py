"""Stage 8: benchmark instances, SWE-bench or SWE-EVO style: reference patch and base commit by instance id.

In: a JSON or JSONL file. Out: ``Instance`` by id. EDGE: reads the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import InputError
from storage.given import read_given


@dataclass(frozen=True, slots=True)
class Instance:
    """One task: the reference patch ("" if it has none) and the commit it applies to ("" if not said)."""

    instance_id: str
    patch: str
    base_commit: str


def read_instances(path: Path) -> dict[str, Instance]:
    """The instances of a file by id; a repeated id keeps its first row.

    A JSON file holds a list of objects, or an object of them by id; a JSONL file one object a line. Raises
    InputError naming the line that cannot be read.
    """
    try:
        text = read_given(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: cannot be read (not UTF-8 from byte {error.start + 1} on)") from error
    found: dict[str, Instance] = {}
    for row, where in _rows(path, text):
        instance_id = row.get("instance_id")
        if not isinstance(instance_id, str) or not instance_id:
            raise InputError(f"{where}: has no instance_id")
        patch, commit = row.get("patch") or "", row.get("base_commit") or ""
        if not isinstance(patch, str) or not isinstance(commit, str):
            raise InputError(f"{where}: patch and base_commit must be texts")
        found.setdefault(instance_id, Instance(instance_id, patch, commit))
    if not found:
        raise InputError(f"{path}: holds no instance")
    return found


def _rows(path: Path, text: str) -> Iterable[tuple[Mapping[str, Any], str]]:
    """The objects in the file and where each stands."""
    try:
        whole = json.loads(text)
    except ValueError:
        whole = None
    except RecursionError as error:
        raise InputError(f"{path}: nested too deeply") from error
    if isinstance(whole, dict) and "instance_id" not in whole:
        values = [row if "instance_id" in row else {**row, "instance_id": key} for key, row in _objects(whole, path)]
    elif isinstance(whole, list):
        values = [row for _, row in _objects(dict(enumerate(whole)), path)]
    elif isinstance(whole, dict):
        values = [whole]
    else:
        yield from _lines(path, text)
        return
    yield from ((row, f"{path}: instance {n}") for n, row in enumerate(values, 1))


def _objects(values: Mapping[Any, Any], path: Path) -> Iterable[tuple[Any, Mapping[str, Any]]]:
    for key, row in values.items():
        if not isinstance(row, dict):
            raise InputError(f"{path}: {key}: expected an object with instance_id, patch and base_commit")
        yield key, row


def _lines(path: Path, text: str) -> Iterable[tuple[Mapping[str, Any], str]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}:{number}: not JSON ({error})") from error
        if not isinstance(row, dict):
            raise InputError(f"{path}:{number}: expected an object with instance_id, patch and base_commit")
        yield row, f"{path}:{number}"

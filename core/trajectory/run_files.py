"""Stage 1: which files belong to one run.

In: what the first bytes of each file say. Out: one ``RunFiles`` a run. Pure: files are opened in ``load``.

A sub-agent's file belongs to the session it names AND stands near: under ``<session>/subagents``, or beside
it. Unrelated files can share a session id, so elsewhere, or where several files claim the session, the parent
must mention the agent.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class RunFiles:
    """The files of one run: the session's own (None if it is not there) and those of its sub-agents, sorted.

    Of a file that holds a run a row, ``row`` is the 1-based number of this one and ``offset`` the byte (unpacked)
    it starts at; 0 is the whole file.
    """

    main: Path | None
    agents: tuple[Path, ...] = ()
    label: str = ""
    row: int = 0
    offset: int = 0

    @property
    def path(self) -> Path:
        """The file the run is named after: the main one, else its first sub-agent's."""
        return self.main if self.main is not None else self.agents[0]


@dataclass(frozen=True, slots=True)
class FileHead:
    """What the first bytes of a file say: the session it names, and whose file it is (``agent`` "" if not said).

    ``rows`` are the (number, offset) of the runs in a file that holds one a row.
    """

    path: Path
    session: str = ""
    is_agent: bool = False
    agent: str = ""
    rows: tuple[tuple[int, int], ...] = ()


def session_folder(path: Path) -> Path | None:
    """The ``<session>`` folder above the nearest ``subagents`` folder that holds ``path``, None outside of one."""
    for parent in Path(os.path.abspath(path)).parents:
        if parent.name == "subagents":
            return parent.parent
    return None


def group_runs(heads: Iterable[FileHead], mentions: Callable[[Path, str], bool]) -> tuple[RunFiles, ...]:
    """One RunFiles for each session's file, for each row of a file of rows and, for sub-agents without a session's
    file, for each (folder, session); by path, then row.

    ``mentions(path, word)`` tells whether a file holds a word; it is asked only where folder and session id
    do not settle whose agent it is. O(files), besides those questions.
    """
    ordered = sorted(heads, key=lambda head: str(head.path))
    mains = [head for head in ordered if not head.is_agent]
    attached: dict[Path, list[Path]] = {head.path: [] for head in mains}
    orphans: dict[tuple[Path, str], list[Path]] = {}
    for head in ordered:
        if not head.is_agent:
            continue
        parent = _parent(head, mains, mentions)
        if parent is not None:
            attached[parent.path].append(head.path)
        else:
            folder = session_folder(head.path)
            home = folder.parent if folder is not None else Path(os.path.abspath(head.path)).parent
            orphans.setdefault((home, head.session or str(head.path)), []).append(head.path)
    runs = [RunFiles(head.path, tuple(attached[head.path]), head.path.name) for head in mains if not head.rows]
    runs += [
        RunFiles(head.path, (), f"{head.path.name} row {row}", row, offset)
        for head in mains
        for row, offset in head.rows
    ]
    runs += [RunFiles(None, tuple(paths), f"sub-agents of {session}") for (_, session), paths in orphans.items()]
    return tuple(sorted(runs, key=lambda run: (str(run.path), run.row)))


def _parent(agent: FileHead, mains: list[FileHead], mentions: Callable[[Path, str], bool]) -> FileHead | None:
    """The session's file this sub-agent's file belongs to, None if it is not among ``mains``."""
    folder = session_folder(agent.path)
    home = folder.parent if folder is not None else Path(os.path.abspath(agent.path)).parent
    near = [main for main in mains if Path(os.path.abspath(main.path)).parent == home]
    if folder is not None:
        by_folder = [main for main in near if main.path.stem == folder.name or main.session == folder.name]
        named_so = [main for main in by_folder if main.path.stem == folder.name]
        if by_folder:
            return (named_so or by_folder)[0]
    same = [main for main in near if main.session and main.session == agent.session]
    if len(same) == 1:
        return same[0]
    claimants = same or [main for main in mains if main.session and main.session == agent.session]
    if agent.agent:
        named = [main for main in claimants if mentions(main.path, agent.agent)]
        if named:
            return named[0]
    return same[0] if same else None

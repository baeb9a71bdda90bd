"""Live, EDGE: the state folder of a project, and the hooks configuration that makes an agent's client call it.

In: the project's folder, and what the person allows. Out: the folder, ready to be used; the configuration as a JSON
object to paste. A client's settings are edited only when asked for, and then whole or not at all: what is there stays,
hooks of ours are put in the place of earlier ones of ours.
"""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import stat
import sys
from pathlib import Path
from typing import Any

from core.errors import InputError
from storage.live.client import FOLDER, INBOX, LIMIT, enter
from storage.live.journal import Journal, open_journal
from storage.live.worktree import Worktree

EVENTS = (
    "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PreCompact", "Stop",
    "SubagentStop", "Notification", "SessionEnd",
)  # fmt: skip
_MATCHED = frozenset({"PreToolUse", "PostToolUse", "PostToolUseFailure"})
SETTINGS = ".claude/settings.local.json"
START_LIMIT = 20.0
"""Seconds a session's start may wait for the code graph; every other hook waits ``client.LIMIT``."""
_MARK = "harness hook"
_PROGRAM = Path(__file__).resolve().parents[2] / "cli.py"


def make_folder(project: Path) -> int:
    """Make the project's state folder, or complete it, and look at the project's files; how many there are.

    Raises InputError where that cannot be done. The folder is for this user only and git ignores it.
    """
    folder = project / FOLDER
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        if why := enter(os.fspath(project)):
            raise InputError(why)
        os.chmod(".", 0o700)
        if not os.path.lexists(INBOX):
            os.mkdir(INBOX, 0o700)
        elif not stat.S_ISDIR(os.lstat(INBOX).st_mode):
            raise InputError(f"{FOLDER}/{INBOX} is not a folder")
        if not os.path.lexists(".gitignore"):
            Path(".gitignore").write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder}: cannot be made ({error.strerror})") from error
    with contextlib.closing(open_journal().connection) as connection:
        journal = Journal(connection)
        tree = Worktree(project, journal)
        if tree.empty:
            tree.changes()
            with journal.transaction():
                tree.settle()
        return len(journal.files())


def hooks(transcripts: str = "") -> dict[str, Any]:
    """The configuration: every event calls the hook command of this program."""
    found = {}
    for event in EVENTS:
        limit = START_LIMIT if event == "SessionStart" else LIMIT
        command = {"type": "command", "command": _command(limit, transcripts), "timeout": int(limit) + 4}
        found[event] = [{"matcher": "*", "hooks": [command]} if event in _MATCHED else {"hooks": [command]}]
    return {"hooks": found}


def _command(limit: float, transcripts: str) -> str:
    # Without site and environment the interpreter starts in two thirds of the time; the hook needs neither.
    words = [sys.executable, "-S", "-E", os.fspath(_PROGRAM), *_MARK.split(), "--limit", f"{limit:g}"]
    words += ["--transcripts", transcripts] if transcripts else []
    return f'{shlex.join(words)} --project "$CLAUDE_PROJECT_DIR"'


def write_hooks(project: Path, transcripts: str = "") -> Path:
    """Put the configuration into the project's local settings; the file. Raises InputError and changes nothing."""
    path = project / SETTINGS
    given: Any = {}
    try:
        if path.is_symlink() or path.parent.is_symlink():
            raise InputError(f"{path}: is a link and is not written to")
        if path.exists():
            given = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(given, dict) or not isinstance(given.setdefault("hooks", {}), dict):
            raise InputError(f"{path}: not an object of settings")
        for event, ours in hooks(transcripts)["hooks"].items():
            others = given["hooks"].get(event, [])
            if not isinstance(others, list):
                raise InputError(f"{path}: hooks of {event} are not a list")
            given["hooks"][event] = [group for group in others if not _is_ours(group)] + ours
        path.parent.mkdir(exist_ok=True)
        new = path.with_name(f".{path.name}.new")
        new.write_text(json.dumps(given, indent=2) + "\n", encoding="utf-8")
        os.replace(new, path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not JSON ({error})") from error
    return path


def _is_ours(group: object) -> bool:
    inner = group.get("hooks") if isinstance(group, dict) else None
    commands = [hook.get("command") for hook in inner if isinstance(hook, dict)] if isinstance(inner, list) else []
    return bool(commands) and all(isinstance(c, str) and _MARK in c and _PROGRAM.name in c for c in commands)

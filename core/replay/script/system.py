"""Replay, script, part 7b: files and paths: ``open``, ``os``, ``os.path``, ``pathlib``, ``shutil``.

In: arguments. Out: the value, the script's files moved on.
"""

from __future__ import annotations

import posixpath
from typing import Any

from core.replay.script.context import Arguments, Context, Function, path, plain, text
from core.replay.script.files import Handle, PathValue
from core.replay.script.meter import NotKnown, Raised


def opened(context: Context, given: Arguments, named: dict[str, Any]) -> Handle:
    """``open``: mode and encoding as usual; what changes the text otherwise is not known."""
    if not given or len(given) > 2 or not set(named) <= {"mode", "encoding", "newline", "errors"}:
        raise NotKnown("a way to open files")
    encoding = named.get("encoding")
    if encoding is not None and str(encoding).lower() not in ("utf-8", "utf8"):
        raise NotKnown("an encoding")
    if named.get("newline") not in (None, "", "\n"):
        raise NotKnown("a line end")
    mode = text(given[1] if len(given) > 1 else named.get("mode", "r"))
    return context.disk.open(path(given[0]), mode, named.get("newline") is not None)


def _path_of(context: Context, given: Arguments) -> PathValue:
    made = PathValue(path(given[0]) if given else ".")
    for part in given[1:]:
        made = made.joined(path(part))
    return PathValue(posixpath.normpath(made.text)) if ".." not in made.text else made


def exists(context: Context, given: Arguments) -> bool:
    """Whether a file is there; of a folder the reader knows no text."""
    return context.disk.raw(path(given[0])) is not None


def _removed(context: Context, given: Arguments) -> None:
    if context.disk.raw(path(given[0])) is None:
        raise Raised("FileNotFoundError")
    context.disk.put(path(given[0]), None)


def made_folder(context: Context, given: Arguments, named: dict[str, Any]) -> None:
    """``os.makedirs`` and ``Path.mkdir`` where an existing folder is fine; folders are not kept apart from files."""
    if len(given) != 1 or named.get("exist_ok") is not True or set(named) - {"exist_ok", "parents", "mode"}:
        raise NotKnown("a folder")
    full = context.disk.absolute(path(given[0]))
    held = context.disk.changed[full] if full in context.disk.changed else context.disk.reader(full)
    if isinstance(held, str):
        raise Raised("FileExistsError")


def _entered(context: Context, given: Arguments) -> None:
    context.disk.cwd = context.disk.absolute(path(given[0]))


def _moved(keep: bool) -> Function:
    return plain((2,))(lambda context, given: context.disk.move(path(given[0]), path(given[1]), keep))


SYSTEM: dict[str, Function] = {
    "open": opened,
    "io.open": opened,
    "pathlib.Path": plain((0, 1, 2, 3, 4, 5))(_path_of),
    "os.path.join": plain((1, 2, 3, 4, 5))(lambda c, g: posixpath.join(*map(path, g))),
    "os.path.exists": plain((1,))(exists),
    "os.path.isfile": plain((1,))(exists),
    "os.path.basename": plain((1,))(lambda c, g: posixpath.basename(path(g[0]))),
    "os.path.dirname": plain((1,))(lambda c, g: posixpath.dirname(path(g[0]))),
    "os.path.abspath": plain((1,))(lambda c, g: c.disk.absolute(path(g[0]))),
    "os.path.splitext": plain((1,))(lambda c, g: posixpath.splitext(path(g[0]))),
    "os.path.split": plain((1,))(lambda c, g: posixpath.split(path(g[0]))),
    "os.path.normpath": plain((1,))(lambda c, g: posixpath.normpath(path(g[0]))),
    "os.makedirs": made_folder,
    "os.getcwd": plain((0,))(lambda c, g: c.disk.cwd),
    "os.remove": plain((1,))(_removed),
    "os.unlink": plain((1,))(_removed),
    "os.rename": _moved(False),
    "os.replace": _moved(False),
    "shutil.move": _moved(False),
    "shutil.copy": _moved(True),
    "shutil.copyfile": _moved(True),
    "shutil.copy2": _moved(True),
}

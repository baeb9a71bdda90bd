"""Live, EDGE: the resident process of one project: it holds the code graph so that no hook builds it.

In: names of inbox files, over a socket in the state folder that only this user may open. Out: answers. One process a
project, held by a lock that the system takes back when it is killed; it ends by itself when nothing came for ``idle``
seconds. The socket is bound before the graph is built: hooks of that time wait or leave their event in the inbox.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import os
import socket
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

from storage.live.client import SOCKET, enter

IDLE = 1800.0
_LOCK, _LOG = "lock", "resident.log"
_LOOK = 30.0  # seconds after which an idle process looks whether its folder is still there
_OVER = object()
_LOG_SIZE = 200_000
_SEND = 5.0  # seconds a client may take to receive its answer


def reside(project: str, idle: float = IDLE) -> int:
    """Serve the project until nothing came for ``idle`` seconds; 0, also when another process does already."""
    if why := enter(project):
        print(why, file=sys.stderr)  # noqa: T201
        return 1
    os.umask(0o077)
    lock = os.open(_LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return 0
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as door:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(SOCKET)
            door.bind(SOCKET)
            os.chmod(SOCKET, 0o600)
            door.listen(128)
            _serve(Path(project), door, idle)
            with contextlib.suppress(FileNotFoundError):
                os.unlink(SOCKET)
    except Exception:
        _log(traceback.format_exc())
        return 1
    return 0


def _serve(project: Path, door: socket.socket, idle: float) -> None:
    # Here, not above: a second process must see the lock before it reads all of this.
    from storage.live.journal import open_journal
    from storage.live.keeper import Keeper

    keeper = Keeper(project, open_journal())
    settle()
    keeper.take("")
    warming: Iterator[None] | None = keeper.warming()
    last = time.monotonic()
    while True:
        door.settimeout(min(idle, _LOOK) if warming is None else 0.0)
        try:
            talk, _ = door.accept()
        except TimeoutError:
            if time.monotonic() - last >= idle or not os.stat(".").st_nlink:
                return
            continue
        except BlockingIOError:  # nobody waits
            if warming is not None and next(warming, _OVER) is _OVER:
                warming = None
                settle()
            continue
        last = time.monotonic()
        with talk:
            talk.settimeout(_SEND)
            try:
                name = _name(talk)
                answer = keeper.take(name)
                talk.sendall(answer)
            except (TimeoutError, ConnectionError, BrokenPipeError):
                continue  # the client has left; its event is taken in all the same


def settle() -> None:
    """Leave what was built at the start out of garbage collection: it stays, and going through it costs seconds."""
    gc.collect()
    gc.freeze()


def _name(talk: socket.socket) -> str:
    data = b""
    while not data.endswith(b"\n") and len(data) < 200:
        part = talk.recv(200)
        if not part:
            break
        data += part
    return data.decode("ascii", "replace").strip()


def _log(text: str) -> None:
    """Append to the process's log, which starts anew when it is long."""
    with contextlib.suppress(OSError):
        handle = os.open(_LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "a", encoding="utf-8") as file:
            if os.fstat(handle).st_size > _LOG_SIZE:
                os.ftruncate(handle, 0)
            file.write(f"{time.strftime('%Y-%m-%dT%H:%M:%S')} {text}\n")

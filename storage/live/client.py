"""Live, EDGE: the hook command: keeps what the agent's client says, asks the resident process, prints its answer.

In: JSON on stdin, never parsed here. Out: JSON on stdout, notes on stderr, always exit code 0, within ``LIMIT``
seconds. The event is first written to the inbox, so that it is lost neither when the resident process is killed nor
when it is too slow: whoever runs next takes it from there. Only C modules are imported: the imports of the standard
library's ``socket`` or ``json`` would cost more than all the rest of a hook.
"""

from __future__ import annotations

import _socket
import os
import select
import sys
import time

FOLDER = ".stateharness"
INBOX, SOCKET = "inbox", "socket"
LIMIT = 1.0
MOST = 32 << 20
"""Most bytes of an event."""
_NOTHING = b"{}\n"
_AGAIN = 0.2  # seconds before a process that was started and has ended is started again
_USAGE = "hook [--project DIR] [--transcripts DIR] [--limit SECONDS]"


def hook(words: list[str]) -> int:
    """Answer one hook; 0 whatever happens."""
    answer, note = _NOTHING, ""
    try:
        answer, note = _answered(words)
    except (Exception, KeyboardInterrupt) as error:
        note = f"{type(error).__name__}: {error}"
    try:
        if note:
            sys.stderr.write(f"stateharness: {ascii(note)[1:-1][:500]}\n")
        sys.stdout.buffer.write(answer)
        sys.stdout.buffer.flush()
    except OSError:  # nobody listens
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 0


def enter(project: str) -> str:
    """Make the project's state folder the working directory; why it cannot be, "" when it is.

    It must be a folder of this user itself, not a link: whoever owns it answers for what is in it.
    """
    try:
        at = os.open(os.path.join(project, FOLDER), os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except (OSError, ValueError) as error:
        return f"no {FOLDER} in the project ({getattr(error, 'strerror', None) or error}); `harness init` makes one"
    try:
        if os.fstat(at).st_uid != os.geteuid():
            return f"{FOLDER} belongs to somebody else and is not used"
        os.fchdir(at)
    finally:
        os.close(at)
    return ""


def _answered(words: list[str]) -> tuple[bytes, str]:
    project, transcripts, limit, wrong = _options(words)
    if wrong:
        return _NOTHING, wrong
    deadline = time.monotonic() + limit
    if why := enter(project):
        return _NOTHING, why
    data, why = _stdin(deadline)
    if why:
        return _NOTHING, why
    name = f"{time.time_ns():020d}-{os.getpid()}"
    try:
        keep(name, os.fsencode(transcripts).replace(b"\n", b"") + b"\n" + data)
    except OSError as error:
        return _NOTHING, f"the event cannot be kept ({error.strerror})"
    answer = ask(name, deadline)
    return answer or _NOTHING, "" if answer else "no answer in time; the event is kept and will be taken in later"


def _options(words: list[str]) -> tuple[str, str, float, str]:
    """Project, folder of transcripts, time limit, and what is wrong with the words."""
    found = {"--project": os.environ.get("CLAUDE_PROJECT_DIR") or ".", "--transcripts": "", "--limit": str(LIMIT)}
    for at in range(0, len(words), 2):
        if words[at] not in found or at + 1 == len(words):
            return "", "", 0.0, f"unknown words; expected {_USAGE}"
        found[words[at]] = words[at + 1]
    try:
        limit = min(max(float(found["--limit"]), 0.05), 600.0)
    except ValueError:
        return "", "", 0.0, f"not a number of seconds; expected {_USAGE}"
    return os.path.abspath(found["--project"]), os.path.expanduser(found["--transcripts"]), limit, ""


def _stdin(deadline: float) -> tuple[bytes, str]:
    """All of stdin, or why it is no event."""
    parts, size = [], 0
    while True:
        ready, _, _ = select.select([0], [], [], max(deadline - time.monotonic(), 0.0))
        if not ready:
            return b"", "stdin was not closed in time"
        part = os.read(0, 1 << 20)
        if not part:
            break
        parts.append(part)
        size += len(part)
        if size > MOST:
            return b"", f"an event of more than {MOST >> 20} MB is not kept"
    data = b"".join(parts)
    return (data, "") if data.strip() else (b"", "nothing on stdin")


def keep(name: str, data: bytes) -> None:
    """Put an event into the inbox, whole or not at all."""
    box = os.open(INBOX, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        new = os.open(f".{name}", os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600, dir_fd=box)
        try:
            at = 0
            while at < len(data):
                at += os.write(new, data[at:])
        finally:
            os.close(new)
        os.rename(f".{name}", name, src_dir_fd=box, dst_dir_fd=box)
    finally:
        os.close(box)


def ask(name: str, deadline: float) -> bytes:
    """The resident process's answer to an event in the inbox; it is started if it does not run. b"" if late."""
    child, at = 0, 0.0
    while (left := deadline - time.monotonic()) > 0:
        talk = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            talk.settimeout(left)
            talk.connect(SOCKET)
            talk.send(name.encode() + b"\n")
            answer = b""
            while part := talk.recv(1 << 16):
                answer += part
                talk.settimeout(max(deadline - time.monotonic(), 0.01))
            if answer.endswith(b"\n"):
                return answer
        except OSError:  # it does not run, or was killed just now
            if time.monotonic() - at > _AGAIN and (not child or os.waitpid(child, os.WNOHANG)[0]):
                child, at = _start(), time.monotonic()
        finally:
            talk.close()
        time.sleep(min(0.02, max(deadline - time.monotonic(), 0.0)))
    return b""


def _start() -> int:
    """Start the resident process of the project whose state folder is the working directory; it outlives the hook."""
    project = os.path.dirname(os.getcwd())
    if child := os.fork():
        return child
    try:
        os.setsid()
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        program = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cli.py")
        os.execv(sys.executable, [sys.executable, program, "harness", "resident", "--project", project])
    finally:
        os._exit(127)

"""Stage 8: several runs analysed at once, in processes that may die without taking the batch along.

In: the files of each run and the batch's ``Setup``. Out: each run's ``Outcome``, as they finish. Each worker
is one process fed through its pipes, so it is known which file killed it; that file is tried once more, alone,
when the others are done, and refused if it kills again. Workers never open the database: what they want of it
they ask their parent for, and the rows of a run they hand over piece by piece.

Run as a program, this module is such a worker.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from core.errors import StorageError
from core.graph.shelf import Fetch
from core.trajectory.load import RunFiles
from storage.analysing import Done, Outcome, Setup, analyse_into, reader_of, refusal
from storage.facts import cache_of
from storage.staged import Packed, Pile, Staged

_ROOT = Path(__file__).resolve().parents[1]
_DIED = "the process analysing it was killed, twice (out of memory?)"
_LENGTH = struct.Struct("<Q")
_WORTH = 2_000_000  # bytes whose analysis takes about as long as starting a worker
_ROOM = 2 << 30
_CONTAINER = Path("/sys/fs/cgroup/memory.max")
_MOST_JOBS = 4
_TELL_EVERY = 0.1  # seconds between progress messages of a worker

Told = Callable[[int, float], None]
NewPile = Callable[[], Pile]


def jobs_for(runs: int, size: int) -> int:
    """How many processes should analyse ``runs`` runs of ``size`` bytes together: 1 where starting them costs more.

    At most a core and 2 GiB of the machine's memory each, and no more than four: the rows have one writer.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(runs, size // _WORTH, cores, _memory() // _ROOM, _MOST_JOBS))


def _memory() -> int:
    """Bytes of memory of this machine, or of the container it is for us; two workers' worth where neither says."""
    known = []
    with suppress(AttributeError, ValueError, OSError):
        known.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    with suppress(ValueError, OSError):  # "max" where there is no limit
        known.append(int(_CONTAINER.read_text()))
    return min(known, default=2 * _ROOM)


def analyse_all(
    runs: Sequence[RunFiles],
    setup: Setup,
    jobs: int,
    fetch: Fetch,
    new_pile: NewPile,
    told: Told,
    cancelled: Callable[[], bool],
) -> Iterator[tuple[int, Outcome]]:
    """(position in ``runs``, Outcome) of every run, in the order they finish, ``jobs`` at a time.

    ``fetch`` is asked, from several threads, for what earlier runs left of the graphs (``storage.facts``); each run's
    rows come in a ``new_pile()``.
    ``told(position, part)`` hears progress in the calling thread. When ``cancelled()`` turns true all workers
    are killed and the rest of the runs are left out.
    """
    died: list[int] = []
    started = time.perf_counter()
    for round_, positions in enumerate((list(range(len(runs))), died)):
        if not positions or cancelled():
            return
        for position, outcome in _round(
            runs, positions, setup, jobs if round_ == 0 else 1, fetch, new_pile, told, cancelled
        ):
            if outcome is not None:
                yield position, outcome
            elif round_ == 0:
                died.append(position)
            else:
                yield position, Outcome(refusal(str(runs[position].path), _DIED, started))
        died.sort()


def _round(
    runs: Sequence[RunFiles],
    positions: Sequence[int],
    setup: Setup,
    jobs: int,
    fetch: Fetch,
    new_pile: NewPile,
    told: Told,
    cancelled: Callable[[], bool],
) -> Iterator[tuple[int, Outcome | None]]:
    """As ``analyse_all``, each run once; None for a run whose worker died."""
    todo: queue.SimpleQueue[int | None] = queue.SimpleQueue()
    for position in positions:
        todo.put(position)
    heard: queue.Queue[tuple[int, float | Outcome | None]] = queue.Queue(2 * jobs)
    hands = [_Hand(todo, heard, runs, setup, fetch, new_pile) for _ in range(min(jobs, len(positions)))]
    try:
        for hand in hands:
            todo.put(None)
            hand.thread.start()
        left = len(positions)
        while left and not cancelled():
            try:
                position, news = heard.get(timeout=0.1)
            except queue.Empty:
                continue
            if isinstance(news, float):
                told(position, news)
            else:
                left -= 1
                yield position, news
    finally:
        for hand in hands:
            hand.stop(heard)


class _Hand:
    """One thread with one worker process, which it starts again when it died."""

    def __init__(
        self,
        todo: queue.SimpleQueue[int | None],
        heard: queue.Queue[tuple[int, float | Outcome | None]],
        runs: Sequence[RunFiles],
        setup: Setup,
        fetch: Fetch,
        new_pile: NewPile,
    ) -> None:
        self._fetch, self._new_pile = fetch, new_pile
        self.thread = threading.Thread(target=self._work, args=(todo, heard, runs, setup), daemon=True)
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._lock = threading.Lock()

    def stop(self, heard: queue.Queue[Any]) -> None:
        """Kill the worker, now; waits for the thread."""
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.kill()
        while self.thread.is_alive():
            with suppress(queue.Empty):
                heard.get(timeout=0.02)
        self._close()

    def _work(
        self,
        todo: queue.SimpleQueue[int | None],
        heard: queue.Queue[tuple[int, float | Outcome | None]],
        runs: Sequence[RunFiles],
        setup: Setup,
    ) -> None:
        while (position := todo.get()) is not None and not self._stopped:
            heard.put((position, self._ask(runs[position], setup, position, heard)))

    def _ask(
        self, files: RunFiles, setup: Setup, position: int, heard: queue.Queue[tuple[int, float | Outcome | None]]
    ) -> Outcome | None:
        pile = self._new_pile()
        outcome: Outcome | None = None
        started = time.perf_counter()
        try:
            process = self._running(setup)
            if process is None or process.stdin is None or process.stdout is None:
                return None
            _send(process.stdin, files)
            while outcome is None:
                news: float | Sequence[str] | Packed | Done = _receive(process.stdout)
                if isinstance(news, Done):
                    outcome = Outcome(news.row, Staged(news.run_id, pile) if news.run_id is not None else None)
                elif isinstance(news, Packed):
                    pile.put(news)
                elif isinstance(news, float):
                    heard.put((position, news))
                else:
                    _send(process.stdin, self._fetch(news))
        except (EOFError, OSError, ValueError):
            self._close()
        except StorageError as error:  # no room for its rows: the worker is still sending them
            self._close()
            outcome = Outcome(refusal(str(files.path), str(error), started))
        finally:
            if outcome is None or outcome.staged is None:
                pile.close()
        return outcome

    def _running(self, setup: Setup) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._stopped or self._process is not None:
                return None if self._stopped else self._process
            python_path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "storage.workers"],  # -P: a folder of the user's is no place for modules
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": python_path},
            )
            assert self._process.stdin is not None
            _send(self._process.stdin, setup)
            return self._process

    def _close(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            process.wait()


def _send(pipe: BinaryIO | Any, value: Any) -> None:
    data = pickle.dumps(value, protocol=5)
    pipe.write(_LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def _receive(pipe: BinaryIO | Any) -> Any:
    """The next value; EOFError when the other side is gone. Only this program writes into these pipes."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    data = pipe.read(length)
    if len(data) < length:
        raise EOFError
    return pickle.loads(data)


def _serve() -> None:
    """Be a worker: a Setup, then run after run, until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to stop
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not get between the answers
    last = 0.0

    def tell(part: float) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last > _TELL_EVERY:
            last = now
            _send(answers, float(part))

    class Handed:
        """Rows go to the parent as they are made."""

        def put(self, piece: Packed, /) -> None:
            _send(answers, piece)

    def ask(names: Sequence[str]) -> Mapping[str, bytes]:
        _send(answers, names)
        found: Mapping[str, bytes] = _receive(sys.stdin.buffer)
        return found

    with suppress(EOFError, BrokenPipeError):
        setup, facts = _receive(sys.stdin.buffer), cache_of(ask)
        while True:
            files: RunFiles = _receive(sys.stdin.buffer)
            _send(answers, analyse_into(Handed(), str(files.path), reader_of(files, tell), setup, tell, facts))


if __name__ == "__main__":
    _serve()

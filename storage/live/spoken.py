"""Live, EDGE: what was said between calls: the transcript of a session, read as it grows.

In: the transcript a hook names, if the command line allows the folder it lies in. Out: steps of what was said or
attached, in order, read by the same rules as a recorded run. Hooks tell prompts and the last words of a turn only;
what they told is not told again when the transcript shows it. A line that has no end yet waits. A sub-agent's own
words are not read.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from core.trajectory.claude_reader import Reader
from core.trajectory.claude_records import take_record
from core.trajectory.claude_threads import Draft, Unit
from core.trajectory.json_lines import Record, Source, Tally, read_records
from core.trajectory.steps import Step
from storage.live.opened import regular

_VERSION = re.compile(r"(\d{1,4})\.(\d{1,4})\.(\d{1,4})")
# Up to this version a message typed while the model worked stands only in the queue's own lines; later clients write
# it down once more as an attachment, which is where it counts.
_WRITES_ONCE = (2, 1, 31)
_MOST = 64 << 20
"""Most bytes that are read at once; the rest waits for the next hook."""


@dataclass(slots=True)
class _Arrivals(Reader):
    """A reader that notes drafts in the order they come: (message id, draft)."""

    arrived: list[tuple[str, Draft]] = field(default_factory=list)

    def add(self, unit: Unit, draft: Draft, line: int, record: Record) -> None:
        """As ``Reader.add``."""
        Reader.add(self, unit, draft, line, record)
        if not unit.agent:
            self.arrived.append((unit.message_id, draft))


class Spoken:
    """One session's transcript: ``read`` takes in what was added, ``until`` gives what came before a call."""

    def __init__(self, path: str, offset: int = 0, waiting: int = 0, told: list[list[str]] | None = None) -> None:
        """``offset`` is where reading stopped before; of what stands before it only the last ``waiting`` are new."""
        self.path, self.offset = path, 0
        self.told = [list(pair) for pair in told or []]
        self._reader = _Arrivals(Tally())
        self._writes_twice = False
        self._reader.start(0, os.path.basename(path), "")
        if offset:
            self._take(offset)
            self._reader.arrived = self._reader.arrived[-waiting:] if waiting else []

    @property
    def waiting(self) -> int:
        """How many arrivals were not given yet."""
        return len(self._reader.arrived)

    def read(self) -> None:
        """Take in the whole lines added since; nothing if the file is gone or became shorter."""
        self._take(None)

    def _take(self, upto: int | None) -> None:
        try:
            info, data = regular(self.path, _MOST if upto is None else upto - self.offset, start=self.offset)
        except (OSError, ValueError):
            return
        if info.st_size < self.offset:
            return
        end = data.rfind(b"\n") + 1
        self.offset += end
        for number, record in read_records(Source(os.path.basename(self.path), data[:end].split(b"\n")), Tally()):
            if record.get("isSidechain") is not True and (kept := _without_results(record)) is not None:
                self._take_one(self.offset + number, kept)

    def _take_one(self, line: int, record: Record) -> None:
        reader, known = self._reader, len(self._reader.taken)
        take_record(reader, line, record)
        if isinstance(version := record.get("version"), str) and (found := _VERSION.match(version)) is not None:
            self._writes_twice = tuple(map(int, found.groups())) > _WRITES_ONCE
        for queued_at, _, draft in reader.taken[known:]:
            if not self._writes_twice and reader.said.get(draft.text.strip(), 0) < queued_at:
                reader.arrived.append(("", draft))

    def tell(self, role: str, text: str) -> None:
        """A hook told this already."""
        self.told = [*self.told, [role, text.strip()]][-50:]

    def until(self, call: str = "") -> Iterator[Draft]:
        """What was said before the calls of the message that issued ``call``; everything if it is not there or "".

        What a message says behind its first call comes after its calls.
        """
        arrived = self._reader.arrived
        message = next((m for m, draft in arrived if call and draft.call_id == call), None)
        end = len(arrived)
        if message is not None:
            end = next(i for i, (m, draft) in enumerate(arrived) if m == message and draft.is_call)
        given, self._reader.arrived = arrived[:end], arrived[end:]
        for _, draft in given:
            if not draft.is_call and not self._was_told(draft):
                yield draft

    def _was_told(self, draft: Draft) -> bool:
        pair = [draft.role, draft.text.strip()]
        if draft.kind == "say" and pair in self.told:
            self.told.remove(pair)
            return True
        return False


def _without_results(record: Record) -> Record | None:
    """The record without tool results, which hooks bring; None if nothing else is in it."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if record["type"] != "user" or not isinstance(message, dict) or not isinstance(content, list):
        return record if record["type"] in ("user", "assistant", "attachment", "queue-operation") else None
    said = [block for block in content if not (isinstance(block, dict) and block.get("type") == "tool_result")]
    return {**record, "message": {**message, "content": said}} if said else None


def allowed(transcript: str, folder: str) -> str:
    """The transcript's path if it is a ``.jsonl`` file that really lies below ``folder``, else ""."""
    if not folder or not transcript.endswith(".jsonl") or "\0" in transcript or not os.path.isabs(transcript):
        return ""
    root, real = os.path.realpath(folder), os.path.realpath(transcript)
    return real if real.startswith(root.rstrip("/") + "/") and real.endswith(".jsonl") else ""


def said_step(draft: Draft, t: int) -> Step:
    """The step of something said or attached."""
    return Step(
        t=t, kind=draft.kind, role=draft.role, tool=draft.tool, call="", text=draft.text, empty=draft.empty,
        time=draft.time, cwd=draft.cwd, shown=draft.shown, neutral=draft.neutral,
    )  # fmt: skip

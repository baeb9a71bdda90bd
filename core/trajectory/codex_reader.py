"""Stage 1, Codex: everything read so far of a rollout and of those of its sub-agents.

In: what codex and codex_events note. Out: ``Reader``, from which the Trajectory is made at the end.
"""

from __future__ import annotations

from core.trajectory.claude_threads import Draft
from core.trajectory.codex_answers import Answer
from core.trajectory.codex_items import CallItem
from core.trajectory.drafting import About, Counted, Place, Thread
from core.trajectory.json_lines import Record, Tally


class Reader:
    """Everything read so far; ``message`` numbers the model's responses, which have no id of their own."""

    def __init__(self, about: About) -> None:
        self.tally = Tally()
        self.about = about
        self.threads: list[Thread] = []
        self.calls: dict[str, tuple[Draft, CallItem]] = {}
        self.nameless: list[tuple[Draft, CallItem]] = []
        self.answers: dict[str, Answer] = {}
        self.usages: list[Counted] = []
        self.totals: set[object] = set()
        self.seen: set[tuple[str, ...]] = set()
        self.said: set[tuple[str, str]] = set()
        self.late: list[tuple[Thread, int, str, str, Place]] = []
        self.cwd = ""
        self.model = ""
        self.message = 0
        self.in_message = False
        self.last_total: int | None = None

    @property
    def thread(self) -> Thread:
        """The thread of the file being read."""
        return self.threads[-1]

    def is_new(self, *mark: str) -> bool:
        """Whether this was not met before; remembers it."""
        new = mark not in self.seen
        self.seen.add(mark)
        return new

    def count(self, what: str) -> None:
        """Count a thing that was understood and has no meaning here."""
        self.tally.unknown[what[:80]] += 1

    def place(self, line: int, record: Record) -> Place:
        """Where a record stands."""
        return Place(line, string(record.get("timestamp")), self.cwd)

    def message_id(self) -> str:
        """The id of the model's response that is going on; a new one begins after anything that is not the model's."""
        if not self.in_message:
            self.message += 1
            self.in_message = True
        return f"response-{self.message}"


def string(value: object) -> str:
    """``value`` where it is a text, "" where it is anything else."""
    return value if isinstance(value, str) else ""

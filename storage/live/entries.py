"""Live: what happened to a live project, as values and as JSON; the journal holds nothing else of its state.

In: values of ``core.harness``. Out: JSON objects that read back equal. Records go as the paper's files, which hold
every text exactly.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from core.harness.acts import Act
from core.harness.files import LOG, RELATIONS, TASK, read_state, write_log, write_relations, write_task
from core.harness.impact import Impact, Written
from core.harness.project_state import Alert, Problem, StateChange
from core.harness.skills_file import FILE as SKILLS
from core.harness.skills_file import write_skills


@dataclass(frozen=True, slots=True)
class Began:
    """A session began: ``fresh`` when its counters start anew; ``environment`` is what its client says of itself."""

    session: str
    environment: str
    fresh: bool


@dataclass(frozen=True, slots=True)
class Stepped:
    """One step of a session, what it wrote and which open relations that brings."""

    session: str
    act: Act
    written: tuple[Written, ...] = ()
    impacts: tuple[Impact, ...] = ()


@dataclass(frozen=True, slots=True)
class Edited:
    """The records were edited by the agent or a person: what is taken over, and what they may not have done."""

    change: StateChange
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A diagnosis that was asked for outside the hooks."""

    session: str
    alerts: tuple[Alert, ...]


Entry = Began | Stepped | Edited | Reviewed


def to_json(entry: Entry) -> dict[str, Any]:
    """The entry as a JSON object; defaults are left out."""
    match entry:
        case Began():
            return {"what": "began", **asdict(entry)}
        case Stepped():
            act = {name: value for name, value in asdict(entry.act).items() if value or name in ("t", "normal")}
            written, impacts = [asdict(w) for w in entry.written], [asdict(i) for i in entry.impacts]
            todo = {} if entry.act.todo is None else {"todo": entry.act.todo}
            act.pop("todo", None)
            return {"what": "step", "session": entry.session, "act": act | todo, "written": written, "impacts": impacts}
        case Edited():
            change = entry.change
            files = {LOG: write_log(change.events), RELATIONS: write_relations(change.relations)}
            files[SKILLS] = write_skills(change.procedures)
            if change.task is not None:
                files[TASK] = write_task(change.task)
            return {"what": "edited", "t": change.t, "files": files, "problems": [asdict(p) for p in entry.problems]}
        case Reviewed():
            return {"what": "reviewed", "session": entry.session, "alerts": [asdict(a) for a in entry.alerts]}


def from_json(body: dict[str, Any]) -> Entry:
    """The entry ``to_json`` wrote."""
    match body["what"]:
        case "began":
            return Began(body["session"], body["environment"], body["fresh"])
        case "step":
            return Stepped(
                body["session"],
                Act(**_tuples(body["act"])),
                tuple(Written(**_tuples(w)) for w in body["written"]),
                tuple(Impact(**i) for i in body["impacts"]),
            )
        case "edited":
            state, _ = read_state(body["files"])
            task = state.task if TASK in body["files"] else None
            change = StateChange(body["t"], task, state.events, state.relations, state.procedures)
            return Edited(change, tuple(Problem(**p) for p in body["problems"]))
        case "reviewed":
            return Reviewed(body["session"], tuple(Alert(**_tuples(a)) for a in body["alerts"]))
    raise ValueError(f"unknown entry {str(body['what'])[:80]!r}")


def _tuples(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}

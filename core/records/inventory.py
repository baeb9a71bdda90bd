"""Stage 4: what the context holds. One step and its sights -> one record; compactions -> when records leave.

In: a ``Step``, the ``Sight``s it gave (replay) and the code graph of w_t, the state AFTER the step, so an
edit's own write is not in its window. Out: a ``Record`` (Appendix E), or None when nothing is held: the step
is a sub-agent's, or it left no text in the context.

A record's text is what the model saw; an edit's is its call and its result. An edit's referent is the text
it wrote and the snippet its result shows: its old text is no claim (METHOD 1). Tests, builds, linters and
runs of project code are about the whole state; searches that show no content about their query.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from core.options import Options
from core.records.record import Query, Record, RecordKind, Referent, State, Symbols
from core.records.referents import GraphView, own_lines, symbols_covered, unknown_paths
from core.replay.world import Sight
from core.tokens import count_tokens
from core.trajectory.steps import Step, Trajectory

_AGENT_TOOLS = frozenset({"Task", "Agent", "spawn_agent", "delegate"})
_SUMMARY = "This session is being continued from a previous conversation"
# What may differ between two runs of one test without making them different tests.
_PREFIX = re.compile(r"^\s*(?:cd|source|\.|export|conda activate)\s+[^&;|]+(?:&&|;)\s*")
_SUFFIX = re.compile(
    r"\s*(?:\d?>&\d|\d?>\s*/dev/null|\|\s*(?:head|tail|tee|cat)\b[^|;&]*|\|\|\s*true|;\s*echo\b[^|;&]*)\s*$"
)


def build_record(
    step: Step,
    sights: Sequence[Sight],
    graph: GraphView,
    options: Options,
    opaque: Collection[str] = frozenset(),
) -> Record | None:
    """The record born of ``step``, None when the step is hidden or adds no text to the context.

    ``sights`` are those of this step; ``opaque`` the paths whose text is unknown at this step (besides those
    the graph has no text for). Cost: the shown lines.
    """
    text = held_text(step, options)
    if step.agent or not text:
        return None
    kind = record_kind(step)
    shown = () if step.empty else claims(kind, sights)
    referent = _referent(step, kind, shown, graph, opaque)
    path, start, end = primary_span(shown)
    if kind == "search" and len({s.path for s in shown}) > 1:
        path, start, end = None, None, None  # a search through several files is about none of them first
    return Record(
        id=f"r{step.t}",
        kind=kind,
        born=step.t,
        text=text,
        tokens=count_tokens(text),
        referent=referent,
        path=path,
        start=start,
        end=end,
        sights=shown,
        tool=step.tool,
        command=command_key(step.command) if step.purpose else step.command,
        failed=step.failed,
        owned=own_lines(graph, referent.ids) if isinstance(referent, Symbols) else (),
    )


def record_kind(step: Step) -> RecordKind:
    """What sort of evidence the step leaves."""
    if step.tool in _AGENT_TOOLS:
        return "agent"
    if step.kind == "run":
        return "test" if step.purpose else "run"
    if step.kind != "say":
        return step.kind
    if step.role == "user":
        summary = step.tool in ("summary", "compact") or step.text.lstrip().startswith(_SUMMARY)
        return "summary" if summary else "user"
    return "say"


def held_text(step: Step, options: Options) -> str:
    """What of the step stands in the context: the result, for an edit the call before it; thinking if switched on."""
    parts = [step.thinking if options.thinking else "", step.call if step.kind == "edit" else "", step.text]
    return "\n".join(part for part in parts if part)


def claims(kind: RecordKind, sights: Sequence[Sight]) -> tuple[Sight, ...]:
    """The sights that are the record's claim, in the order given: of an edit its new lines and its result's snippet."""
    if kind == "edit":
        return tuple(s for s in sights if s.source in ("new", "snippet") and s.lines)
    return tuple(s for s in sights if s.source not in ("new", "original") and s.lines)


def primary_span(sights: Sequence[Sight]) -> tuple[str | None, int | None, int | None]:
    """The path that shows most lines (the first such) and the hull of the lines shown of it."""
    if not sights:
        return None, None, None
    shown: dict[str, int] = {}
    for sight in sights:
        shown[sight.path] = shown.get(sight.path, 0) + len(sight.lines)
    path = max(shown, key=lambda p: shown[p])
    return path, min(s.start for s in sights if s.path == path), max(s.end for s in sights if s.path == path)


def command_key(command: str) -> str:
    """A test command without what re-runs vary: leading ``cd`` and ``source``, redirections, ``| tail -20``."""
    key = command.strip()
    while True:
        shorter = _SUFFIX.sub("", _PREFIX.sub("", key)).strip()
        if shorter == key or not shorter:
            return key
        key = shorter


def _referent(
    step: Step, kind: RecordKind, shown: Sequence[Sight], graph: GraphView, opaque: Collection[str]
) -> Referent:
    if step.purpose and not step.empty:
        return State(step.t)
    if shown:
        unknown = set(unknown_paths(graph, shown)) | {s.path for s in shown if s.path in opaque}
        return Symbols(symbols_covered(graph, shown), tuple(sorted(unknown)))
    if kind == "search" and not step.failed and not step.empty:
        return Query(step.command or step.call)
    return None


def gone_steps(trajectory: Trajectory) -> Mapping[str, int]:
    """Record id -> first step at which the recorded run no longer holds it, for records that leave before the end.

    A full compaction after step ``a`` removes everything born by then at ``a`` + 1; a micro-compaction
    exactly the results of the calls it names. O(steps + compactions).
    """
    gone: dict[str, int] = {}
    main = [step for step in trajectory.steps if not step.agent]
    first_kept = 0
    for compaction in sorted(trajectory.compactions, key=lambda c: c.after):
        removed = set(compaction.removed)
        for step in main[first_kept:]:
            if step.t > compaction.after:
                break
            if compaction.kind == "full" or (step.call_id and step.call_id in removed):
                gone.setdefault(f"r{step.t}", compaction.after + 1)
        if compaction.kind == "full":
            while first_kept < len(main) and main[first_kept].t <= compaction.after:
                first_kept += 1
    return gone

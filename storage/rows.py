"""Stage 8: an Analysis as table rows, in the schema's column order. Pure: no database in here.

In: ``Analysis`` and what the user said of the run (``RunMeta``). Out: ``Rows`` (``storage.row_pieces``).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.analysis import Analysis
from core.options import options_as_dict
from core.records.record import Query, Record, State, Symbols
from core.replay.lines import line_map
from core.replay.world import FileWrite
from core.tape.staleness import StatusChange
from core.tokens import count_many
from core.trajectory.steps import Step
from storage.project_rows import project_rows
from storage.row_pieces import Full, Row, Rows
from storage.schema import SUMS
from storage.text import to_json

_TITLE = 120  # characters of a step's one-line title


@dataclass(frozen=True, slots=True)
class RunMeta:
    """What is known of a run besides its analysis: where it was read, its base, patch and labels (their texts)."""

    path: str
    base_spec: str = "none"
    patch: str | None = None
    seconds: float = 0.0
    ingested_at: str = ""  # UTC, ISO 8601
    labels: str | None = None


def rows_of(analysis: Analysis, meta: RunMeta, full: Full | None = None) -> Rows:
    """All rows of a run, or what ``full`` has left of them; linear in what the analysis holds."""
    rows = Rows(analysis.trajectory.run_id, full)
    _run(rows, analysis, meta)
    _steps(rows, analysis)
    _records(rows, analysis)
    _writes(rows, analysis)
    _files(rows, analysis)
    _drift(rows, analysis)
    _nominations(rows, analysis)
    _points(rows, analysis)
    _context(rows, analysis)
    _graph(rows, analysis)
    _bookkeeping(rows, analysis)
    if analysis.project is not None:
        project_rows(rows.add, analysis.project)
    return rows


def _run(rows: Rows, a: Analysis, meta: RunMeta) -> None:
    run, info = a.trajectory, a.replay.info
    last = a.held[-1] if a.held else None
    sources = sorted({p.gold_source for p in a.points})
    rows.add(
        "runs",
        run.session_id,
        meta.path,
        run.format,
        run.agent,
        to_json(list(run.models)),
        run.cwd.replace("\\", "/").rstrip("/").rpartition("/")[2],
        run.cwd,
        run.git_branch,
        run.started,
        run.ended,
        run.task,
        "loaded",
        meta.base_spec,
        info.label,
        info.matched,
        info.compared,
        info.note,
        meta.patch,
        meta.labels,
        to_json(options_as_dict(a.options)),
        a.version,
        run.content_hash,
        len(run.steps),
        len(a.replay.writes),
        len(a.records),
        len(a.nominations),
        sum(p.anchor == "P" for p in a.points),
        run.lines,
        len(run.skipped),
        len(a.replay.observations),
        a.replay.compared,
        sum(o.equal for o in a.replay.observations),
        a.replay.fidelity,
        sum(r.tokens for r in a.records),
        last.true + last.stale + last.none if last else 0,
        last.stale if last else 0,
        len(run.compactions),
        to_json(a.graph),
        ",".join(sources) or None,
        run.size,
        meta.seconds,
        meta.ingested_at,
        None,
    )


def _steps(rows: Rows, a: Analysis) -> None:
    touched: dict[int, set[str]] = defaultdict(set)
    spans: dict[int, list[str]] = defaultdict(list)
    for sight in a.replay.sights:
        touched[sight.t].add(sight.path)
        if sight.source != "new":
            spans[sight.t].append(sight.path if sight.whole else f"{sight.path} {sight.start}-{sight.end}")
    for write in a.replay.writes:
        touched[write.t].add(write.path)
    by_step = {record.born: record.tokens for record in a.records}
    counts = count_many([step.text for step in a.trajectory.steps])
    for step, counted in zip(a.trajectory.steps, counts, strict=True):
        t = step.t
        where = spans[t][0] if len(spans[t]) == 1 else ", ".join(sorted(touched[t]))
        rows.add(
            "steps",
            t,
            step.kind,
            step.role,
            step.tool,
            step.agent,
            rows.blob(step.call) if step.call else None,
            rows.blob(step.text, counted),
            rows.blob(step.thinking) if step.thinking else None,
            step.failed,
            step.empty,
            step.time,
            step.cwd,
            step.command,
            step.purpose,
            step.source,
            step.line,
            step.turn,
            step.message_id,
            to_json(sorted(touched[t])),
            _title(step, where),
            by_step.get(t, counted),
        )


def _title(step: Step, where: str) -> str:
    """One line that says what the step did, for lists: "Read core/a.py 10-40", "Bash pytest -q"."""
    if step.kind == "say":
        head = "User:" if step.role == "user" else "Said:"
        text = f"{head} {step.text[:400]}"
    elif step.command:
        text = f"{step.tool} {step.command[:400]}"
    else:
        text = f"{step.tool or step.kind} {where or step.call[:400]}"
    line = " ".join(text.split())
    if not line.isprintable():
        line = " ".join("".join(c if c.isprintable() else " " for c in line).split())
    return line if len(line) <= _TITLE else line[: _TITLE - 1] + "…"


def _records(rows: Rows, a: Analysis) -> None:
    for r in a.records:
        kind, ids = _referent(r)
        rows.add(
            "records",
            r.id,
            r.kind,
            r.born,
            r.gone,
            r.path,
            r.start,
            r.end,
            r.tokens,
            rows.blob(r.text, r.tokens),
            kind,
            to_json(ids),
            to_json([[s.path, s.start, s.end, s.source] for s in r.sights]),
            r.tool,
            r.command,
            r.failed,
        )
    for change in a.statuses:
        rows.add(
            "statuses",
            change.record_id,
            change.t,
            change.status,
            change.since,
            change.incomplete,
            change.moved,
            to_json(change.stale_lines),
        )


def _referent(record: Record) -> tuple[str, Sequence[str]]:
    match record.referent:
        case Symbols(ids):
            return "symbols", ids
        case State():
            return "state", ()
        case Query():
            return "query", ()
        case None:
            return "none", ()


def _writes(rows: Rows, a: Analysis) -> None:
    for n, w in enumerate(a.replay.writes):
        added, deleted = _size(w)
        before, after = rows.blob(w.before), rows.blob(w.after)
        rows.add(
            "writes", n, w.t, w.known_at, w.path, before, after, w.source, w.how, w.agent, w.opaque, added, deleted
        )


def _size(write: FileWrite) -> tuple[int | None, int | None]:
    """Lines added and deleted; None where a text is not known."""
    if write.opaque:
        return None, None
    blocks = line_map(write.before or "", write.after or "").blocks
    return sum(b.new_end - b.new_start + 1 for b in blocks), sum(b.old_end - b.old_start + 1 for b in blocks)


def _files(rows: Rows, a: Analysis) -> None:
    """Every version of every file that was shown or written or holds a stored symbol."""
    writes: dict[str, list[FileWrite]] = defaultdict(list)
    for w in sorted(a.replay.writes, key=lambda w: w.t):
        writes[w.path].append(w)
    paths = {s.path for s in a.replay.sights} | set(writes) | {s.path for s in a.symbols}
    for path in sorted(paths):
        first = writes[path][0].before if writes[path] else None
        versions = {0: a.replay.base.get(path, first)}
        versions.update((w.t, w.after) for w in writes[path])
        starts = sorted(versions)
        starts = [t for n, t in enumerate(starts) if n == 0 or versions[t] != versions[starts[n - 1]]]
        for t, until in zip(starts, [*starts[1:], None], strict=True):
            rows.add("files", path, t, until, rows.blob(versions[t]))


def _drift(rows: Rows, a: Analysis) -> None:
    falsified = _falsified(a)
    last = {d.known_at: d for d in a.drifts}  # of writes that became known at once, the last answers for both
    for d in a.drifts:
        sets = (d.changed, d.removed, d.created, d.rewired, d.uses, d.lost_callers, d.paths, d.opaque)
        records, tokens = falsified.get(d.known_at, (0, 0)) if last[d.known_at] is d else (0, 0)
        rows.add("drift", d.t, d.known_at, *map(to_json, sets), d.documentation, records, tokens)


def _falsified(a: Analysis) -> dict[int, tuple[int, int]]:
    """By the step at which a write became known: how many held records it made stale, and their tokens."""
    records = {r.id: r for r in a.records}
    stale: set[str] = set()
    out: dict[int, tuple[int, int]] = {}
    for change in sorted(a.statuses, key=lambda c: (c.t, c.record_id)):
        record = records.get(change.record_id)
        if not change.status.endswith("-stale"):
            stale.discard(change.record_id)
        elif change.record_id not in stale:
            stale.add(change.record_id)
            # A record born stale was falsified by nothing while it was held.
            if record is not None and change.since is not None and record.born <= change.since:
                count, tokens = out.get(change.since, (0, 0))
                held = record.held_at(change.t)
                out[change.since] = (count + held, tokens + held * record.tokens)
    return out


def _nominations(rows: Rows, a: Analysis) -> None:
    records = {r.id: r for r in a.records}
    statuses: dict[str, list[StatusChange]] = defaultdict(list)
    for change in sorted(a.statuses, key=lambda c: c.t):
        statuses[change.record_id].append(change)
    for nomination, action in a.nominations:
        record = records[nomination.record_id]
        known = statuses[record.id]
        at = bisect_right([c.t for c in known], nomination.t)
        after = None if action.name == "keep" else rows.blob(action.text, action.tokens_after)
        rows.add(
            "nominations",
            nomination.t,
            record.id,
            record.path,
            record.start,
            record.end,
            record.born,
            to_json(nomination.hits),
            action.name,
            action.reason,
            action.tokens_before,
            action.tokens_after,
            after,
            action.pointer,
            known[at - 1].status if at else "none",
        )


def _points(rows: Rows, a: Analysis) -> None:
    for p in a.points:
        sums = (p.held, p.unneeded, p.held_needed, p.stale, p.stale_needed, p.needed, p.gold_held, p.missing)
        place = (p.t, p.anchor, p.first, p.last)
        rows.add("points", *place, p.gold_source, p.skip, p.merged, p.edits, *sums, p.context_complete)
        for n, g in enumerate(p.regions):
            text = (g.rule, g.why, g.symbol)
            rows.add("regions", p.t, p.anchor, n, g.path, g.start, g.end, *text, g.tokens, g.held_tokens)
        for r in p.records:
            flags = (r.needed, r.stale, r.needed_tokens, r.why)
            rows.add("point_records", p.t, p.anchor, r.record_id, r.tokens, *flags)
    for score in a.scores:
        cells = [getattr(score.sums, name) for name in SUMS]
        rows.add("scores", score.t, score.policy, score.gold_source, score.state, score.note, *cells)
    for c in a.curve:
        sums5 = (c.held, c.unneeded, c.stale, c.needed, c.missing)
        rows.add("curve", c.t, c.edits, *sums5, c.m_held, c.m_unneeded, c.m_stale)


def _context(rows: Rows, a: Analysis) -> None:
    for h in a.held:
        rows.add("held", h.t, h.true, h.stale, h.none, h.m_true, h.m_stale, h.m_none)
    for n, act in enumerate(a.actions):
        tokens = (act.tokens_before, act.tokens_after)
        text = rows.blob(act.text, act.tokens_after)
        rows.add("actions", n, act.t, act.record_id, act.name, *tokens, text, act.reason, act.pointer)
    for m in a.maintained:
        rows.add("maintained", m.id, m.origin, m.form, m.from_t, m.until, m.tokens, rows.blob(m.text, m.tokens))


def _graph(rows: Rows, a: Analysis) -> None:
    for s in a.symbols:
        place = (s.kind, s.path, s.start, s.end)
        rows.add("symbols", s.id, s.from_t, s.until, *place, s.own_hash, s.language)
    for n, e in enumerate(a.edges):
        rows.add("edges", n, e.source, e.target, e.kind, e.tier, e.why, e.from_t, e.until)


def _bookkeeping(rows: Rows, a: Analysis) -> None:
    run = a.trajectory
    for n, o in enumerate(a.replay.observations):
        texts = (o.source, o.verdict, o.seen, o.expected, o.suspect)
        rows.add("observations", n, o.t, o.path, o.start, o.compared, o.equal, *texts)
    for n, u in enumerate(run.usages):
        tokens = (u.input, u.cache_read, u.cache_write_5m, u.cache_write_1h, u.output)
        rows.add("usages", n, u.t, u.message_id, u.model, u.agent, *tokens)
    for n, c in enumerate(run.compactions):
        rows.add("compactions", n, c.after, c.kind, c.trigger, c.pre_tokens, len(c.removed))
    for g in a.segments:
        rows.add("segments", g.first, g.last, g.requests, g.slope, g.intercept, g.error, g.complete)
    for n, k in enumerate(run.skipped):
        rows.add("skipped", n, k.source, k.line, k.why)
    for n, note in enumerate(_notes(a)):
        rows.add("notes", n, *note)


def _notes(a: Analysis) -> Iterable[Row]:
    """(kind, t, what, count) of what was met and could not be used."""
    for what, count in a.trajectory.unknown:
        yield "unknown", None, what, count
    for t, path, why in a.replay.unapplied:
        yield "unapplied", t, f"{path}: {why}", 1
    for path, count in a.replay.outside:
        yield "outside", None, path, count
    for path, start, until in a.replay.opaque:
        yield "opaque", start, path if until is None else f"{path} (until step {until})", 1

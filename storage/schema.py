"""The tables, in SQLAlchemy Core, the same on DuckDB and PostgreSQL.

Natural keys, no foreign keys (DuckDB cannot update a referenced parent), no serials. Every table but
``meta``, ``tags``, ``blobs``, ``facts`` and ``prices`` has ``run_id`` first and is replaced as a whole when the run is
ingested again. Steps are called ``t``. Whole texts live once in ``blobs`` by content hash.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Double, Integer, LargeBinary, MetaData, Table, Text

SCHEMA_VERSION = 3
metadata = MetaData()
BLOB = {"blob": True}  # marks the columns that hold a key of ``blobs``


def _table(name: str, *columns: Column[Any]) -> Table:
    return Table(name, metadata, *columns)


def _key(name: str, kind: type = Text) -> Column[object]:
    return Column(name, kind, primary_key=True, autoincrement=False, nullable=False)


meta = _table("meta", _key("key"), Column("value", Text, nullable=False))
# Content-addressed texts (file versions, record texts, replacement texts): hash is blake2b-16 hex.
blobs = _table(
    "blobs", _key("hash"), Column("text", Text, nullable=False, info={"zstd": True}), Column("tokens", Integer)
)
# Graph facts of files and whole graphs, by content, shared by all runs (a warm start); see ``storage.facts``.
facts = _table(
    "facts",
    _key("key"),
    Column("added", BigInteger, nullable=False),  # grows with every publication
    Column("size", Integer, nullable=False),  # bytes of data
    Column("data", LargeBinary, nullable=False),
)
# What the user says of a run; survives re-ingest.
tags = _table("tags", _key("run_id"), _key("tag"), Column("value", Text, nullable=False, default=""))
# What a million tokens of a model cost, in US dollars; empty: the published list prices.
prices = _table(
    "prices",
    _key("model"),
    *(Column(kind, Double, nullable=False) for kind in ("input", "cache_read", "cache_write_5m", "cache_write_1h")),
    Column("output", Double, nullable=False),
)

runs = _table(
    "runs",
    _key("run_id"),
    Column("session_id", Text),
    Column("path", Text),  # where the transcript was read from, as the user gave it
    Column("format", Text),
    Column("agent", Text),
    Column("models", Text),  # JSON list
    Column("repository", Text),  # last folder of the run's cwd
    Column("cwd", Text),
    Column("git_branch", Text),
    Column("started", Text),
    Column("ended", Text),
    Column("task", Text),
    Column("status", Text),  # loaded
    Column("base_spec", Text),
    Column("base_label", Text),
    Column("base_matched", Integer),
    Column("base_compared", Integer),
    Column("base_note", Text),
    Column("patch", Text),  # reference patch, if given
    Column("labels", Text),  # imported labels, if given
    Column("options", Text),  # JSON
    Column("analysis_version", Text),
    Column("content_hash", Text),
    Column("steps", Integer),
    Column("writes", Integer),  # file writes
    Column("records", Integer),
    Column("nominations", Integer),
    Column("decision_points", Integer),
    Column("lines", Integer),
    Column("skipped_lines", Integer),
    Column("observations", Integer),
    Column("compared_lines", BigInteger),
    Column("equal_lines", BigInteger),
    Column("fidelity", Double),  # null: nothing compared
    Column("tokens_read", BigInteger),  # of all records ever born
    Column("held_end", BigInteger),
    Column("stale_end", BigInteger),
    Column("compactions", Integer),
    Column("graph_stats", Text),  # JSON of GraphStats
    Column("gold_source", Text),
    Column("size", BigInteger),
    Column("seconds", Double),
    Column("ingested_at", Text),  # UTC ISO
    Column("transcript", Text, info=BLOB),  # blob hash of the sources when kept, else null
)
steps = _table(
    "steps",
    _key("run_id"),
    _key("t", Integer),
    Column("kind", Text),
    Column("role", Text),
    Column("tool", Text),
    Column("agent", Text),
    Column("call", Text, info=BLOB),  # blob hash
    Column("text", Text, info=BLOB),  # blob hash
    Column("thinking", Text, info=BLOB),  # blob hash or null
    Column("failed", Boolean),
    Column("empty", Boolean),
    Column("time", Text),
    Column("cwd", Text),
    Column("command", Text),
    Column("purpose", Text),
    Column("source", Text),
    Column("line", Integer),
    Column("turn", Integer),
    Column("message_id", Text),
    Column("paths", Text),  # JSON list of repository paths it shows or writes
    Column("title", Text),  # one line for people: "Read core/a.py 10-40"
    Column("tokens", Integer),
)
records = _table(
    "records",
    _key("run_id"),
    _key("record_id"),
    Column("kind", Text),
    Column("born", Integer),
    Column("gone", Integer),
    Column("path", Text),
    Column("start", Integer),
    Column("end", Integer),
    Column("tokens", Integer),
    Column("text", Text, info=BLOB),  # blob hash
    Column("referent", Text),  # symbols | state | query | none
    Column("symbols", Text),  # JSON list
    Column("sights", Text),  # JSON list of [path, start, end, source]
    Column("tool", Text),
    Column("command", Text),
    Column("failed", Boolean),
)
statuses = _table(
    "statuses",
    _key("run_id"),
    _key("record_id"),
    _key("t", Integer),
    Column("status", Text),
    Column("since", Integer),
    Column("incomplete", Boolean),
    Column("moved", Boolean),
    Column("stale_lines", Text),  # JSON list of [start, end]
)
writes = _table(
    "writes",
    _key("run_id"),
    _key("n", Integer),  # order of happening
    Column("t", Integer),
    Column("known_at", Integer),
    Column("path", Text),
    Column("before", Text, info=BLOB),  # blob hash or null
    Column("after", Text, info=BLOB),  # blob hash or null
    Column("source", Text),
    Column("how", Text),
    Column("agent", Text),
    Column("opaque", Boolean),
    Column("added", Integer),
    Column("deleted", Integer),
)
drift = _table(
    "drift",
    _key("run_id"),
    _key("t", Integer),  # where it happened; a change seen later can share it with another
    _key("known_at", Integer),
    Column("changed", Text),  # JSON lists of symbol ids
    Column("removed", Text),
    Column("created", Text),
    Column("rewired", Text),
    Column("uses", Text),
    Column("lost_callers", Text),
    Column("paths", Text),
    Column("opaque", Text),
    Column("documentation", Boolean),
    Column("falsified_records", Integer),  # records whose status became stale because of this write
    Column("falsified_tokens", BigInteger),
)
nominations = _table(
    "nominations",
    _key("run_id"),
    _key("t", Integer),
    _key("record_id"),
    Column("path", Text),
    Column("start", Integer),
    Column("end", Integer),
    Column("born", Integer),
    Column("symbols", Text),  # JSON list of {id, why, tier, writes}
    Column("action", Text),
    Column("reason", Text),
    Column("tokens_before", Integer),
    Column("tokens_after", Integer),
    Column("text_after", Text, info=BLOB),  # blob hash or null
    Column("pointer", Text),
    Column("status", Text),  # staleness status of the record after this write: the verdict, for measuring
)
actions = _table(
    "actions",  # carried out on the maintained context
    _key("run_id"),
    _key("n", Integer),
    Column("t", Integer),
    Column("record_id", Text),
    Column("name", Text),
    Column("tokens_before", Integer),
    Column("tokens_after", Integer),
    Column("text", Text, info=BLOB),  # blob hash or null
    Column("reason", Text),
    Column("pointer", Text),
)
maintained = _table(
    "maintained",
    _key("run_id"),
    _key("id"),
    Column("origin", Text),
    Column("form", Text),
    Column("from_t", Integer),
    Column("until", Integer),
    Column("tokens", Integer),
    Column("text", Text, info=BLOB),  # blob hash
)
points = _table(
    "points",
    _key("run_id"),
    _key("t", Integer),
    _key("anchor"),
    Column("first", Integer),
    Column("last", Integer),
    Column("gold_source", Text),
    Column("skip", Text),
    Column("merged", Integer),
    Column("edits", Integer),
    Column("held", BigInteger),
    Column("unneeded", BigInteger),
    Column("held_needed", BigInteger),
    Column("stale", BigInteger),
    Column("stale_needed", BigInteger),
    Column("needed", BigInteger),
    Column("gold_held", BigInteger),
    Column("missing", BigInteger),
    Column("context_complete", Boolean),
)
regions = _table(
    "regions",
    _key("run_id"),
    _key("t", Integer),
    _key("anchor"),
    _key("n", Integer),
    Column("path", Text),
    Column("start", Integer),
    Column("end", Integer),
    Column("rule", Text),
    Column("why", Text),
    Column("symbol", Text),
    Column("tokens", Integer),
    Column("held_tokens", Integer),
)
point_records = _table(
    "point_records",  # records on a needed file; all others held there are unneeded
    _key("run_id"),
    _key("t", Integer),
    _key("anchor"),
    _key("record_id"),
    Column("tokens", Integer),
    Column("needed", Boolean),
    Column("stale", Boolean),
    Column("needed_tokens", Integer),
    Column("why", Text),
)
# Token sums of one policy at one scored point, in the order of core.tracebench.scores.Sums without ``points``.
SUMS = (
    "unneeded", "held_needed", "missing", "dropped", "cleared", "lost", "net_lost", "found", "added", "retrieved",
    "gold_lost", "stale_left", "line_unneeded", "line_needed", "line_cleared", "line_lost", "file_unneeded",
    "file_needed", "file_cleared", "file_lost", "spent",
)  # fmt: skip
scores = _table(
    "scores",
    _key("run_id"),
    _key("t", Integer),
    _key("policy"),
    Column("gold_source", Text),
    Column("state", Text),
    Column("note", Text),
    *(Column(name, BigInteger) for name in SUMS),
)
held = _table(
    "held",
    _key("run_id"),
    _key("t", Integer),
    Column("true_tokens", BigInteger),
    Column("stale_tokens", BigInteger),
    Column("none_tokens", BigInteger),
    Column("m_true", BigInteger),
    Column("m_stale", BigInteger),
    Column("m_none", BigInteger),
)
curve = _table(
    "curve",
    _key("run_id"),
    _key("t", Integer),
    Column("edits", Integer),
    Column("held", BigInteger),
    Column("unneeded", BigInteger),
    Column("stale", BigInteger),
    Column("needed", BigInteger),
    Column("missing", BigInteger),
    Column("m_held", BigInteger),
    Column("m_unneeded", BigInteger),
    Column("m_stale", BigInteger),
)
symbols = _table(
    "symbols",
    _key("run_id"),
    _key("symbol_id"),
    _key("from_t", Integer),
    Column("until", Integer),
    Column("kind", Text),
    Column("path", Text),
    Column("start", Integer),
    Column("end", Integer),
    Column("own_hash", Text),
    Column("language", Text),
)
edges = _table(
    "edges",
    _key("run_id"),
    _key("n", Integer),
    Column("source", Text),
    Column("target", Text),
    Column("kind", Text),
    Column("tier", Text),
    Column("why", Text),
    Column("from_t", Integer),
    Column("until", Integer),
)
files = _table(
    "files",  # every version of every file the run shows, writes, or that holds a stored symbol
    _key("run_id"),
    _key("path"),
    _key("from_t", Integer),
    Column("until", Integer),
    Column("text", Text, info=BLOB),  # blob hash or null where the file does not exist
)
observations = _table(
    "observations",
    _key("run_id"),
    _key("n", Integer),
    Column("t", Integer),
    Column("path", Text),
    Column("start", Integer),
    Column("compared", Integer),
    Column("equal", Integer),
    Column("source", Text),
    Column("verdict", Text),
    Column("seen", Text),
    Column("expected", Text),
    Column("suspect", Integer),
)
usages = _table(
    "usages",
    _key("run_id"),
    _key("n", Integer),
    Column("t", Integer),
    Column("message_id", Text),
    Column("model", Text),
    Column("agent", Text),
    Column("input", BigInteger),
    Column("cache_read", BigInteger),
    Column("cache_write_5m", BigInteger),
    Column("cache_write_1h", BigInteger),
    Column("output", BigInteger),
)
compactions = _table(
    "compactions",
    _key("run_id"),
    _key("n", Integer),
    Column("after_t", Integer),
    Column("kind", Text),
    Column("trigger", Text),
    Column("pre_tokens", BigInteger),
    Column("removed", Integer),
)
segments = _table(
    "segments",  # between compactions: does the held context explain what the API billed?
    _key("run_id"),
    _key("first", Integer),
    Column("last", Integer),
    Column("requests", Integer),
    Column("slope", Double),
    Column("intercept", Double),
    Column("error", Double),
    Column("complete", Boolean),  # null: too few requests to tell
)
skipped = _table(
    "skipped",
    _key("run_id"),
    _key("n", Integer),
    Column("source", Text),
    Column("line", Integer),
    Column("why", Text),
)
notes = _table(
    "notes",  # unknown record types, unapplied writes, outside paths, opaque files: counted and shown
    _key("run_id"),
    _key("n", Integer),
    Column("kind", Text),
    Column("t", Integer),
    Column("what", Text),
    Column("count", Integer),
)
project = _table(
    "project",  # the project's state (StateHarness), one row a step that moved it; t = 0 is the state before the first
    _key("run_id"),
    _key("t", Integer),
    Column("change", Text),  # JSON of StateChange
    Column("effects", Text),  # JSON list of Effect
    Column("score", Integer),  # the counters after the step
    Column("missing", Integer),
    Column("unread", Integer),  # calls since the brief was delivered or read
    Column("cooldown", Integer),
    Column("written", Text),  # JSON list of Written
    Column("alerts", Text),  # JSON list of Alert, null: no diagnosis was made after this step
    Column("signal", Text),
)
impacts = _table(
    "impacts",  # the files that may have to follow a step's writes, by score
    _key("run_id"),
    _key("t", Integer),
    _key("n", Integer),
    Column("source", Text),
    Column("path", Text),
    Column("kind", Text),
    Column("why", Text),
    Column("score", Double),
    Column("firm", Boolean),
)

RUN_TABLES: tuple[Table, ...] = tuple(
    t for t in metadata.sorted_tables if t.name not in {"meta", "blobs", "facts", "tags", "prices"}
)

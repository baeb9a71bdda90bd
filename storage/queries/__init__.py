"""What pages ask of the database: the only SQL behind a page, in SQLAlchemy Core, the same on both backends.

In: a short read-only connection and plain arguments. Out: rows as dicts, or columns as lists where a chart
wants them. Every query is bounded by a window, a limit or an aggregate; JSON columns come back decoded; a
hash of a text is resolved only where the text is asked for. One file a page's subject.
"""

from storage.queries.context import context, context_sum, context_texts, get_record, maintained_texts, mismatches
from storage.queries.drift import (
    actions_on,
    covered_symbols,
    edges_around,
    get_drift,
    list_drift,
    list_nominations,
    nominations_at,
    record_names,
    symbol_versions,
)
from storage.queries.lifecycle import (
    held_by_status,
    lane_actions,
    lane_changes,
    lane_group,
    lane_sizes,
    lanes,
    marks,
    needed_at_points,
    status_intervals,
)
from storage.queries.points import file_text, list_points, point_held, point_regions
from storage.queries.policies import edit_sums, glance, pair_sums, policy_sums, scored_policies
from storage.queries.project import project_run, run_efforts, touched_paths
from storage.queries.rows import STALE, Columns, Row
from storage.queries.runs import get_run, list_runs, not_understood, texts
from storage.queries.steps import (
    StepFilter,
    count_steps,
    facets,
    get_step,
    list_steps,
    neighbours,
    writes_at,
    writes_known_at,
)
from storage.queries.tokens import curves, held_items, request_steps, usage_sum

__all__ = [
    "STALE",
    "Columns",
    "Row",
    "StepFilter",
    "actions_on",
    "context",
    "context_sum",
    "context_texts",
    "count_steps",
    "covered_symbols",
    "curves",
    "edges_around",
    "edit_sums",
    "facets",
    "file_text",
    "get_drift",
    "get_record",
    "get_run",
    "get_step",
    "glance",
    "held_by_status",
    "held_items",
    "lane_actions",
    "lane_changes",
    "lane_group",
    "lane_sizes",
    "lanes",
    "list_drift",
    "list_nominations",
    "list_points",
    "list_runs",
    "list_steps",
    "maintained_texts",
    "marks",
    "mismatches",
    "needed_at_points",
    "neighbours",
    "nominations_at",
    "not_understood",
    "pair_sums",
    "point_held",
    "point_regions",
    "policy_sums",
    "project_run",
    "record_names",
    "request_steps",
    "run_efforts",
    "scored_policies",
    "status_intervals",
    "symbol_versions",
    "texts",
    "touched_paths",
    "usage_sum",
    "writes_at",
    "writes_known_at",
]

"""Hypothesis strategies for the records, with the texts most likely to break a file."""

from __future__ import annotations

from typing import get_args

from hypothesis import strategies as st

from core.harness import project_state as ps
from core.harness.skills_file import POLICIES

ODD = "\n\r\t\u00a0 &#13;\\-`<>![]():,()#ab \ud800\u2028\u00e9\x00"
texts = st.text(alphabet=st.one_of(st.sampled_from(ODD), st.characters()), max_size=24)
steps = st.integers(0, 99_999)
outcomes = st.sampled_from(get_args(ps.Outcome))
tasks = st.builds(ps.TaskState, texts, texts, texts, texts, steps, st.booleans())
events = st.builds(
    ps.Event, steps, steps, st.sampled_from(get_args(ps.EventKind)), texts, texts, texts,
    st.lists(texts, max_size=3).map(tuple), st.booleans(),
)  # fmt: skip
relations = st.builds(
    ps.Relation, texts, texts, st.sampled_from(get_args(ps.RelationKind)), texts, st.sampled_from(["open", "checked"]),
    steps, st.sampled_from(["", "inspected", "edited", "run"]), steps, st.booleans(),
)  # fmt: skip
invocations = st.builds(ps.Invocation, steps, outcomes)
procedures = st.builds(
    ps.Procedure, texts, steps, steps, st.lists(invocations, max_size=3).map(tuple), texts, st.sampled_from(POLICIES),
    texts, st.booleans(),
)  # fmt: skip
alerts = st.builds(ps.Alert, steps, texts, st.lists(texts, max_size=3).map(tuple))
outside = st.builds(ps.Outside, texts, steps, texts)


def several(values, key=None):
    """Up to four of the values in order, or by key without repeats."""
    if key is None:
        return st.lists(values, max_size=4).map(tuple)
    return st.lists(values, max_size=4, unique_by=key).map(lambda found: tuple(sorted(found, key=key)))


states = st.builds(
    ps.ProjectState, tasks, several(events), several(relations, lambda r: r.key), several(procedures, lambda p: p.name)
)
briefs = st.builds(
    ps.WorkingBrief, steps, texts, texts,
    several(procedures.map(lambda p: ps.Procedure(
        p.name, p.runs, p.failures, (), p.latest_failure, p.policy, p.rationale, p.derived))),
    several(events), several(relations), several(alerts), several(outside),
)  # fmt: skip

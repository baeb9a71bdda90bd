"""The working brief of one step as a person reads it, and the records it is made from, as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from core.harness.project_state import Event, ProjectState, Relation, WorkingBrief
from pages.components import palette, style, tables, words

_EVENT = {
    "event": tables.text("event", width=48),
    "step": tables.number("step", width=46),
    "kind": tables.text("kind", width=84),
    "what": tables.text("what", width=330),
    "reason": tables.text("reason", width=200),
    "by": tables.text("by", "Written by the agent, or derived from what it did", 54),
}
_RELATION = {
    "state": tables.text("state", width=60),
    "kind": tables.text("kind", width=84),
    "source": tables.text("changed file", width=170),
    "target": tables.text("may have to follow", width=190),
    "why": tables.text("why", width=240),
    "opened": tables.number("since", "Step of the change", 46),
    "closed": tables.text("closed", "How and at which step", 90),
}
_PROCEDURE = {
    "procedure": tables.text("procedure", width=210),
    "policy": tables.text("policy", "use, verify, avoid or freeze", 54),
    "runs": tables.number("runs", width=44),
    "failures": tables.number("failed", width=46),
    "rationale": tables.text("rationale", width=220),
    "latest": tables.text("latest failure", width=240),
}


def brief(shown: WorkingBrief) -> None:
    """Focus, alerts, what is open, guidance, the newest events, and where the rest is found."""
    parts = [_line("Focus", shown.focus or "none is recorded")]
    if shown.hypothesis:
        parts.append(_line("Hypothesis", shown.hypothesis))
    alerts = [f"{a.text} ({', '.join(a.rests)})" for a in shown.alerts]
    parts.append(_list("Alerts", alerts, palette.OPEN.colour))
    opened = [f"{r.target}: {r.why} (since step {r.opened})" for r in shown.relations]
    parts.append(_list("Open relations", opened, palette.OPEN.colour))
    told = [f"{p.name}: {p.policy}{' — ' + p.rationale if p.rationale else ''}" for p in shown.guidance]
    parts.append(_list("Guidance", told, palette.INSPECTED.colour))
    parts.append(_list("Events", [_said(e) for e in shown.events], palette.NONE.colour))
    parts.append(_list("Not in the brief", [f"{o.count} {o.what}: {o.where}" for o in shown.outside], ""))
    st.html(f'<div class="tp-facts">{"".join(p for p in parts if p)}</div>')


def _said(event: Event) -> str:
    reason = f" — {event.reason}" if event.reason else ""
    return f"{event.name}, step {event.t}, {event.kind.replace('-', ' ')}: {event.text}{reason}"


def _line(title: str, text: str) -> str:
    return f"<div><b>{title}.</b> {words.esc(text)}</div>"


def _list(title: str, items: Sequence[str], colour: str) -> str:
    if not items:
        return ""
    edge = f"border-left:3px solid {colour};" if colour else ""
    lines = "".join(f'<div style="{edge}padding-left:8px;margin:1px 0">{words.esc(i)}</div>' for i in items)
    return f'<div style="margin-top:4px"><b>{title}</b>{lines}</div>'


def events(state: ProjectState, key: str) -> None:
    """The event log, the newest first."""
    rows = [
        {
            "event": e.name,
            "step": e.t,
            "kind": e.kind.replace("-", " "),
            "what": words.clip(e.text, 300),
            "reason": words.clip(e.reason, 200),
            "by": "derived" if e.derived else "agent",
        }
        for e in reversed(state.events)
    ]
    _table(rows, _EVENT, f"events:{key}", "No event is recorded yet.", "The event log")


def relations(state: ProjectState, key: str) -> None:
    """The relations, open ones first."""
    ranked = sorted(state.relations, key=lambda r: (r.state != "open", -max(r.opened, r.closed), r.key))
    rows = [
        {
            "state": "● open" if r.state == "open" else "✓ checked",
            "kind": r.kind,
            "source": words.tail(r.source, 40),
            "target": words.tail(r.target, 46),
            "why": words.clip(r.why, 200),
            "opened": r.opened,
            "closed": closing(r),
        }
        for r in ranked
    ]
    _table(rows, _RELATION, f"relations:{key}", "No change has opened a relation yet.", "Relations")


def closing(relation: Relation) -> str:
    """How a relation was closed: ``edited at step 12``; empty while it is open."""
    return f"{relation.how} at step {relation.closed}" if relation.state == "checked" else ""


def procedures(state: ProjectState, key: str) -> None:
    """Procedure guidance, those to be careful with first."""
    ranked = sorted(state.procedures, key=lambda p: (p.policy == "use", -p.runs, p.name))
    rows = [
        {
            "procedure": words.clip(p.name, 80),
            "policy": p.policy,
            "runs": p.runs,
            "failures": p.failures,
            "rationale": words.clip(p.rationale, 160),
            "latest": words.clip(p.latest_failure, 200),
        }
        for p in ranked
    ]
    _table(rows, _PROCEDURE, f"procedures:{key}", "No command has been run yet.", "Procedure guidance")


def _table(rows: Sequence[Mapping[str, object]], config: dict[str, object], key: str, empty: str, alt: str) -> None:
    if not rows:
        st.caption(empty)
        return
    tables.show(pd.DataFrame(rows[:2000], columns=list(config)), config, key=key, height=330, alt=alt)
    if len(rows) > 2000:
        style.facts(f"{words.count(len(rows) - 2000)} more are not listed")

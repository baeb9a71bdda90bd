"""What an analysis is: everything computed for a run under one set of switches, as frozen values.

``pipeline.analyse`` makes it, ``storage`` keeps it, pages show it.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.context.actions import Action, Nomination
from core.context.maintain import MaintainedItem
from core.graph.chronicle import EdgeVersion, SymbolVersion
from core.harness.run import HarnessRun
from core.options import Options
from core.records.reconcile import Segment
from core.records.record import Record
from core.replay.world import Replay
from core.tape.drift import Drift
from core.tape.staleness import StatusChange
from core.tracebench.points import DecisionPoint
from core.tracebench.scores import PointScore
from core.trajectory.steps import Trajectory

ANALYSIS_VERSION = "3"


@dataclass(frozen=True, slots=True)
class HeldAt:
    """Tokens held after step ``t`` by status, in the recorded context and in the maintained one (m_)."""

    t: int
    true: int
    stale: int
    none: int
    m_true: int
    m_stale: int
    m_none: int


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """One decision point P on the edit axis (Figure 2): ``edits`` made before it; m_ under default actions."""

    edits: int
    t: int
    held: int
    unneeded: int
    stale: int
    needed: int
    missing: int
    m_held: int
    m_unneeded: int
    m_stale: int


@dataclass(frozen=True, slots=True)
class GraphStats:
    """Size of the graph at the end, and what it could not resolve."""

    files: int
    symbols: int
    edges: int
    unresolved: int
    languages: tuple[tuple[str, int], ...]
    syntax_errors: tuple[tuple[str, int], ...]
    unresolved_by_path: tuple[tuple[str, int], ...] = ()
    sites_by_path: tuple[tuple[str, int], ...] = ()  # call sites, resolved or not


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything computed for a run under one set of switches."""

    trajectory: Trajectory
    replay: Replay
    options: Options
    version: str
    records: tuple[Record, ...]
    drifts: tuple[Drift, ...]
    nominations: tuple[tuple[Nomination, Action], ...]  # over the recorded C_t, with the default action
    statuses: tuple[StatusChange, ...]  # of recorded records
    points: tuple[DecisionPoint, ...]
    curve: tuple[CurvePoint, ...]
    held: tuple[HeldAt, ...]  # one a step
    actions: tuple[Action, ...]  # carried out on the maintained context
    maintained: tuple[MaintainedItem, ...]
    symbols: tuple[SymbolVersion, ...]
    edges: tuple[EdgeVersion, ...]
    graph: GraphStats
    scores: tuple[PointScore, ...] = ()  # every policy at every scored P point
    project: HarnessRun | None = None  # the project's state step by step (StateHarness)
    segments: tuple[Segment, ...] = ()  # how far the API's own numbers bear the context out

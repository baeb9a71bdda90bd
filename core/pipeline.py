"""analyse(): one run, one base, one set of switches -> everything the dashboard shows."""

from core.analysis import ANALYSIS_VERSION, Analysis, CurvePoint, EdgeVersion, GraphStats, HeldAt, MaintainedItem, SymbolVersion

__all__ = ["ANALYSIS_VERSION", "Analysis", "CurvePoint", "EdgeVersion", "GraphStats", "HeldAt", "MaintainedItem", "SymbolVersion"]

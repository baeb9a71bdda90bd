"""What the Drift page says of the graph behind a symbol: language, and calls that reach nothing."""

from __future__ import annotations

from pages.components import graph_view
from pages.components.drift_view import known_of, unresolved_shares

STATS = {"sites_by_path": [["a.py", 8]], "unresolved_by_path": [["a.py", 2]]}


def test_language_and_share_of_the_file() -> None:
    language, share = known_of({"graph_stats": STATS}, [{"language": "python"}], "a.py")
    assert language == "python"
    assert "25.0% of the file" in share
    assert "2 of 8 call sites in a.py" in share


def test_a_file_without_calls_or_an_older_analysis_says_less() -> None:
    assert known_of({"graph_stats": STATS}, [{"language": "<b>"}], "b.py") == ("&lt;b&gt;",)
    assert known_of({"graph_stats": None}, [], "a.py") == ()
    assert known_of(None, [], "a.py") == ()


def test_hovering_a_symbol_says_its_language_and_what_is_unresolved_in_its_file() -> None:
    graph = graph_view.build({"a.py::f": "changed", "b.go::G": "changed"}, [])
    net = graph_view.network(graph, {}, None, unresolved_shares(STATS))
    titles = {node["title"].split("\n")[0]: node["title"].split("\n")[-1] for node in net.nodes}
    assert titles == {"a.py::f": "python · 25.0% of the file's calls unresolved", "b.go::G": "go"}


def test_hovering_an_edge_says_kind_tier_and_why() -> None:
    row = {"source": "a.py::f", "target": "b.py::g", "kind": "call", "tier": "possible", "why": "override of Base.run"}
    graph = graph_view.build({"a.py::f": "changed"}, [{**row, "old": False, "new": True}])
    (drawn,) = graph_view.network(graph, {}, None).edges
    assert drawn["title"] == "call · possible · override of Base.run\nadded by this write"

"""What the Drift page says of the graph behind a symbol: language, and calls that reach nothing."""

from __future__ import annotations

from pages.components.drift_view import known_of

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

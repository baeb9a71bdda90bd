"""The three sources of gold over a whole small run: hindsight, a reference patch, imported labels."""

import json

import pytest

from core.graph.graph import CodeGraph
from core.tracebench.points import find_points
from core.tracebench.reference import outstanding, selected, touches
from core.tracebench.sources import hindsight, imported, prepare_reference, read_imported, reference
from tests.tracebench.made_runs import history, trajectory, write

A = "def one():\n    return 1\n\n\ndef two():\n    return one()\n\n\ndef six(x):\n    return 6\n"
B = "from app.a import six\n\n\ndef go():\n    return six(1)\n"
FILES = {"app/a.py": A, "app/b.py": B, "tests/test_a.py": "def test_a():\n    assert 1\n"}

PATCH = """\
diff --git a/app/a.py b/app/a.py
--- a/app/a.py
+++ b/app/a.py
@@ -2,1 +2,1 @@
-    return 1
+    return 11
@@ -9,1 +9,1 @@
-def six(x):
+def six(x, y):
diff --git a/app/new.py b/app/new.py
new file mode 100644
--- /dev/null
+++ b/app/new.py
@@ -0,0 +1,5 @@
+from app.a import two
+
+
+def fresh():
+    return two()
diff --git a/tests/test_a.py b/tests/test_a.py
--- a/tests/test_a.py
+++ b/tests/test_a.py
@@ -2,1 +2,1 @@
-    assert 1
+    assert 2
"""
#   t:            1 2 3 4 5 6 7 8
RUN = trajectory("r e r e r e r e")
A1 = "import os\n" + A.replace("return 1\n", "return 10\n")
A2 = A1.replace("def six(x):", "def six(x, z):")
WRITES = (
    write(2, "tests/test_a.py", FILES["tests/test_a.py"], "def test_a():\n    assert 3\n"),
    write(4, "app/a.py", A, A1),
    write(6, "app/a.py", A1, A2),
    write(8, "app/new.py", None, "from app.a import two\n"),
)


def test_hindsight_looks_at_each_burst_in_the_state_before_it() -> None:
    texts, points = history(FILES, WRITES), [p for p in find_points(RUN) if p.anchor == "P"]
    found = []
    for point in points:
        graph = CodeGraph({p: t for p in texts.paths(point.t) if (t := texts.text(p, point.t)) is not None})
        labels = hindsight(graph, texts, WRITES, point)
        assert (labels.source, labels.state) == ("hindsight", point.t)
        found.append((labels.skip, [(r.rule, r.path, r.start, r.end) for r in labels.regions]))
    assert found == [
        ("test-only", []),
        ("", [("G1", "app/a.py", 1, 2)]),
        ("", [("G1", "app/a.py", 10, 11), ("G3", "app/b.py", 4, 5)]),
        ("", [("G2", "app/a.py", 6, 7)]),
    ]


def test_a_point_without_a_next_burst_has_no_imminent_edit() -> None:
    (last,) = [p for p in find_points(RUN) if p.anchor == "F"]
    texts = history(FILES, WRITES)
    assert hindsight(CodeGraph(FILES), texts, WRITES, last).skip == "no-imminent-edit"


def test_reference_gold_stands_in_the_base_and_follows_the_outstanding_hunks() -> None:
    texts = history(FILES, WRITES)
    ready = prepare_reference(CodeGraph(FILES), texts, WRITES, PATCH)
    assert ready.skipped == ()
    assert [(h.path, h.old_start) for h in ready.hunks] == [("app/a.py", 2), ("app/a.py", 9), ("app/new.py", 1)]
    assert ready.touched == ((4,), (6,), (8,))
    found = []
    for point in (p for p in find_points(RUN) if p.anchor == "P"):
        labels = reference(ready, texts, WRITES, point)
        assert (labels.source, labels.state) == ("reference", 0)
        found.append((labels.skip, [(r.rule, r.path, r.start, r.end) for r in labels.regions]))
    assert found == [
        ("test-only", []),
        ("", [("G1", "app/a.py", 1, 2)]),
        ("", [("G1", "app/a.py", 9, 10), ("G3", "app/b.py", 4, 5)]),
        ("", [("G2", "app/a.py", 5, 6)]),
    ]
    assert [(h.path, h.old_start) for h in outstanding(ready.hunks, ready.touched, 5)] == [
        ("app/a.py", 9),
        ("app/new.py", 1),
    ]


def test_a_hunk_already_touched_is_not_made_again() -> None:
    twice = (*WRITES[:2], write(6, "app/a.py", A1, A1.replace("return 10\n", "return 12\n")))
    texts = history(FILES, twice)
    ready = prepare_reference(CodeGraph(FILES), texts, twice, PATCH)
    assert ready.touched == ((4, 6), (), ())
    third = [p for p in find_points(RUN) if p.anchor == "P"][2]
    assert third.burst is not None
    assert selected(ready.hunks, ready.touched, third.t, third.burst) == ()
    assert reference(ready, texts, twice, third).skip == "no-imminent-edit"


@pytest.mark.parametrize(
    ("after", "met"),
    [
        (A.replace("return 1\n", "return 3\n"), True),
        (A.replace("return one()", "return 2"), False),
        (A.replace("    return 1\n", "    x = 1\n    return 1\n"), True),  # inserted just above the line
        (A.replace("def two():\n", "def two():\n    x = 1\n"), False),
        (A.replace("def one():\n    return 1\n\n\n", ""), True),
        (None, True),
    ],
)
def test_what_touches_a_hunk(after: str | None, met: bool) -> None:
    writes = (write(3, "app/a.py", A, after),)
    texts = history(FILES, writes)
    hunks = prepare_reference(CodeGraph(FILES), texts, (), PATCH).hunks
    assert touches(hunks[:1], texts, writes) == (((3,) if met else ()),)


def test_a_later_write_touches_base_lines_through_the_writes_before_it() -> None:
    first = A.replace("return 1\n", "return 3\n    # a\n    # b\n")
    writes = (write(3, "app/a.py", A, first), write(5, "app/a.py", first, first.replace("# b", "# c")))
    texts = history(FILES, writes)
    hunks = prepare_reference(CodeGraph(FILES), texts, (), PATCH).hunks
    assert touches(hunks[:1], texts, writes) == ((3, 5),)


def test_imported_labels() -> None:
    entry = {"t": 3, "path": "app/a.py", "start": 1, "end": 2, "rule": "G2", "why": "x"}
    text = json.dumps([entry, {**entry, "rule": "G9"}, {**entry, "end": 0}, {**entry, "t": True}, 7, {"t": 3}])
    ready = read_imported(text)
    assert [s.line for s in ready.skipped] == [2, 3, 4, 5, 6]
    second = [p for p in find_points(RUN) if p.anchor == "P"][1]
    labels = imported(ready, second)
    assert [(r.rule, r.start, r.end, r.why) for r in labels.regions] == [("G2", 1, 2, "x")]
    assert (labels.source, labels.state, labels.skip) == ("imported", 3, "")
    for bad in ("", "{}", "[" * 100_000, '{"t": 1}'):
        assert len(read_imported(bad).skipped) == 1

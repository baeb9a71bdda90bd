"""The gold rules on small Python repositories where every region can be found by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from core.graph.graph import CodeGraph
from core.graph.symbols import Edge, Reference
from core.tracebench.gold import edit_sites, gold
from core.tracebench.hunks import Hunk, added_lines, diff_hunks
from core.tracebench.regions import GoldRegion, Sweep
from core.tracebench.slide import settled
from tests.tracebench.made_runs import history

CONFIG = """\
import json

LIMIT = 3
NAMES = {
    "config": 1,
}


def load(path):
    return json.load(open(path))


def parse_config(path):
    data = load(path)

    return data


class Settings:
    name = "a"
    size = 1

    def show(self):
        return self.name

    def grow(self):
        return self.size
"""
#  1 import json          9 def load           19 class Settings:
#  3 LIMIT               13 def parse_config   20-21 name, size
#  4-6 NAMES             14-16 its body        23-24 show, 26-27 grow


def regions(files: Mapping[str, str], changed: Mapping[str, str | None]) -> list[tuple[str, str, int, int]]:
    return [(r.rule, r.path, r.start, r.end) for r in full(files, changed)]


def full(files: Mapping[str, str], changed: Mapping[str, str | None]) -> tuple[GoldRegion, ...]:
    hunks = [h for path, new in sorted(changed.items()) for h in diff_hunks(path, files.get(path), path, new)]
    return gold(CodeGraph(files), history(files), 0, hunks)


def sites(before: str, after: str) -> list[tuple[int, int, str]]:
    """G1 alone: (start, end, symbol) in app/config.py."""
    files = {"app/config.py": before}
    sweep = Sweep(CodeGraph(files), history(files), 0)
    hunks = [settled(sweep, h) for h in diff_hunks("app/config.py", before, "app/config.py", after)]
    found = edit_sites(sweep, hunks)
    return sorted((r.start, r.end, r.symbol.partition("::")[2]) for r in found)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("    data = load(path)\n", "    data = dict(load(path))\n", [(13, 16, "parse_config")]),
        ("return json.load(open(path))", "return {}", [(9, 10, "load")]),
        # Statements of the module: the contiguous block, never the whole module.
        ("LIMIT = 3", "LIMIT = 4", [(3, 6, "")]),
        ('    "config": 1,\n', '    "config": 1,\n    "b": 2,\n', [(3, 6, "")]),
        # A class: its own lines, not its methods.
        ("    size = 1\n", "    size = 2\n", [(19, 21, "Settings")]),
        ("    size = 1\n", "    size = 1\n    more = 2\n", [(19, 21, "Settings")]),
        ("return self.name", "return 1", [(23, 24, "Settings.show")]),
        # Inserted inside a function, at its end, and between functions.
        ("    data = load(path)\n", "    data = load(path)\n    data += 1\n", [(13, 16, "parse_config")]),
        ("    return data\n", "    return data\n    print()\n", [(13, 16, "parse_config")]),
        ("    return self.size\n", "    return self.size\n\n    def cut(self):\n        return 0\n", []),
        ("\n\ndef parse_config", "\n\ndef new():\n    return 1\n\n\ndef parse_config", []),
        ("class Settings:", "class Other:\n    x = 1\n\n\nclass Settings:", []),
        # Two hunks of one definition are one region; a hunk over two definitions is two.
        (
            "size = 1\n\n    def show(self):",
            "size = 2\n\n    def show(self, x):",
            [(19, 21, "Settings"), (23, 24, "Settings.show")],
        ),
        # Blank lines alone need nothing.
        ("    data = load(path)\n\n", "    data = load(path)\n\n\n", []),
    ],
)  # fmt: skip
def test_edit_site(old: str, new: str, expected: list[tuple[int, int, str]]) -> None:
    assert CONFIG.count(old) == 1
    assert sites(CONFIG, CONFIG.replace(old, new)) == expected


def test_a_new_function_that_begins_like_the_next_one_is_not_inside_it() -> None:
    before = "import a\n\n\n@a.x\ndef f():\n    return 1\n"
    after = "import a\n\n\n@a.x\ndef g():\n    return 2\n\n\n@a.x\ndef f():\n    return 1\n"
    (hunk,) = diff_hunks("app/config.py", before, "app/config.py", after)
    assert hunk.old_start == 5  # the diff itself sees it inserted below the decorator of f
    assert sites(before, after) == []


def test_a_new_function_that_ends_like_the_one_above_is_not_inside_it() -> None:
    before = "import a\n\n\ndef f():\n    try:\n        return 1\n    except E:\n        return 0\n"
    # Two insertions: what lies between them is compared apart, and the ends alike are matched first.
    after = before.replace("import a\n", "import a\nimport b\n") + before[before.index("\n\ndef") :].replace("1", "2")
    last = diff_hunks("app/config.py", before, "app/config.py", after)[-1]
    assert last.old_start == 7  # the diff itself sees it inserted above the last two lines of f
    assert [s for s in sites(before, after) if s[2]] == []
    moved = settled(Sweep(CodeGraph({"app/config.py": before}), history({"app/config.py": before}), 0), last)
    assert (moved.old_start, moved.old_end, moved.added[0]) == (9, 8, last.added[0] + 2)
    assert added_lines(moved)[-1] == "        return 0"


def test_an_insertion_that_repeats_the_line_below_it_inside_a_function_stays_there() -> None:
    before = "def f():\n    go()\n    go()\n    return 1\n"
    assert sites(before, before.replace("    return", "    go()\n    return")) == [(1, 4, "f")]
    assert sites(before, before + "    return 1\n") == [(1, 4, "f")]


def test_edit_site_words() -> None:
    after = CONFIG.replace("data = load(path)", "data = {}").replace("    return data", "    return 0")
    (region,) = [r for r in full({"app/config.py": CONFIG}, {"app/config.py": after}) if r.rule == "G1"]
    assert region.why == "encloses the edits at line 14 and line 16"
    after = CONFIG.replace("    return json", "    path = 1\n    return json")
    (region,) = [r for r in full({"app/config.py": CONFIG}, {"app/config.py": after}) if r.rule == "G1"]
    assert region.why == "encloses the insertion at line 10"


MAIN = """\
from app.config import load
from app.config import Settings


def start():
    return 1


def stop():
    return load("x")
"""


def test_added_lines_need_what_they_call_construct_import_and_subclass() -> None:
    files = {"app/config.py": CONFIG, "app/main.py": MAIN}
    after = MAIN.replace("return 1", "return Settings()").replace(
        "def stop", "class Mine(Settings):\n    x = 1\n\n\ndef stop"
    )
    assert regions(files, {"app/main.py": after}) == [
        ("G1", "app/main.py", 5, 6),
        ("G2", "app/config.py", 19, 21),
    ]
    after = MAIN.replace("return 1", "return load(1)")
    found = full(files, {"app/main.py": after})
    assert [(r.rule, r.start, r.end, r.why) for r in found if r.rule == "G2"] == [
        ("G2", 9, 10, "the added line calls load")
    ]
    aliased = MAIN.replace("import load\n", "import load as read\n")
    found = full({**files, "app/main.py": aliased}, {"app/main.py": aliased.replace("return 1", "return read(1)")})
    assert [(r.rule, r.start, r.end) for r in found if r.rule == "G2"] == [("G2", 9, 10)]
    assert found[1].why.startswith("the added line calls load (")


def test_what_the_enclosing_definition_already_calls_is_not_gold() -> None:
    files = {"app/config.py": CONFIG, "app/main.py": MAIN}
    after = MAIN.replace('return load("x")', 'x = 1\n    return load("x")')
    assert regions(files, {"app/main.py": after}) == [("G1", "app/main.py", 9, 10)]


def test_a_new_file_needs_what_its_text_references_and_has_no_site() -> None:
    files = {"app/config.py": CONFIG}
    new = "from app.config import load\n\n\ndef go():\n    return load(1)\n"
    assert regions(files, {"app/new.py": new}) == [("G2", "app/config.py", 9, 10)]


def test_imports_of_other_peoples_modules_and_licence_headers_are_boilerplate() -> None:
    files = {"app/config.py": CONFIG, "app/main.py": MAIN}
    assert regions(files, {"app/config.py": CONFIG.replace("import json\n", "import json\nimport os\n")}) == []
    assert regions(files, {"app/config.py": "# Copyright 2020\n# SPDX-License-Identifier: MIT\n" + CONFIG}) == []
    imported = MAIN.replace("import load\n", "import load\nfrom app.config import parse_config\n")
    assert regions(files, {"app/main.py": imported}) == [
        ("G1", "app/main.py", 1, 2),
        ("G2", "app/config.py", 13, 16),
    ]


USERS = {
    "app/config.py": CONFIG,
    "app/main.py": MAIN,
    "app/top.py": 'from app.config import load\n\nFIRST = load("a")\nSECOND = 2\n\nTHIRD = 3\n',
    "tests/test_main.py": "from app.config import load\n\n\ndef test_it():\n    assert load(1)\n",
}


def test_users_of_a_changed_signature_must_stay_consistent() -> None:
    after = CONFIG.replace("def load(path):", "def load(path, strict):")
    found = full(USERS, {"app/config.py": after})
    assert [(r.rule, r.path, r.start, r.end, r.why) for r in found] == [
        ("G1", "app/config.py", 9, 10, "encloses the edit at line 9"),
        ("G3", "app/config.py", 13, 16, "calls load, whose signature changes"),
        ("G3", "app/main.py", 9, 10, "calls load, whose signature changes"),
        ("G3", "app/top.py", 3, 4, "calls load, whose signature changes"),
    ]


def test_users_of_a_removed_definition_and_its_importers_must_stay_consistent() -> None:
    after = CONFIG.replace("def load(path):\n    return json.load(open(path))\n\n\n", "")
    found = full(USERS, {"app/config.py": after})
    assert [(r.rule, r.path, r.start, r.end, r.why) for r in found if r.rule == "G3"] == [
        ("G3", "app/config.py", 13, 16, "calls load, which is removed"),
        ("G3", "app/main.py", 1, 2, "imports load, which is removed"),
        ("G3", "app/main.py", 9, 10, "calls load, which is removed"),
        ("G3", "app/top.py", 1, 1, "imports load, which is removed"),
        ("G3", "app/top.py", 3, 4, "calls load, which is removed"),
    ]


def test_callers_of_a_changed_body_are_not_gold() -> None:
    after = CONFIG.replace("return json.load(open(path))", "return json.load(open(str(path)))")
    assert regions(USERS, {"app/config.py": after}) == [("G1", "app/config.py", 9, 10)]


def test_users_of_a_changed_type_that_mention_the_changed_member() -> None:
    user = (
        "from app.config import Settings\n\n\ndef one():\n    s = Settings()\n    return s.size\n\n\n"
        "def two():\n    s = Settings()\n    return s.name\n\n\ndef three(x):\n    return x.size\n"
    )
    files = {"app/config.py": CONFIG, "app/user.py": user}
    found = full(files, {"app/config.py": CONFIG.replace("    size = 1\n", "    width = 1\n")})
    assert [(r.rule, r.path, r.start, r.end) for r in found] == [
        ("G1", "app/config.py", 19, 21),
        ("G3", "app/config.py", 26, 27),
        ("G3", "app/user.py", 4, 6),
    ]
    assert found[2].why == "mentions Settings.size, which changes"


def test_a_deleted_file_needs_its_definitions_and_their_users() -> None:
    found = regions({"app/config.py": "def load(x):\n    return x\n", "app/main.py": MAIN}, {"app/config.py": None})
    assert found == [
        ("G1", "app/config.py", 1, 2),
        ("G3", "app/main.py", 1, 2),
        ("G3", "app/main.py", 9, 10),
    ]


BASE = "class Base:\n    def run(self):\n        return 0\n\n    def stop(self):\n        return 0\n"
CHILD = "from app.base import Base\n\n\nclass Child(Base):\n    def run(self):\n        return 1\n"


def test_an_edited_override_needs_its_base_method() -> None:
    found = full({"app/base.py": BASE, "app/child.py": CHILD}, {"app/child.py": CHILD.replace("return 1", "return 2")})
    assert [(r.rule, r.path, r.start, r.end, r.why) for r in found] == [
        ("G1", "app/child.py", 5, 6, "encloses the edit at line 6"),
        ("G4", "app/base.py", 2, 3, "base method Base.run that Child.run overrides"),
    ]


def test_an_added_override_needs_its_base_method_in_an_old_class_and_in_a_new_one() -> None:
    files = {"app/base.py": BASE, "app/child.py": CHILD}
    added = CHILD + "\n    def stop(self):\n        return 1\n"
    assert regions(files, {"app/child.py": added}) == [("G4", "app/base.py", 5, 6)]
    new = "from app.base import Base\n\n\nclass Fresh(Base):\n    def stop(self):\n        return 1\n"
    assert regions(files, {"app/fresh.py": new}) == [("G2", "app/base.py", 1, 1), ("G4", "app/base.py", 5, 6)]


def test_a_changed_base_signature_needs_its_overrides() -> None:
    files = {"app/base.py": BASE, "app/child.py": CHILD}
    found = full(files, {"app/base.py": BASE.replace("def run(self):", "def run(self, x):")})
    assert [(r.rule, r.path, r.start, r.end) for r in found] == [
        ("G1", "app/base.py", 2, 3),
        ("G3", "app/child.py", 5, 6),
    ]


def test_the_registry_that_lists_an_edited_definition_is_its_contract() -> None:
    text = (
        "def a():\n    return 1\n\n\ndef b():\n    return 2\n\n\nHANDLERS = {\n    'a': a,\n}\n\n__all__ = ['a', 'b']\n"
    )
    assert regions({"app/h.py": text}, {"app/h.py": text.replace("return 1", "return 3")}) == [
        ("G1", "app/h.py", 1, 2),
        ("G4", "app/h.py", 9, 11),
    ]
    assert regions({"app/h.py": text}, {"app/h.py": text.replace("return 2", "return 3")}) == [("G1", "app/h.py", 5, 6)]


def test_test_code_is_never_gold_but_a_test_hunk_needs_the_source_it_references() -> None:
    files = {
        "app/config.py": CONFIG,
        "tests/test_a.py": "from app.config import load\n\n\ndef test_a():\n    assert 1\n",
    }
    after = files["tests/test_a.py"].replace("assert 1", "assert load(1)")
    assert regions(files, {"tests/test_a.py": after}) == [("G2", "app/config.py", 9, 10)]
    assert regions(files, {"README.md": "# new\n"}) == []


def test_source_that_calls_test_code_needs_none_of_it() -> None:
    files = {"app/a.py": "def go():\n    return 1\n", "tests/util.py": "def help():\n    return 1\n"}
    after = "from tests.util import help\n\n\ndef go():\n    return help()\n"
    assert regions(files, {"app/a.py": after}) == [("G1", "app/a.py", 1, 2)]


class Doubtful(CodeGraph):
    """A graph that is sure of nothing."""

    def references(self, path: str, content: str) -> tuple[Reference, ...]:
        return tuple(replace(r, tier="possible") for r in super().references(path, content))

    def callers(self, symbol: str) -> tuple[Edge, ...]:
        return tuple(replace(e, tier="possible") for e in super().callers(symbol))

    def relations(self, symbol: str) -> tuple[Edge, ...]:
        return tuple(replace(e, tier="possible") for e in super().relations(symbol))


def test_possible_edges_admit_nothing() -> None:
    hunks = diff_hunks("app/config.py", CONFIG, "app/config.py", CONFIG.replace("def load(path):", "def load(p):"))
    assert [r.rule for r in gold(CodeGraph(USERS), history(USERS), 0, hunks)] == ["G1", "G3", "G3", "G3"]
    assert [r.rule for r in gold(Doubtful(USERS), history(USERS), 0, hunks)] == ["G1"]
    hunks = diff_hunks("app/main.py", MAIN, "app/main.py", MAIN.replace("return 1", "return load(1)"))
    assert [r.rule for r in gold(CodeGraph(USERS), history(USERS), 0, hunks)] == ["G1", "G2"]
    assert [r.rule for r in gold(Doubtful(USERS), history(USERS), 0, hunks)] == ["G1"]


def test_a_member_that_only_moved_or_was_indented_did_not_change() -> None:
    user = "from app.config import Settings\n\n\ndef one(s: Settings):\n    return s.size\n"
    files = {"app/config.py": CONFIG, "app/user.py": user}
    indented = CONFIG.replace("    size = 1\n", "    if True:\n        size = 1\n")
    assert [r[0] for r in regions(files, {"app/config.py": indented})] == ["G1"]
    assert ("G3", "app/user.py", 4, 5) in regions(files, {"app/config.py": CONFIG.replace("    size = 1\n", "")})


def test_the_contract_is_the_nearest_overridden_method() -> None:
    middle = "from app.base import Base\n\n\nclass Mid(Base):\n    def run(self):\n        return 5\n"
    child = CHILD.replace("app.base", "app.mid").replace("Base", "Mid")
    files = {"app/base.py": BASE, "app/mid.py": middle, "app/child.py": child}
    assert regions(files, {"app/child.py": child.replace("return 1", "return 2")}) == [
        ("G1", "app/child.py", 5, 6),
        ("G4", "app/mid.py", 5, 6),
    ]


def test_gold_does_not_depend_on_the_order_of_hunks() -> None:
    after = CONFIG.replace("def load(path):", "def load(p):").replace("size = 1", "size = 2")
    hunks: list[Hunk] = diff_hunks("app/config.py", CONFIG, "app/config.py", after)
    graph, texts = CodeGraph(USERS), history(USERS)
    assert gold(graph, texts, 0, hunks) == gold(graph, texts, 0, hunks[::-1])

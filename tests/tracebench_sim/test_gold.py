"""Reference gold by hand: which regions each change of a small patch needs, and why."""

from __future__ import annotations

from benchmarks.tracebench.changes import Change, changes
from benchmarks.tracebench.definitions import outline
from benchmarks.tracebench.gold import gold
from tests.tracebench_sim.small import SHOP, reference

Row = tuple[str, str, int, int]


def rows(path: str) -> list[Row]:
    small = reference()
    return [(g.rule, g.path, g.start, g.end) for g in gold(small, change(path))]


def change(path: str) -> Change:
    (found,) = [c for c in changes(reference().task) if c.path == path]
    return found


def test_a_changed_signature_needs_its_users_but_not_the_test() -> None:
    assert rows("shop/tax.py") == [
        ("G1", "shop/tax.py", 4, 5),
        ("G3", "shop/main.py", 9, 11),  # run calls tax
        ("G3", "shop/shop.py", 8, 9),  # Shop.price calls tax
    ]


def test_a_method_needs_what_it_overrides_and_what_its_new_line_calls() -> None:
    assert rows("shop/shop.py") == [
        ("G1", "shop/shop.py", 8, 9),
        ("G2", "shop/tax.py", 4, 5),
        ("G2", "shop/tax.py", 8, 9),
        ("G4", "shop/base.py", 4, 5),
    ]


def test_a_new_file_needs_what_it_calls_and_imports_once() -> None:
    assert rows("shop/new.py") == [("G2", "shop/tax.py", 8, 9)]


def test_documentation_is_never_gold() -> None:
    assert rows("README.md") == []


def test_the_kinds_of_changes() -> None:
    kinds = {c.path: c.kind for c in changes(reference().task)}
    assert kinds == {
        "README.md": "edit",
        "shop/main.py": "edit",
        "shop/new.py": "create",
        "shop/old.py": "delete",
        "shop/shop.py": "edit",
        "shop/tax.py": "edit",
    }


def test_a_class_is_its_own_lines_without_blank_edges() -> None:
    found = outline(SHOP)
    assert found is not None
    assert found.by_name["Shop"].body == ((5, 6),)
    assert [d.name for d in found.definitions] == ["Shop", "Shop.price", "Shop.total"]
    around = found.at(9)
    assert around is not None
    assert around.name == "Shop.price"
    assert found.at(3) is None


def test_functions_in_functions_and_under_conditions() -> None:
    condition = "if True:\n    @deco\n    def a():\n        def b():\n            pass\n        return b\n"
    text = condition + "x = 1\ny = 2\n\nz = 3\n"
    found = outline(text)
    assert found is not None
    assert [(d.name, d.start, d.line, d.end) for d in found.definitions] == [("a", 2, 3, 6)]
    assert found.block(7, text.split("\n")) == (1, 8)  # no blank line separates the condition from x
    assert found.block(10, text.split("\n")) == (10, 10)


def test_what_does_not_parse_has_no_outline() -> None:
    assert outline("print 'old'\n") is None

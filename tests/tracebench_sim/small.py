"""A shop of five files, a patch of five changes, and what a type checker would say of both states, written by hand."""

from __future__ import annotations

from benchmarks.tracebench.gold import Reference
from benchmarks.tracebench.instances import Instance, Task
from benchmarks.tracebench.relations import Relations, Use

BASE = """\
class Base:
    rate = 1

    def price(self, item):
        return item.cost * self.rate

    def name(self):
        return "base"
"""

SHOP = """\
from shop.base import Base
from shop.tax import tax


class Shop(Base):
    open = True

    def price(self, item):
        return tax(item.cost)

    def total(self, items):
        return sum(self.price(i) for i in items)
"""

TAX = """\
RATES = {"food": 7}


def tax(cost):
    return cost * 2


def rounded(cost):
    return round(cost)
"""

MAIN = """\
from shop.shop import Shop
from shop.tax import tax

KINDS = {
    "shop": Shop,
}


def run(items):
    print(tax(3))
    return Shop().total(items)
"""

TESTS = """\
from shop.tax import tax


def test_tax():
    assert tax(1) == 2
"""

TEXTS = {
    "shop/base.py": BASE,
    "shop/shop.py": SHOP,
    "shop/tax.py": TAX,
    "shop/main.py": MAIN,
    "shop/old.py": "def gone():\n    return 1\n",
    "tests/test_tax.py": TESTS,
    "README.md": "# Shop\n\nSells.\n",
}

PATCH = """\
diff --git a/README.md b/README.md
--- a/README.md
+++ b/README.md
@@ -1,3 +1,3 @@
 # Shop

-Sells.
+Sells and taxes.
diff --git a/shop/main.py b/shop/main.py
--- a/shop/main.py
+++ b/shop/main.py
@@ -8,4 +8,4 @@

 def run(items):
-    print(tax(3))
+    print(tax(3, "food"))
     return Shop().total(items)
diff --git a/shop/new.py b/shop/new.py
new file mode 100644
--- /dev/null
+++ b/shop/new.py
@@ -0,0 +1,5 @@
+from shop.tax import rounded
+
+
+def cheap(cost):
+    return rounded(cost) < 3
diff --git a/shop/old.py b/shop/old.py
deleted file mode 100644
--- a/shop/old.py
+++ /dev/null
@@ -1,2 +0,0 @@
-def gone():
-    return 1
diff --git a/shop/shop.py b/shop/shop.py
--- a/shop/shop.py
+++ b/shop/shop.py
@@ -7,4 +7,4 @@

     def price(self, item):
-        return tax(item.cost)
+        return rounded(tax(item.cost, item.kind))

diff --git a/shop/tax.py b/shop/tax.py
--- a/shop/tax.py
+++ b/shop/tax.py
@@ -3,5 +3,5 @@

-def tax(cost):
-    return cost * 2
+def tax(cost, kind):
+    return cost * RATES[kind]


"""

_BOTH = (
    Use("shop/main.py", 5, ("shop/shop.py", 5), "name"),
    Use("shop/main.py", 10, ("shop/tax.py", 4), "call"),
    Use("shop/main.py", 11, ("shop/shop.py", 5), "constructor"),
    Use("shop/main.py", 11, ("shop/shop.py", 11), "call"),
    Use("shop/shop.py", 9, ("shop/tax.py", 4), "call"),
    Use("shop/shop.py", 12, ("shop/shop.py", 8), "call"),
    Use("tests/test_tax.py", 5, ("shop/tax.py", 4), "call"),
)
_BASES = {("shop/shop.py", 5): (("shop/base.py", 1),)}
_MODULES = {f"shop.{name}": f"shop/{name}.py" for name in ("base", "shop", "tax", "main")}

OLD = Relations(_BOTH, _BASES, {**_MODULES, "shop.old": "shop/old.py"})
NEW = Relations(
    (
        *_BOTH,
        Use("shop/new.py", 5, ("shop/tax.py", 8), "call"),
        Use("shop/shop.py", 9, ("shop/tax.py", 8), "call"),
    ),
    _BASES,
    {**_MODULES, "shop.new": "shop/new.py"},
)


def instance(id: str = "small__shop_1_2", repo: str = "small/shop", patch: str = PATCH) -> Instance:
    """The instance of the patch."""
    return Instance(id, repo, "0" * 40, patch, "Tax by kind.", "pytest -rA", 1)


def reference() -> Reference:
    """The small task with its relations."""
    return Reference(Task(instance(), "", TEXTS), OLD, NEW)

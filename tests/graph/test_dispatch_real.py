"""Dispatch changes that were found missing when injected into real packages, each as small as it gets."""

from __future__ import annotations

from core.graph.graph import CodeGraph

DECORATED = """\
def first(f):
    def inner():
        pass
    return inner

def second(f):
    def inner():
        pass
    return inner

@first
def called():
    pass
"""


def moved(files: dict[str, str], path: str, old: str, new: str, caller: str) -> tuple[object, object]:
    """The calls of a caller before and after a replacement; its own text must stay."""
    graph = CodeGraph(files)
    assert old in files[path]
    delta = graph.update({path: files[path].replace(old, new)})
    before, after = delta.before[caller], delta.after[caller]
    assert before is not None
    assert after is not None
    assert before.own == after.own
    return dict(before.calls), dict(after.calls)


def test_a_decorator_puts_another_function_in_place() -> None:
    files = {"a.py": DECORATED, "b.py": "from a import called\n\ndef use():\n    called()\n"}
    before, after = moved(files, "a.py", "@first", "@second", "b.py::use")
    assert before == {"called": ("a.py::called", "a.py::first")}
    assert after == {"called": ("a.py::called", "a.py::second")}
    assert moved(files, "a.py", "@first\n", "", "b.py::use")[1] == {"called": ("a.py::called",)}


def test_what_a_decorator_returns_changes() -> None:
    files = {
        "a.py": "def one(): pass\ndef two(): pass\ndef deco(f):\n    return one\n@deco\ndef called(): pass\n",
        "b.py": "from a import called\n\ndef use():\n    called()\n",
    }
    before, after = moved(files, "a.py", "return one", "return two", "b.py::use")
    assert before == {"called": ("a.py::called", "a.py::one")}
    assert after == {"called": ("a.py::called", "a.py::two")}


def test_a_decorated_method() -> None:
    files = {
        "a.py": DECORATED + "\nclass C:\n    @first\n    def m(self): pass\n    def use(self):\n        self.m()\n"
    }
    before, after = moved(files, "a.py", "    @first", "    @second", "a.py::C.use")
    assert before == {"self.m": ("a.py::C.m", "a.py::first")}
    assert after == {"self.m": ("a.py::C.m", "a.py::second")}


def test_a_class_decorator_gives_another_class() -> None:
    box = "class Box:\n    def run(self): pass\n"
    other = "class Other:\n    def run(self): pass\ndef same(c):\n    return c\ndef swap(c):\n    return Other\n"
    files = {"a.py": f"{other}@same\n{box}", "b.py": "from a import Box\n\ndef use():\n    Box().run()\n"}
    before, after = moved(files, "a.py", "@same", "@swap", "b.py::use")
    assert before == {"Box": ("a.py::Box",), "Box().run": ("a.py::Box.run",)}
    assert after == {"Box": ("a.py::Box", "a.py::Other"), "Box().run": ("a.py::Box.run", "a.py::Other.run")}


def test_a_class_is_given_a_method_from_below() -> None:
    text = (
        "def g(self): pass\nclass C:\n    def m(self): pass\n    def use(self):\n        self.m()\n        self.size\n"
    )
    before, after = moved({"a.py": text}, "a.py", "size\n", "size\nC.m = g\nC.size = property(g)\n", "a.py::C.use")
    assert before == {"self.m": ("a.py::C.m",)}
    assert after == {"self.m": ("a.py::C.m", "a.py::g"), "self.size": ("a.py::g",)}


def test_a_local_of_the_same_name_is_not_the_class() -> None:
    text = "class C:\n    def m(self): pass\ndef g(C):\n    C.m = g\ndef use():\n    C().m()\n"
    graph = CodeGraph({"a.py": text})
    assert [e.target for e in graph.callees("a.py::use")] == ["a.py::C", "a.py::C.m"]


def test_what_an_operator_runs_changes_with_the_operand() -> None:
    files = {
        "a.py": "class One:\n    def __lt__(self, x): pass\nclass Two:\n    def __lt__(self, x): pass\n"
        "def pick():\n    return One()\nit = pick()\n",
        "b.py": "from a import it\n\ndef use():\n    it < 1\n",
    }
    before, after = moved(files, "a.py", "return One()", "return Two()", "b.py::use")
    assert before == {"it < 1": ("a.py::One.__lt__",)}
    assert after == {"it < 1": ("a.py::Two.__lt__",)}


def test_a_class_gets_the_method_an_operator_looks_for() -> None:
    files = {"a.py": "class One:\n    def __eq__(self, x): pass\n\ndef use(a: One):\n    a != 1\n"}
    graph = CodeGraph(files)
    assert [e.target for e in graph.callees("a.py::use")] == ["a.py::One.__eq__"]
    delta = graph.update({"a.py": files["a.py"].replace("pass\n", "pass\n    def __ne__(self, x): pass\n")})
    assert delta.after["a.py::use"].targets == {"a.py::One.__ne__"}  # type: ignore[union-attr]


def test_an_object_that_takes_items_stays_what_it_is() -> None:
    text = "class Bag:\n    def __setitem__(self, k, v): pass\n    def run(self): pass\ndef use(b: Bag):\n"
    graph = CodeGraph({"a.py": text + "    b[0] = 1\n    b.run()\n"})
    assert {e.target for e in graph.callees("a.py::use")} == {"a.py::Bag.__setitem__", "a.py::Bag.run"}


def test_a_subclass_names_another_class_where_the_base_makes_one() -> None:
    files = {
        "a.py": "class One: pass\nclass Two: pass\nclass App:\n    kind = One\n    def make(self):\n"
        "        return self.kind()\nclass Sub(App):\n    size = 1\n"
    }
    before, after = moved(files, "a.py", "size = 1", "kind = Two", "a.py::App.make")
    assert before == {"self.kind": ("a.py::One",)}
    assert after == {"self.kind": ("a.py::One", "a.py::Two")}
    _, after = moved(files, "a.py", "size = 1", "def kind(self): pass", "a.py::App.make")
    assert after == {"self.kind": ("a.py::One", "a.py::Sub.kind")}


PATCHED = {
    "a.py": "class C:\n    def m(self): pass\n    def use(self):\n        self.m()\n\n"
    "def f(): pass\n\ndef call():\n    f()\n",
    "b.py": "import a\nfrom a import C as K\n\ndef g(*x): pass\n",
    "c.py": "from a import C\n\ndef use(c: C):\n    c.m()\n",
}


def test_another_file_assigns_to_a_class() -> None:
    before, after = moved(PATCHED, "b.py", "pass\n", "pass\n\nK.m = g\n", "a.py::C.use")
    assert before == {"self.m": ("a.py::C.m",)}
    assert after == {"self.m": ("a.py::C.m", "b.py::g")}
    _, after = moved(PATCHED, "b.py", "pass\n", "pass\n\ndef test():\n    a.C.m = g\n", "c.py::use")
    assert after == {"c.m": ("a.py::C.m", "b.py::g")}


def test_another_file_assigns_to_a_module() -> None:
    before, after = moved(PATCHED, "b.py", "pass\n", "pass\n\na.f = g\n", "a.py::call")
    assert before == {"f": ("a.py::f",)}
    assert after == {"f": ("a.py::f", "b.py::g")}


def test_the_file_that_assigns_goes() -> None:
    graph = CodeGraph({**PATCHED, "d.py": "from b import a, g\na.C.m = a.f = g\n"})
    assert graph.update({"d.py": None}).after["a.py::C.use"].targets == {"a.py::C.m"}  # type: ignore[union-attr]
    graph.update({"d.py": "from b import a, g\na.C.m = a.f = g\n"})
    delta = graph.update({"b.py": PATCHED["b.py"].replace("import a\n", "import c as a\n")})
    assert delta.after["a.py::call"].targets == {"a.py::f"}  # type: ignore[union-attr]


def test_an_assignment_says_how_sure_it_is_and_why() -> None:
    graph = CodeGraph({**PATCHED, "d.py": "from b import K, g\nK.m = g\n"})
    (edge,) = (e for e in graph.callees("a.py::C.use") if e.target == "b.py::g")
    assert (edge.kind, edge.tier, edge.why) == ("call", "possible", "assigned in d.py")


def test_what_is_asked_for_its_truth_changes() -> None:
    files = {
        "a.py": "class One:\n    def __bool__(self): pass\nclass Two:\n    def __len__(self): pass\n"
        "def pick():\n    return One()\nit = pick()\n",
        "b.py": "from a import it\n\ndef use():\n    not it\n",
    }
    before, after = moved(files, "a.py", "return One()", "return Two()", "b.py::use")
    assert before == {"bool(it)": ("a.py::One.__bool__",)}
    assert after == {"bool(it)": ("a.py::Two.__len__",)}


def test_a_read_falls_to_getattr_until_there_is_such_an_attribute() -> None:
    files = {
        "a.py": "class One:\n    def __getattr__(self, name): pass\n\nit = One()\n",
        "b.py": "from a import it\n\ndef use():\n    it.what\n",
    }
    graph = CodeGraph(files)
    assert [e.target for e in graph.callees("b.py::use")] == ["a.py::One.__getattr__"]
    delta = graph.update({"a.py": files["a.py"].replace("pass\n", "pass\n    what = 1\n")})
    assert delta.after["b.py::use"].targets == set()  # type: ignore[union-attr]

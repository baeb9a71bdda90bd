"""Dispatch changes in two small files planted in a real package and working on its classes.

For forms too rare to be found at will: a cached instance, a dataclass field, a context manager. ``{A}`` and ``{B}``
are real classes of the package that both have the method ``{m}``. The change is in ``made.py`` and, where it can be,
not in the statement that binds the name the caller reads; the caller in ``caller.py`` is run by ``resolve`` under
``sys.setprofile`` before and after.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.graph.injections import Case, Package, binds


class Template(NamedTuple):
    """``made`` with ``old`` replaced by ``new`` (its last occurrence) is the edit; the caller does ``use``."""

    form: str
    made: str
    old: str
    new: str
    use: str
    symbol: str = "caller"


_HEAD = "from functools import cached_property, lru_cache, partial\nfrom {am} import {A}\nfrom {bm} import {B}\n"
_CALLER = "from . import made\nfrom .made import {names}\n\n\ndef caller():\n    {use}\n"
_TWO = "def one():\n    pass\ndef two():\n    pass\n"


def _box(body: str) -> str:
    return "class Box:\n" + "".join(f"    {line}\n" for line in body.split("\n"))


_PICKED = "def pick():\n    return One()\nit = pick()\n"


def _pair(method: str, bases: str = "", body: str = "return 1") -> str:
    """Two classes with a method of their own, and one of them picked."""
    classes = "".join(f"class {c}{bases}:\n    def {method}:\n        {body}\n" for c in ("One", "Two"))
    return classes + _PICKED


def _picked(form: str, method: str, use: str) -> Template:
    return Template(form, _pair(method), "return One()", "return Two()", use)


def _inside(form: str, made: str, use: str) -> Template:
    """A template whose edit puts ``{B}()`` where ``{A}()`` stood."""
    return Template(form, made, "{A}()", "{B}()", use)


_FUNCTIONS = _TWO + "def pick():\n    return one\n"


def _function(form: str, made: str, use: str) -> Template:
    return Template(form, _FUNCTIONS + made, "return one", "return two", use)


_MAKE = "def make():\n    return {A}()\n"
_PICK = "def pick(name):\n    return globals()[name]()\n"
TEMPLATES = (
    _inside("instance in a module", "it = {A}()\n", "it.{m}()"),
    _inside("instance in a module, dotted", "it = {A}()\n", "made.it.{m}()"),
    _inside("instance in a module, from a function", _MAKE + "it = make()\n", "it.{m}()"),
    _inside("inferred return", _MAKE, "make().{m}()"),
    _inside("inferred return, caller's variable", "def make():\n    x = {A}()\n    return x\n", "y = make(); y.{m}()"),
    _inside("inferred return through two functions", _MAKE + "def more():\n    return make()\n", "made.more().{m}()"),
    _inside("cached instance: lru_cache", "@lru_cache\n" + _MAKE, "make().{m}()"),
    _inside(
        "cached instance: global",
        "it = None\ndef make():\n    global it\n    if it is None:\n        it = {A}()\n    return it\n",
        "make().{m}()",
    ),
    _inside(
        "cached instance: class attribute",
        _box("it = None\n@classmethod\ndef get(cls):")
        + "        if cls.it is None:\n            cls.it = {A}()\n        return cls.it\n",
        "Box.get().{m}()",
    ),
    _inside("cached_property", _box("@cached_property\ndef it(self):\n    return {A}()"), "Box().it.{m}()"),
    _inside("property value", _box("@property\ndef it(self):\n    return {A}()"), "Box().it.{m}()"),
    Template(
        "dataclass field type",
        "from dataclasses import dataclass, field\n@dataclass\n" + _box("it: {A} = field(default_factory={A})"),
        "it: {A} = field(default_factory={A})",
        "it: {B} = field(default_factory={B})",
        "Box().it.{m}()",
    ),
    Template(
        "named tuple field type",
        "from typing import NamedTuple\nclass Box(NamedTuple):\n    it: {A} = {A}()\n",
        "it: {A} = {A}()",
        "it: {B} = {B}()",
        "Box().it.{m}()",
    ),
    _inside("class attribute", _box("it = {A}()"), "Box.it.{m}()"),
    _inside("attribute set in __init__", _box("def __init__(self):\n    self.it = {A}()"), "Box().it.{m}()"),
    _inside(
        "attribute set in another method",
        _box("def __init__(self):\n    self.fill()\ndef fill(self):\n    self.it = {A}()"),
        "box = Box(); box.it.{m}()",
    ),
    _inside(
        "attribute set in a base",
        _box("def __init__(self):\n    self.it = {A}()") + "class Sub(Box):\n    pass\n",
        "made.Sub().it.{m}()",
    ),
    Template(
        "return annotation",
        _PICK + "def make() -> {A}:\n    return pick('{A}')\n",
        "-> {A}:\n    return pick('{A}')",
        "-> {B}:\n    return pick('{B}')",
        "make().{m}()",
    ),
    Template(
        "annotation of a variable",
        _PICK + "it: {A} = pick('{A}')\n",
        "it: {A} = pick('{A}')",
        "it: {B} = pick('{B}')",
        "it.{m}()",
    ),
    Template(
        "Optional annotation",
        _PICK + "def make() -> None | {A}:\n    return pick('{A}')\n",
        "| {A}:\n    return pick('{A}')",
        "| {B}:\n    return pick('{B}')",
        "x = make(); x.{m}()",
    ),
    _inside(
        "context manager gives another",
        _box("def __enter__(self):\n    return {A}()\ndef __exit__(self, *args):\n    pass"),
        "with Box() as x: x.{m}()",
    ),
    Template(
        "context manager class",
        _pair("__enter__(self)") + "One.__exit__ = Two.__exit__ = lambda *args: None\n",
        "return One()",
        "return Two()",
        "with it: pass",
    ),
    _inside(
        "context manager function",
        "from contextlib import contextmanager\n@contextmanager\ndef make():\n    yield {A}()\n",
        "with make() as x: x.{m}()",
    ),
    _function("alias of a function", "f = pick()\n", "made.f()"),
    _function("alias of an alias", "g = pick()\nf = g\n", "made.f()"),
    Template("module level: f = g", _TWO + "f = one\n", "f = one", "f = two", "made.f()"),
    _function("partial", "f = partial(pick())\n", "made.f()"),
    _function("table of functions", "table = {{'a': pick()}}\n", "table['a']()"),
    _function("list of functions", "table = [pick()]\n", "for f in table: f()"),
    _function("unpacked tuple", "f, g = pick(), 1\n", "made.f()"),
    _function("conditional expression", "f = pick() if __name__ else None\n", "made.f()"),
    _function("walrus", "if (f := pick()):\n    pass\n", "made.f()"),
    _inside("generator", "def make():\n    yield {A}()\n", "for x in make(): x.{m}()"),
    _inside("__iter__ gives another", _box("def __iter__(self):\n    yield {A}()"), "for x in Box(): x.{m}()"),
    _inside("__getitem__ gives another", _box("def __getitem__(self, key):\n    return {A}()"), "Box()[0].{m}()"),
    _picked("iteration", "__iter__(self)", "for x in it: pass"),
    _picked("__getitem__", "__getitem__(self, key)", "it[0]"),
    _picked("__setitem__", "__setitem__(self, key, value)", "it[0] = 1"),
    _picked("__delitem__", "__delitem__(self, key)", "del it[0]"),
    _picked("__call__", "__call__(self)", "it()"),
    _picked("__add__", "__add__(self, other)", "it + 1"),
    _picked("__radd__", "__radd__(self, other)", "1 + it"),
    _picked("__iadd__", "__iadd__(self, other)", "x = it; x += 1"),
    _picked("__neg__", "__neg__(self)", "-it"),
    _picked("__lt__", "__lt__(self, other)", "it < 1"),
    _picked("__eq__", "__eq__(self, other)", "it == 1"),
    _picked("__contains__", "__contains__(self, x)", "1 in it"),
    _picked("__bool__", "__bool__(self)", "not it"),
    _picked("len()", "__len__(self)", "len(it)"),
    _picked("__getattr__", "__getattr__(self, name)", "it.anything"),
    _picked("method", "run(self)", "it.run()"),
    Template("property", _pair("run(self)").replace("  def run", "  @property\n    def run"), "return One()",
             "return Two()", "it.run"),
    Template(
        "nested class",
        _pair("run(self)") + _box("Inner = type(it)") + "Box.Inner = One\n",
        "Box.Inner = One",
        "Box.Inner = Two",
        "Box.Inner().run()",
    ),
    Template(
        "classmethod that makes",
        "class One:\n    @classmethod\n    def make(cls):\n        return cls()\n    def run(self):\n        pass\n"
        "class Two(One):\n    def run(self):\n        pass\nBox = One\n",
        "Box = One",
        "Box = Two",
        "Box.make().run()",
    ),
    Template("metaclass method", _pair("run(cls)", "(type)", "pass").replace(_PICKED,
             "class Box(metaclass=One):\n    pass\n"), "=One", "=Two", "Box.run()"),
    Template(
        "class decorator",
        "def one(c):\n    return c\nclass New:\n    def run(self):\n        pass\ndef two(c):\n    return New\n@one\n"
        + _box("def run(self):\n    pass"),
        "@one",
        "@two",
        "Box().run()",
    ),
    Template(
        "decorator changed",
        "def one(g):\n    def inner():\n        pass\n    return inner\ndef two(g):\n    def inner():\n        pass\n"
        "    return inner\n@one\ndef f():\n    pass\n",
        "@one",
        "@two",
        "made.f()",
    ),
    Template(
        "what a decorator returns",
        _TWO + "def deco(g):\n    return one\n@deco\ndef f():\n    pass\n",
        "return one",
        "return two",
        "made.f()",
    ),
    Template(
        "fluent self",
        "class One:\n    def then(self):\n        return self\n    def run(self):\n        pass\nclass Two(One):\n"
        "    def run(self):\n        pass\ndef pick():\n    return One()\nit = pick()\n",
        "return One()",
        "return Two()",
        "it.then().run()",
    ),
    _function("closure", "def outer():\n    f = pick()\n    def get():\n        return f\n    return get()\n",
              "made.outer()()"),
    Template(
        "default argument", _TWO + "def give(f=one):\n    return f\n", "f=one", "f=two", "made.give()()"
    ),
    Template(
        "exception class",
        _pair("__init__(self)", "(Exception)", "pass") + "Error = type(it)\n",
        "return One()",
        "return Two()",
        "raise made.Error()",
    ),
    Template(
        "global statement",
        _TWO + "f = None\ndef put():\n    global f\n    f = one\nput()\n",
        "f = one",
        "f = two",
        "made.f()",
    ),
    Template(
        "super() of a changed base",
        _pair("run(self)") + "Base = One\n" + "class Sub(Base):\n    def run(self):\n        super().run()\n",
        "Base = One",
        "Base = Two",
        "made.Sub().run()",
        "Sub.run",
    ),
    Template(
        "type imported for type checkers only",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from {am} import {A} as Kind\nelse:\n    Kind = {A}\n"
        "def make() -> 'Kind':\n    return Kind()\n",
        "from {am} import {A} as Kind\nelse:\n    Kind = {A}",
        "from {bm} import {B} as Kind\nelse:\n    Kind = {B}",
        "make().{m}()",
    ),
)  # fmt: skip


def planted(p: Package) -> Iterator[Case]:
    """Every template once, each on another pair of classes."""
    pairs = list(_pairs(p))
    if not pairs:
        return
    p.random.shuffle(pairs)
    for number, t in enumerate(TEMPLATES):
        a, b, method = pairs[number % len(pairs)]
        (am, _, an), (bm, _, bn) = a.partition(":"), b.partition(":")
        words = {"am": am, "A": an, "bm": bm, "B": bn, "m": method}
        text = (_HEAD + t.made).format(**words)
        head, found, tail = text.rpartition(t.old.format(**words))
        assert found, t.form
        bound = {n for statement in ast.parse(text).body for n in binds(statement)}
        names = [n for n in ("it", "make", "Box", "table") if n in bound]
        caller = _CALLER.format(names=", ".join(names) or "*", use=t.use.format(**words))
        base = {f"{p.name}/made.py": text, f"{p.name}/caller.py": caller}
        module = f"{p.name}.made" if "." in t.symbol else f"{p.name}.caller"
        given = f", mod({module!r}).{t.symbol.partition('.')[0]}()" if "." in t.symbol else ""
        symbol = f"{module.replace('.', '/')}.py::{t.symbol}"
        step = {f"{p.name}/made.py": head + t.new.format(**words) + tail}
        yield Case(f"planted: {t.form}", symbol, (step,), f"ran(mod({module!r}).{t.symbol}{given})", base=base)


def _pairs(p: Package) -> Iterator[tuple[str, str, str]]:
    """Two classes made without arguments, and a method each has of its own and runs without arguments."""
    made = sorted(k for k, c in p.classes.items() if c["made"])
    for a in made:
        for b in made:
            if a.partition(":")[2] != b.partition(":")[2]:
                names = set(p.classes[a]["runs"]) & set(p.classes[b]["runs"])
                yield from ((a, b, name) for name in sorted(names))

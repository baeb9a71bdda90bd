# ruff: noqa: E501
"""Small random repositories for the properties of the graph: files put together from fragments that meet.

Names collide on purpose (three classes, a few methods and helpers), imports go everywhere, so that one edit
moves bases, re-exports, overrides, inferred types and properties of other files.
"""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

PATHS = ("a.py", "b.py", "pkg/__init__.py", "pkg/c.py", "pkg/sub/__init__.py", "pkg/sub/d.py", "notes.md")
_MODULES = ("a", "b", "pkg", "pkg.c", "pkg.sub", "pkg.sub.d", "os")
_CLASSES = ("A", "B", "C")
_NAMES = ("A", "B", "C", "f", "g", "h", "LIMIT", "thing")
_METHODS = ("run", "step", "make", "size", "__init__", "__call__", "__bool__", "__getattr__")

modules = st.sampled_from(_MODULES)
classes = st.sampled_from(_CLASSES)
names = st.sampled_from(_NAMES)
methods = st.sampled_from(_METHODS)
attributes = st.sampled_from(("run", "step", "make", "size", "child"))

expressions = st.one_of(
    names,
    st.builds("{}()".format, names),
    st.builds("{}.{}".format, names, attributes),
    st.builds("{}().{}()".format, names, attributes),
    st.builds("[{}, {}][0]".format, names, names),
    st.builds('{{"k": {}}}["k"]()'.format, names),
    st.builds("{}({})".format, names, names),
    st.just("3"),
)
method_lines = st.one_of(
    st.builds("self.{}()".format, attributes),
    st.builds("return self.{}".format, attributes),
    st.builds("super().{}()".format, methods),
    st.builds("self.child = {}".format, expressions),
    st.builds("x = {}; x.{}()".format, expressions, attributes),
    st.builds("return {}".format, expressions),
    st.builds("for i in {}: i.{}()".format, expressions, attributes),
    st.builds("with {} as w: w.{}()".format, expressions, attributes),
    st.builds("if {} and not self.{}: pass".format, expressions, attributes),
    st.builds("f(self.{})".format, attributes),
    st.builds("match {}, self:\n        case w, {}() as v: w.{}(); v.run()".format, expressions, classes, attributes),
    st.just("return self"),
    st.just("yield self"),
)
decorators = st.sampled_from(("", "", "", "@property", "@staticmethod", "@classmethod", "@f", "@g"))


def _indent(lines: list[str], by: str = "    ") -> str:
    return "\n".join(by + line for line in lines)


@st.composite
def methods_of(draw: st.DrawFn) -> str:
    """One method, perhaps decorated."""
    decorator = draw(decorators)
    hint = draw(st.sampled_from(("", "", " -> A", " -> 'B'")))
    body = draw(st.lists(method_lines, min_size=1, max_size=3))
    head = [decorator] if decorator else []
    return "\n".join([*head, f"def {draw(methods)}(self, p=None){hint}:", _indent(body)])


@st.composite
def class_text(draw: st.DrawFn) -> str:
    """One class with bases, a field and methods."""
    bases = draw(st.lists(st.one_of(classes, st.builds("{}.{}".format, names, classes)), max_size=2, unique=True))
    parts = draw(st.lists(methods_of(), max_size=3))
    field = draw(st.sampled_from(("", "kind = f", "size = A()", "child: B = None", "step = make = g")))
    body = "\n\n".join([field or "pass", *parts])
    return f"class {draw(classes)}({', '.join(bases)}):\n" + "\n".join("    " + x if x else x for x in body.split("\n"))


@st.composite
def function_text(draw: st.DrawFn) -> str:
    """One function, perhaps with a nested one."""
    lines = draw(
        st.lists(
            st.one_of(
                st.builds("x = {}".format, expressions),
                st.builds("x.{}()".format, attributes),
                st.builds(
                    "return {}".format, st.one_of(expressions, st.sampled_from(("p", "p()", "lambda: p", "x", "inner")))
                ),
                st.builds("def inner(): return {}".format, expressions),
                st.just("global thing; thing = g"),
                st.builds("{}.{} = {}".format, names, st.one_of(attributes, names), names),
                expressions,
            ),
            min_size=1,
            max_size=3,
        )
    )
    name = draw(st.sampled_from(("f", "g", "h")))
    return f"def {name}(p: {draw(st.sampled_from(('A', 'int', 'B')))} = None):\n" + _indent(["x = None", *lines])


statements = st.one_of(
    class_text(),
    class_text(),
    function_text(),
    st.builds("import {}".format, modules),
    st.builds("import {} as {}".format, modules, names),
    st.builds("from {} import {}".format, modules, names),
    st.builds("from {} import {} as {}".format, modules, names, names),
    st.builds("from {} import *".format, modules),
    st.builds("from . import {}".format, st.sampled_from(("c", "sub", "d", "A"))),
    st.builds("from .{} import {}".format, st.sampled_from(("c", "sub", "d", ".c")), names),
    st.builds("{} = {}".format, names, expressions),
    st.builds("{}.{} = {}".format, names, attributes, expressions),
    st.builds("{}.{}.{} = {}".format, names, names, attributes, names),
    st.builds('setattr({}, "{}", {})'.format, names, attributes, names),
    st.builds('monkeypatch.setattr("{}.{}", {})'.format, modules, names, names),
    st.builds('monkeypatch.setattr("{}.{}.{}", {})'.format, modules, classes, attributes, names),
    st.builds(
        "match {}:\n    case {}() | {}() as x: x.{}()\n    case y: y.run()".format,
        expressions,
        classes,
        classes,
        attributes,
    ),
    st.builds("def h[T: {}](p: T) -> T:\n    return p.{}()".format, names, attributes),
    st.builds("__all__ = {}.__all__ + [{!r}]".format, modules, names),
    st.builds("from enum import Enum as {}".format, classes),
    st.builds("if LIMIT:\n    {} = {}\nelse:\n    from b import {}".format, names, expressions, names),
    st.builds("try:\n    from {} import {}\nexcept ImportError:\n    {} = None".format, modules, names, names),
    st.builds('__all__ = ["{}", "{}"]'.format, names, names),
    st.builds("# {}".format, names),
    expressions,
)
broken = st.sampled_from(("def f(:\n    pass", "class A(B:\n    pass", 'x = """open', "f(g(", "  return 1", "}"))


@st.composite
def file_text(draw: st.DrawFn, errors: bool = False) -> str:
    """The text of one file."""
    parts = draw(st.lists(statements, max_size=5))
    if errors and draw(st.integers(0, 5)) == 0:
        parts.insert(draw(st.integers(0, len(parts))), draw(broken))
    gap = draw(st.sampled_from(("\n", "\n\n", "\n\n\n")))
    return gap.join(parts) + draw(st.sampled_from(("", "\n")))


@st.composite
def repositories(draw: st.DrawFn) -> dict[str, str]:
    """A repository of up to seven files."""
    paths = draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=6, unique=True))
    return {path: draw(file_text()) for path in paths}


@st.composite
def edits(draw: st.DrawFn, errors: bool = True) -> dict[str, str | None]:
    """One write: one or two files set or deleted."""
    paths = draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=2, unique=True))
    return {p: draw(st.one_of(st.none(), file_text(errors), file_text(errors), file_text(errors))) for p in paths}


# -- dense programs: most names resolve, so that most edits move something ------------------------------

_DENSE = ("a.py", "b.py", "pkg/__init__.py", "pkg/c.py", "pkg/sub/__init__.py", "pkg/sub/d.py")
_DOTTED = {"a.py": "a", "b.py": "b", "pkg/__init__.py": "pkg", "pkg/c.py": "pkg.c", "pkg/sub/d.py": "pkg.sub.d"}
_MEMBERS = ("run", "step", "make", "size", "child")


def dense_file(random: Random) -> str:
    """A module of imports, classes, functions and statements that use each other."""
    known: list[str] = []
    lines: list[str] = []
    for _ in range(random.randint(1, 3)):
        lines.append(_import(random, known))
    kinds = ["class", "class", "def", "def", "assign", "if", "try", "patch", "match"]
    random.shuffle(kinds)
    for kind in kinds[: random.randint(3, 7)]:
        lines += ["", *_dense_part(random, kind, known)]
    if random.random() < 0.1:
        lines.append(f"__all__ = [{known[-1]!r}, *{random.choice(list(_DOTTED.values()))}.__all__]")
    elif random.random() < 0.2:
        lines.append(f"__all__ = [{', '.join(repr(n) for n in random.sample(known, min(3, len(known))))}]")
    for _ in range(random.randint(0, 2)):
        lines.append(_expression(random, known))
    return "\n".join(lines) + "\n"


def _import(random: Random, known: list[str]) -> str:
    module = random.choice([*_DOTTED.values(), "os", "missing"])
    shape = random.random()
    if shape < 0.15:
        known.append(module.split(".")[0])
        return f"import {module}"
    if shape < 0.3:
        known.append("m")
        return f"import {module} as m"
    if shape < 0.5:
        known += ["A", "B", "f", "g"]
        return f"from {module} import *"
    if shape < 0.65:
        known.append("c")
        return random.choice(
            ("from . import c", "from .c import A as c", "from pkg import c", "from pkg.sub import d as c")
        )
    name, alias = random.choice(("A", "B", "f", "g", "thing")), random.choice(("A", "B", "f", "g", "C", "h"))
    known.append(alias)
    return f"from {module} import {name} as {alias}" if alias != name else f"from {module} import {name}"


def _expression(random: Random, known: list[str], depth: int = 0) -> str:
    name = random.choice(known) if known and random.random() < 0.9 else random.choice(_NAMES)
    shape = random.randint(0, 9 if depth < 2 else 4)
    member = random.choice(_MEMBERS)
    inner = _expression(random, known, depth + 1) if shape > 4 else ""
    return (
        name, f"{name}()", f"{name}().{member}()", f"{name}.{member}", f"{name}({name})",
        f"({inner}).{member}()", f"[{inner}, {name}][0]", f"{{'k': {inner}}}['k']()", f"{name}({inner})", f"({inner}) or {name}()",
    )[shape]  # fmt: skip


def _dense_part(random: Random, kind: str, known: list[str]) -> list[str]:
    if kind == "class":
        name = random.choice(("A", "B", "C"))
        bases = random.sample(known, min(len(known), random.randint(0, 2)))
        body = [f"    {random.choice(('kind', 'child', 'size'))} = {_expression(random, known)}"]
        known.append(name)
        for _ in range(random.randint(1, 4)):
            body += [f"    {line}" for line in _dense_method(random, known)]
        return [f"class {name}({', '.join(dict.fromkeys(bases))}):", *body]
    if kind == "def":
        name = random.choice(("f", "g", "h"))
        hint = random.choice(("", "", f": {random.choice(known)}" if known else ""))
        body = [f"    x = {_expression(random, known)}", f"    x.{random.choice(_MEMBERS)}()"]
        result = random.choice(("p", "p()", "x", "lambda: x", "[x, p]", _expression(random, known)))
        known.append(name)
        decorator = [f"@{random.choice(known)}"] if random.random() < 0.2 else []
        if random.random() < 0.2:
            name, hint = f"{name}[T: {random.choice(known)}]", ": T"
        return [*decorator, f"def {name}(p{hint}=None):", *body, f"    return {result}"]
    if kind == "assign":
        name = random.choice(("thing", "LIMIT", "f", "A"))
        value = _expression(random, known)
        known.append(name)
        return [f"{name} = {value}"]
    if kind == "patch":
        holder, member = random.choice(known), random.choice((*_MEMBERS, "f", "A", "__bool__", "__call__", "__init__"))
        line = f"{holder}.{member} = {random.choice((f'{holder}.{member}', _expression(random, known)))}"
        dotted = f"{random.choice(list(_DOTTED.values()))}.{random.choice(_NAMES)}"
        return random.choice(
            (
                [line],
                [f"setattr({holder}, {member!r}, g)"],
                [f"monkeypatch.setattr('{dotted}.{member}', f)"],
                ["def patch():", f"    {line}"],
                [f"{holder}.{random.choice(_NAMES)}.{member} = g"],
            )
        )
    if kind == "match":
        first, second = random.choice(known), random.choice(known)
        value = _expression(random, known)
        known += ["x", "y"]
        return [f"match {value}, {first}:", f"    case {second}() as x, y:", f"        x.{random.choice(_MEMBERS)}()"]
    name, module = random.choice(("A", "g", "thing")), random.choice(list(_DOTTED.values()))
    value = _expression(random, known)
    known.append(name)
    if kind == "if":
        return ["if LIMIT:", f"    {name} = {value}", "else:", f"    from {module} import {name}"]
    return ["try:", f"    from {module} import {name}", "except ImportError:", f"    {name} = {value}"]


def _dense_method(random: Random, known: list[str]) -> list[str]:
    name = random.choice((*_MEMBERS[:4], "__init__", "__call__", "__iter__", "__enter__", "__bool__", "__getattr__"))
    decorator = random.choice(
        ("", "", "", "", "@property", "@classmethod", "@staticmethod", f"@{random.choice(known)}")
    )
    member, other = random.choice(_MEMBERS), random.choice(_MEMBERS)
    value = _expression(random, known)
    lines = [
        random.choice(
            (
                f"self.{member}()", f"super().{name}()", f"self.child = {value}", f"self.child.{member}()", f"x = {value}; x.{other}()",
                f"for i in {value}: i.{member}()", f"with {value} as w: w.{member}()", f"self.{member}.{other}()", f"return self.{member}()",
                f"return {value}", "return self", f"yield {value}", f"self.child.append({value})", f"if isinstance(p, {random.choice(known)}): p.{member}()",
                f"if {value} or not self.{member}: self.{other}", f"f(self.{member}, super().{name})",
            )
        )
        for _ in range(random.randint(1, 3))
    ]  # fmt: skip
    hint = random.choice(("", "", f" -> {random.choice(known)}", " -> 'A'"))
    return [*([decorator] if decorator else []), f"def {name}(self, p=None){hint}:", *[f"    {x}" for x in lines]]


def dense_repository(random: Random) -> dict[str, str]:
    """Six files, or nearly."""
    return {path: dense_file(random) for path in _DENSE if random.random() < 0.9}


def dense_edit(random: Random, state: dict[str, str]) -> dict[str, str | None]:
    """One write: a line removed, repeated or exchanged in a file, or a file rewritten, deleted or moved."""
    path = random.choice(_DENSE)
    text = state.get(path)
    if text is None or random.random() < 0.15:
        return {path: dense_file(random)}
    if random.random() < 0.1:
        return {path: None, random.choice(_DENSE): text}
    lines = text.split("\n")
    at = random.randrange(len(lines))
    shape = random.randint(0, 4)
    if shape == 0:
        del lines[at]
    elif shape == 1:
        other = state[random.choice(sorted(state))].split("\n")
        lines.insert(at, random.choice(other))
    elif shape == 2:
        old, new = random.choice(_NAMES + _MEMBERS), random.choice(_NAMES + _MEMBERS)
        lines[at] = lines[at].replace(old, new)
    elif shape == 3:
        lines[at:at] = dense_file(random).split("\n")
    else:
        lines = dense_file(random).split("\n")
    return {path: "\n".join(lines)}

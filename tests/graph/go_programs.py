# ruff: noqa: E501
"""Small random Go modules for the properties of the graph: files put together from fragments that meet.

Names collide on purpose (a few types, interfaces, methods, functions, constants), packages import each other in
all ways, so that one edit moves members, promotions, implementations, shadowed names and inferred types elsewhere.
"""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

PATHS = ("go.mod", "main.go", "a/a.go", "a/more.go", "a/a_test.go", "b/b.go", "b/sub/s.go", "notes.md", "x.py")
_MODULE = "example.org/m"
_IMPORTS = (f"{_MODULE}/a", f"{_MODULE}/b", f"{_MODULE}/b/sub", "fmt", "other.org/a", f"{_MODULE}")

packages = st.sampled_from(("a", "b", "sub", "fmt", "x"))
types = st.sampled_from(("A", "B", "I", "J", "N"))
functions = st.sampled_from(("F", "G", "New", "len"))
methods = st.sampled_from(("Run", "Step", "Error"))
variables = st.sampled_from(("Limit", "Shared", "Hook"))
names = st.one_of(types, functions, variables)
qualified = st.one_of(names, names, st.builds("{}.{}".format, packages, names))
type_names = st.one_of(
    types,
    types,
    st.builds("*{}".format, types),
    st.builds("{}.{}".format, packages, types),
    st.builds("[]{}".format, types),
    st.builds("map[string]{}".format, types),
    st.builds("func() {}".format, types),
    st.sampled_from(("error", "string", "int")),
)
bases = st.one_of(
    qualified,
    st.sampled_from(("r", "p", "v", "w", "r.Field", "v.Field", "p.A", "r.B")),
    st.builds("{}()".format, qualified),
    st.builds("{}{{}}".format, st.one_of(types, st.builds("{}.{}".format, packages, types))),
    st.builds("p.({})".format, types),
)
expressions = st.one_of(
    bases,
    bases,
    st.builds("{}.{}()".format, bases, methods),
    st.builds("{}.{}".format, bases, methods),
    st.builds("&{}{{Field: {}}}".format, types, bases),
    st.builds("[]{}{{{{}}}}[0]".format, types),
    st.builds("{}({})".format, qualified, bases),
    st.builds("append([]{}{{}}, {})[0]".format, types, bases),
    st.sampled_from(("3", '"x"', "nil", "func() A { return F() }", "len(v)")),
)
lines = st.one_of(
    st.builds("v := {}".format, expressions),
    st.builds("v, w := {}".format, expressions),
    st.builds("var w {} = {}".format, type_names, expressions),
    st.builds("{}.{}()".format, bases, methods),
    st.builds("{}.{}({})".format, bases, methods, expressions),
    st.builds("return {}".format, expressions),
    st.builds("for _, v := range {} {{ v.{}() }}".format, expressions, methods),
    st.builds("switch v := p.(type) {{ case {}: v.{}() }}".format, type_names, methods),
    st.builds("if v := {}; v != nil {{ v.{}() }}".format, expressions, methods),
    st.builds("go {}.{}()".format, bases, methods),
    st.builds("F := {}; F()".format, expressions),
    st.builds("func() {{ {}.{}() }}()".format, bases, methods),
    st.builds("type A struct {{ {} }}".format, types),
    expressions,
)


def _block(found: list[str]) -> str:
    return "{\n" + "".join(f"\t{line}\n" for line in found) + "}"


bodies = st.lists(lines, max_size=3).map(_block)
declarations = st.one_of(
    st.builds("func {}(p {}) {} {}".format, functions, type_names, type_names, bodies),
    st.builds("func {}(p {}) ({}, error) {}".format, functions, type_names, type_names, bodies),
    st.builds("func {}[T {}](p T) T {}".format, functions, types, bodies),
    st.builds("func (r {}) {}() {} {}".format, types, methods, type_names, bodies),
    st.builds("func (r *{}) {}() {} {}".format, types, methods, type_names, bodies),
    st.builds("func (r *{}) {}() {}".format, types, methods, bodies),
    st.builds("func init() {}".format, bodies),
    st.builds("type {} struct {{\n\t{}\n\tField {}\n}}".format, types, types, type_names),
    st.builds("type {} struct {{\n\t*{}.{}\n\t{}\n}}".format, types, packages, types, types),
    st.builds("type {} interface {{\n\t{}()\n\t{}() {}\n}}".format, types, methods, methods, type_names),
    st.builds("type {} interface {{\n\t{}\n\t{}()\n}}".format, types, types, methods),
    st.builds("type {} = {}".format, types, type_names),
    st.builds("type {} {}".format, types, type_names),
    st.builds("const {} = {}".format, variables, expressions),
    st.builds("const (\n\t{} = iota\n\t{}\n)".format, variables, variables),
    st.builds("var {} = {}".format, variables, expressions),
    st.builds("var {} {}".format, variables, type_names),
    st.builds("var {}, {} = {}".format, variables, variables, expressions),
    st.builds("// {}".format, names),
)
imports = st.one_of(
    st.builds('import "{}"'.format, st.sampled_from(_IMPORTS)),
    st.builds('import "{}"'.format, st.sampled_from(_IMPORTS)),
    st.builds('import {} "{}"'.format, packages, st.sampled_from(_IMPORTS)),
    st.builds('import . "{}"'.format, st.sampled_from(_IMPORTS)),
)
broken = st.sampled_from(("func f( {", "type A struct {", "x := `open", "}", "func (r *A Run() {}"))


@st.composite
def file_text(draw: st.DrawFn, path: str, errors: bool = False) -> str:
    """The text of one file."""
    if path == "go.mod":
        return draw(
            st.sampled_from((f"module {_MODULE}\n", f"module {_MODULE}\n\ngo 1.22\n", "module other.org\n", ""))
        )
    if not path.endswith(".go"):
        return draw(st.sampled_from(("def F():\n    return A().Run()\n", "F\n")))
    name = path.rpartition("/")[0].rpartition("/")[2] or "main"
    clause = draw(st.sampled_from((name, name, name, name + "_test", "other")))
    parts = [f"package {clause}", *draw(st.lists(imports, max_size=3)), *draw(st.lists(declarations, max_size=5))]
    if errors and draw(st.integers(0, 5)) == 0:
        parts.insert(draw(st.integers(0, len(parts))), draw(broken))
    return draw(st.sampled_from(("\n", "\n\n"))).join(parts) + "\n"


@st.composite
def modules(draw: st.DrawFn) -> dict[str, str]:
    """A module of up to six files."""
    paths = draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=6, unique=True))
    return {path: draw(file_text(path)) for path in {**dict.fromkeys(("go.mod",)), **dict.fromkeys(paths)}}


@st.composite
def edits(draw: st.DrawFn) -> dict[str, str | None]:
    """One write: one or two files set or deleted."""
    paths = draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=2, unique=True))
    return {p: draw(st.one_of(st.none(), *[file_text(p, True)] * 4)) for p in paths}


# -- dense modules: most names resolve, so that most edits move something --------------------------------

_FILES = {
    "a/a.go": ("A", "I", "F", "Limit", "A.", "A."),
    "a/more.go": ("B", "J", "G", "Shared", "A.", "B.", "B."),
    "a/a_test.go": ("T", "TestF", "T.", "A."),
    "b/b.go": ("A", "B", "I", "F", "G", "Limit", "A.", "B."),
    "b/more.go": ("J", "New", "Shared", "A.", "B."),
    "main.go": ("C", "main", "F", "C.", "C.", "Hook"),
}
_CALLED = ("Run", "Step", "Stop")


def _type(random: Random, package: str) -> str:
    other = random.choice([p for p in ("a", "b") if p != package])
    name = random.choice(("A", "B", "I", "J") if package != "main" else ("C", f"{other}.A", f"{other}.I"))
    name = f"{other}.{random.choice(('A', 'B', 'I', 'J'))}" if random.random() < 0.25 else name
    shape = random.random()
    return name if shape < 0.6 else f"*{name}" if shape < 0.75 else f"[]{name}" if shape < 0.85 else f"map[int]{name}"


def _call(random: Random, package: str, depth: int = 0) -> str:
    other = random.choice([p for p in ("a", "b") if p != package])
    shape = random.randint(0, 10 if depth < 2 else 6)
    method = random.choice(_CALLED)
    inner = _call(random, package, depth + 1) if shape > 6 else ""
    return (
        random.choice(("r", "p", "v", "Shared", "Limit", f"{other}.Shared")), "r.Field", "p.B", f"{other}.F(p)", f"{other}.A{{}}",
        f"F({random.choice(('p', 'r.' + method, 'G', f'{other}.G'))})", f"&A{{Field: {other}.Limit}}",
        f"{inner}.{method}()", f"{inner}.Field", f"[]{_type(random, package).lstrip('*')}{{{{}}}}[0].{method}()", f"G({inner})",
    )[shape]  # fmt: skip


def _line(random: Random, package: str) -> str:
    value, method = _call(random, package), random.choice(_CALLED)
    return random.choice(
        (
            f"v := {value}", f"v, w := {value}", f"var v {_type(random, package)} = {value}", f"{value}.{method}()",
            f"v.{method}()", f"p.{method}()", f"r.{method}()", f"r.Field.{method}()", f"return {value}", f"go {value}.{method}()",
            f"for _, v := range {value} {{ v.{method}() }}", f"f := {value}.{method}\n\tf()", f"defer func() {{ {value}.{method}() }}()",
            f"switch v := p.(type) {{ case {_type(random, package)}: v.{method}() }}",
        )
    )  # fmt: skip


def _slot(random: Random, package: str, slot: str) -> str:
    body = _block([_line(random, package) for _ in range(random.randint(1, 3))])
    first, second, method = _type(random, package), _type(random, package), random.choice(_CALLED)
    if slot.endswith("."):
        return (
            f"func (r *{slot[:-1]}) {method}({random.choice(('', f'p {first}'))}) {random.choice(('', second))} {body}"
        )
    if slot in ("I", "J"):
        embedded = random.choice(("", "", "\tI\n", "\tJ\n", "\tb.I\n", "\tfmt.Stringer\n"))
        return f"type {slot} interface {{\n{embedded}\t{method}() {random.choice(('', '', second))}\n}}"
    if slot in ("A", "B", "C", "T"):
        embedded = random.choice(("", "\tA\n", "\t*B\n", "\ta.B\n", "\tI\n", "\tb.A\n", "\tfmt.Stringer\n"))
        shape = random.random()
        if shape < 0.85:
            return f"type {slot} struct {{\n{embedded}\tField {first}\n}}"
        return f"type {slot} = {first.lstrip('*')}" if shape < 0.93 else f"type {slot} {first}"
    if slot in ("Limit", "Shared", "Hook"):
        value = _call(random, package).replace("\n", " ")
        return random.choice((f"var {slot} = {value}", f"var {slot} {first}", f"const {slot} = {random.randint(0, 3)}"))
    return f"func {slot}(p {first}) {random.choice((second, f'({second}, error)', ''))} {body}"


def dense_file(random: Random, path: str) -> str:
    """The text of one file of a module whose parts fit together, nearly."""
    package = path.partition("/")[0] if "/" in path else "main"
    lines = [f"package {package}" if random.random() < 0.95 else "package other", ""]
    for other in ("a", "b"):
        if other != package:
            shape = random.random()
            alias = "" if shape < 0.85 else ". " if shape < 0.93 else "c "
            lines.append(f'import {alias}"example.org/m/{other if shape < 0.97 else "none"}"')
    lines.append('import "fmt"')
    slots = [s for s in _FILES[path] if random.random() < 0.9]
    random.shuffle(slots)
    for slot in slots:
        lines += ["", _slot(random, package, slot)]
    return "\n".join(lines) + "\n"


def dense_module(random: Random) -> dict[str, str]:
    """Six Go files, or nearly, and their go.mod."""
    found = {path: dense_file(random, path) for path in _FILES if random.random() < 0.95}
    return {"go.mod": "module example.org/m\n", **found}


def dense_edit(random: Random, state: dict[str, str]) -> dict[str, str | None]:
    """One write: a declaration exchanged, removed, added or broken; a file rewritten, deleted or moved; go.mod."""
    path = random.choice(sorted(_FILES))
    text, shape = state.get(path), random.random()
    if shape < 0.04:
        return {"go.mod": random.choice(("module example.org/m\n", "module example.org/x\n", None))}
    if text is None or shape < 0.2:
        return {path: dense_file(random, path)}
    if shape < 0.25:
        return {path: None}
    if shape < 0.3:
        return {path: None, f"{path.removesuffix('.go')}2.go": text}
    parts = text.split("\n\n")
    at = random.randrange(1, len(parts)) if len(parts) > 1 else 0
    package = path.partition("/")[0] if "/" in path else "main"
    if shape < 0.45:
        del parts[at]
    elif shape < 0.6:
        parts.insert(at + 1, _slot(random, package, random.choice(_FILES[path])))
    elif shape < 0.65:
        parts.insert(at, random.choice(("func f( {", "type A struct {", "}", "x := `")))
    elif shape < 0.75:
        parts[at] = parts[at].replace(random.choice(_CALLED), random.choice(_CALLED), 1)
    else:
        lines = parts[at].split("\n")
        lines[random.randrange(len(lines))] = "\t" + _line(random, package)
        parts[at] = "\n".join(lines) if random.random() < 0.5 else _slot(random, package, random.choice(_FILES[path]))
    return {path: "\n\n".join(parts) + ("" if parts[-1].endswith("\n") else "\n")}

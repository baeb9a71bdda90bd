"""Small random Java programs for the properties of the graph: classes in few packages whose names collide on purpose.

One edit moves members, inherited and overridden methods, overloads, nested types, imports or packages elsewhere.
"""

from __future__ import annotations

from random import Random

_FILES = {
    "src/a/A.java": ("a", "A"),
    "src/a/B.java": ("a", "B"),
    "src/a/I.java": ("a", "I"),
    "test/a/A.java": ("a", "T"),
    "src/b/A.java": ("b", "A"),
    "src/b/C.java": ("b", "C"),
    "src/Main.java": ("", "Main"),
}
_TYPES = (
    "A",
    "B",
    "C",
    "I",
    "E",
    "R",
    "Inner",
    "a.A",
    "b.A",
    "A.Inner",
    "T",
    "String",
    "int",
    "List<A>",
    "B[]",
    "G<B>",
)
_METHODS = ("run", "step", "make", "get", "toString")
_FIELDS = ("LIMIT", "other", "shared", "item")
_LOCALS = ("p", "v", "w", "other", "item", "LIMIT")


def _base(random: Random, depth: int = 0) -> str:
    shape = random.randint(0, 13 if depth < 2 else 7)
    name = random.choice(_LOCALS)
    kind = random.choice([t for t in _TYPES if t.isalpha() and t != "int"])
    if shape <= 4:
        return name
    if shape == 5:
        return random.choice(("this", "super.item", kind, "null", "1", '"s"', "A.super.run()", "B.this"))
    if shape == 6:
        return f"{kind}.{random.choice(_FIELDS)}"
    if shape == 7:
        return f"new {kind}({random.choice(('', '1', 'p', 'v, 1'))})"
    if shape == 8:
        return f"{_base(random, depth + 1)}.{random.choice(_METHODS)}({_arguments(random, depth)})"
    if shape == 9:
        return f"{random.choice(_METHODS)}({_arguments(random, depth)})"
    if shape == 10:
        return f"(({kind}) {_base(random, depth + 1)})"
    if shape == 11:
        return f"(v == null ? {_base(random, depth + 1)} : {_base(random, depth + 1)})"
    if shape == 12:
        return f"new {kind}() {{ {_member(random, 'A', depth + 2)} }}"
    return f"{_base(random, depth + 1)}[0]"


def _arguments(random: Random, depth: int) -> str:
    found = []
    for _ in range(random.choice((0, 0, 1, 1, 2))):
        shape = random.random()
        if shape < 0.15:
            found.append(f"{random.choice(('x', '()', '(x, y)'))} -> {_base(random, depth + 1)}")
        elif shape < 0.25:
            found.append(f"{random.choice(_TYPES[:6])}::{random.choice((*_METHODS, 'new'))}")
        else:
            found.append(_base(random, depth + 1))
    return ", ".join(found)


def _line(random: Random, depth: int = 0) -> str:
    value, method, kind = _base(random, depth), random.choice(_METHODS), random.choice(_TYPES)
    return random.choice(
        (
            f"var v = {value};",
            f"{kind} w = {value};",
            f"{value}.{method}();",
            f"{method}({_arguments(random, depth)});",
            f"for (var v : {value}) v.{method}();",
            f"for ({kind} v : {value}) {{ v.{method}(v); }}",
            f"if ({value} instanceof {kind} v) v.{method}();",
            f"switch ({value}) {{ case {kind} v -> v.{method}(); default -> {method}(); }}",
            f"try ({kind} v = {value}) {{ v.{method}(); }} catch (Exception e) {{ p.{method}(); }}",
            f"return {value};",
            f"class Inner extends {kind.partition('<')[0].partition('[')[0]} {{ void {method}() {{ {method}(); }} }}",
            f"Runnable later = () -> {{ {value}.{method}(); }};",
            f"item = {value};",
        )
    )


def _body(random: Random, depth: int = 0) -> str:
    return "{ " + " ".join(_line(random, depth) for _ in range(random.randint(0, 3))) + " }"


def _member(random: Random, name: str, depth: int = 0) -> str:
    kind, method = random.choice(_TYPES), random.choice(_METHODS)
    given = random.choice(("", f"{random.choice(_TYPES)} p", f"{random.choice(_TYPES)} p, int q", "Object... p"))
    if depth > 1:
        return f"public {kind} {method}({given}) {{ return p; }}"
    return random.choice(
        (
            f"{kind} {method}({given}) {_body(random, depth)}",
            f"public {kind} {method}({given}) {_body(random, depth)}",
            f"static {kind} {method}({given}) {_body(random, depth)}",
            f"private {kind} {method}({given}) {_body(random, depth)}",
            f"<X extends {random.choice(('A', 'B', 'I'))}> X {method}(X p) {_body(random, depth)}",
            f"{name}({given}) {_body(random, depth)}",
            f"{name}({given}) {{ {random.choice(('this', 'super'))}({_arguments(random, depth)}); }}",
            f"static final {kind} {random.choice(_FIELDS)} = {_base(random, depth)};",
            f"{kind} {random.choice(_FIELDS)};",
            f"static {_body(random, depth)}",
            _declaration(random, random.choice(("Inner", "E", "R")), depth + 1),
        )
    )


def _declaration(random: Random, name: str, depth: int = 0) -> str:
    base, other = (random.choice(("A", "B", "C", "I", "a.A", "b.A", "G<A>", "Inner", "List<B>")) for _ in range(2))
    members = "\n    ".join(_member(random, name, depth) for _ in range(random.randint(1, 3 if depth else 5)))
    head = random.choice(("", "", f" extends {base}", f" implements {other}", f" extends {base} implements {other}"))
    if name == "E":
        return f"enum E {{ ONE(1) {{ void run() {_body(random, 2)} }}, TWO; {members} }}"
    if name == "R":
        return f"record R({random.choice(_TYPES)} item, {random.choice(_TYPES)} get) {{ {members} }}"
    if name == "I" or random.random() < 0.1:
        method = f"{random.choice(_TYPES)} {random.choice(_METHODS)}({random.choice(('', 'A p'))});"
        above = random.choice(("", " extends I", " extends Runnable"))
        default = f"default {random.choice(_TYPES)} {random.choice(_METHODS)}() {_body(random, depth)}"
        return f"interface {name}{above} {{\n    {method}\n    {default}\n}}"
    kind = "<Y extends B>" if random.random() < 0.15 else ""
    return f"{random.choice(('public ', '', 'abstract '))}class {name}{kind}{head} {{\n    {members}\n}}"


def dense_file(random: Random, path: str) -> str:
    """The text of one file of a program whose parts fit together, nearly."""
    package, name = _FILES.get(path, ("a", "A"))
    package = package if random.random() < 0.95 else "b"
    imports = [
        i
        for i in (
            "import a.*;", "import b.A;", "import static a.A.*;", "import static a.B.run;", "import java.util.*;",
            "import a.A.Inner;", "import static b.A.LIMIT;", "import a.I;",
        )
        if random.random() < 0.2
    ]  # fmt: skip
    declared = [_declaration(random, name)]
    if random.random() < 0.3:
        declared.append(_declaration(random, random.choice(("G", "T", "E", "R", "C"))))
    return "\n\n".join(([f"package {package};"] if package else []) + imports + declared) + "\n"


def dense_program(random: Random) -> dict[str, str]:
    """Most of the files of a program, and one of another language."""
    found = {path: dense_file(random, path) for path in _FILES if random.random() < 0.9}
    return {"x.py": "A().run()\n", **found}


def dense_edit(random: Random, state: dict[str, str]) -> dict[str, str | None]:
    """One write: a file written anew, deleted, moved; a line exchanged, dropped, doubled, broken; a word replaced."""
    path = random.choice(sorted(_FILES))
    text, shape = state.get(path), random.random()
    if text is None or shape < 0.25:
        return {path: dense_file(random, path)}
    if shape < 0.3:
        return {path: None}
    if shape < 0.36:
        return {path: None, random.choice(("src/a/Moved.java", "other/A.java", "src/b/Moved.java")): text}
    lines = text.split("\n")
    at = random.randrange(len(lines))
    if shape < 0.42:
        lines[at] = random.choice(("class {", "}", 'String s = "', "void f( {", "/*"))
    elif shape < 0.52:
        del lines[at]
    elif shape < 0.6:
        lines.insert(at, lines[at])
    elif shape < 0.75:
        lines.insert(at, "    " + _member(random, "A"))
    else:
        words = (*_METHODS, *_FIELDS, "A", "B", "I", "static", "private", "extends", "package a;", "package b;")
        lines[at] = lines[at].replace(random.choice(words), random.choice(words))
    return {path: "\n".join(lines)}

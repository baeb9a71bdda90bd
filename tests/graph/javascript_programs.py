# ruff: noqa: E501
"""Small random JavaScript and TypeScript programs for the properties of the graph: files from fragments that meet.

Names collide on purpose (a few classes, interfaces, functions, values), modules import each other in all ways, so that
one edit moves members, overrides, exports, shadowed names and inferred values elsewhere.
"""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

PATHS = (
    "a.ts", "b.js", "lib/index.ts", "lib/c.tsx", "lib/d.cjs", "package.json", "tsconfig.json", "packages/p/package.json",
    "packages/p/src/index.ts", "notes.md", "x.py",
)  # fmt: skip
_SPECIFIERS = (
    "./a", "./b", "./b.js", "./lib", "../a", "./c", "./d.cjs", "./lib/c", "@/c", "@m/p", "p/sub", "fs", "./missing",
)  # fmt: skip

classes = st.sampled_from(("A", "B", "I"))
functions = st.sampled_from(("f", "g", "make", "parseInt"))
values = st.sampled_from(("shared", "table", "limit"))
members = st.sampled_from(("run", "step", "value", "then"))
names = st.one_of(classes, functions, values, st.sampled_from(("ns", "p", "v")))
specifiers = st.sampled_from(_SPECIFIERS)
types = st.one_of(
    classes, classes, st.builds("{}[]".format, classes), st.builds("Promise<{}>".format, classes), st.builds("Map<string, {}>".format, classes),
    st.builds("ns.{}".format, classes), st.builds("{} | {}".format, classes, classes), st.sampled_from(("string", "T", "() => A", "{ run: B }", "typeof shared")),
)  # fmt: skip
bases = st.one_of(
    names, names, st.sampled_from(("this", "this.field", "ns.A", "table.run", "shared.field", "super", "arguments[0]")),
    st.builds("new {}({})".format, names, names), st.builds("{}()".format, names), st.builds("require('{}')".format, specifiers),
)  # fmt: skip
expressions = st.one_of(
    bases, bases, st.builds("{}.{}()".format, bases, members), st.builds("{}.{}".format, bases, members),
    st.builds("{}({})".format, names, bases), st.builds("[{}, {}]".format, bases, bases), st.builds("[{}][0]".format, bases),
    st.builds("{{ run: {}, step() {{ return this.run; }} }}".format, bases), st.builds("(await {})".format, bases),
    st.builds("({} ?? {})".format, bases, bases), st.builds("(p) => p.{}()".format, members), st.builds("() => {}".format, bases),
    st.builds("{}.{}.call({})".format, bases, members, bases), st.builds("[{}].map(v => v.{}())".format, bases, members),
    st.sampled_from(("3", "'x'", "null", "{}", "[]", "new Map()")),
)  # fmt: skip
lines = st.one_of(
    st.builds("const v = {};".format, expressions), st.builds("let p = {};".format, expressions), st.builds("v = {};".format, expressions),
    st.builds("{}.{}();".format, bases, members), st.builds("{}.{} = {};".format, bases, members, expressions), st.builds("return {};".format, expressions),
    st.builds("for (const v of {}) {{ v.{}(); }}".format, expressions, members), st.builds("if (p) {{ p = {}; }}".format, expressions),
    st.builds("while (p) {{ p.{}(); p = {}; }}".format, members, expressions), st.builds("const {{ run, step: g }} = {}; run(); g();".format, expressions),
    st.builds("const [p, ...v] = {}; p.{}();".format, expressions, members), st.builds("table[{}] = {};".format, expressions, expressions),
    st.builds("Object.assign({}, {});".format, bases, expressions), st.builds("{}.push({});".format, bases, expressions), st.builds("if (p instanceof {}) {{ p.{}(); }}".format, classes, members),
    st.builds("{};".format, expressions),
)  # fmt: skip


def _block(found: list[str]) -> str:
    return "{ " + " ".join(found) + " }"


bodies = st.lists(lines, max_size=3).map(_block)
class_members = st.one_of(
    st.builds("{}() {}".format, members, bodies), st.builds("static {}() {}".format, members, bodies), st.builds("get {}() {}".format, members, bodies),
    st.builds("field = {};".format, expressions), st.builds("{} = (p) => p;".format, members), st.builds("constructor(p) {{ this.field = p; {} }}".format, lines),
    st.builds("*[Symbol.iterator]() {{ yield {}; }}".format, expressions), st.builds("async {}(p) {}".format, members, bodies),
)  # fmt: skip
plain = st.one_of(
    st.builds("export function {}(p, q = {}) {}".format, functions, bases, bodies), st.builds("function* {}(p) {{ yield {}; }}".format, functions, expressions),
    st.builds("export class {} extends {} {{ {} {} }}".format, classes, bases, class_members, class_members), st.builds("class {} {{ {} }}".format, classes, class_members),
    st.builds("export const {} = {};".format, values, expressions), st.builds("let {} = {};".format, values, expressions), st.builds("export default {};".format, expressions),
    st.builds("const {} = async (p) => {};".format, functions, expressions), st.builds("{}.prototype.{} = function (p) {};".format, names, members, bodies),
    st.builds("{}.{} = {};".format, names, members, expressions), st.builds("module.exports = {};".format, expressions), st.builds("exports.{} = {};".format, names, expressions),
    st.builds("export {{ {} as {} }};".format, names, names), lines,
)  # fmt: skip
declared = st.one_of(
    plain, plain, st.builds("export interface I extends {} {{ run(p: {}): {}; value: {} }}".format, classes, types, types, types),
    st.builds("export class {} implements I {{ constructor(private field: {}) {{}} run(): {} {} }}".format, classes, types, types, bodies),
    st.builds("export type {} = {};".format, classes, types), st.builds("export function {}(p: {}): {} {}".format, functions, types, types, bodies),
    st.builds("export const {}: {} = {};".format, values, types, expressions), st.builds("const table: I = {{ run() {} }};".format, bodies),
    st.builds("export abstract class {} {{ abstract run(): {}; {} }}".format, classes, types, class_members), st.builds("enum {} {{ X, Y }}".format, classes),
    st.builds("namespace ns {{ export function {}() {} }}".format, functions, bodies), st.builds("const v = p as {};".format, types),
)  # fmt: skip
imports = st.one_of(
    st.builds("import {{ {}, {} as {} }} from '{}';".format, names, names, names, specifiers), st.builds("import * as ns from '{}';".format, specifiers),
    st.builds("import {} from '{}';".format, names, specifiers), st.builds("export * from '{}';".format, specifiers), st.builds("export {{ {}, default as {} }} from '{}';".format, names, names, specifiers),
    st.builds("const {} = require('{}');".format, names, specifiers), st.builds("const {{ {} }} = require('{}');".format, names, specifiers), st.builds("export * as ns from '{}';".format, specifiers),
)  # fmt: skip
broken = st.sampled_from(("function f( {", "class A {", "const x = `open", "}", "export class A { run( }"))
_CONFIGS = {
    "package.json": ('{"name": "root", "workspaces": ["packages/*"]}', '{"name": "p"}', "{"),
    "packages/p/package.json": (
        '{"name": "@m/p", "main": "dist/index.js"}',
        '{"name": "@m/p", "exports": {".": "./src/index.ts"}}',
        '{"name": "p"}',
    ),
    "tsconfig.json": (
        '{"compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["lib/*"]}}} // paths',
        '{"compilerOptions": {}}',
        '{"extends": "./tsconfig.json"}',
    ),
}


@st.composite
def file_text(draw: st.DrawFn, path: str, errors: bool = False) -> str:
    """The text of one file."""
    if path in _CONFIGS:
        return draw(st.sampled_from(_CONFIGS[path]))
    if not path.endswith((".ts", ".tsx", ".js", ".cjs")):
        return draw(st.sampled_from(("def f():\n    return A().run()\n", "f\n")))
    written = declared if ".ts" in path else plain
    parts = [*draw(st.lists(imports, max_size=3)), *draw(st.lists(written, max_size=6))]
    if errors and draw(st.integers(0, 5)) == 0:
        parts.insert(draw(st.integers(0, len(parts))), draw(broken))
    return draw(st.sampled_from(("\n", "\n\n"))).join(parts) + "\n"


@st.composite
def programs(draw: st.DrawFn) -> dict[str, str]:
    """A program of up to six files."""
    paths = draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=6, unique=True))
    return {path: draw(file_text(path)) for path in paths}


@st.composite
def edits(draw: st.DrawFn) -> dict[str, str | None]:
    """One write: one or two files set or deleted."""
    paths = draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=2, unique=True))
    return {p: draw(st.one_of(st.none(), *[file_text(p, True)] * 4)) for p in paths}


# -- dense programs: most names resolve, so that most edits move something ---------------------------------

_FILES = {
    "a.ts": ("A", "I", "f", "shared", "A.", "A."),
    "b.ts": ("B", "g", "table", "B.", "B."),
    "lib/index.ts": ("star a", "star b", "make", "limit"),
    "lib/c.ts": ("C", "h", "C.", "C."),
    "main.js": ("main", "other", "value"),
}
_IMPORTED = {
    "a.ts": "import { B, g, table } from './b';\n",
    "b.ts": "import { A, I, f, shared } from './a';\n",
    "lib/index.ts": "import * as ns from '../a';\nimport { C } from './c';\n",
    "lib/c.ts": "import { A, B, I, f, g, make, shared, table } from '.';\n",
    "main.js": "const { A, B, make, shared, table } = require('./lib');\nconst { C, h } = require('./lib/c');\n",
}
_CALLED = ("run", "step", "stop")


def _type(random: Random) -> str:
    name = random.choice(("A", "B", "C", "I", "I"))
    shape = random.random()
    return (
        name
        if shape < 0.6
        else f"{name}[]"
        if shape < 0.75
        else f"Promise<{name}>"
        if shape < 0.85
        else f"Map<string, {name}>"
    )


def _call(random: Random, depth: int = 0) -> str:
    method = random.choice(_CALLED)
    inner = _call(random, depth + 1) if depth < 2 else "shared"
    return random.choice(
        (
            "this", "p", "v", "shared", "this.field", "p.field", f"f({inner})", f"g({inner})", f"new {random.choice('ABC')}({inner})", f"make({inner})",
            f"{inner}.{method}()", f"{inner}.{method}", f"table.{method}", f"[{inner}, p][0]", f"{{ {method}: {inner} }}.{method}", f"(x) => x.{method}()",
            f"{inner}.map((x) => x.{method}())", f"await {inner}", f"table[{inner}]", f"ns.{random.choice(('A', 'f', 'shared'))}",
        )
    )  # fmt: skip


def _line(random: Random) -> str:
    value, method = _call(random), random.choice(_CALLED)
    return random.choice(
        (
            f"const v = {value};", f"let v = {value}; v = {_call(random)};", f"({value}).{method}();", f"v.{method}();", f"p.{method}();", f"this.{method}();",
            f"this.field = {value};", f"return {value};", f"for (const v of {value}) {{ v.{method}(); }}", f"table.{method} = {value};", f"shared.{method} = {value};",
            f"if (p) {{ v = {value}; }} v.{method}();", f"const {{ {method} }} = {value}; {method}();", f"super.{method}();", f"f({value}); g({_call(random)});", f"shared.push({value});",
        )
    )  # fmt: skip


def _body(random: Random) -> str:
    return "{ let v; " + " ".join(_line(random) for _ in range(random.randint(1, 3))) + " }"


def _slot(random: Random, path: str, slot: str) -> str:
    typed = path.endswith(".ts")
    given, result = (f": {_type(random)}", f": {_type(random)}") if typed else ("", "")
    given, result = random.choice((given, "")), random.choice((result, ""))
    if slot.startswith("star"):
        return random.choice((f"export * from '../{slot[5:]}';", f"export {{ A, f, g as h }} from '../{slot[5:]}';"))
    if slot.endswith("."):
        return f"{slot[:-1]}.prototype.{random.choice(_CALLED)} = async function (p{given}) {_body(random)};"
    if slot == "I":
        return f"export interface I {random.choice(('', 'extends B '))}{{ run(p{given}){result}; step(){result}; field: {_type(random)} }}"
    if slot in ("A", "B", "C"):
        above = random.choice(("", f" extends {random.choice('ABC')}", " extends A", " implements I" if typed else ""))
        held = (
            "".join(
                f"{random.choice(('', 'static ', 'get '))}{m}(p{given if m != 'stop' else ''}){result} {_body(random)} "
                for m in random.sample(_CALLED, 2)
            )
            .replace("get run(p" + given, "get run(")
            .replace("get step(p" + given, "get step(")
            .replace("get stop(p", "get stop(")
        )
        field = random.choice((f"field = {_call(random)};", f"field{given};", "constructor(p) { this.field = p; }"))
        return f"export class {slot}{above} {{ {field} {held}}}"
    if slot in ("shared", "table", "limit", "value"):
        made = random.choice(
            (
                _call(random),
                f"{{ run: {_call(random)}, step() {_body(random)} }}",
                f"[{_call(random)}]",
                f"new {random.choice('ABC')}()",
            )
        )
        return f"export let {slot}{given} = {made};" if typed else f"exports.{slot} = {made};"
    return (
        f"export {random.choice(('', 'async '))}function {slot}(p{given}){result} {_body(random)}"
        if typed
        else f"exports.{slot} = function (p) {_body(random)};"
    )


def dense_file(random: Random, path: str) -> str:
    """The text of one file of a program whose parts fit together, nearly."""
    return _IMPORTED[path] + "\n".join(_slot(random, path, slot) for slot in _FILES[path]) + "\n"


def dense_program(random: Random) -> dict[str, str]:
    """Five files that import each other."""
    return {path: dense_file(random, path) for path in _FILES}


def dense_edit(random: Random, state: dict[str, str]) -> dict[str, str | None]:
    """One file with one declaration put anew, or deleted, or written again."""
    path = random.choice(sorted(_FILES))
    if path not in state or random.random() < 0.05:
        return {path: dense_file(random, path) if path not in state else None}
    lines = state[path].rstrip("\n").split("\n")
    head = _IMPORTED[path].count("\n")
    at = random.randrange(head, len(lines)) if len(lines) > head else head
    slots = _FILES[path]
    if random.random() < 0.1 and at < len(lines):
        del lines[at]
    elif at < len(lines):
        lines[at] = _slot(random, path, slots[(at - head) % len(slots)])
    else:
        lines.append(_slot(random, path, random.choice(slots)))
    return {path: "\n".join(lines) + "\n"}

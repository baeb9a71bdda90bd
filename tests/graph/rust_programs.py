# ruff: noqa: E501
"""Small random Rust crates for the properties of the graph: files put together from fragments that meet.

Names collide on purpose (a few types, traits, methods, functions, constants, macros), modules use each other in all
ways, so that one edit moves members, impl blocks, re-exports, shadowed names and types elsewhere.
"""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

PATHS = (
    "Cargo.toml", "src/lib.rs", "src/main.rs", "src/a.rs", "src/a/deep.rs", "src/b/mod.rs", "src/odd.rs",
    "more/Cargo.toml", "more/src/lib.rs", "notes.md", "x.py",
)  # fmt: skip
_ROOT = '[package]\nname = "m"\n\n[dependencies]\nmore = { path = "more" }\nserde = "1"\n'

modules = st.sampled_from(("a", "b", "deep", "tests", "more", "crate", "self", "super", "std", "m"))
types = st.sampled_from(("A", "B", "E", "N"))
traits = st.sampled_from(("Run", "Step"))
functions = st.sampled_from(("f", "g", "new", "make"))
methods = st.sampled_from(("run", "step", "next", "deref", "add"))
variables = st.sampled_from(("LIMIT", "SHARED"))
names = st.one_of(types, functions, variables, traits)
qualified = st.one_of(
    names, names, st.builds("{}::{}".format, modules, names), st.builds("crate::{}::{}".format, modules, names)
)
type_names = st.one_of(
    types, types, st.builds("&{}".format, types), st.builds("{}::{}".format, modules, types), st.builds("Vec<{}>".format, types),
    st.builds("Option<{}>".format, types), st.builds("Box<dyn {}>".format, traits), st.builds("impl {}".format, traits),
    st.builds("fn() -> {}".format, types), st.sampled_from(("Self", "String", "u8", "T", "Self::Item", "Box<dyn Fn(A) -> B>")),
)  # fmt: skip
bases = st.one_of(
    qualified, st.sampled_from(("self", "p", "v", "w", "self.field", "v.field", "p.0", "v?")),
    st.builds("{}()".format, qualified), st.builds("{}::{}()".format, types, functions), st.builds("{} {{ field: p }}".format, types),
    st.builds("E::{}(p)".format, types), st.builds("Some({})".format, types), st.builds("vec![{}][0]".format, qualified),
)  # fmt: skip
expressions = st.one_of(
    bases, bases, st.builds("{}.{}()".format, bases, methods), st.builds("{}.{}()".format, bases, methods),
    st.builds("{}.iter().map(|x| x.{}()).next().unwrap()".format, bases, methods), st.builds("{}({})".format, qualified, bases),
    st.builds("{} + {}".format, bases, bases), st.builds("<{} as {}>::{}(p)".format, types, traits, methods),
    st.builds("format!(\"{{}}\", {}.{}())".format, bases, methods), st.builds("if p {{ {} }} else {{ {} }}".format, bases, bases),
    st.sampled_from(("3", '"x"', "m!(p)", "crate::m!(f(p).run())", "|x: A| x.run()")),
)  # fmt: skip
lines = st.one_of(
    st.builds("let v = {};".format, expressions), st.builds("let (v, w) = {};".format, expressions),
    st.builds("let w: {} = {};".format, type_names, expressions), st.builds("let E::{}(v) = {} else {{ return }};".format, types, bases),
    st.builds("{}.{}();".format, bases, methods), st.builds("{}.{}({});".format, bases, methods, expressions),
    st.builds("return {};".format, expressions), st.builds("for v in {} {{ v.{}(); }}".format, expressions, methods),
    st.builds("match {} {{ E::{}(v) => v.{}(), A {{ field: v }} => v.run(), v => v.step() }};".format, bases, types, methods),
    st.builds("if let Some(v) = {} {{ v.{}(); }}".format, expressions, methods), st.builds("use {}::*;".format, modules),
    st.builds("use {}::{} as A;".format, modules, types), st.builds("fn f(p: {}) {{ p.{}(); f(p) }}".format, types, methods),
    st.builds("struct A {{ field: {} }}".format, types), st.builds("m!({}.{}());".format, bases, methods),
)  # fmt: skip


def _block(found: list[str]) -> str:
    return "{\n" + "".join(f"    {line}\n" for line in found) + "}"


bodies = st.lists(lines, max_size=3).map(_block)
members = st.lists(
    st.one_of(
        st.builds("fn {}(&self) -> {} {}".format, methods, type_names, bodies),
        st.builds("fn {}(p: {}) -> Self {}".format, functions, type_names, bodies),
        st.builds("type {} = {};".format, st.sampled_from(("Item", "Target", "Output")), type_names),
        st.builds("const {}: {} = {};".format, variables, type_names, expressions),
    ),
    max_size=3,
).map(_block)
specs = st.lists(
    st.one_of(
        st.builds("fn {}(&self) -> {};".format, methods, type_names),
        st.builds("fn {}(&self) -> {} {}".format, methods, type_names, bodies), st.builds("fn {}() -> Self;".format, functions),
        st.builds("type Item: {};".format, traits),
    ),
    max_size=3,
).map(_block)  # fmt: skip
declarations = st.one_of(
    st.builds("fn {}(p: {}) -> {} {}".format, functions, type_names, type_names, bodies),
    st.builds("pub fn {}<T: {}>(p: T) -> T {}".format, functions, traits, bodies),
    st.builds("struct {} {{\n    field: {},\n}}".format, types, type_names), st.builds("struct {}({});".format, types, type_names),
    st.builds("struct {}<T> {{\n    field: T,\n}}".format, types),
    st.builds("enum E {{\n    {}({}),\n    {} {{ field: {} }},\n}}".format, types, type_names, types, type_names),
    st.builds("type {} = {};".format, types, type_names), st.builds("impl {} {}".format, types, members),
    st.builds("impl<T: {}> {} for T {}".format, traits, traits, members), st.builds("impl {} for {} {}".format, traits, types, members),
    st.builds("impl {} for {}::{} {}".format, traits, modules, types, members),
    st.builds("impl std::ops::Deref for {} {{\n    type Target = {};\n}}".format, types, type_names),
    st.builds("impl Iterator for {} {{\n    type Item = {};\n}}".format, types, type_names),
    st.builds("trait {}: {} {}".format, traits, traits, specs), st.builds("trait {} {}".format, traits, specs),
    st.builds("const {}: {} = {};".format, variables, type_names, expressions),
    st.builds("static {}: {} = {};".format, variables, type_names, expressions),
    st.builds("#[macro_export]\nmacro_rules! m {{\n    ($x:expr) => {{ {}($x) }};\n}}".format, qualified),
    st.builds("#[derive({})]\nstruct {};".format, names, types), st.builds("mod tests {{\n    use super::*;\n    fn {}() {}\n}}".format, functions, bodies),
    st.builds("// {}".format, names),
)  # fmt: skip
uses = st.one_of(
    st.builds("use {}::{};".format, modules, names), st.builds("pub use {}::*;".format, modules),
    st.builds("pub use crate::{}::{{self, {}, {} as {}}};".format, modules, names, names, names), st.builds("use {}::{}::*;".format, modules, types),
    st.builds("pub mod {};".format, st.sampled_from(("a", "b", "deep"))), st.just('#[path = "odd.rs"]\npub mod b;'),
    st.just("extern crate more as a;"),
)  # fmt: skip
broken = st.sampled_from(("fn f( {", "struct A {", 'const X: &str = "open;', "}", "impl A { fn run("))


@st.composite
def file_text(draw: st.DrawFn, path: str, errors: bool = False) -> str:
    """The text of one file."""
    if path == "Cargo.toml":
        return draw(st.sampled_from((_ROOT, _ROOT, _ROOT.replace("more =", "b ="), '[package]\nname = "n"\n', "")))
    if path.endswith(".toml"):
        return draw(
            st.sampled_from(('[package]\nname = "more"\n', '[package]\nname = "b"\n\n[lib]\npath = "../src/odd.rs"\n'))
        )
    if not path.endswith(".rs"):
        return draw(st.sampled_from(("def f():\n    return A().run()\n", "f\n")))
    parts = [*draw(st.lists(uses, max_size=3)), *draw(st.lists(declarations, max_size=6))]
    if errors and draw(st.integers(0, 5)) == 0:
        parts.insert(draw(st.integers(0, len(parts))), draw(broken))
    return draw(st.sampled_from(("\n", "\n\n"))).join(parts) + "\n"


@st.composite
def crates(draw: st.DrawFn) -> dict[str, str]:
    """A crate of up to seven files."""
    paths = draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=7, unique=True))
    return {path: draw(file_text(path)) for path in dict.fromkeys(("Cargo.toml", "src/lib.rs", *paths))}


@st.composite
def edits(draw: st.DrawFn) -> dict[str, str | None]:
    """One write: one or two files set or deleted."""
    paths = draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=2, unique=True))
    return {p: draw(st.one_of(st.none(), *[file_text(p, True)] * 4)) for p in paths}


# -- dense crates: most names resolve, so that most edits move something ----------------------------------

_FILES = {
    "src/lib.rs": ("mods", "A", "Run", "f", "LIMIT", "A.", "Run for A"),
    "src/a.rs": ("B", "Step", "g", "SHARED", "B.", "Step for B", "m"),
    "src/b.rs": ("E", "C", "Run for B", "Step for A", "C.", "E.", "make"),
    "src/main.rs": ("D", "main", "f", "D.", "Run for D", "Deref D"),
    "more/src/lib.rs": ("A", "Run", "Run for A", "A.", "f"),
}
_HEADERS = {
    "src/lib.rs": ("pub mod a;", "pub mod b;", "pub use a::*;", "pub use crate::b::{C, E};", "use more::Run as Other;"),
    "src/a.rs": ("use crate::*;", "use super::b::*;", "use crate::A;"),
    "src/b.rs": ("use crate::a::{self, B, Step};", "use crate::{A, Run};", "use super::*;"),
    "src/main.rs": ("use m::*;", "use m::a::{B, Step};", "use m::{A as C, Run};", "use more::A;"),
    "more/src/lib.rs": ("use std::fmt;",),
}
_CALLED = ("run", "step", "stop")
_TYPES = ("A", "B", "C", "E", "D")


def _type(random: Random) -> str:
    name = random.choice(_TYPES)
    shape = random.random()
    if shape < 0.5:
        return name
    return random.choice(
        (
            f"&{name}",
            f"Vec<{name}>",
            f"Option<{name}>",
            f"Box<dyn {random.choice(('Run', 'Step'))}>",
            "Self",
            f"Result<{name}, A>",
        )
    )


def _call(random: Random, depth: int = 0) -> str:
    shape = random.randint(0, 11 if depth < 2 else 7)
    method, name = random.choice(_CALLED), random.choice(_TYPES)
    inner = _call(random, depth + 1) if shape > 7 else ""
    return (
        random.choice(("self", "p", "v", "SHARED", "LIMIT", "crate::LIMIT")), "self.field", "p.field", "f(p)", f"{name}::new(p)",
        f"{name} {{ field: p }}", f"E::{random.choice('XY')}(p)", f"crate::a::g({random.choice(('p', 'f', f'{name}::new'))})",
        f"{inner}.{method}()", f"{inner}.field", f"vec![{inner}].iter().map(|x| x.{method}()).next().unwrap()", f"m!({inner}.{method}())",
    )[shape]  # fmt: skip


def _line(random: Random) -> str:
    value, method = _call(random), random.choice(_CALLED)
    return random.choice(
        (
            f"let v = {value};", f"let v: {_type(random)} = {value};", f"{value}.{method}();", f"v.{method}();", f"p.{method}();",
            f"self.{method}();", f"self.field.{method}();", f"return {value};", f"for v in {value} {{ v.{method}(); }}",
            f"if let Some(v) = {value} {{ v.{method}(); }}", f"match {value} {{ E::X(v) => v.{method}(), E::Y(v) => v.run() }};",
            f"let h = |x: {_type(random)}| x.{method}();", f"println!(\"{{}}\", {value}.{method}());", f"let _ = {value} + p;",
        )
    )  # fmt: skip


def _body(random: Random) -> str:
    return _block([_line(random) for _ in range(random.randint(1, 3))])


def _slot(random: Random, slot: str) -> str:
    first, second, method = _type(random), _type(random), random.choice(_CALLED)
    if slot == "mods":
        return "mod inner {\n    use super::*;\n    pub fn f(p: A) { p.run(); }\n}"
    if slot == "m":
        return f"macro_rules! m {{\n    ($x:expr) => {{ {random.choice(('f', 'g', 'crate::f'))}($x) }};\n}}"
    if slot.startswith("Deref "):
        return f"impl std::ops::Deref for {slot[6:]} {{\n    type Target = {first};\n}}"
    if " for " in slot:
        return f"impl {slot} {{\n    fn {method}(&self) -> {second} {_body(random)}\n}}"
    if slot.endswith("."):
        held = random.sample(_CALLED, 2)
        parts = [f"fn new(p: {first}) -> Self {_body(random)}"]
        parts += [f"pub fn {name}(&self) -> {_type(random)} {_body(random)}" for name in held]
        return f"impl {slot[:-1]} {{\n    " + "\n\n    ".join(parts) + "\n}"
    if slot in ("Run", "Step"):
        above = random.choice(("", "", ": Step", ": Run", ": std::fmt::Debug"))
        return (
            f"pub trait {slot}{above} {{\n    fn {method}(&self) -> {second};\n\n    fn stop(&self) {_body(random)}\n}}"
        )
    if slot == "E":
        return f"pub enum E {{\n    X({first}),\n    Y({second}),\n}}"
    if slot in _TYPES:
        return random.choice(
            (
                f"pub struct {slot} {{\n    field: {first},\n}}",
                f"pub struct {slot}({first});",
                f"pub type {slot} = {first};",
            )
        )
    if slot in ("LIMIT", "SHARED"):
        return f"pub const {slot}: {first} = {_call(random)};"
    return f"pub fn {slot}(p: {first}) -> {second} {_body(random)}"


def dense_file(random: Random, path: str) -> str:
    """The text of one file of a crate whose parts fit together, nearly."""
    header = [h for h in _HEADERS[path] if random.random() < 0.8]
    slots = [s for s in _FILES[path] if random.random() < 0.9]
    random.shuffle(slots)
    return "\n\n".join(["\n".join(header) or "// nothing", *(_slot(random, slot) for slot in slots)]) + "\n"


def dense_crate(random: Random) -> dict[str, str]:
    """Five Rust files, or nearly, and their manifests."""
    found = {path: dense_file(random, path) for path in _FILES if random.random() < 0.95}
    return {"Cargo.toml": _ROOT, "more/Cargo.toml": '[package]\nname = "more"\n', **found}


def dense_edit(random: Random, state: dict[str, str]) -> dict[str, str | None]:
    """One write: a declaration exchanged, removed, added or broken; a file rewritten, deleted or moved; a manifest."""
    path = random.choice(sorted(_FILES))
    text, shape = state.get(path), random.random()
    if shape < 0.04:
        return {"Cargo.toml": random.choice((_ROOT, _ROOT.replace('"m"', '"n"'), None))}
    if text is None or shape < 0.2:
        return {path: dense_file(random, path)}
    if shape < 0.25:
        return {path: None}
    if shape < 0.3 and path.startswith("src/") and path.endswith(("a.rs", "b.rs")):
        return {path: None, path.replace(".rs", "/mod.rs"): text}
    parts = text.split("\n\n")
    at = random.randrange(1, len(parts)) if len(parts) > 1 else 0
    if shape < 0.45:
        del parts[at]
    elif shape < 0.6:
        parts.insert(at + 1, _slot(random, random.choice(_FILES[path])))
    elif shape < 0.65:
        parts.insert(at, random.choice(("fn f( {", "struct A {", "}", 'const X: &str = "')))
    elif shape < 0.75:
        parts[at] = parts[at].replace(random.choice(_CALLED), random.choice(_CALLED), 1)
    elif shape < 0.8:
        parts[0] = "\n".join(h for h in _HEADERS[path] if random.random() < 0.7)
    else:
        lines = parts[at].split("\n")
        lines[random.randrange(len(lines))] = "    " + _line(random)
        parts[at] = "\n".join(lines) if random.random() < 0.5 else _slot(random, random.choice(_FILES[path]))
    return {path: "\n\n".join(parts) + ("" if parts and parts[-1].endswith("\n") else "\n")}

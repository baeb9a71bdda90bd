"""Dispatch changes injected at real call sites of a package, one function a form.

A form yields ``Case`` after ``Case``: writes, the caller whose dispatch they should change, and the questions that
``resolve`` answers before and after to say whether they really did. Places come from ``ast`` (``callsites``) and from
the imported package (``resolve.describe``); the caller's own lines are never written.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from benchmarks.graph.callsites import Site, functions, sites
from benchmarks.graph.scripts import Changes, Function, dotted, tree


@dataclass(frozen=True, slots=True)
class Case:
    """``base`` is put into the package first; ``steps`` are the writes; ``caller`` is a symbol id."""

    form: str
    caller: str
    steps: tuple[Changes, ...]
    before: str
    after: str = ""
    base: Mapping[str, str] = field(default_factory=dict)

    @property
    def questions(self) -> tuple[str, str]:
        """What to ask before and after."""
        return self.before, self.after or self.before


class Package:
    """A package's texts and trees beside what Python says of it once imported."""

    def __init__(self, name: str, texts: dict[str, str], told: dict[str, Any], random: Random) -> None:
        self.name, self.texts, self.random = name, texts, random
        self.classes: dict[str, Any] = {k: v for k, v in told["classes"].items() if k.startswith(name)}
        self.modules: dict[str, dict[str, str]] = told["modules"]
        self.paths = {dotted(p): p for p in texts if p.startswith(name + "/")}
        self.sites = sites(texts, name)
        random.shuffle(self.sites)

    def of_form(self, form: str) -> list[Site]:
        """The sites of one form, in random order."""
        return [s for s in self.sites if s.form == form]

    def cls(self, s: Site) -> Any:
        """What is known of the class a site's method belongs to, None if nothing."""
        return self.classes.get(f"{s.module}:{s.cls}")

    def tree(self, path: str) -> ast.Module:
        """The tree of a file."""
        parsed = tree(self.texts[path])
        assert parsed is not None
        return parsed

    def node(self, path: str, cls: str) -> ast.ClassDef | None:
        """The one module-level class of this name."""
        found = [n for n in self.tree(path).body if isinstance(n, ast.ClassDef) and n.name == cls]
        return found[0] if len(found) == 1 else None

    def binding(self, path: str, name: str) -> ast.stmt | None:
        """The one module-level statement that binds a name, None if there are none or several."""
        found = [n for n in self.tree(path).body if name in binds(n)]
        return found[0] if len(found) == 1 else None

    def source_of(self, path: str, name: str) -> str | None:
        """The file of the package a name is imported from by ``from ... import``."""
        node = self.binding(path, name)
        if not isinstance(node, ast.ImportFrom) or not any(a.name == name and not a.asname for a in node.names):
            return None
        package = dotted(path).split(".") if path.endswith("__init__.py") else dotted(path).split(".")[:-1]
        base = package[: len(package) - node.level + 1] if node.level else []
        return self.paths.get(".".join([*base, *([node.module] if node.module else [])]))

    def another(self, path: str, name: str) -> tuple[str, str] | None:
        """(module, function) of a random module-level function of another file, not called ``name``."""
        found = [
            (dotted(p), f.name)
            for p in sorted(self.paths.values())
            if p != path and not p.endswith(("__init__.py", "__main__.py"))
            for c, f in functions(self.tree(p))
            if not c and f.name != name and not f.decorator_list
        ]
        return self.random.choice(found) if found else None

    def made_with(self, method: str, other_than: str = "") -> list[str]:
        """Classes that can be made without arguments and have ``method`` of their own, in random order."""
        found = [k for k, c in self.classes.items() if c["made"] and method in c["own"] and k != other_than]
        self.random.shuffle(found)
        return found


def binds(node: ast.stmt) -> list[str]:
    """The names a statement of a module binds there."""
    if isinstance(node, (*Function, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [(a.asname or a.name).split(".")[0] for a in node.names]
    if isinstance(node, ast.Assign):
        return [t.id for t in node.targets if isinstance(t, ast.Name)]
    if isinstance(node, ast.If | ast.Try | ast.With | ast.For):
        return [n for inner in ast.iter_child_nodes(node) if isinstance(inner, ast.stmt) for n in binds(inner)]
    return [node.target.id] if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) else []


# -- writing ----------------------------------------------------------------------------------------------


def appended(text: str, *lines: str) -> str:
    """``text`` with lines at its end."""
    return text.rstrip("\n") + "\n\n\n" + "\n".join(lines) + "\n"


def in_class(p: Package, path: str, cls: str, *lines: str) -> str | None:
    """The file with lines at the end of a class body."""
    node = p.node(path, cls)
    if node is None or node.body[0].col_offset == 0:
        return None
    rows = p.texts[path].split("\n")
    indent = " " * node.body[0].col_offset
    rows[node.end_lineno : node.end_lineno] = ["", *(indent + x for x in lines)]
    return "\n".join(rows)


def without(p: Package, path: str, cls: str, name: str) -> str | None:
    """The file without one method."""
    node = p.node(path, cls)
    found = [m for m in node.body if isinstance(m, Function) and m.name == name] if node else []
    if len(found) != 1:
        return None
    method, rows = found[0], p.texts[path].split("\n")
    first = min([method.lineno, *(d.lineno for d in method.decorator_list)])
    rows[first - 1 : method.end_lineno] = [" " * method.col_offset + "pass"]
    return "\n".join(rows)


def repointed(p: Package, path: str, name: str, statement: str) -> str | None:
    """The file with the import that binds ``name`` replaced by ``statement`` (its other names stay)."""
    node = p.binding(path, name)
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return None
    kept = [a for a in node.names if (a.asname or a.name).split(".")[0] != name]
    rest: list[str] = []
    if kept and isinstance(node, ast.ImportFrom):
        rest = [ast.unparse(ast.ImportFrom(node.module, kept, node.level))]
    elif kept:
        rest = [ast.unparse(ast.Import(kept))]
    rows = p.texts[path].split("\n")
    rows[node.lineno - 1 : node.end_lineno] = [*rest, statement]
    return "\n".join(rows)


def _method(name: str) -> tuple[str, str]:
    return f"def {name}(self, *args, **kwargs):", "    return None"


def _family(s: Site) -> str:
    return f"family(mod({s.module!r}).{s.cls}, {s.name!r})"


def _glob(s: Site, name: str = "") -> str:
    return f"glob({s.module!r}, {name or s.name!r})"


def _id(s: Site) -> str:
    return f"{s.path}::{s.caller}"


def _case(form: str, s: Site, changes: Mapping[str, str | None], question: str, after: str = "") -> Iterator[Case]:
    if all(text is not None or path is not None for path, text in changes.items()):
        yield Case(form, _id(s), (dict(changes),), question, after)


# -- overrides and the order of classes -------------------------------------------------------------------


def override_added(p: Package) -> Iterator[Case]:
    """self.m(): a known subclass gets its own m."""
    for s in p.of_form("self"):
        for below in p.cls(s)["below"] if p.cls(s) else ():
            module, _, name = below.partition(":")
            if below in p.classes and s.name not in p.classes[below]["names"]:
                text = in_class(p, p.paths[module], name, *_method(s.name))
                if text:
                    yield from _case("override added", s, {p.paths[module]: text}, _family(s))


def override_removed(p: Package) -> Iterator[Case]:
    """self.m(): a known subclass loses its own m."""
    for s in p.of_form("self"):
        for below in p.cls(s)["below"] if p.cls(s) else ():
            module, _, name = below.partition(":")
            if below in p.classes and s.name in p.classes[below]["own"]:
                text = without(p, p.paths[module], name, s.name)
                if text:
                    yield from _case("override removed", s, {p.paths[module]: text}, _family(s))


def subclass_in_new_file(p: Package) -> Iterator[Case]:
    """self.m(): a new file holds a new subclass with its own m."""
    for s in p.of_form("self"):
        if p.cls(s) and s.name in p.cls(s)["names"]:
            head, body = _method(s.name)
            text = f"from {s.module} import {s.cls}\n\n\nclass Injected({s.cls}):\n    {head}\n    {body}\n"
            yield from _case("subclass in a new file", s, {f"{p.name}/injected.py": text}, _family(s))


def own_method_removed(p: Package) -> Iterator[Case]:
    """self.m(): the class loses m, a base has one."""
    for s in p.of_form("self"):
        c = p.cls(s)
        if c and s.name in c["own"] and any(s.name in p.classes[b]["own"] for b in c["mro"][1:] if b in p.classes):
            text = without(p, s.path, s.cls, s.name)
            if text:
                yield from _case("removed, falls to a base", s, {s.path: text}, _family(s))


def nearer_base_gains(p: Package) -> Iterator[Case]:
    """self.m(): a class earlier in the method resolution order gets m."""
    for s in p.of_form("self"):
        order = p.cls(s)["mro"] if p.cls(s) else []
        at = next((i for i, b in enumerate(order) if b in p.classes and s.name in p.classes[b]["names"]), 0)
        for b in order[1:at]:
            module, _, name = b.partition(":")
            text = in_class(p, p.paths[module], name, *_method(s.name)) if b in p.classes else None
            if text:
                yield from _case("method resolution order", s, {p.paths[module]: text}, _family(s))


def super_gains(p: Package) -> Iterator[Case]:
    """super().m(): a class between gets m."""
    for s in p.of_form("super"):
        order = p.cls(s)["mro"] if p.cls(s) else []
        for b in order[1:]:
            if b in p.classes and s.name in p.classes[b]["names"]:
                break
            module, _, name = b.partition(":")
            text = in_class(p, p.paths[module], name, *_method(s.name)) if b in p.classes else None
            if text:
                question = f"supers(mod({s.module!r}).{s.cls}, {s.name!r})"
                yield from _case("super() chain", s, {p.paths[module]: text}, question)


def base_changed(p: Package) -> Iterator[Case]:
    """self.m() or super().m(), m inherited: the class statement names another base."""
    for s in (*p.of_form("super"), *p.of_form("self")):
        node = p.node(s.path, s.cls) if p.cls(s) else None
        if node is None or not node.bases or (s.form == "self" and s.name in p.cls(s)["names"]):
            continue
        rows = p.texts[s.path].split("\n")
        if not re.fullmatch(r"class \w+\(.*\):.*", rows[node.lineno - 1]):
            continue
        known = [k for k, c in p.classes.items() if s.name in c["own"] and k not in p.cls(s)["mro"]]
        known = [k for k in known if f"{s.module}:{s.cls}" not in p.classes[k]["mro"]]
        p.random.shuffle(known)
        question = _family(s) if s.form == "self" else f"supers(mod({s.module!r}).{s.cls}, {s.name!r})"
        for k in known[:3]:
            module, _, name = k.partition(":")
            head = [f"from {module} import {name} as Injected"] if module != s.module else []
            base = "Injected" if head else name
            new = list(rows)
            new[node.lineno - 1] = f"class {s.cls}({base}, {', '.join(ast.unparse(b) for b in node.bases)}):"
            top = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            new[top - 1 : top - 1] = head
            yield from _case("base changed", s, {s.path: "\n".join(new)}, question)


def constructor_gains_init(p: Package) -> Iterator[Case]:
    """C(...): the class gets an ``__init__`` of its own."""
    for s in p.of_form("name"):
        told = p.modules.get(s.module, {}).get(s.name, "")
        key = told.removeprefix("class ").partition("@")[0]
        if key in p.classes and "__init__" not in p.classes[key]["names"]:
            module, _, name = key.partition(":")
            text = in_class(p, p.paths[module], name, *_method("__init__"))
            if text:
                question = f"exact(mod({module!r}).{name}, '__init__')"
                yield from _case("constructor gets __init__", s, {p.paths[module]: text}, question)


def class_attribute(p: Package) -> Iterator[Case]:
    """self.m(): the class body ends with ``m = other``."""
    for s in p.of_form("self"):
        others = [n for n in p.cls(s)["own"] if n != s.name and not n.startswith("__")] if p.cls(s) else []
        if others and s.name in p.cls(s)["own"]:
            text = in_class(p, s.path, s.cls, f"{s.name} = {p.random.choice(others)}")
            if text:
                yield from _case("class body: m = other", s, {s.path: text}, _family(s))


def property_off(p: Package) -> Iterator[Case]:
    """self.p: the property loses its decorator."""
    for s in p.of_form("read"):
        order = p.cls(s)["mro"] if p.cls(s) else []
        holder = next((b for b in order if b in p.classes and s.name in p.classes[b]["names"]), "")
        if holder and s.name in p.classes[holder]["properties"]:
            module, _, name = holder.partition(":")
            path = p.paths[module]
            node = p.node(path, name)
            found = [m for m in node.body if isinstance(m, Function) and m.name == s.name] if node else []
            worn = [d for m in found for d in m.decorator_list if isinstance(d, ast.Name) and d.id == "property"]
            if len(found) == 1 and len(worn) == 1:
                rows = p.texts[path].split("\n")
                del rows[worn[0].lineno - 1]
                yield from _case("property off", s, {path: "\n".join(rows)}, _family(s))


# -- names ------------------------------------------------------------------------------------------------


def builtin_defined(p: Package) -> Iterator[Case]:
    """A name that fell to the builtin gets a definition in the module."""
    for s in p.of_form("name"):
        if s.name not in p.modules.get(s.module, {}) and s.name != "super":
            text = appended(p.texts[s.path], f"def {s.name}(*args, **kwargs):", "    return None")
            yield from _case("builtin gets a definition", s, {s.path: text}, _glob(s))


def builtin_imported(p: Package) -> Iterator[Case]:
    """A name that fell to the builtin is imported from another module."""
    for s in p.of_form("name"):
        other = p.another(s.path, s.name)
        if s.name not in p.modules.get(s.module, {}) and other and s.name != "super":
            text = appended(p.texts[s.path], f"from {other[0]} import {other[1]} as {s.name}")
            yield from _case("builtin is imported", s, {s.path: text}, _glob(s))


def star_brings(p: Package) -> Iterator[Case]:
    """A name that fell to the builtin is defined where the module star-imports from."""
    for s in p.of_form("name"):
        other = p.another(s.path, s.name)
        if s.name not in p.modules.get(s.module, {}) and other and s.name != "super":
            base = {s.path: appended(p.texts[s.path], f"from {other[0]} import *")}
            path = p.paths[other[0]]
            if "__all__" in p.texts[path]:
                continue
            text = appended(p.texts[path], f"def {s.name}(*args, **kwargs):", "    return None")
            yield Case("star import brings a name", _id(s), ({path: text},), _glob(s), base=base)


def all_changed(p: Package) -> Iterator[Case]:
    """The module a star import takes a name from gets an ``__all__`` without it; another star has the name."""
    for s in p.of_form("name"):
        source, other = p.source_of(s.path, s.name), p.another(s.path, s.name)
        if source is None or other is None or "__all__" in p.texts[source] + p.texts[p.paths[other[0]]]:
            continue
        second = p.paths[other[0]]
        star = f"from {other[0]} import *\nfrom {dotted(source)} import *"
        caller = repointed(p, s.path, s.name, star)
        if caller is None or second == source:
            continue
        base = {s.path: caller, second: appended(p.texts[second], f"def {s.name}(*args, **kwargs):", "    return None")}
        text = appended(p.texts[source], '__all__ = ["injected"]', "injected = 1")
        yield Case("__all__ changed", _id(s), ({source: text},), _glob(s), base=base)


def name_rebound(p: Package) -> Iterator[Case]:
    """A function of the caller's module is bound again: ``f = g`` at the end."""
    for s in p.of_form("name"):
        node = p.binding(s.path, s.name)
        others = [f.name for c, f in functions(p.tree(s.path)) if not c and f.name != s.name]
        if isinstance(node, Function) and others:
            text = appended(p.texts[s.path], f"{s.name} = {p.random.choice(others)}")
            yield from _case("module level: f = g", s, {s.path: text}, _glob(s))


def origin_rebound(p: Package) -> Iterator[Case]:
    """An imported function is bound again in the module it comes from."""
    for s in p.of_form("name"):
        source = p.source_of(s.path, s.name)
        others = [f.name for c, f in functions(p.tree(source)) if not c and f.name != s.name] if source else []
        if source and others and isinstance(p.binding(source, s.name), Function):
            text = appended(p.texts[source], f"{s.name} = {p.random.choice(others)}")
            yield from _case("alias re-bound where it is imported from", s, {source: text}, _glob(s))


def conditional(p: Package) -> Iterator[Case]:
    """A function is defined again under a condition."""
    for s in p.of_form("name"):
        source = p.source_of(s.path, s.name) or s.path
        if isinstance(p.binding(source, s.name), Function):
            lines = ("if len(__name__) > 1:", f"    def {s.name}(*args, **kwargs):", "        return None")
            yield from _case("conditional definition", s, {source: appended(p.texts[source], *lines)}, _glob(s))


def import_tried(p: Package) -> Iterator[Case]:
    """A function is imported again in a ``try`` that falls back to nothing."""
    for s in p.of_form("name"):
        other = p.another(s.path, s.name)
        if other and isinstance(p.binding(s.path, s.name), Function):
            lines = ("try:", f"    from {other[0]} import {other[1]} as {s.name}", "except ImportError:", "    pass")
            yield from _case("try: import", s, {s.path: appended(p.texts[s.path], *lines)}, _glob(s))


def import_repointed(p: Package) -> Iterator[Case]:
    """The import line of a called name takes another function of another module."""
    for s in p.of_form("name"):
        other = p.another(s.path, s.name)
        text = repointed(p, s.path, s.name, f"from {other[0]} import {other[1]} as {s.name}") if other else None
        if text:
            yield from _case("import line re-pointed", s, {s.path: text}, _glob(s))


def module_repointed(p: Package) -> Iterator[Case]:
    """``a.f()``: the import that binds a names another module."""
    for s in p.of_form("global"):
        if not p.modules.get(s.module, {}).get(s.base, "").startswith("module"):
            continue
        choices = [m for m in ("json", "pickle", "os", "shutil", "posixpath") if m != s.base]
        statement = f"import {p.random.choice(choices)} as {s.base}"
        text = repointed(p, s.path, s.base, statement)
        if text:
            question = f"ident(getattr(mod({s.module!r}).{s.base}, {s.name!r}, None))"
            yield from _case("module import re-pointed", s, {s.path: text}, question)


def reexport_changed(p: Package) -> Iterator[Case]:
    """A name imported through a module that imports it itself: that module imports another function as it."""
    for s in p.of_form("name"):
        source = p.source_of(s.path, s.name)
        other = p.another(source, s.name) if source else None
        if source and other and isinstance(p.binding(source, s.name), ast.ImportFrom):
            text = appended(p.texts[source], f"from {other[0]} import {other[1]} as {s.name}")
            yield from _case("re-export changed", s, {source: text}, _glob(s))


def decorator_on(p: Package) -> Iterator[Case]:
    """A called function gets a decorator that puts another function in its place."""
    for s in p.of_form("name"):
        source = p.source_of(s.path, s.name) or s.path
        node = p.binding(source, s.name)
        if isinstance(node, Function) and not node.decorator_list:
            rows = p.texts[source].split("\n")
            rows[node.lineno - 1 : node.lineno - 1] = [
                "def injected(function):", "    def inner(*args, **kwargs):", "        return None", "    return inner",
                "", "", "@injected",
            ]  # fmt: skip
            yield from _case("decorator on", s, {source: "\n".join(rows)}, _glob(s))


def instance_rebound(p: Package) -> Iterator[Case]:
    """``x.m()`` with a module-level instance x: x is bound to an instance of another class."""
    for s in p.of_form("global"):
        told = p.modules.get(s.module, {}).get(s.base, "")
        if not told.startswith(f"a {p.name}"):
            continue
        source = p.source_of(s.path, s.base) or s.path
        for key in p.made_with(s.name, told[2:])[:2]:
            module, _, name = key.partition(":")
            lines = (f"from {module} import {name} as Injected", f"{s.base} = Injected()")
            question = f"exact(type(mod({s.module!r}).{s.base}), {s.name!r})"
            yield from _case("module level: x = Cls()", s, {source: appended(p.texts[source], *lines)}, question)


def field_elsewhere(p: Package) -> Iterator[Case]:
    """``self.a.m()``: another method of the class assigns an instance of another class to ``self.a``."""
    for s in p.of_form("field"):
        node = p.node(s.path, s.cls)
        known = _assigned(p, s, node) if node is not None else []
        if node is None or len(known) != 1 or len(p.cls(s)["mro"]) > 2:
            continue  # what a base assigns is not looked for
        for method in (m for m in node.body if isinstance(m, Function) and m.args.args):
            first = method.body[-1] if isinstance(method.body[0], ast.Expr) and len(method.body) > 1 else method.body[0]
            if f"{s.cls}.{method.name}" == s.caller or method.decorator_list or first.lineno == method.lineno:
                continue
            for key in [k for k in p.made_with(s.name) if k not in p.classes[known[0]]["mro"]][:1]:
                module, _, name = key.partition(":")
                rows, indent = p.texts[s.path].split("\n"), " " * first.col_offset
                rows[first.lineno - 1 : first.lineno - 1] = [
                    f"{indent}from {module} import {name} as Injected",
                    f"{indent}{method.args.args[0].arg}.{s.base} = Injected()",
                ]
                after = f"exact(mod({module!r}).{name}, {s.name!r})"
                old_module, _, old = known[0].partition(":")
                before = f"exact(mod({old_module!r}).{old}, {s.name!r})"
                yield from _case("attribute assigned elsewhere", s, {s.path: "\n".join(rows)}, before, after)


def _assigned(p: Package, s: Site, cls: ast.ClassDef) -> list[str]:
    """The classes whose instances the class's methods assign to ``self.base``; "" for anything else assigned."""
    found: list[str] = []
    for node in ast.walk(cls):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(t, ast.Attribute) and t.attr == s.base for t in targets):
                made = node.value.func if isinstance(node.value, ast.Call) else None
                told = p.modules.get(s.module, {}).get(made.id, "") if isinstance(made, ast.Name) else ""
                found.append(told.removeprefix("class ").partition("@")[0])
    return found if all(key in p.classes for key in found) else []


def annotation_changed(p: Package) -> Iterator[Case]:
    """``x = f(); x.m()``: the return annotation of f names another class."""
    for s in p.of_form("made"):
        source = p.source_of(s.path, s.base) or s.path
        node = p.binding(source, s.base)
        if not isinstance(node, Function) or node.returns is None or node.returns.lineno != node.returns.end_lineno:
            continue
        for key in [k for k, c in p.classes.items() if s.name in c["own"]][:4]:
            module, _, name = key.partition(":")
            rows, r = p.texts[source].split("\n"), node.returns
            line = rows[r.lineno - 1]
            rows[r.lineno - 1] = line[: r.col_offset] + '"Injected"' + line[r.end_col_offset :]
            text = appended("\n".join(rows), f"from {module} import {name} as Injected")
            question = f"hinted(mod({dotted(source)!r}).{s.base}, {s.name!r})"
            yield from _case("return annotation", s, {source: text}, question)


# -- files ------------------------------------------------------------------------------------------------


def _deeper(text: str) -> str:
    """A module's text one folder further down."""
    return re.sub(r"(?m)^(\s*from )\.", r"\1..", text)


def file_shadowed(p: Package) -> Iterator[Case]:
    """A package appears beside the module a name is imported from, and wins."""
    for s in p.of_form("name"):
        source = p.source_of(s.path, s.name)
        if source and not source.endswith("__init__.py") and isinstance(p.binding(source, s.name), Function):
            lines = (f"def {s.name}(*args, **kwargs):", "    return None")
            new = source.removesuffix(".py") + "/__init__.py"
            yield from _case("file added", s, {new: appended(_deeper(p.texts[source]), *lines)}, _glob(s))


def file_moved(p: Package) -> Iterator[Case]:
    """The module a name is imported from becomes a package: its file moves, no import changes."""
    for s in p.of_form("name"):
        source = p.source_of(s.path, s.name)
        if source and not source.endswith("__init__.py"):
            new = source.removesuffix(".py") + "/__init__.py"
            yield from _case("file moved", s, {source: None, new: _deeper(p.texts[source])}, _glob(s))


def file_renamed(p: Package) -> Iterator[Case]:
    """The module a name is imported from gets another name, imports follow."""
    for s in p.of_form("name"):
        source = p.source_of(s.path, s.name)
        if source and source != s.path and not source.endswith("__init__.py"):
            last = dotted(source).rsplit(".", 1)[-1]
            pattern = re.compile(rf"(?m)^(\s*from [\w.]*\.){last}( import)")
            changes: Changes = {
                q: pattern.sub(rf"\1renamed_{last}\2", t)
                for q, t in p.texts.items()
                if q.startswith(p.name + "/") and q != source and pattern.search(t)
            }
            folder = source.rsplit("/", 1)[0]
            changes |= {source: None, f"{folder}/renamed_{last}.py": p.texts[source]}
            if f"from . import {last}" not in "".join(p.texts.values()):
                yield from _case("file renamed, imports follow", s, changes, _glob(s))


def package_renamed(p: Package) -> Iterator[Case]:
    """A folder of the package gets another name, imports follow."""
    folders = sorted({q.rsplit("/", 1)[0] for q in p.texts if q.startswith(p.name + "/") and q.count("/") > 1})
    for s in p.of_form("name"):
        source = p.source_of(s.path, s.name)
        for folder in folders:
            if source and source.startswith(folder + "/") and not s.path.startswith(folder + "/"):
                last = folder.rsplit("/", 1)[-1]
                pattern = re.compile(rf"(?m)^(\s*from [\w.]*\.){last}((?:\.[\w.]+)? import)")
                changes: Changes = {q: None for q in p.texts if q.startswith(folder + "/")}
                moved = {folder + "_renamed" + q.removeprefix(folder): p.texts[q] for q in changes}
                rest = {q: t for q, t in p.texts.items() if q.startswith(p.name + "/") and q not in changes}
                moved |= {q: pattern.sub(rf"\1{last}_renamed\2", t) for q, t in rest.items() if pattern.search(t)}
                yield from _case("package renamed, imports follow", s, {**changes, **moved}, _glob(s))


def broken_between(p: Package) -> Iterator[Case]:
    """A module is written with a syntax error first, then put right with the name bound anew."""
    for case in origin_rebound(p):
        ((path, text),) = case.steps[0].items()
        assert text is not None
        broken = p.texts[path] + "\ndef broken(:\n"
        yield Case("syntax error, then re-bound", case.caller, ({path: broken}, {path: text}), case.before)


# -- from outside -----------------------------------------------------------------------------------------


def patched_class(p: Package) -> Iterator[Case]:
    """self.m(): another file assigns to the class: ``Cls.m = g``."""
    for s in p.of_form("self"):
        other = p.another(s.path, s.name)
        if p.cls(s) and s.name in p.cls(s)["own"] and other:
            lines = (f"from {s.module} import {s.cls} as Patched", f"Patched.{s.name} = {other[1]}")
            path = p.paths[other[0]]
            yield from _case("another file: Cls.m = g", s, {path: appended(p.texts[path], *lines)}, _family(s))


def patched_module(p: Package) -> Iterator[Case]:
    """A called name of the module is assigned by another file: ``mod.f = g``."""
    for s in p.of_form("name"):
        other = p.another(s.path, s.name)
        if isinstance(p.binding(s.path, s.name), Function) and other:
            lines = (f"import {s.module} as patched", f"patched.{s.name} = {other[1]}")
            path = p.paths[other[0]]
            yield from _case("another file: mod.f = g", s, {path: appended(p.texts[path], *lines)}, _glob(s))


FORMS: tuple[Callable[[Package], Iterator[Case]], ...] = (
    override_added, override_removed, subclass_in_new_file, own_method_removed, nearer_base_gains, super_gains,
    base_changed, constructor_gains_init, class_attribute, property_off, builtin_defined, builtin_imported,
    star_brings, all_changed, name_rebound, origin_rebound, conditional, import_tried, import_repointed,
    module_repointed, reexport_changed, decorator_on, instance_rebound, field_elsewhere, annotation_changed,
    file_shadowed, file_moved, file_renamed, package_renamed, broken_between, patched_class, patched_module,
)  # fmt: skip

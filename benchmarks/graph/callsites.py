"""Call sites of real code by their form, found with ``ast`` alone: where ``dispatch`` looks for its cases."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from benchmarks.graph.scripts import Function, dotted, tree


@dataclass(frozen=True, slots=True)
class Site:
    """One call or read: ``form`` name | self | super | global | field | read | made, in symbol ``path::caller``.

    ``cls`` is the class of a method (module-level classes only), ``name`` what is called; ``base`` the name before
    the dot (global: a global name; field: the attribute of self; made: what the local was made by).
    """

    form: str
    path: str
    caller: str
    cls: str
    name: str
    base: str = ""
    line: int = 0

    @property
    def module(self) -> str:
        """The module's dotted name."""
        return dotted(self.path)


def sites(texts: Mapping[str, str], package: str) -> list[Site]:
    """Every site of the package's functions and methods, in order."""
    found: dict[tuple[str, ...], Site] = {}
    for path in sorted(p for p in texts if p.startswith(package + "/")):
        parsed = tree(texts[path])
        for cls, function in functions(parsed) if parsed is not None else ():
            caller = f"{cls}.{function.name}" if cls else function.name
            for s in _in_function(path, caller, cls, function):
                found.setdefault((s.form, s.path, s.caller, s.name, s.base), s)
    return list(found.values())


def functions(parsed: ast.Module) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """(class or "", function) of module-level functions and methods that are defined once under their name."""
    tops = [n for n in parsed.body if isinstance(n, (*Function, ast.ClassDef))]
    names = [n.name for n in tops]
    for node in tops:
        if names.count(node.name) > 1:
            continue
        if isinstance(node, Function):
            yield "", node
            continue
        methods = [m for m in node.body if isinstance(m, Function)]
        own = [m.name for m in methods]
        yield from ((node.name, m) for m in methods if own.count(m.name) == 1)


def _in_function(path: str, caller: str, cls: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Site]:
    local = _bound(function)
    static = any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list)
    me = function.args.args[0].arg if cls and function.args.args and not static else ""
    made = _made(function)
    called = {id(n.func) for n in ast.walk(function) if isinstance(n, ast.Call)}
    for node in (n for s in function.body for n in ast.walk(s)):
        if isinstance(node, ast.Attribute) and id(node) not in called:
            if isinstance(node.ctx, ast.Load) and _is(node.value, me):
                yield Site("read", path, caller, cls, node.attr, line=node.lineno)
            continue
        if not isinstance(node, ast.Call):
            continue
        f = node.func
        if isinstance(f, ast.Name) and f.id not in local:
            yield Site("name", path, caller, cls, f.id, line=node.lineno)
        elif isinstance(f, ast.Attribute):
            yield from _method(Site("", path, caller, cls, f.attr, line=node.lineno), f.value, me, local, made)


def _method(site: Site, base: ast.expr, me: str, local: set[str], made: dict[str, str]) -> Iterator[Site]:
    at = (site.path, site.caller, site.cls, site.name)
    if _is(base, me):
        yield Site("self", *at, line=site.line)
    elif isinstance(base, ast.Call) and _is(base.func, "super") and not base.args and site.cls:
        yield Site("super", *at, line=site.line)
    elif isinstance(base, ast.Attribute) and _is(base.value, me):
        yield Site("field", *at, base=base.attr, line=site.line)
    elif isinstance(base, ast.Name) and base.id in made:
        yield Site("made", *at, base=made[base.id], line=site.line)
    elif isinstance(base, ast.Call) and isinstance(base.func, ast.Name) and base.func.id not in local:
        yield Site("made", *at, base=base.func.id, line=site.line)
    elif isinstance(base, ast.Name) and base.id not in local:
        yield Site("global", *at, base=base.id, line=site.line)


def _is(node: ast.expr, name: str) -> bool:
    return bool(name) and isinstance(node, ast.Name) and node.id == name


def _bound(function: ast.AST) -> set[str]:
    """Names that anything inside the function binds: parameters, assignments, imports, definitions."""
    found: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            found.add(node.id)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {(a.asname or a.name).split(".")[0] for a in node.names}
        elif (isinstance(node, (*Function, ast.ClassDef)) and node is not function) or (
            isinstance(node, ast.ExceptHandler) and node.name
        ):
            found.add(node.name)
    return found


def _made(function: ast.AST) -> dict[str, str]:
    """Locals assigned exactly once, from the call of a global name: local -> that name."""
    stores = [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    local = _bound(function)
    found: dict[str, str] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
            called = value.func if isinstance(value, ast.Call) else None
            if stores.count(name) == 1 and isinstance(called, ast.Name) and called.id not in local:
                found[name] = called.id
    return found

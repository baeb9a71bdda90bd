"""Seeded edit scripts over a real package: random edits of the kinds an agent makes, each one write.

An edit is a function ``(random, state) -> changes`` where ``changes`` is what ``CodeGraph.update`` takes (None =
deleted) or {} where the state offers no place for it. Places are found with ``ast`` in the current texts, so a
script stays meaningful however long it grows; a text that does not parse offers only line edits and its repair.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from random import Random

State = Mapping[str, str]
Changes = dict[str, str | None]
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Function = (ast.FunctionDef, ast.AsyncFunctionDef)
_BREAKS = ("def broken(:", "x = (", "class Broken(", '"""', "    ]", "return return")
_DECORATORS = ("@property", "@staticmethod", "@classmethod", "@functools.lru_cache", "@contextmanager")


@lru_cache(maxsize=4096)
def tree(text: str) -> ast.Module | None:
    """The syntax tree of a text, None if it has none."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def dotted(path: str) -> str:
    """The module name of a path."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _pick(random: Random, state: State) -> tuple[str, list[str], ast.Module] | None:
    """A random file that parses: its path, its lines, its tree."""
    for _ in range(8):
        path = random.choice(sorted(state))
        parsed = tree(state[path])
        if parsed is not None and parsed.body:
            return path, state[path].split("\n"), parsed
    return None


def _definitions(parsed: ast.Module, kinds: tuple[type, ...]) -> list[Definition]:
    return [n for n in ast.walk(parsed) if isinstance(n, kinds)]  # type: ignore[misc]


def _first(node: Definition) -> int:
    """The 1-based line a definition starts at, decorators included."""
    return min([node.lineno, *(d.lineno for d in node.decorator_list)])


def _block(lines: list[str], node: Definition) -> list[str]:
    return lines[_first(node) - 1 : node.end_lineno]


def _joined(path: str, lines: list[str]) -> Changes:
    return {path: "\n".join(lines)}


# -- lines ------------------------------------------------------------------------------------------------


def change_line(random: Random, state: State) -> Changes:
    """A line dropped, doubled, exchanged with the next one, or a word of it replaced by another of the file."""
    path = random.choice(sorted(state))
    lines = state[path].split("\n")
    at = random.randrange(len(lines))
    shape = random.randrange(4)
    if shape == 0:
        del lines[at]
    elif shape == 1:
        lines.insert(at, lines[at])
    elif shape == 2 and at + 1 < len(lines):
        lines[at], lines[at + 1] = lines[at + 1], lines[at]
    else:
        words = re.findall(r"[A-Za-z_]\w*", state[path]) or ["x"]
        found = list(re.finditer(r"[A-Za-z_]\w*", lines[at]))
        if not found:
            return {}
        word = random.choice(found)
        lines[at] = lines[at][: word.start()] + random.choice(words) + lines[at][word.end() :]
    return _joined(path, lines)


def add_call(random: Random, state: State) -> Changes:
    """A call of a function or class of the package, as the first statement of a function or at the end of a file."""
    chosen, other = _pick(random, state), _pick(random, state)
    if chosen is None or other is None:
        return {}
    path, lines, parsed = chosen
    names = [d.name for d in _definitions(other[2], (*Function, ast.ClassDef))]
    if not names:
        return {}
    name = random.choice(names)
    call = random.choice((f"{name}()", f"self.{name}()", f"x = {name}(); x.{random.choice(names)}()"))
    places = _definitions(parsed, Function)
    if not places or random.random() < 0.2:
        return _joined(path, [*lines, call])
    first = random.choice(places).body[0]  # type: ignore[union-attr]
    if first.col_offset == 0 or lines[first.lineno - 1][: first.col_offset].strip():
        return {}
    lines.insert(first.lineno - 1, " " * first.col_offset + call)
    return _joined(path, lines)


# -- definitions ------------------------------------------------------------------------------------------


def rename(random: Random, state: State) -> Changes:
    """A function, method or class renamed where it is defined; half the time in all files that name it."""
    chosen = _pick(random, state)
    if chosen is None:
        return {}
    path, lines, parsed = chosen
    found = _definitions(parsed, (*Function, ast.ClassDef))
    if not found:
        return {}
    node = random.choice(found)
    others = sorted({d.name for d in found})
    new = random.choice((node.name + "_2", random.choice(others)))
    pattern = re.compile(rf"\b{re.escape(node.name)}\b")
    if random.random() < 0.5:
        lines[node.lineno - 1] = pattern.sub(new, lines[node.lineno - 1], count=1)
        return _joined(path, lines)
    return {p: pattern.sub(new, t) for p, t in state.items() if pattern.search(t)}


def move_method(random: Random, state: State) -> Changes:
    """A method taken out of its class and put at the end of another class, of this file or another."""
    chosen, other = _pick(random, state), _pick(random, state)
    if chosen is None or other is None:
        return {}
    path, lines, parsed = chosen
    methods = [
        m
        for c in _definitions(parsed, (ast.ClassDef,))
        for m in c.body
        if isinstance(m, Function) and m.col_offset == 4
    ]
    goal_path, goal_lines, goal_tree = other if random.random() < 0.5 else chosen
    classes = [c for c in goal_tree.body if isinstance(c, ast.ClassDef) and c.body]
    if not methods or not classes:
        return {}
    method, goal = random.choice(methods), random.choice(classes)
    block = _block(lines, method)
    if goal_path == path:
        at = goal.end_lineno or 0
        lines[at:at] = block
        start = _first(method) - 1 + (len(block) if at <= _first(method) - 1 else 0)
        del lines[start : start + len(block)]
        return _joined(path, lines)
    goal_lines[goal.end_lineno : goal.end_lineno] = block
    del lines[_first(method) - 1 : method.end_lineno]
    return {**_joined(path, lines), **_joined(goal_path, goal_lines)}


def remove_definition(random: Random, state: State) -> Changes:
    """A function, method or class deleted."""
    chosen = _pick(random, state)
    if chosen is None:
        return {}
    path, lines, parsed = chosen
    found = _definitions(parsed, (*Function, ast.ClassDef))
    if not found:
        return {}
    node = random.choice(found)
    lines[_first(node) - 1 : node.end_lineno] = [" " * node.col_offset + "pass"]
    return _joined(path, lines)


def add_override(random: Random, state: State) -> Changes:
    """A new subclass of a class of the package, in another file, that redefines one of its methods."""
    chosen, other = _pick(random, state), _pick(random, state)
    if chosen is None or other is None:
        return {}
    classes = [c for c in chosen[2].body if isinstance(c, ast.ClassDef)]
    if not classes:
        return {}
    cls = random.choice(classes)
    names = [m.name for m in cls.body if isinstance(m, Function)] or ["run"]
    added = [
        f"from {dotted(chosen[0])} import {cls.name} as Base_{cls.name}",
        f"class {random.choice((cls.name, 'New'))}(Base_{cls.name}):",
        f"    def {random.choice(names)}(self, *args):",
        f"        return super().{random.choice(names)}(*args)",
    ]
    return _joined(other[0], [*other[1], *added])


def change_base(random: Random, state: State) -> Changes:
    """The bases of a class replaced: none, or a class of this file or another."""
    chosen = _pick(random, state)
    if chosen is None:
        return {}
    path, lines, parsed = chosen
    classes = [c for c in _definitions(parsed, (ast.ClassDef,)) if lines[c.lineno - 1].rstrip().endswith(":")]
    if not classes:
        return {}
    cls = random.choice(classes)
    known = sorted(
        {c.name for c in classes}
        | {a.asname or a.name for n in ast.walk(parsed) if isinstance(n, ast.ImportFrom) for a in n.names}
    )
    bases = random.sample(known, min(len(known), random.randint(0, 2)))
    head = f"class {cls.name}({', '.join(bases)}):" if bases else f"class {cls.name}:"
    lines[cls.lineno - 1] = " " * cls.col_offset + head
    return _joined(path, lines)


def toggle_decorator(random: Random, state: State) -> Changes:
    """A decorator taken away from a definition, or one put on."""
    chosen = _pick(random, state)
    if chosen is None:
        return {}
    path, lines, parsed = chosen
    found = _definitions(parsed, Function)
    if not found:
        return {}
    node = random.choice(found)
    worn = [d for d in node.decorator_list if d.lineno == d.end_lineno]
    if worn:
        del lines[random.choice(worn).lineno - 1]
    else:
        names = [d.name for d in found]
        decorator = random.choice((*_DECORATORS, f"@{random.choice(names)}"))
        lines.insert(_first(node) - 1, " " * node.col_offset + decorator)
    return _joined(path, lines)


def annotate(random: Random, state: State) -> Changes:
    """A return annotation changed or put on a function."""
    chosen = _pick(random, state)
    if chosen is None:
        return {}
    path, lines, parsed = chosen
    found = [f for f in _definitions(parsed, Function) if lines[f.lineno - 1].rstrip().endswith(":")]
    classes = [c.name for c in _definitions(parsed, (ast.ClassDef,))] or ["str"]
    if not found:
        return {}
    node = random.choice(found)
    head = re.sub(r"\s*->.*:\s*$|:\s*$", "", lines[node.lineno - 1])
    hint = random.choice(("", f" -> {random.choice(classes)}", f' -> "{random.choice(classes)}"', " -> None"))
    lines[node.lineno - 1] = f"{head}{hint}:"
    return _joined(path, lines)


def assign_attribute(random: Random, state: State) -> Changes:
    """``self.x = Cls()`` (or a function) put at the start of a method, for an attribute the class has or a new one."""
    chosen = _pick(random, state)
    if chosen is None:
        return {}
    path, lines, parsed = chosen
    methods = [
        m for c in _definitions(parsed, (ast.ClassDef,)) for m in c.body if isinstance(m, Function) and m.args.args
    ]
    methods = [m for m in methods if not lines[m.body[0].lineno - 1][: m.body[0].col_offset].strip()]
    if not methods:
        return {}
    method = random.choice(methods)
    names = [n.attr for n in ast.walk(parsed) if isinstance(n, ast.Attribute)] or ["x"]
    known = [d.name for d in parsed.body if isinstance(d, (*Function, ast.ClassDef))] or ["dict"]
    value = random.choice((f"{random.choice(known)}()", random.choice(known)))
    first = method.body[0]
    lines.insert(first.lineno - 1, " " * first.col_offset + f"self.{random.choice(names)} = {value}")
    return _joined(path, lines)


def alias(random: Random, state: State) -> Changes:
    """A module-level name bound again: ``f = g``, ``x = Cls()``, or a conditional definition."""
    chosen = _pick(random, state)
    if chosen is None:
        return {}
    path, lines, parsed = chosen
    names = [d.name for d in parsed.body if isinstance(d, (*Function, ast.ClassDef))]
    names += [
        a.asname or a.name.split(".")[0]
        for n in parsed.body
        if isinstance(n, ast.Import | ast.ImportFrom)
        for a in n.names
    ]
    names = [n for n in names if n != "*"]
    if len(names) < 2:
        return {}
    a, b = random.choice(names), random.choice(names)
    added = random.choice(
        ([f"{a} = {b}"], [f"{a} = {b}()"], ["if x:", f"    def {a}(): return {b}()", "else:", f"    {a} = {b}"],
         ["try:", f"    from elsewhere import {a}", "except ImportError:", f"    {a} = {b}"])
    )  # fmt: skip
    return _joined(path, [*lines, *added])


def patch(random: Random, state: State) -> Changes:
    """Another file, or a test in it, assigns to a class or module of the package: ``Cls.m = g``, ``mod.f = g``."""
    chosen, other = _pick(random, state), _pick(random, state)
    if chosen is None or other is None:
        return {}
    module, parsed = dotted(chosen[0]), chosen[2]
    tops = [d for d in parsed.body if isinstance(d, (*Function, ast.ClassDef))]
    values = [d.name for d in other[2].body if isinstance(d, (*Function, ast.ClassDef))]
    if not tops or not values:
        return {}
    top, value = random.choice(tops), random.choice((random.choice(values), "lambda self: None"))
    if isinstance(top, ast.ClassDef) and random.random() < 0.7:
        names = [m.name for m in top.body if isinstance(m, Function)] or ["run"]
        added = [f"from {module} import {top.name} as Patched", f"Patched.{random.choice(names)} = {value}"]
    else:
        added = [f"import {module} as patched", f"patched.{top.name} = {value}"]
    if random.random() < 0.5:
        added = ["def test_patched():", *(f"    {line}" for line in added)]
    return _joined(other[0], [*other[1], *added])


# -- imports ----------------------------------------------------------------------------------------------


def add_import(random: Random, state: State) -> Changes:
    """An import of a module or name of the package put at the top or the end: also re-exports and star imports."""
    chosen, other = _pick(random, state), _pick(random, state)
    if chosen is None or other is None:
        return {}
    path, lines, _ = chosen
    names = [d.name for d in other[2].body if isinstance(d, (*Function, ast.ClassDef))] or ["missing"]
    name, module = random.choice(names), dotted(other[0])
    line = random.choice(
        (f"from {module} import {name}", f"import {module}", f"import {module} as {name}", f"from {module} import *",
         f"from {module} import {name} as {random.choice(names)}", f"from . import {module.rsplit('.', 1)[-1]}")
    )  # fmt: skip
    at = 0 if random.random() < 0.5 and "__future__" not in "\n".join(lines) else len(lines)
    lines.insert(at, line)
    return _joined(path, lines)


def remove_import(random: Random, state: State) -> Changes:
    """An import statement of one line removed, or made to import from another module."""
    chosen, other = _pick(random, state), _pick(random, state)
    if chosen is None or other is None:
        return {}
    path, lines, parsed = chosen
    found = [n for n in ast.walk(parsed) if isinstance(n, ast.Import | ast.ImportFrom) and n.lineno == n.end_lineno]
    if not found:
        return {}
    node = random.choice(found)
    line = lines[node.lineno - 1]
    if isinstance(node, ast.ImportFrom) and random.random() < 0.5 and line.lstrip().startswith("from "):
        lines[node.lineno - 1] = re.sub(r"from\s+\S+", f"from {dotted(other[0])}", line, count=1)
    else:
        lines[node.lineno - 1] = " " * node.col_offset + "pass"
    return _joined(path, lines)


def reexport(random: Random, state: State) -> Changes:
    """A package's ``__init__`` re-exports another name, a star, or gets another ``__all__``."""
    packages = [p for p in sorted(state) if p.endswith("__init__.py")]
    other = _pick(random, state)
    if not packages or other is None:
        return {}
    path = random.choice(packages)
    names = [d.name for d in other[2].body if isinstance(d, (*Function, ast.ClassDef))] or ["missing"]
    line = random.choice(
        (f"from {dotted(other[0])} import {random.choice(names)}", f"from {dotted(other[0])} import *",
         f"__all__ = {random.sample(names, min(3, len(names)))!r}")
    )  # fmt: skip
    return {path: state[path] + "\n" + line + "\n"}


# -- files ------------------------------------------------------------------------------------------------


def delete_file(random: Random, state: State) -> Changes:
    """One file deleted."""
    return {random.choice(sorted(state)): None} if len(state) > 3 else {}


def move_file(random: Random, state: State) -> Changes:
    """One file under another name or in another folder of the package."""
    path = random.choice(sorted(state))
    folder, _, name = path.rpartition("/")
    folders = sorted({p.rpartition("/")[0] for p in state})
    goal = random.choice(
        (f"{folder}/moved_{name}", f"{random.choice(folders)}/{name}", f"{path.removesuffix('.py')}/__init__.py")
    )
    goal = goal.lstrip("/")
    return {path: None, goal: state[path]} if goal not in state and goal != path else {}


def copy_file(random: Random, state: State) -> Changes:
    """A file's text added under another file's name with a suffix, or written over another file."""
    path, other = random.choice(sorted(state)), random.choice(sorted(state))
    goal = random.choice((f"{other.removesuffix('.py')}_new.py", other))
    return {goal: state[path]} if goal != path else {}


def rename_package(random: Random, state: State) -> Changes:
    """A folder renamed, half the time with the imports that name it."""
    folders = sorted({p.rpartition("/")[0] for p in state if "/" in p})
    if not folders:
        return {}
    old = random.choice(folders)
    new = f"{old}_renamed"
    changes: Changes = {p: None for p in state if p.startswith(f"{old}/")}
    moved = {new + p.removeprefix(old): state[p] for p in changes}
    if random.random() < 0.5:
        pattern = re.compile(rf"\b{re.escape(dotted(old))}\b")
        rest = {p: t for p, t in state.items() if p not in changes}
        moved.update({p: pattern.sub(dotted(new), t) for p, t in {**rest, **moved}.items() if pattern.search(t)})
    return {**changes, **moved}


# -- syntax -----------------------------------------------------------------------------------------------


def break_syntax(random: Random, state: State) -> Changes:
    """A line no parser takes, put somewhere."""
    path = random.choice(sorted(state))
    lines = state[path].split("\n")
    lines.insert(random.randrange(len(lines)), random.choice(_BREAKS))
    return _joined(path, lines)


EDITS: dict[str, Callable[[Random, State], Changes]] = {
    f.__name__: f
    for f in (
        change_line, add_call, rename, move_method, remove_definition, add_override, change_base, toggle_decorator,
        annotate, assign_attribute, alias, patch, add_import, remove_import, reexport, delete_file, move_file,
        copy_file, rename_package, break_syntax,
    )
}  # fmt: skip


def script(random: Random, base: State, length: int) -> list[tuple[str, Changes]]:
    """``length`` writes with the kinds of their edits, the first on ``base``; half the broken files are put right."""
    state, good = dict(base), dict(base)
    found: list[tuple[str, Changes]] = []
    while len(found) < length:
        broken = [p for p, t in sorted(state.items()) if tree(t) is None and p in good]
        if broken and random.random() < 0.5:
            kind, changes = "repair", {broken[0]: good[broken[0]]}
        else:
            kind = random.choice(sorted(EDITS))
            changes = EDITS[kind](random, state)
        if not changes or all(state.get(p) == t for p, t in changes.items()):
            continue
        found.append((kind, changes))
        state = {p: t for p, t in {**state, **changes}.items() if t is not None}
        good.update({p: t for p, t in state.items() if tree(t) is not None})
    return found

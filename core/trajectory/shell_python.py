"""Trajectory, shell, part 6: what a short Python script given on a command line writes, when its text says so.

In: the source of ``python -c`` or ``python - <<EOF``. Out: ``Write`` values. Understood: literal text written
with ``open(..., 'w')``, ``Path.write_text`` and friends, and the read, replace, write scripts agents use for
edits. Everything else leaves the files it opens for writing opaque; such writes carry the script in ``args``
(``SCRIPT``, its folder, its source), so that replay, which knows what the script reads, can work out the rest.
The script is parsed, never run.
"""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass, field

from core.trajectory.shell_literals import absolute
from core.trajectory.shell_words import Word
from core.trajectory.steps import Write, WriteOp

SCRIPT = "python"
"""First of the ``args`` of an opaque write whose script replay may understand."""
SCRIPT_FAILED = "python failed"
"""The same, of a script whose command failed."""
MAX_STATEMENTS = 2000
MAX_SCRIPT = 200_000
_MOVES = {"rename": "move", "replace": "move", "move": "move", "copy": "copy", "copyfile": "copy", "copy2": "copy"}


@dataclass(frozen=True, slots=True)
class _Text:
    """A string: literal when ``path`` is None, else the text of that file with ``edits`` (old, new, count) applied."""

    text: str = ""
    path: str | None = None
    edits: tuple[tuple[str, str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class _File:
    """A path object, or the ``opened``-th file opened when ``mode`` is not ""."""

    path: str
    mode: str = ""
    opened: int = 0


_Value = _Text | _File | int | tuple["_Value", ...] | None


@dataclass(slots=True)
class _Script:
    cwd: str | None
    names: dict[str, _Value] = field(default_factory=dict)
    writes: list[Write] = field(default_factory=list)
    opened: int = 0
    written: set[int] = field(default_factory=set)
    left: int = MAX_STATEMENTS


def python_writes(source: str, cwd: str | None) -> list[Write]:
    """The writes of a script run in ``cwd``, in order; opaque where its text does not say what is written.

    When one is opaque all are, and each carries the script.
    """
    writes = literal_writes(source, cwd)
    if cwd is None or all(write.op != "opaque" for write in writes):
        return writes
    paths = dict.fromkeys(path for write in writes for path in (write.path, write.target) if path or write.path == "")
    return [Write(path, "opaque", args=(SCRIPT, cwd, source)) for path in paths]


def literal_writes(source: str, cwd: str | None) -> list[Write]:
    """The writes that the text of a script alone states, in order; opaque where it does not."""
    tree = parsed_script(source)
    if tree is None:
        return []
    script = _Script(cwd)
    try:
        _block(tree.body, script, True)
    except RecursionError:
        return [Write("", "opaque")]
    return script.writes


def parsed_script(source: str) -> ast.Module | None:
    """The syntax tree of a script, None when it has none or is too long; what Python would warn of is not said."""
    if len(source) > MAX_SCRIPT:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _block(body: list[ast.stmt], script: _Script, sure: bool) -> None:
    for statement in body:
        script.left -= 1
        if script.left < 0:
            return
        _statement(statement, script, sure)


def _statement(node: ast.stmt, script: _Script, sure: bool) -> None:
    if isinstance(node, ast.Assign):
        value = _value(node.value, script, sure)
        for target in node.targets:
            _bind(target, value if sure else None, script)
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        _bind(node.target, _value(node.value, script, sure), script)
    elif isinstance(node, ast.AugAssign):
        left = script.names.get(node.target.id) if isinstance(node.target, ast.Name) else None
        right = _value(node.value, script, sure)
        joined = _join(left, right) if isinstance(node.op, ast.Add) else None
        _bind(node.target, joined if sure else None, script)
    elif isinstance(node, ast.Expr):
        _value(node.value, script, sure)
    elif isinstance(node, ast.With):
        for item in node.items:
            value = _value(item.context_expr, script, sure)
            if item.optional_vars is not None:
                _bind(item.optional_vars, value, script)
        _block(node.body, script, sure)
    elif isinstance(node, ast.For):
        _for(node, script, sure)
    elif isinstance(node, ast.If):
        _value(node.test, script, sure)
        _block(node.body, script, sure and _may_be_taken(node.test, script))
        _block(node.orelse, script, False)
    elif isinstance(node, ast.While | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        _block(node.body, script, False)
    elif isinstance(node, ast.Try):
        _block(node.body, script, sure)
        for handler in node.handlers:
            _block(handler.body, script, False)
        _block(node.orelse, script, sure)
        _block(node.finalbody, script, sure)


def _may_be_taken(test: ast.expr, script: _Script) -> bool:
    """Conditions whose body can be read as run: ``__name__ == "__main__"``, and ``old in text`` before a replace.

    A replace of a text that is not there changes nothing, so the guard adds nothing to it.
    """
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    if isinstance(test.ops[0], ast.Eq):
        return isinstance(test.left, ast.Name) and test.left.id == "__name__"
    right = _value(test.comparators[0], script, False)
    return isinstance(test.ops[0], ast.In) and isinstance(right, _Text) and right.path is not None


def _for(node: ast.For, script: _Script, sure: bool) -> None:
    values = _value(node.iter, script, sure)
    if isinstance(values, tuple) and len(values) <= 100:
        for value in values:
            _bind(node.target, value, script)
            _block(node.body, script, sure)
    else:
        _bind(node.target, None, script)
        _block(node.body, script, False)


def _bind(target: ast.expr, value: _Value, script: _Script) -> None:
    if isinstance(target, ast.Name):
        script.names[target.id] = value
    elif isinstance(target, ast.Tuple | ast.List):
        parts: tuple[_Value, ...] = value if isinstance(value, tuple) else (None,) * len(target.elts)
        for inner, part in zip(target.elts, parts, strict=False):
            _bind(inner, part, script)


def _value(node: ast.expr, script: _Script, sure: bool) -> _Value:
    if isinstance(node, ast.Constant):
        if isinstance(node.value, str):
            return _Text(node.value)
        return node.value if isinstance(node.value, int) else None
    if isinstance(node, ast.Name):
        return script.names.get(node.id)
    if isinstance(node, ast.Tuple | ast.List):
        return tuple(_value(e, script, sure) for e in node.elts)
    if isinstance(node, ast.JoinedStr):
        return _joined(node, script, sure)
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, script, sure), _value(node.right, script, sure)
        if isinstance(node.op, ast.Add):
            return _join(left, right)
        if isinstance(node.op, ast.Div) and isinstance(left, _File) and isinstance(right, _Text) and not right.path:
            path = absolute(Word(right.text), left.path)
            return _File(path) if path else None
        return None
    if isinstance(node, ast.Call):
        return _call(node, script, sure)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            _value(child, script, False)
    return None


def _joined(node: ast.JoinedStr, script: _Script, sure: bool) -> _Value:
    out: _Value = _Text("")
    for part in node.values:
        inner = part.value if isinstance(part, ast.FormattedValue) else part
        plain = not isinstance(part, ast.FormattedValue) or (part.conversion == -1 and part.format_spec is None)
        out = _join(out, _value(inner, script, sure)) if plain else None
    return out


def _join(left: _Value, right: _Value) -> _Value:
    if isinstance(left, _Text) and isinstance(right, _Text) and left.path is None and right.path is None:
        return _Text(left.text + right.text)
    return None


def _call(node: ast.Call, script: _Script, sure: bool) -> _Value:
    arguments = [_value(a, script, sure) for a in node.args]
    keywords = {k.arg: _value(k.value, script, sure) for k in node.keywords}
    function = node.func
    if isinstance(function, ast.Name):
        return _function(function.id, arguments, keywords, script)
    if not isinstance(function, ast.Attribute):
        return None
    owner = function.value
    name = function.attr
    if isinstance(owner, ast.Name) and owner.id in ("os", "shutil", "subprocess") and owner.id not in script.names:
        return _system(name, arguments, script, sure)
    if isinstance(owner, ast.Name) and owner.id in ("pathlib", "io", "codecs") and owner.id not in script.names:
        return _function(name, arguments, keywords, script)
    for argument in [*arguments, *keywords.values()]:
        # json.dump(data, file) and the like: an open file handed to code we cannot see.
        if isinstance(argument, _File) and set(argument.mode) & set("wax+"):
            script.writes.append(Write(argument.path, "opaque"))
    return _method(name, _value(owner, script, sure), arguments, keywords, script, sure)


def _system(name: str, arguments: list[_Value], script: _Script, sure: bool) -> _Value:
    """``os``, ``shutil`` and ``subprocess``: the calls that change files."""
    paths = [_path(a, script) for a in arguments[:2]]
    if name in ("remove", "unlink") and paths:
        script.writes.append(Write(paths[0] or "", "delete" if sure and paths[0] else "opaque"))
    elif name in _MOVES and len(paths) == 2:
        known = sure and paths[0] is not None and paths[1] is not None
        op: WriteOp = "move" if _MOVES[name] == "move" else "copy"
        script.writes.append(Write(paths[0] or "", op, target=paths[1] or "") if known else Write("", "opaque"))
    elif name in ("system", "run", "check_call", "check_output", "call", "Popen", "rmtree", "copytree"):
        script.writes.append(Write("", "opaque"))
    return None


def _function(name: str, arguments: list[_Value], keywords: dict[str | None, _Value], script: _Script) -> _Value:
    first = arguments[0] if arguments else None
    if name in ("Path", "PurePath", "PosixPath") and all(isinstance(a, _Text) for a in arguments):
        path: str | None = script.cwd
        for argument in arguments:
            path = absolute(Word(_literal(argument) or "."), path)
        return _File(path) if path else None
    if name == "open":
        mode = arguments[1] if len(arguments) > 1 else keywords.get("mode", _Text("r"))
        path = _path(first, script)
        text = _literal(mode) or "r"
        if path is None:
            if set(text) & set("wax+"):
                script.writes.append(Write("", "opaque"))
            return None
        return _opened(path, text, script)
    if name == "str" and isinstance(first, _Text):
        return first
    return None


def _path(value: _Value, script: _Script) -> str | None:
    if isinstance(value, _File):
        return value.path
    text = _literal(value)
    return absolute(Word(text), script.cwd) if text else None


def _literal(value: _Value) -> str | None:
    return value.text if isinstance(value, _Text) and value.path is None else None


def _method(
    name: str,
    owner: _Value,
    arguments: list[_Value],
    keywords: dict[str | None, _Value],
    script: _Script,
    sure: bool,
) -> _Value:
    first = arguments[0] if arguments else None
    if isinstance(owner, _File):
        if name == "open":
            return _opened(owner.path, _literal(first) or _literal(keywords.get("mode")) or "r", script)
        if name in ("read", "read_text") and not arguments:
            return _Text("", owner.path)
        if name in ("write", "write_text", "write_bytes", "writelines", "truncate"):
            target = owner if name == "write" else _opened(owner.path, "w", script)
            _write(target, first if name in ("write", "write_text") else None, script, sure)
            return None
        if name == "unlink":
            script.writes.append(Write(owner.path, "delete") if sure else Write(owner.path, "opaque"))
        if name in ("resolve", "absolute", "expanduser"):
            return owner
        return None
    if isinstance(owner, _Text):
        return _string_method(name, owner, arguments)
    if name in ("write_text", "write_bytes"):
        script.writes.append(Write("", "opaque"))
    return None


def _string_method(name: str, owner: _Text, arguments: list[_Value]) -> _Value:
    literals = [_literal(a) if isinstance(a, _Text) else a for a in arguments]
    if name == "replace" and len(literals) in (2, 3):
        old, new = literals[0], literals[1]
        count = literals[2] if len(literals) == 3 else -1
        if isinstance(old, str) and isinstance(new, str) and isinstance(count, int) and old:
            if owner.path is None:
                return _Text(owner.text.replace(old, new, count))
            return _Text("", owner.path, (*owner.edits, (old, new, count)))
        return None
    if owner.path is None and not arguments and name in ("strip", "lstrip", "rstrip"):
        return _Text({"strip": owner.text.strip, "lstrip": owner.text.lstrip, "rstrip": owner.text.rstrip}[name]())
    if owner.path is None and not arguments and name == "encode":
        return owner
    return None


def _opened(path: str, mode: str, script: _Script) -> _File:
    script.opened += 1
    return _File(path, mode, script.opened)


def _write(file: _File, value: _Value, script: _Script, sure: bool) -> None:
    path, mode = file.path, file.mode
    # A second write to an open file goes on where the first stopped.
    again = file.opened in script.written
    script.written.add(file.opened)
    if not isinstance(value, _Text) or not sure or "+" in mode or not set(mode) & set("wax"):
        script.writes.append(Write(path, "opaque"))
        return
    if value.path is None:
        script.writes.append(Write(path, "append" if again or "a" in mode else "put", new=value.text))
        return
    if again or "a" in mode or any(count not in (-1, 1) for _, _, count in value.edits):
        script.writes.append(Write(path, "opaque"))
        return
    if value.path != path:
        script.writes.append(Write(value.path, "copy", target=path))
    for old, new, count in value.edits:
        script.writes.append(Write(path, "edit", old=old, new=new, replace_all=count == -1))

"""Imports and exports as they are read: ES modules, CommonJS, and TypeScript's older forms."""

from __future__ import annotations

from core.graph.languages.javascript.facts import Value
from core.graph.languages.javascript.functions import LITERALS, Made, function
from core.graph.languages.javascript.grammar import Node
from core.graph.languages.javascript.reader import FORMS, Reader, string_of
from core.graph.languages.javascript.scopes import find

_DECLARED = "exports"


def _import(b: Reader, node: Node) -> Value:
    """Names were declared when the block began (``hoist``); here the module is noted."""
    return None


def hoist_import(b: Reader, node: Node) -> None:
    """Declare what an import statement brings in."""
    source = node.child_by_field_name("source")
    require = next((c for c in node.named_children if c.type == "import_require_clause"), None)
    if require is not None:
        source = require.child_by_field_name("source")
        named = next((c for c in require.named_children if c.type == "identifier"), None)
        if named is not None and source is not None:
            _bound(b, node, b.text(named), ("require", string_of(b, source)), "import")
    if source is None:
        return
    text = string_of(b, source)
    b.imports.append((text, node.start_point[0] + 1))
    clause = next((c for c in node.named_children if c.type == "import_clause"), None)
    for child in clause.named_children if clause is not None else ():
        if child.type == "identifier":
            _bound(b, node, b.text(child), ("import", text, "default"), "import")
        elif child.type == "namespace_import":
            inner = child.named_children[0] if child.named_children else None
            if inner is not None:
                _bound(b, node, b.text(inner), ("import", text, "*"), "namespace")
        elif child.type == "named_imports":
            for spec in child.named_children:
                named, alias = spec.child_by_field_name("name"), spec.child_by_field_name("alias")
                if named is not None:
                    name = _name(b, named)
                    _bound(b, node, _name(b, alias) if alias is not None else name, ("import", text, name), "import")


def _name(b: Reader, node: Node) -> str:
    return string_of(b, node) if node.type == "string" else b.text(node)


def _bound(b: Reader, node: Node, name: str, value: Value, kind: str) -> None:
    slot = b.frame.slot(b.env, name, kind)
    b.frame.bind(slot, value, at=0)
    if b.frame is b.module:
        b.statement(name, node)


def _export(b: Reader, node: Node) -> Value:
    source, declaration = node.child_by_field_name("source"), node.child_by_field_name("declaration")
    value = node.child_by_field_name("value")
    top = b.frame is b.module
    default = any(c.type == "default" for c in node.children)
    if source is not None:
        _reexport(b, node, string_of(b, source))
    elif declaration is not None:
        b.outer = node
        b.expr(declaration)
        b.outer = None
        if top:
            for name in declared_names(b, declaration):
                _exported(b, "default" if default else name, name)
    elif value is not None:
        from core.graph.languages.javascript.literals import named

        found = named(b, value, _own_name(b, value) or "default", node) if top else b.expr(value)
        if top:
            b.exports["default"] = found
    else:
        clause = next((c for c in node.named_children if c.type == "export_clause"), None)
        if clause is None:  # export = x
            found = b.expr(node.named_children[0]) if node.named_children else None
            if top and found is not None:
                b.commonjs.append(found)
        else:
            _listed(b, clause, top)
    return None


def _own_name(b: Reader, node: Node) -> str:
    own = node.child_by_field_name("name") if node.type in (*LITERALS, "class") else None
    return b.text(own)


def _listed(b: Reader, clause: Node, top: bool) -> None:
    for spec in clause.named_children:
        named, alias = spec.child_by_field_name("name"), spec.child_by_field_name("alias")
        if named is not None and top:
            name = _name(b, named)
            shown = _name(b, alias) if alias is not None else name
            b.queue.append(lambda n=name, s=shown: _exported(b, s, n))  # type: ignore[misc]


def _exported(b: Reader, shown: str, name: str) -> None:
    """``name`` of the module is exported as ``shown``, as a value, a type, or both."""
    top = b.top
    slot = top.names.get(name)
    if slot is not None:
        b.exports[shown] = ("name", slot.name)
    kind = top.types.get(name)
    if kind is not None:
        b.texports[shown] = kind


def _reexport(b: Reader, node: Node, text: str) -> None:
    b.imports.append((text, node.start_point[0] + 1))
    space = next((c for c in node.named_children if c.type == "namespace_export"), None)
    clause = next((c for c in node.named_children if c.type == "export_clause"), None)
    if space is not None:
        if space.named_children:
            b.exports[_name(b, space.named_children[0])] = ("import", text, "*")
    elif clause is not None:
        for spec in clause.named_children:
            named, alias = spec.child_by_field_name("name"), spec.child_by_field_name("alias")
            if named is not None:
                name = _name(b, named)
                b.exports[_name(b, alias) if alias is not None else name] = ("import", text, name)
    else:
        b.stars.append(text)


def declared_names(b: Reader, node: Node) -> list[str]:
    """The names that a declaration binds."""
    from core.graph.languages.javascript.patterns import names_in

    if node.type in ("lexical_declaration", "variable_declaration"):
        found: list[str] = []
        for child in node.named_children:
            target = child.child_by_field_name("name")
            if child.type == "variable_declarator" and target is not None:
                found += [b.text(n) for n in names_in(b, target)]
        return found
    if node.type == "ambient_declaration":
        return [n for c in node.named_children for n in declared_names(b, c)]
    named = node.child_by_field_name("name")
    return [b.text(named).partition(".")[0]] if named is not None and named.type != "string" else []


def commonjs(b: Reader, left: Node, right: Node, outer: Node) -> tuple[bool, Value]:
    """``module.exports = v``, ``exports.x = v``, ``module.exports.x = v``: (whether it is one, the value)."""
    if left.type != "member_expression":
        return False, None
    path = b.text(left).replace(" ", "")
    root = path.partition(".")[0]
    if root not in ("module", "exports") or find(b.env, root) is not None:
        return False, None
    if path == "module.exports":
        value = _given(b, right, _own_name(b, right) or _DECLARED, outer)
        held = find(b.env, b.text(right)) if right.type == "identifier" else None
        if held is not None and held[0] is b.module:  # what it is when the module is done
            b.commonjs.append(("name", held[1].name))
        else:
            b.commonjs.append(_seen(b, value))
        return True, value
    name = path.removeprefix("module.").removeprefix("exports.")
    if not path.startswith(("exports.", "module.exports.")) or "." in name:
        return False, None
    value = _given(b, right, f"{_DECLARED}.{name}", outer)
    seen = _seen(b, value)
    if seen is not None and name not in b.exports:
        b.exports[name] = seen
    return True, value


def _seen(b: Reader, value: Value) -> Value:
    return ("in", b.frame.qual, value) if value is not None and b.frame is not b.module else value


def _given(b: Reader, right: Node, name: str, outer: Node) -> Value:
    from core.graph.languages.javascript.literals import named

    if right.type in LITERALS:
        return ("func", function(b, right, name, Made("function", True, outer)))
    if right.type == "assignment_expression":
        left, inner = right.child_by_field_name("left"), right.child_by_field_name("right")
        if left is not None and inner is not None:
            handled, value = commonjs(b, left, inner, outer)
            if handled:
                return value
            if b.text(left) == "exports":
                return _given(b, inner, name, outer)
    return named(b, right, name, outer)


FORMS.update({"import_statement": _import, "export_statement": _export})

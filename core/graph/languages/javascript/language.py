"""JavaScript: the facts of one file, from its tree-sitter parse (error tolerant, the tree is not kept).

In: a text. Out: ``FileFacts``; its cells are those of ``javascript.facts``, read by ``javascript.link``. A text
with a syntax error has symbols found by lines (``javascript.recover``). Functions and classes that a name at
module level holds are symbols, as are methods of object literals there and named functions inside module-level
callbacks; functions inside functions are scopes that roll up to the symbol around them. A minified text is text.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from core.graph.facts import FileFacts, ScopeFacts, digest, last_repeats
from core.graph.languages import text as plain
from core.graph.languages.drafts import comment_rows, grow, symbols_of
from core.graph.languages.javascript import control as javascript_control
from core.graph.languages.javascript import expressions as javascript_expressions
from core.graph.languages.javascript import recover as javascript_recover
from core.graph.languages.javascript.facts import ClassFacts, FuncFacts
from core.graph.languages.javascript.grammar import error_line, marked, parse
from core.graph.languages.javascript.reader import Reader
from core.graph.languages.javascript.scopes import Frame
from core.graph.languages.javascript.statements import statements
from core.replay.lines import split_lines

NAME = "javascript"
EXTENSIONS = (".js", ".jsx", ".mjs", ".cjs")
_MINIFIED, _WIDE = 20_000, 1_000  # a longer text of wider lines on average was not written by hand
assert javascript_control
assert javascript_expressions


def facts(text: str) -> FileFacts:
    """The facts of one JavaScript text; cost linear in it."""
    return facts_of(text, NAME)


def facts_of(text: str, name: str) -> FileFacts:
    """The facts of one text of the language ``name``."""
    if text.startswith("\ufeff"):
        text = text[1:]
    lines = split_lines(text)
    if len(text) > _MINIFIED and len(text) > _WIDE * len(lines):
        return replace(plain.facts(text), language=name)
    root, source, grammar = parse(text, name)
    found = marked(root, grammar)
    comments = [(n.start_point[0], n.end_point[0], n.start_point[1]) for n in found.get("comment", ())]
    blank = {
        row
        for n in found.get("string", ())
        if n.end_point[0] > n.start_point[0]
        for row in range(n.start_point[0], n.end_point[0])
        if row < len(lines) and not lines[row].strip()
    }
    broken = error_line(root) if root.has_error else None
    b = Reader(source)
    statements(b, root.named_children)
    b.finish()
    drafts = javascript_recover.drafts(lines) if broken is not None else b.drafts
    drafts.sort(key=lambda d: (d.first, -d.last))
    grow(drafts, comment_rows(comments, lines))
    spans = [(n.start_point[0], n.end_point[0]) for n in root.named_children if n.type != "comment"]
    symbols, blocks = symbols_of(drafts, lines, blank, spans)
    known = {s.qual for s in symbols}
    kept = [f for f in b.frames if f.owner in known]
    line_table = _cells(b, kept)
    scopes: dict[str, list[str]] = {}
    for frame in kept:
        scopes.setdefault(frame.owner, []).append(frame.qual)
    return FileFacts(
        language=name,
        symbols=symbols,
        cells=b.cells,
        names=frozenset(b.names),
        lines=line_table,
        scopes={k: tuple(v) for k, v in scopes.items()},
        blocks=blocks,
        bindings=b.bindings,
        error_line=broken,
    )


def _cells(b: Reader, frames: list[Frame]) -> dict[tuple[str, str], tuple[int, ...]]:
    """Write what was gathered as cells; the lines of each scope's sites, imports and reads."""
    cells: dict[Any, Any] = b.cells
    lines: dict[tuple[str, str], tuple[int, ...]] = {}
    for frame in frames:
        _scope(b, frame, lines)
    for frame in b.frames:
        for slot in frame.slots.values():
            if slot.binds or slot.extern:
                cells["name", frame.qual, slot.name] = frame.facts(slot)
    for (cls, name), members in b.members.items():
        cells["member", cls, name] = tuple(last_repeats(members))
    for (cls, name), stores in b.fields.items():
        cells["field", cls, name] = tuple(dict.fromkeys(stores))
    for cls, mixed in b.mixins.items():
        cells["mixin", cls, ""] = tuple(mixed)
    for (scope, k), bag in b.bags.items():
        keys = tuple(sorted(key for key in bag.stored if key is not None))
        cells["obj", scope, k] = ("bag", bag.base, keys, tuple(dict.fromkeys(bag.merged)))
        for key, stored in bag.stored.items():
            cells["bag", f"{scope} {k}", key if key is not None else "*"] = tuple(dict.fromkeys(stored))
    for cls, mixed in b.statics.items():
        cells["mixin", cls, "static"] = tuple(mixed)
    for cls in b.built - b.classes.keys():
        b.classes[cls] = ClassFacts("function", "", tuple(b.protos.get(cls, ())), ())
    for cls, held in b.classes.items():
        cells["class", cls, ""] = held
    for name, e in b.exports.items():
        if e is not None:
            cells["export", "", name] = e
    for name, e in b.texports.items():
        cells["texport", "", name] = e
    if b.stars:
        cells["star", "", ""] = tuple(b.stars)
    if b.commonjs:
        cells["commonjs", "", ""] = tuple(b.commonjs)
    for name, texts in b.texts.items():
        cells["text", "", name] = digest(*texts)
    return lines


def _scope(b: Reader, frame: Frame, lines: dict[tuple[str, str], tuple[int, ...]]) -> None:
    reads = tuple(sorted(frame.reads))
    imports = tuple(("import", text) for text, _ in b.imports) if not frame.qual else ()
    parent = frame.parent.qual if frame.parent is not None else ""
    b.cells["scope", frame.qual, ""] = ScopeFacts(
        frame.kind, frame.owner, parent, tuple(frame.sites), tuple(frame.head), reads, imports
    )
    if frame.kind in ("function", "lambda"):
        b.cells["func", frame.qual, ""] = FuncFacts(
            tuple(frame.params),
            frame.returned,
            tuple(dict.fromkeys(frame.returns)),
            tuple(dict.fromkeys(frame.yields)),
            frozenset(frame.flags),
            frame.cls,
        )
    lines[frame.qual, "sites"] = tuple(frame.lines)
    lines[frame.qual, "head"] = tuple(frame.head_lines)
    lines[frame.qual, "imports"] = tuple(line for _, line in b.imports) if not frame.qual else ()
    lines[frame.qual, "reads"] = tuple(n for name in reads for n in (len(frame.reads[name]), *frame.reads[name]))

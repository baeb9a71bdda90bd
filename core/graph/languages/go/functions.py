"""Go functions, each read once: an edit changes one function of a file, and what the others say is known.

In: a function's node. Out: its cells and, by rows from its first, where its sites and reads stand. What a function
says depends on its own text and its qualified name, never on what stands around it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from core.graph.facts import CellKey, ScopeFacts
from core.graph.languages.go.body import Body
from core.graph.languages.go.types import FuncFacts, Node

_KEPT = 2048  # functions


@dataclass(frozen=True, slots=True)
class Receiver:
    """What a method is declared on: the type's name, the variable's, and those of the type's parameters."""

    owner: str = ""
    variable: str = ""
    params: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Said:
    """What a function says; its rows are counted from its first."""

    cells: Mapping[CellKey, Any]
    sites: tuple[int, ...]
    reads: Mapping[str, tuple[int, ...]]


def said(source: bytes, node: Node, qual: str, receiver: Receiver, sound: bool) -> Said:
    """What the function at ``node`` says under ``qual``; in a text that is not ``sound`` equal bytes may be read
    differently, so nothing is remembered of it.
    """
    slot = _slot(qual, source[node.start_byte : node.end_byte]) if sound else []
    if not slot:
        slot.append(_read(source, node, qual, receiver))
    return slot[0]


@lru_cache(maxsize=_KEPT)
def _slot(qual: str, text: bytes) -> list[Said]:
    """Where what a function says is kept."""
    return []


def _read(source: bytes, node: Node, qual: str, receiver: Receiver) -> Said:
    cells: dict[CellKey, Any] = {}
    body = Body(source, cells, set())  # types inside a function add no name to the repository's
    body.start(qual)
    for i, param in enumerate(receiver.params):
        if param != "_":
            body.put(param, ("a", receiver.owner, i))
    body.type_parameters(node.child_by_field_name("type_parameters"))
    if receiver.variable:
        body.declare(receiver.variable, ("of", ("n", receiver.owner)))
    cells["func", qual, ""] = FuncFacts(*body.function(node))
    body.finish()
    cells["scope", qual, ""] = ScopeFacts("function", qual, "", tuple(body.sites), (), tuple(sorted(body.reads)), ())
    first = node.start_point[0]
    reads = {name: tuple(line - first for line in lines) for name, lines in body.reads.items()}
    return Said(cells, tuple(line - first for line in body.lines), reads)


def receiver_of(body: Body, node: Node | None) -> Receiver:
    """The receiver of a method; an empty one for a function."""
    declared = next((c for c in node.named_children if c.type == "parameter_declaration"), None) if node else None
    if declared is None:
        return Receiver()
    named, kind = declared.child_by_field_name("name"), declared.child_by_field_name("type")
    params: tuple[str, ...] = ()
    while kind is not None and kind.type in ("pointer_type", "parenthesized_type", "generic_type"):
        if kind.type == "generic_type":
            arguments = kind.child_by_field_name("type_arguments")
            params = tuple(body.text(c) for c in arguments.named_children) if arguments is not None else ()
            kind = kind.child_by_field_name("type")
        else:
            kind = kind.named_children[0] if kind.named_children else None
    owner = body.text(kind) if kind is not None else ""
    return Receiver(owner, body.text(named) if named is not None else "", params)

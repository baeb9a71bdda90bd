"""Trajectory, shell, part 1: a word of bash becomes the texts it stands for.

In: nodes of the tree-sitter bash grammar and what is known of the shell's variables. Out: ``Word`` values.
Nothing is executed: a word whose value depends on something outside the command is unknown, and says so.
Departs: ``~`` and ``$HOME`` stay as they are written (they never name a file of the repository by themselves).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from tree_sitter import Node

MAX_WORDS = 200  # a word that braces or loops multiply beyond this is hostile or useless: unknown

_SIMPLE_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "e": "\x1b",
    "E": "\x1b",
}
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|.)", re.DOTALL)
_PLAIN = re.compile(r"[\w./:=+,@%^~-]+", re.ASCII)
_BRACES = re.compile(r"\{([^{}]*)\}")
_EXPANSIONS = {
    "simple_expansion",
    "expansion",
    "command_substitution",
    "arithmetic_expansion",
    "process_substitution",
}


def names(text: str) -> frozenset[str]:
    """The words of ``text`` as a set: how this package writes its tables of program names."""
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Word:
    """One word after expansion; ``known`` is false when ``text`` is only a part of the truth.

    ``glob`` marks an unquoted ``*``, ``?`` or ``[`` that the shell would have matched against files.
    """

    text: str
    known: bool = True
    glob: bool = False


@dataclass(slots=True)
class Environment:
    """What is known of the shell while a command is read: folder, variables (None = unknown value)."""

    cwd: str | None
    variables: dict[str, str | None] = field(default_factory=dict)
    previous: str | None = None
    globs: frozenset[str] = frozenset()  # variables whose text is a pattern a loop runs over
    # Reads a command substitution: side effects are noted, the literal output is returned or None.
    substitute: Callable[[Node, Environment], str | None] = lambda node, env: None

    def known(self) -> dict[str, str | None]:
        """All variables, the shell's own included."""
        return {"PWD": self.cwd, "OLDPWD": self.previous, "HOME": "~", **self.variables}

    def copy(self) -> Environment:
        """An independent copy, for a subshell."""
        return Environment(self.cwd, dict(self.variables), self.previous, self.globs, self.substitute)


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    quoted: bool
    known: bool = True
    split: bool = False
    glob: bool = False


def program_name(word: str) -> str:
    """The name of the program a word runs: what stands behind its last slash."""
    return word.rpartition("/")[2]


def node_text(node: Node) -> str:
    """The source text of a node."""
    return (node.text or b"").decode("utf-8", "replace")


def expand(node: Node, env: Environment) -> list[Word]:
    """The words ``node`` expands to, in order: usually one; none for an empty unquoted variable."""
    text = node_text(node)
    if _PLAIN.fullmatch(text):  # most words mean what they say
        return [Word(text)]
    return _words(_pieces(node, env))


def expand_one(node: Node, env: Environment) -> Word:
    """As ``expand`` where the shell neither splits words nor expands braces (assignments, ``<<<``)."""
    pieces = _pieces(node, env)
    text = "".join(p.text for p in pieces)
    return Word(text, all(p.known for p in pieces), _is_glob(pieces))


def unescape(text: str, where: str = "$") -> str:
    """Escapes replaced by what they mean in ``$'..'`` ("$"), ``echo -e`` ("echo") or ``printf`` ("printf")."""
    return _ESCAPE.sub(lambda match: _escape(match, where), text)


def _escape(match: re.Match[str], where: str) -> str:
    body = match.group(1)
    if body[0] in "xuU" and len(body) > 1:
        code = int(body[1:], 16)
        return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
    if body[0] in "01234567":
        if where == "echo" and body[0] != "0":
            return "\\" + body  # echo wants \0nnn
        return chr(int(body, 8) & 0xFF)
    if body in _SIMPLE_ESCAPES:
        return _SIMPLE_ESCAPES[body]
    quotes = {"$": "\\'\"?", "printf": "\\'\"?", "echo": "\\"}[where]
    return body if body in quotes else "\\" + body


def quoted_text(node: Node, start: int, end: int, env: Environment, escapes: str) -> Word:
    """The text between bytes ``start`` and ``end`` inside double quotes or an open here-document.

    Only ``escapes`` may follow a backslash; expansions found as children are replaced where known. The
    bytes come from the source, since the grammar leaves gaps between the parts of a string.
    """
    # Offsets are relative to the node: its own text is the only source at hand.
    raw, base = node.text or b"", node.start_byte
    out: list[str] = []
    known, at = True, start
    for child in _expansion_nodes(node):
        if child.start_byte < at or child.end_byte > end:
            continue
        out.append(_unbackslash(raw[at - base : child.start_byte - base].decode("utf-8", "replace"), escapes))
        value = _value(child, env)
        known = known and value is not None
        out.append(value or "")
        at = child.end_byte
    out.append(_unbackslash(raw[at - base : end - base].decode("utf-8", "replace"), escapes))
    return Word("".join(out), known)


def _expansion_nodes(node: Node) -> list[Node]:
    return [child for child in node.named_children if child.type in _EXPANSIONS]


def _unbackslash(text: str, escapes: str) -> str:
    if "\\" not in text:
        return text
    return re.sub(r"\\(.)", lambda m: "" if m[1] == "\n" else m[1] if m[1] in escapes else m[0], text, flags=re.DOTALL)


def _pieces(node: Node, env: Environment) -> list[_Piece]:
    kind = node.type
    if kind == "concatenation" or kind == "command_name":
        return [piece for child in node.children for piece in _pieces(child, env)]
    if kind == "string":
        closed = 1 if node.child_count and node.children[-1].type == '"' else 0
        word = quoted_text(node, node.start_byte + 1, node.end_byte - closed, env, '$`"\\')
        return [_Piece(word.text, True, word.known, glob=_uses_glob(node, env))]
    if kind == "raw_string":
        return [_Piece(node_text(node)[1:-1], True)]
    if kind == "ansi_c_string":
        return [_Piece(unescape(node_text(node)[2:-1]), True)]
    if kind == "translated_string":
        return [piece for child in node.named_children for piece in _pieces(child, env)]
    if kind in _EXPANSIONS:
        value = _value(node, env)
        return [_Piece(value or "", False, value is not None, split=True, glob=_uses_glob(node, env))]
    return _bare(node_text(node))


def _bare(text: str) -> list[_Piece]:
    """An unquoted word: escaped characters are quoted ones."""
    if "\\" not in text:
        return [_Piece(text, False)]
    pieces: list[_Piece] = []
    for part in re.split(r"(\\.)", text, flags=re.DOTALL):
        if part.startswith("\\") and len(part) == 2:
            if part[1] != "\n":
                pieces.append(_Piece(part[1], True))
        elif part:
            pieces.append(_Piece(part, False))
    return pieces


def _value(node: Node, env: Environment) -> str | None:
    """The text of an expansion, None when it cannot be known."""
    if node.type in ("simple_expansion", "expansion"):
        names = [child for child in node.named_children if child.type in ("variable_name", "special_variable_name")]
        plain = {"$" + node_text(n) for n in names} | {"${" + node_text(n) + "}" for n in names}
        if len(names) != 1:
            return None
        name = node_text(names[0])
        if node_text(node) in plain:
            return _variable(name, env)
        return _defaulted(node_text(node), name, env)
    if node.type == "command_substitution":
        return env.substitute(node, env)
    return None


def _variable(name: str, env: Environment) -> str | None:
    return env.known().get(name)


def _defaulted(text: str, name: str, env: Environment) -> str | None:
    value = _variable(name, env)
    rest = text[2 + len(name) : -1]
    if value and rest.startswith((":-", "-", ":=", "=")):
        return value
    if value is not None and rest in ("%/", "%%/"):
        return value.removesuffix("/")
    return None


def _words(pieces: list[_Piece]) -> list[Word]:
    groups: list[list[_Piece]] = [[]]
    for piece in pieces:
        fields = piece.text.split() if piece.split and piece.known else None
        if fields is None or (len(fields) == 1 and fields[0] == piece.text):
            groups[-1].append(piece)
            continue
        for at, text in enumerate(fields):
            if at or piece.text[0].isspace():
                groups.append([])
            groups[-1].append(_Piece(text, False))
        if fields and piece.text[-1].isspace():
            groups.append([])
    groups = [group for group in groups if group]
    words: list[Word] = []
    for group in groups:
        texts = _braces(group)
        known = all(p.known for p in group) and len(texts) <= MAX_WORDS
        words.extend(Word(text, known, _is_glob(group)) for text in texts[:MAX_WORDS])
    return words


def _is_glob(pieces: list[_Piece]) -> bool:
    return any(p.glob or (not p.quoted and any(c in p.text for c in "*?[")) for p in pieces)


def _uses_glob(node: Node, env: Environment) -> bool:
    names = [node, *_expansion_nodes(node)]
    return bool(env.globs) and any(node_text(c) in env.globs for n in names for c in n.named_children)


def _braces(group: list[_Piece]) -> list[str]:
    """The texts of a group after brace expansion of its unquoted parts (one level, commas or a..b)."""
    # Quoted characters are hidden as private-use marks so that they cannot take part.
    hidden: list[str] = []
    text = ""
    for piece in group:
        if piece.quoted and piece.text:
            hidden.append(piece.text)
            text += f"\ue000{len(hidden) - 1}\ue001"
        else:
            text += piece.text
    texts = [text]
    done: list[str] = []
    while texts and len(done) + len(texts) <= MAX_WORDS:
        current = texts.pop(0)
        match = next((m for m in _BRACES.finditer(current) if _choices(m[1])), None)
        if match is None:
            done.append(current)
        else:
            texts[:0] = [current[: match.start()] + c + current[match.end() :] for c in _choices(match[1])]
    return [re.sub("\ue000(\\d+)\ue001", lambda m: _hidden(hidden, m), t) for t in done + texts]


def _hidden(hidden: list[str], match: re.Match[str]) -> str:
    at = int(match[1])
    return hidden[at] if at < len(hidden) else match[0]


def _choices(body: str) -> list[str]:
    if "," in body:
        return body.split(",")
    match = re.fullmatch(r"(-?\d{1,6})\.\.(-?\d{1,6})", body)
    if match is None:
        return []
    first, last = int(match[1]), int(match[2])
    step = 1 if last >= first else -1
    return [str(n) for n in range(first, last + step, step)][:MAX_WORDS]

"""Trajectory, shell: here-documents are lifted out of a command before the grammar reads it.

In: the text of a command. Out: the same command with each ``<<EOF`` turned into ``< token`` and its body taken
out, and the bodies by token. The grammar drops empty lines at a body's start, takes some first lines for a second
redirect target, and knows one here-document a line; bash's own rule is a scan for the delimiter's line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_DELIMITER_END = " \t\n;&|<>()"
_PLAIN = re.compile(r"[\w./:=+,@%^~*?!-]+", re.ASCII)
_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")


@dataclass(frozen=True, slots=True)
class Heredoc:
    """The body of a here-document as it stands; ``quoted``: its delimiter was, so nothing in it is expanded."""

    body: str
    quoted: bool

    def text(self, variables: dict[str, str | None]) -> str | None:
        """What the program reads, None when an expansion in it is not known."""
        return self.body if self.quoted else _expanded(self.body, variables)


@dataclass(slots=True)
class _Pending:
    token: str
    delimiter: str
    quoted: bool
    tabs: bool


def lift_heredocs(command: str) -> tuple[str, dict[str, Heredoc]]:
    """The command without its here-documents' bodies, and the bodies by the token that stands for each; linear."""
    if "<<" not in command:
        return command, {}
    return _Scanner(command).run()


class _Scanner:
    """One pass over a command, knowing the quotes, substitutions and arithmetic it is in."""

    def __init__(self, command: str) -> None:
        self._text = command
        self._at = 0
        self._out: list[str] = []
        self._stack: list[str] = []  # of '"', "(", "{" (parameter), "`", "((" (arithmetic)
        self._pending: list[_Pending] = []
        self._found: dict[str, Heredoc] = {}
        self._mark = "heredoc"
        while self._mark in command:
            self._mark += "x"

    def run(self) -> tuple[str, dict[str, Heredoc]]:
        while self._at < len(self._text):
            top = self._stack[-1] if self._stack else ""
            step = self._in_quotes if top in ('"', "{") else self._in_arithmetic if top == "((" else self._in_command
            step(self._text[self._at])
        self._read_bodies()
        return "".join(self._out), self._found

    def _keep(self, count: int) -> None:
        self._out.append(self._text[self._at : self._at + count])
        self._at += count

    def _keep_plain(self) -> None:
        """Keeps the character at the position and those behind it that mean nothing anywhere."""
        plain = _PLAIN.match(self._text, self._at + 1)
        self._keep_until(plain.end() if plain else self._at + 1)

    def _keep_until(self, end: int) -> None:
        self._keep((len(self._text) if end < 0 else end) - self._at)

    def _opens(self) -> bool:
        """A ``$(``, ``${``, ``$((`` or backtick at the position, which may stand in double quotes too."""
        for opening, kind in (("$((", "(("), ("$(", "("), ("${", "{")):
            if self._text.startswith(opening, self._at):
                self._stack.append(kind)
                self._keep(len(opening))
                return True
        return False

    def _tick(self) -> None:
        if self._stack and self._stack[-1] == "`":
            self._stack.pop()
        else:
            self._stack.append("`")
        self._keep(1)

    def _in_quotes(self, character: str) -> None:
        closing = '"' if self._stack[-1] == '"' else "}"
        if character == "\\":
            self._keep(2)
        elif character == closing:
            self._stack.pop()
            self._keep(1)
        elif character == "`":
            self._tick()
        elif character == '"' and closing == "}":
            self._stack.append('"')
            self._keep(1)
        elif character == "'" and closing == "}" and '"' not in self._stack:
            self._keep_until(self._text.find("'", self._at + 1) + 1 or -1)
        elif not self._opens():
            self._keep_plain()

    def _in_arithmetic(self, character: str) -> None:
        if self._text.startswith("))", self._at):
            self._stack.pop()
            self._keep(2)
        elif character == "\n":  # not arithmetic after all
            self._stack[-1] = "("
            self._stack.append("(")
        elif not self._opens():
            self._keep(1)

    def _in_command(self, character: str) -> None:
        text, at = self._text, self._at
        if character == "\\":
            self._keep(2)
        elif character == "'":
            self._keep_until(text.find("'", at + 1) + 1 or -1)
        elif text.startswith("$'", at):
            end = at + 2
            while end < len(text) and text[end] != "'":
                end += 2 if text[end] == "\\" else 1
            self._keep(end + 1 - at)
        elif character == '"':
            self._stack.append('"')
            self._keep(1)
        elif character == "`":
            self._tick()
        elif self._opens():
            pass
        elif character == "#" and (at == 0 or text[at - 1] in " \t\n;&|("):
            self._keep_until(text.find("\n", at))
        elif text.startswith("((", at) and (at == 0 or text[at - 1] in " \t\n;&|"):
            self._stack.append("((")
            self._keep(2)
        elif character in "()":
            self._parenthesis(character)
        elif text.startswith("<<<", at):
            self._keep(3)
        elif text.startswith("<<", at):
            self._start()
        elif character == "\n":
            self._keep(1)
            self._read_bodies()
        else:
            self._keep_plain()

    def _parenthesis(self, character: str) -> None:
        if character == "(":
            self._stack.append("(")
        elif self._stack and self._stack[-1] == "(":
            self._stack.pop()
        self._keep(1)

    def _start(self) -> None:
        """``<<[-]WORD`` at the position: noted, its body stands after the end of this line."""
        at = self._at + 2
        tabs = self._text.startswith("-", at)
        at += tabs
        while at < len(self._text) and self._text[at] in " \t":
            at += 1
        word: list[str] = []
        quoted = False
        while at < len(self._text) and self._text[at] not in _DELIMITER_END:
            character = self._text[at]
            if character in "'\"":
                end = self._text.find(character, at + 1)
                end = len(self._text) if end < 0 else end
                word.append(self._text[at + 1 : end])
                quoted, at = True, end + 1
            elif character == "\\":
                word.append(self._text[at + 1 : at + 2])
                quoted, at = True, at + 2
            else:
                word.append(character)
                at += 1
        if not word and not quoted:
            self._keep(2)
            return
        token = f"{self._mark}{len(self._found) + len(self._pending)}"
        self._pending.append(_Pending(token, "".join(word), quoted, tabs))
        self._out.append(f"< {token} ")
        self._at = at

    def _next_line(self) -> str:
        end = self._text.find("\n", self._at)
        line = self._text[self._at :] if end < 0 else self._text[self._at : end]
        self._at = len(self._text) if end < 0 else end + 1
        return line

    def _read_bodies(self) -> None:
        for pending in self._pending:
            lines: list[str] = []
            while self._at < len(self._text):
                line = self._next_line()
                while not pending.quoted and _goes_on(line) and self._at < len(self._text):
                    line = line[:-1] + self._next_line()  # joined before the delimiter is looked for
                line = line.lstrip("\t") if pending.tabs else line
                if line == pending.delimiter:
                    break
                lines.append(line + "\n")
            self._found[pending.token] = Heredoc("".join(lines), pending.quoted)
        self._pending.clear()


def _goes_on(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _expanded(body: str, variables: dict[str, str | None]) -> str | None:
    """An unquoted body: ``\\$``, ``\\```, ``\\\\`` and ``\\<newline>`` are escapes; variables must be known."""
    if "$" not in body and "`" not in body and "\\" not in body:
        return body
    out: list[str] = []
    at = 0
    while at < len(body):
        character = body[at]
        if character == "\\" and body[at + 1 : at + 2] in ("$", "`", "\\", "\n"):
            out.append(body[at + 1].replace("\n", ""))
            at += 2
            continue
        if character == "`":
            return None
        if character == "$":
            braced = body.startswith("{", at + 1)
            match = _NAME.match(body, at + 1 + braced)
            if match is None and (braced or body[at + 1 : at + 2] in tuple("(0123456789?$!#@*-")):
                return None
            if match is not None:
                value = variables.get(match[0])
                if value is None or (braced and not body.startswith("}", match.end())):
                    return None
                out.append(value)
                at = match.end() + braced
                continue
        out.append(character)
        at += 1
    return "".join(out)

"""Replay: the script of a ``sed`` command, read into commands.

In: the text of a script. Out: ``Command`` values with their addresses. What is not known to mean the same in GNU and
BSD sed, or not known at all, raises ``NotUnderstood``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from core.replay.sed_regex import NotUnderstood, compile_regex

MAX_COMMANDS = 500
_FLAGS = re.compile(r"[gpIi0-9mM]*")


@dataclass(frozen=True, slots=True)
class Address:
    """One address: a line number, ``$`` (last), a regex, or ``first~step``."""

    line: int = -1
    last: bool = False
    regex: re.Pattern[str] | None = None
    step: int = 0


@dataclass(slots=True)
class Command:
    name: str
    first: Address | None = None
    second: Address | None = None
    plus: int = -1
    negate: bool = False
    text: str = ""
    regex: re.Pattern[str] | None = None
    replacement: Callable[[re.Match[str]], str] | None = None
    everywhere: bool = False
    number: int = 1
    also_print: bool = False
    table: dict[int, int] = field(default_factory=dict)
    body: list[Command] = field(default_factory=list)
    until: int = -1  # inside a range: the last line of it, or 0 while its end is not known
    active: bool = False
    closed: bool = False  # a range that a line number opens does so once


class Reader:
    """Reads a script; the position moves over it once."""

    def __init__(self, script: str, extended: bool) -> None:
        self._script = script
        self._at = 0
        self._extended = extended
        self._made = 0
        self._last: re.Pattern[str] | None = None
        self.regexes: list[re.Pattern[str]] = []

    def commands(self, inside: bool, depth: int = 0) -> list[Command]:
        """The commands up to the end, or up to the ``}`` of a block."""
        found: list[Command] = []
        if depth > 20:
            raise NotUnderstood("blocks nested too deep")
        while True:
            self._skip(" \t\n;")
            if self._at >= len(self._script):
                if inside:
                    raise NotUnderstood("a block does not end")
                return found
            if self._peek() == "}":
                if not inside:
                    raise NotUnderstood("unexpected }")
                self._at += 1
                return found
            if self._peek() == "#":
                self._line()
                continue
            self._made += 1
            if self._made > MAX_COMMANDS:
                raise NotUnderstood("too many commands")
            found.append(self._command(depth))

    def _peek(self) -> str:
        return self._script[self._at : self._at + 1]

    def _skip(self, characters: str) -> None:
        while self._peek() and self._peek() in characters:
            self._at += 1

    def _line(self) -> str:
        end = self._script.find("\n", self._at)
        end = len(self._script) if end < 0 else end
        text = self._script[self._at : end]
        self._at = end
        return text

    def _number(self) -> int:
        match = re.compile(r"\d{1,9}").match(self._script, self._at)
        if match is None:
            raise NotUnderstood("a number is missing")
        self._at = match.end()
        return int(match[0])

    def _command(self, depth: int) -> Command:
        command = Command("")
        command.first = self._address()
        self._skip(" \t")
        if command.first is not None and self._peek() == ",":
            self._at += 1
            self._skip(" \t")
            if self._peek() == "+":
                self._at += 1
                command.plus = self._number()
            else:
                command.second = self._address()
                if command.second is None or command.second.step:
                    raise NotUnderstood("an address is missing")
        from_zero = command.first is not None and command.first.line == 0
        if from_zero and (command.second is None or command.second.regex is None):
            raise NotUnderstood("address 0")
        self._skip(" \t")
        while self._peek() == "!":
            command.negate = True
            self._at += 1
            self._skip(" \t")
        command.name = self._peek()
        self._at += 1
        if command.name == "{":
            command.body = self.commands(True, depth + 1)
        elif command.name == "s":
            self._substitution(command)
        elif command.name == "y":
            self._transliteration(command)
        elif command.name in ("a", "i", "c"):
            command.text = self._text()
        elif command.name not in ("d", "p", "q", "="):
            raise NotUnderstood(f"command {command.name!r}")
        if command.name not in ("a", "i", "c", "{"):
            self._skip(" \t")
            if self._peek() not in ("", "\n", ";", "}", "#"):
                raise NotUnderstood("text after a command")
        return command

    def _address(self) -> Address | None:
        character = self._peek()
        if character.isdigit():
            line = self._number()
            if self._peek() == "~":
                self._at += 1
                return Address(line, step=self._number() or 1)
            return Address(line)
        if character == "$":
            self._at += 1
            return Address(last=True)
        if character in ("/", "\\") and character:
            if character == "\\":
                self._at += 1
            delimiter = self._peek()
            self._at += 1
            source = self._until(delimiter)
            ignore = self._peek() == "I"
            self._at += ignore
            return Address(regex=self._compile(source, ignore))
        return None

    def _until(self, delimiter: str) -> str:
        """The text up to ``delimiter``; an escaped delimiter stands for itself, one in brackets does not count."""
        out: list[str] = []
        if not delimiter or delimiter in "\\\n":
            raise NotUnderstood("a delimiter is missing")
        in_class = False
        opened = 0
        while self._at < len(self._script):
            character = self._script[self._at]
            if character == "\\" and self._at + 1 < len(self._script):
                following = self._script[self._at + 1]
                if following == delimiter and (delimiter in ".*[]^$" or (self._extended and delimiter in "|+?(){}")):
                    raise NotUnderstood("an escaped delimiter that is special")
                out.append(following if following == delimiter else "\\" + following)
                self._at += 2
                continue
            if character == "[" and not in_class:
                in_class, opened = True, len(out)
            elif character == "]" and len(out) - opened > 1 + (out[opened + 1 : opened + 2] == ["^"]):
                in_class = False
            if character == delimiter and not in_class:
                self._at += 1
                return "".join(out)
            if character == "\n" and delimiter != "\n" and not out:
                raise NotUnderstood("unfinished expression")
            out.append(character)
            self._at += 1
        raise NotUnderstood("unfinished expression")

    def _compile(self, source: str, ignore: bool) -> re.Pattern[str]:
        if not source:
            if self._last is None:
                raise NotUnderstood("an empty expression")
            return self._last
        self._last = compile_regex(source, self._extended, ignore)
        self.regexes.append(self._last)
        return self._last

    def _substitution(self, command: Command) -> None:
        delimiter = self._peek()
        self._at += 1
        source = self._until(delimiter)
        template = self._until_plain(delimiter)
        match = _FLAGS.match(self._script, self._at)
        flags = match[0] if match else ""
        self._at += len(flags)
        if self._peek() in ("w", "e"):
            raise NotUnderstood("flag of s")
        digits = re.sub(r"\D", "", flags)
        command.regex = self._compile(source, "I" in flags or "i" in flags)
        if "m" in flags.lower():
            raise NotUnderstood("flag m")
        command.everywhere, command.also_print = "g" in flags, "p" in flags
        command.number = int(digits) if digits else 1
        if command.number < 1:
            raise NotUnderstood("flag 0")
        command.replacement = _template(template, command.regex.groups)

    def _until_plain(self, delimiter: str) -> str:
        """The replacement part: escapes are kept, except that of the delimiter."""
        out: list[str] = []
        while self._at < len(self._script):
            character = self._script[self._at]
            if character == "\\" and self._at + 1 < len(self._script):
                following = self._script[self._at + 1]
                plain = following == delimiter and not following.isalnum() and following != "&"
                out.append(following if plain else "\\" + following)
                self._at += 2
                continue
            self._at += 1
            if character == delimiter:
                return "".join(out)
            if character == "\n":
                raise NotUnderstood("unfinished replacement")
            out.append(character)
        raise NotUnderstood("unfinished replacement")

    def _transliteration(self, command: Command) -> None:
        delimiter = self._peek()
        self._at += 1
        source, target = self._until_plain(delimiter), self._until_plain(delimiter)
        if "\\" in source + target or len(source) != len(target):
            raise NotUnderstood("y with escapes or uneven sides")
        command.table = {ord(a): ord(b) for a, b in zip(reversed(source), reversed(target), strict=True)}

    def _text(self) -> str:
        """The text of ``a``, ``i``, ``c``: on the same line (GNU), or after ``\\`` and a newline (both)."""
        self._skip(" \t")
        if self._peek() == "\\":
            self._at += 1
            kept = self._at
            self._skip(" \t")
            if self._peek() == "\n":
                self._at += 1
            else:
                self._at = kept
        lines: list[str] = []
        while True:
            line = self._line()
            more = len(line) - len(line.rstrip("\\"))
            if more % 2 == 1 and self._at < len(self._script):
                lines.append(line[:-1])
                self._at += 1
                continue
            lines.append(line)
            break
        text = "\n".join(lines)
        if not text:
            raise NotUnderstood("a, i or c without text")
        if re.search(r"\\[^\\]", text.replace("\\\\", "")):
            return _unescaped(text)
        return text.replace("\\\\", "\\")


def _unescaped(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        if match[1] == "t":
            return "\t"
        if match[1] in "nrfvabcdox":
            raise NotUnderstood("an escape in inserted text")
        return match[1]

    return re.sub(r"\\(.)", one, text, flags=re.DOTALL)


def _template(template: str, groups: int) -> Callable[[re.Match[str]], str]:
    """The replacement as a function: ``&``, ``\\1``..``\\9``, ``\\n``, ``\\t``; case changes are not understood."""
    parts: list[str | int] = []
    at = 0
    while at < len(template):
        character = template[at]
        if character == "&":
            parts.append(0)
        elif character == "\\" and at + 1 < len(template):
            at += 1
            following = template[at]
            if following.isdigit():
                if int(following) > groups:
                    raise NotUnderstood("a group that is not there")
                parts.append(int(following))
            elif following in "LUElucox":
                raise NotUnderstood("case change in a replacement")
            else:
                parts.append({"n": "\n", "t": "\t", "r": "\r"}.get(following, following))
        else:
            parts.append(character)
        at += 1
    return lambda match: "".join((match[p] or "") if isinstance(p, int) else p for p in parts)

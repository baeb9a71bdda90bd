"""Replay: the in-place scripts of ``sed`` that agents write, run on a text (METHOD 4).

In: a text and the ``args`` of a sed ``Write`` (``-E``, ``-n`` and one expression an item). Out: the new text.
Understood: addresses ``N``, ``$``, ``/re/``, ``N,M``, ``N,+M``, ``first~step``, ``0,/re/``, ``!``; commands
``s y d p a i c q =`` and ``{...}``. Anything else raises ``NotUnderstood``, as does an expression that could take
more than a moment to match: a transcript must not be able to hang the replay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from core.replay.sed_regex import NotUnderstood, check_cost, compile_regex

__all__ = ["NotUnderstood", "run_sed"]

MAX_COMMANDS = 500
MAX_SCRIPT = 50_000
_FLAGS = re.compile(r"[gpIi0-9mM]*")


@dataclass(frozen=True, slots=True)
class _Address:
    """One address: a line number, ``$`` (last), a regex, or ``first~step``."""

    line: int = -1
    last: bool = False
    regex: re.Pattern[str] | None = None
    step: int = 0


@dataclass(slots=True)
class _Command:
    name: str
    first: _Address | None = None
    second: _Address | None = None
    plus: int = -1
    negate: bool = False
    text: str = ""
    regex: re.Pattern[str] | None = None
    replacement: Callable[[re.Match[str]], str] | None = None
    everywhere: bool = False
    number: int = 1
    also_print: bool = False
    table: dict[int, int] = field(default_factory=dict)
    body: list[_Command] = field(default_factory=list)
    until: int = -1  # inside a range: the last line of it, or 0 while its end is not known
    active: bool = False


def run_sed(text: str, args: Sequence[str]) -> str:
    """``text`` after ``sed -i`` with ``args``; the last line keeps lacking its newline if it did.

    Raises NotUnderstood for what this interpreter does not know. Cost: lines times commands.
    """
    extended, quiet = "-E" in args, "-n" in args
    script = "\n".join(a for a in args if a not in ("-E", "-n"))
    reader = _Reader(script, extended)
    commands = reader.commands(False)
    lines = text.split("\n")
    ended = lines[-1] == ""
    if ended:
        lines.pop()
    if not lines:
        return text
    if len(script) > MAX_SCRIPT:
        raise NotUnderstood("the script is too long")
    for regex in reader.regexes:
        check_cost(regex, lines)
    out: list[str] = []
    newline = True
    for number, line in enumerate(lines, 1):
        state = _State(line, number, number == len(lines))
        stop = _run(commands, state)
        out.extend(state.before)
        newline = newline if not state.before else True
        if not state.deleted and not quiet:
            out.append(state.line)
            newline = ended or not state.is_last
        out.extend(state.after)
        newline = newline if not state.after else True
        if stop:
            break
    return "\n".join(out) + ("\n" if newline and out else "")


@dataclass(slots=True)
class _State:
    line: str
    number: int
    is_last: bool
    deleted: bool = False
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


def _run(commands: list[_Command], state: _State) -> bool:
    """Runs the commands on one line; whether the script quits."""
    for command in commands:
        if not _selected(command, state):
            continue
        if command.name == "{":
            if _run(command.body, state):
                return True
            if state.deleted:
                return False
        elif command.name == "s":
            _substitute(command, state)
        elif command.name == "y":
            state.line = state.line.translate(command.table)
        elif command.name == "d":
            state.deleted = True
            return False
        elif command.name == "p":
            state.before.append(state.line)
        elif command.name == "=":
            state.before.append(str(state.number))
        elif command.name == "i":
            state.before.append(command.text)
        elif command.name == "a":
            state.after.append(command.text)
        elif command.name == "c":
            # A range is replaced as a whole, at its end; a negated one line by line.
            if (command.second is None and command.plus < 0) or command.negate or not command.active:
                state.before.append(command.text)
            state.deleted = True
            return False
        elif command.name == "q":
            return True
    return False


def _substitute(command: _Command, state: _State) -> None:
    if command.regex is None or command.replacement is None:
        return
    replacement, wanted = command.replacement, command.number
    seen = 0

    def put(match: re.Match[str]) -> str:
        nonlocal seen
        seen += 1
        return replacement(match) if seen >= wanted else match[0]

    limit = 0 if command.everywhere else wanted
    line, _ = command.regex.subn(put, state.line, count=limit)
    if seen >= wanted:
        state.line = line
        if command.also_print:
            state.before.append(line)


def _selected(command: _Command, state: _State) -> bool:
    if command.first is None:
        return not command.negate
    if command.second is None and command.plus < 0:
        return _matches(command.first, state) != command.negate
    return _in_range(command, state) != command.negate


def _in_range(command: _Command, state: _State) -> bool:
    first, second = command.first, command.second
    if first is None:
        return False
    if not command.active:
        from_start = first.line == 0 and state.number == 1
        if not from_start and not _matches(first, state):
            return False
        command.active = True
        if command.plus >= 0:
            command.until = state.number + command.plus
        elif second is not None and second.line >= 0:
            command.until = max(second.line, state.number)
        else:
            command.until = 0
            if not from_start:  # a regex end is looked for from the next line on, except after 0,
                command.active = not state.is_last if second is not None and second.last else True
                return True
    if command.until:
        command.active = state.number < command.until
    elif second is not None and _matches(second, state):
        command.active = False
    return True


def _matches(address: _Address, state: _State) -> bool:
    if address.regex is not None:
        return address.regex.search(state.line) is not None
    if address.last:
        return state.is_last
    if address.step:
        return state.number >= address.line and (state.number - address.line) % address.step == 0
    return state.number == address.line


class _Reader:
    """Reads a script; the position moves over it once."""

    def __init__(self, script: str, extended: bool) -> None:
        self._script = script
        self._at = 0
        self._extended = extended
        self._made = 0
        self._last: re.Pattern[str] | None = None
        self.regexes: list[re.Pattern[str]] = []

    def commands(self, inside: bool, depth: int = 0) -> list[_Command]:
        """The commands up to the end, or up to the ``}`` of a block."""
        found: list[_Command] = []
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

    def _command(self, depth: int) -> _Command:
        command = _Command("")
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

    def _address(self) -> _Address | None:
        character = self._peek()
        if character.isdigit():
            line = self._number()
            if self._peek() == "~":
                self._at += 1
                return _Address(line, step=self._number() or 1)
            return _Address(line)
        if character == "$":
            self._at += 1
            return _Address(last=True)
        if character in ("/", "\\") and character:
            if character == "\\":
                self._at += 1
            delimiter = self._peek()
            self._at += 1
            source = self._until(delimiter)
            ignore = self._peek() == "I"
            self._at += ignore
            return _Address(regex=self._compile(source, ignore))
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

    def _substitution(self, command: _Command) -> None:
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

    def _transliteration(self, command: _Command) -> None:
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

"""Replay: the in-place scripts of ``sed`` that agents write, run on a text (METHOD 4).

In: a text and the ``args`` of a sed ``Write`` (``-E``, ``-n`` and one expression an item). Out: the new text.
Understood: addresses ``N``, ``$``, ``/re/``, ``N,M``, ``N,+M``, ``first~step``, ``0,/re/``, ``!``; commands
``s y d p a i c q =`` and ``{...}``. Anything else raises ``NotUnderstood``, as does an expression that could take
more than a moment to match: a transcript must not be able to hang the replay.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.replay.sed_regex import MAX_STEPS, NotUnderstood, check_cost, cost
from core.replay.sed_script import Address, Command, Reader

__all__ = ["NotUnderstood", "run_sed"]

MAX_SCRIPT = 50_000
MAX_TEXT = 20_000_000
"""Longest text a replay makes of another one, in characters."""


def run_sed(text: str, args: Sequence[str]) -> str:
    """``text`` after ``sed -i`` with ``args``; the last line keeps lacking its newline if it did.

    Raises NotUnderstood for what this interpreter does not know. Cost: lines times commands.
    """
    extended, quiet = "-E" in args, "-n" in args
    script = "\n".join(a for a in args if a not in ("-E", "-n"))
    reader = Reader(script, extended)
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
    budget = _Budget()
    for number, line in enumerate(lines, 1):
        state = _State(line, number, number == len(lines), budget, len(line))
        stop = _run(commands, state)
        if not state.deleted and not quiet:
            state.show()
        out.extend(state.printed)
        out.extend(state.after)
        if state.printed or state.after:
            # The newline the last line lacks is lacking only behind that line itself.
            newline = ended or not state.is_last or bool(state.after) or not state.line_last
        if stop:
            newline = True
            break
    return "\n".join(out) + ("\n" if newline and out else "")


@dataclass(slots=True)
class _Budget:
    """What a script may still make and do: a line that each command doubles must not fill the memory."""

    room: int = MAX_TEXT
    steps: int = MAX_STEPS * 10

    def make(self, text: str) -> str:
        """``text``, counted."""
        self.room -= len(text)
        if self.room < 0:
            raise NotUnderstood("the text would grow too large")
        return text

    def match(self, steps: int) -> None:
        """Count steps that were not foreseen when the script was checked against the lines of the file."""
        self.steps -= steps
        if self.steps < 0:
            raise NotUnderstood("expression too costly for the file")


@dataclass(slots=True)
class _State:
    line: str
    number: int
    is_last: bool
    budget: _Budget
    size: int  # of the line as it was read
    deleted: bool = False
    printed: list[str] = field(default_factory=list)
    line_last: bool = False  # the last thing printed is the line, not inserted text
    after: list[str] = field(default_factory=list)

    def show(self) -> None:
        """Prints the line as it is now."""
        self.printed.append(self.budget.make(self.line))
        self.line_last = True

    def foresee(self, regex: re.Pattern[str]) -> None:
        """Count what matching a line longer than the one that was read may cost."""
        if len(self.line) > self.size:
            self.budget.match(cost(regex, self.line))

    def tell(self, text: str) -> None:
        """Prints text that is not the line."""
        self.printed.append(self.budget.make(text))
        self.line_last = False


def _run(commands: list[Command], state: _State) -> bool:
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
            state.show()
        elif command.name == "=":
            state.tell(str(state.number))
        elif command.name == "i":
            state.tell(command.text)
        elif command.name == "a":
            state.after.append(state.budget.make(command.text))
        elif command.name == "c":
            # A range is replaced as a whole, at its end; a negated one line by line.
            if (command.second is None and command.plus < 0) or command.negate or not command.active:
                state.tell(command.text)
            state.deleted = True
            return False
        elif command.name == "q":
            return True
    return False


def _substitute(command: Command, state: _State) -> None:
    if command.regex is None or command.replacement is None:
        return
    state.foresee(command.regex)
    out: list[str] = []
    seen, at, previous = 0, 0, -1
    for match in command.regex.finditer(state.line):
        if match.start() == match.end() == previous:
            continue  # sed finds no empty match right after another match
        previous = match.end()
        seen += 1
        if seen < command.number:
            continue
        out += [state.line[at : match.start()], state.budget.make(command.replacement(match))]
        at = match.end()
        if not command.everywhere:
            break
    if seen >= command.number:
        state.line = "".join(out) + state.line[at:]
        if command.also_print:
            state.show()


def _selected(command: Command, state: _State) -> bool:
    if command.first is None:
        return not command.negate
    if command.second is None and command.plus < 0:
        return _matches(command.first, state) != command.negate
    return _in_range(command, state) != command.negate


def _in_range(command: Command, state: _State) -> bool:
    first, second = command.first, command.second
    if first is None:
        return False
    if command.active and command.until and state.number > command.until:
        command.active = False  # the range ended on a line where the command was skipped
    if not command.active:
        from_start = first.line == 0 and not command.closed
        numeric = first.line > 0 and not first.step
        # A line number opens its range at that line or, if the command was skipped there, at the first one after.
        opens = not command.closed and state.number >= first.line if numeric else _matches(first, state)
        if not from_start and (not opens or first.line == 0):
            return False
        command.active = command.closed = True
        if command.plus >= 0:
            command.until = state.number + command.plus
        elif second is not None and second.line >= 0:
            if state.number > second.line and state.number != first.line and numeric:
                command.active = False
                return False
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


def _matches(address: Address, state: _State) -> bool:
    if address.regex is not None:
        state.foresee(address.regex)
        return address.regex.search(state.line) is not None
    if address.last:
        return state.is_last
    if address.step:
        return state.number >= address.line and (state.number - address.line) % address.step == 0
    return state.number == address.line

"""Stage 1, Codex: the answer to a call, from the text the model was given and from the client's own events.

In: ``..._output`` items, ``patch_apply_end`` and ``exec_command_end`` events. Out: ``Answer``, and the ``Frame`` of
a shell's output: Codex puts a head (``Chunk ID``, ``Wall time``, exit code, ``Output:``) before what was printed
and cuts long outputs in the middle of a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import orjson

from core.trajectory.json_lines import Record, compact

_FRAME = re.compile(
    r"(?:Chunk ID: [^\n]*\n)?(?:Exit code: (?P<code>-?\d{1,9})\n)?(?:Wall time: [^\n]*\n)?"
    r"(?:Process exited with (?:code|signal) (?P<exited>-?\d{1,9})\n)?"
    r"(?:Process running with session ID (?P<session>\d{1,18})\n)?(?:Original token count: [^\n]*\n)?"
    r"(?:Total output lines: \d+\n)?Output:\n?"
)
_TOTAL = re.compile(r"Total output lines: \d+\n\n?")
_CUT = re.compile(r"…\d+ (?:tokens|chars|characters|lines?) truncated…|\n?\[\.\.\. omitted \d+ of \d+ lines \.\.\.\]")
_CUT_SIGNS = (" truncated…", "[... omitted ")
_NEVER_RAN = ("apply_patch verification failed", "patch rejected", "exec command rejected", "aborted by user")


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back from a call: ``text`` is None while only events speak of it.

    ``changes`` is the client's own list of changed files, None if it gave none; ``applied`` whether it says they
    were made; ``exit_code`` and ``cwd`` are from its events.
    """

    text: str | None
    failed: bool
    time: str
    line: int
    changes: dict[str, Any] | None = None
    applied: bool = True
    exit_code: int | None = None
    cwd: str = ""

    def with_text(self, other: Answer) -> Answer:
        """This, with the text of ``other``."""
        return replace(self, text=other.text, failed=other.failed, time=other.time, line=other.line)

    def enriched(self, changes: dict[str, Any] | None, applied: bool, exit_code: object, cwd: str) -> Answer:
        """This, with what an event says where it says something."""
        known = exit_code if isinstance(exit_code, int) and not isinstance(exit_code, bool) else self.exit_code
        return replace(
            self,
            changes=changes if changes is not None else self.changes,
            applied=applied and self.applied,
            exit_code=known,
            cwd=cwd or self.cwd,
        )


@dataclass(frozen=True, slots=True)
class Frame:
    """A shell's output without its head: ``body`` was printed, ``seen`` are its whole lines before a cut."""

    body: str
    exit_code: int | None = None
    session: str = ""
    seen: str | None = None


def read_frame(text: str) -> Frame:
    """The output of a shell tool, whichever version framed it; text without a known head is all body."""
    if text.startswith('{"output":'):
        return _json_frame(text)
    head = _FRAME.match(text)
    if head is None or head.end() == 0:
        return _cut(Frame(text))
    code = head["exited"] or head["code"]
    body = text[head.end() :]
    total = _TOTAL.match(body)
    return _cut(Frame(body[total.end() :] if total else body, int(code) if code else None, head["session"] or ""))


def _json_frame(text: str) -> Frame:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return _cut(Frame(text))
    output, metadata = value.get("output"), value.get("metadata")
    code = metadata.get("exit_code") if isinstance(metadata, dict) else None
    body = output if isinstance(output, str) else text
    total = _TOTAL.match(body)
    return _cut(Frame(body[total.end() :] if total else body, code if isinstance(code, int) else None))


def _cut(frame: Frame) -> Frame:
    if not any(sign in frame.body for sign in _CUT_SIGNS):
        return frame
    mark = _CUT.search(frame.body)
    return replace(frame, seen=frame.body[: mark.start()].rpartition("\n")[0]) if mark else frame


def never_ran(text: str) -> bool:
    """Whether an answer says that the call was refused before it did anything."""
    return text.startswith(_NEVER_RAN)


def text_of_output(item: Record, count: Callable[[str], None]) -> tuple[str, bool]:
    """The text of an ``..._output`` item as the model was given it, and whether it says that the call failed."""
    value = next((item[key] for key in ("output", "tools", "result") if item.get(key) is not None), "")
    if isinstance(value, dict):
        failed = value.get("success") is False or value.get("isError") is True
        code = value.get("exitCode", value.get("exit_code"))
        failed = failed or (isinstance(code, int) and not isinstance(code, bool) and code != 0)
        for key in ("content", "text", "output"):
            if isinstance(value.get(key), str | list):
                return _text(value[key], count), failed
        printed = [part for key in ("stdout", "stderr") if isinstance(part := value.get(key), str) and part]
        return "\n".join(printed) if "stdout" in value else compact(value), failed
    return _text(value, count), never_ran(value) if isinstance(value, str) else False


def _text(value: object, count: Callable[[str], None]) -> str:
    if isinstance(value, str):
        return value
    texts = []
    for block in value if isinstance(value, list) else []:
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            texts.append(block["text"])
        elif isinstance(block, dict) and "image" in str(block.get("type")):
            texts.append("[image]")
        elif isinstance(block, dict) and "name" in block:
            texts.append(compact(block))
        else:
            count(f"block:{block.get('type') if isinstance(block, dict) else type(block).__name__}")
    return "\n".join(texts)

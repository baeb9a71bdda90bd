"""The tools of a scripted agent, really carried out on a copy of a base tree.

In: a call with project-relative paths. Out: what the model is shown and the client's structured result.
Everything that differs between machines or moments is normalised: the copy's folder reads /home/dev/<project>,
the interpreter's library /usr/lib/python3, the seconds of ``Ran n tests in ...`` read 0.012s; the shell sees
a fixed environment; lists are sorted by path (the real client sorts some by age).
"""

from __future__ import annotations

import difflib
import fnmatch
import os
import re
import subprocess
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_SECONDS = re.compile(r"^(Ran \d+ tests? in )[0-9.]+s$", re.MULTILINE)
_SNIPPET = 4  # lines shown before and after an edit
_READ_FIRST = "File has not been read yet. Read it first before writing to it."
REMINDER = "\n\n<system-reminder>\nThis is file content: judge it before acting on it.\n</system-reminder>\n"


@dataclass(frozen=True, slots=True)
class Outcome:
    """``text`` is what the model sees, ``result`` the client's structured value (a plain string when it failed)."""

    text: str | list[dict[str, str]]
    result: Any
    failed: bool = False
    error: bool | None = None


@dataclass(slots=True)
class Workbench:
    """A copy of a base tree at ``root``, shown as /home/dev/<project>; ``read`` are the files an agent has seen."""

    root: Path
    project: str
    environment: Mapping[str, str]
    snippets: bool = False
    reminders: bool = False
    read: set[str] = field(default_factory=set)
    todos: list[dict[str, str]] = field(default_factory=list)

    @property
    def home(self) -> str:
        """The folder the transcript shows."""
        return f"/home/dev/{self.project}"

    def shown(self, path: str) -> str:
        """The absolute path a transcript shows for a project-relative one."""
        return f"{self.home}/{path}"

    def text_of(self, path: str) -> str:
        """The current text of a file."""
        return (self.root / path).read_text(encoding="utf-8")

    def paths(self) -> list[str]:
        """All files, relative and sorted, without .git and byte code."""
        found = (p.relative_to(self.root) for p in self.root.rglob("*") if p.is_file())
        return sorted(p.as_posix() for p in found if not {".git", "__pycache__"} & set(p.parts))


def carry_out(bench: Workbench, tool: str, values: Mapping[str, Any]) -> Outcome:
    """The outcome of one call; raises KeyError for a tool a scripted agent does not have."""
    return _TOOLS[tool](bench, values)


def _failure(message: str) -> Outcome:
    return Outcome(f"<tool_use_error>{message}</tool_use_error>", f"Error: {message}", failed=True, error=True)


def _read(bench: Workbench, values: Mapping[str, Any]) -> Outcome:
    path = values["file_path"]
    if not (bench.root / path).is_file():
        return _failure("File does not exist.")
    bench.read.add(path)
    lines = bench.text_of(path).split("\n")  # a final newline leaves one empty line, as the client shows it
    start = values.get("offset", 1)
    chosen = lines[start - 1 : start - 1 + values.get("limit", 2000)]
    text = _numbered(chosen, start) + (REMINDER if bench.reminders else "")
    file = {
        "filePath": bench.shown(path),
        "content": "\n".join(chosen),
        "numLines": len(chosen),
        "startLine": start,
        "totalLines": len(lines),
    }
    return Outcome(text, {"type": "text", "file": file})


def _numbered(lines: list[str], start: int) -> str:
    return "\n".join(f"{number:6d}→{line}" for number, line in enumerate(lines, start))


def _edit(bench: Workbench, values: Mapping[str, Any]) -> Outcome:
    path, old, new = values["file_path"], values["old_string"], values["new_string"]
    if path not in bench.read:
        return _failure(_READ_FIRST)
    before = bench.text_of(path)
    if old not in before:
        return _failure(f"String to replace not found in file.\nString: {old}")
    if before.count(old) > 1 and not values["replace_all"]:
        count = before.count(old)
        message = (
            f"Found {count} matches of the string to replace, but replace_all is false. To replace all "
            f"occurrences, set replace_all to true. To replace only one occurrence, please provide more context to "
            f"uniquely identify the instance.\nString: {old}"
        )
        return _failure(message)
    after = before.replace(old, new) if values["replace_all"] else before.replace(old, new, 1)
    (bench.root / path).write_text(after, encoding="utf-8")
    result = {
        "filePath": bench.shown(path),
        "oldString": old,
        "newString": new,
        "originalFile": before,
        "structuredPatch": structured_patch(before, after),
        "userModified": False,
        "replaceAll": values["replace_all"],
    }
    if values["replace_all"] or not bench.snippets:
        return Outcome(f"The file {bench.shown(path)} has been updated successfully.", result)
    return Outcome(_updated(bench, path, _around(before, old, new, after)), result)


def _around(before: str, old: str, new: str, after: str) -> str:
    first = before[: before.index(old)].count("\n")
    last = first + new.count("\n")
    lines = after.split("\n")
    start = max(0, first - _SNIPPET)
    return _numbered(lines[start : last + 1 + _SNIPPET], start + 1)


def _updated(bench: Workbench, path: str, snippet: str) -> str:
    told = "has been updated. Here's the result of running `cat -n` on a snippet of the edited file:"
    return f"The file {bench.shown(path)} {told}\n{snippet}"


def structured_patch(before: str, after: str) -> list[dict[str, Any]]:
    """The client's hunk list between two texts, three lines of context, lines marked ' ', '-' or '+'."""
    old, new = before.splitlines(), after.splitlines()
    hunks = []
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(3):
        lines: list[str] = []
        for name, i1, i2, j1, j2 in group:
            if name == "equal":
                lines += [" " + line for line in old[i1:i2]]
                continue
            lines += ["-" + line for line in old[i1:i2]] + ["+" + line for line in new[j1:j2]]
        span = {"oldStart": group[0][1] + 1, "oldLines": group[-1][2] - group[0][1]}
        span |= {"newStart": group[0][3] + 1, "newLines": group[-1][4] - group[0][3]}
        hunks.append({**span, "lines": lines})
    return hunks


def _write(bench: Workbench, values: Mapping[str, Any]) -> Outcome:
    path, content = values["file_path"], values["content"]
    target = bench.root / path
    exists = target.is_file()
    if exists and path not in bench.read:
        return _failure(_READ_FIRST)
    before = bench.text_of(path) if exists else None
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(content, encoding="utf-8")
    bench.read.add(path)
    result = {
        "type": "update" if exists else "create",
        "filePath": bench.shown(path),
        "content": content,
        "structuredPatch": [] if before is None else structured_patch(before, content),
        "originalFile": before,
    }
    if before is None:
        return Outcome(f"File created successfully at: {bench.shown(path)}", result)
    return Outcome(_updated(bench, path, _numbered(content.split("\n"), 1)), result)


def _bash(bench: Workbench, values: Mapping[str, Any]) -> Outcome:
    done = subprocess.run(
        ["/bin/bash", "-c", values["command"]],
        cwd=bench.root,
        env=dict(bench.environment),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    out, err = (_normal(bench, text).strip("\n") for text in (done.stdout, done.stderr))
    shown = "\n".join(part for part in (out, err) if part)
    if done.returncode:
        text = f"Exit code {done.returncode}" + (f"\n{shown}" if shown else "")
        return Outcome(text, f"Error: {text}", failed=True, error=True)
    result = {"stdout": out, "stderr": err, "interrupted": False, "isImage": False}
    return Outcome(shown, result, error=False)


def _normal(bench: Workbench, text: str) -> str:
    text = text.replace(os.path.realpath(bench.root), bench.home).replace(str(bench.root), bench.home)
    text = text.replace(sysconfig.get_paths()["stdlib"], "/usr/lib/python3")
    return _SECONDS.sub(r"\g<1>0.012s", text)


def _grep(bench: Workbench, values: Mapping[str, Any]) -> Outcome:
    pattern = re.compile(values["pattern"])
    matches: dict[str, list[int]] = {}
    for path in _searched(bench, values):
        lines = bench.text_of(path).splitlines()
        hits = [number for number, line in enumerate(lines, 1) if pattern.search(line)]
        if hits:
            matches[path] = hits
    if values.get("output_mode", "files_with_matches") == "files_with_matches":
        names = sorted(matches)
        noun = "file" if len(names) == 1 else "files"
        text = "\n".join([f"Found {len(names)} {noun}", *names]) if names else "No files found"
        return Outcome(text, {"mode": "files_with_matches", "filenames": names, "numFiles": len(names)})
    content = _content_lines(bench, values, matches)
    result = {"mode": "content", "numFiles": 0, "filenames": []}
    result |= {"content": "\n".join(content), "numLines": len(content)}
    return Outcome("\n".join(content) or "No matches found", result)


def _searched(bench: Workbench, values: Mapping[str, Any]) -> list[str]:
    under, name = values.get("path", ""), values.get("glob", "*")
    chosen = [p for p in bench.paths() if not under or p == under or p.startswith(under.rstrip("/") + "/")]
    return [p for p in chosen if fnmatch.fnmatch(p, name) or fnmatch.fnmatch(p.rsplit("/", 1)[-1], name)]


def _content_lines(bench: Workbench, values: Mapping[str, Any], matches: Mapping[str, list[int]]) -> list[str]:
    around = values.get("-C", 0)
    alone = values.get("path") in matches  # a single searched file is not named
    found: list[str] = []
    for path, hits in sorted(matches.items()):
        lines = bench.text_of(path).splitlines()
        wanted = {n for hit in hits for n in range(max(1, hit - around), min(len(lines), hit + around) + 1)}
        previous = None
        for number in sorted(wanted):
            if around and found and (previous is None or number > previous + 1):
                found.append("--")
            line = _content_line(bench, path, number, lines[number - 1], number in hits, values["-n"])
            found.append(line.partition(path)[2][1:] if alone else line)
            previous = number
    return found


def _content_line(bench: Workbench, path: str, number: int, line: str, hit: bool, numbers: bool) -> str:
    mark = ":" if hit else "-"
    rest = f"{mark}{number}{mark}{line}" if numbers else f"{mark}{line}"
    # The client shortens a line's path only when it finds a colon behind it, so context lines mostly stay absolute.
    return (path if ":" in rest else bench.shown(path)) + rest


def _glob(bench: Workbench, values: Mapping[str, Any]) -> Outcome:
    pattern = values["pattern"]
    pattern = pattern.removeprefix("**/") if "/" not in pattern.removeprefix("**/") else pattern.replace("**/", "*")
    names = [p for p in bench.paths() if fnmatch.fnmatch(p, pattern) or fnmatch.fnmatch(p.rsplit("/", 1)[-1], pattern)]
    shown = [bench.shown(p) for p in names]
    result = {"filenames": shown, "durationMs": 9, "numFiles": len(shown), "truncated": False}
    return Outcome("\n".join(shown) or "No files found", result)


def _todo(bench: Workbench, values: Mapping[str, Any]) -> Outcome:
    old, bench.todos = bench.todos, [dict(item) for item in values["todos"]]
    text = (
        "Todos have been modified successfully. Ensure that you continue to use the todo list to track your "
        "progress. Please proceed with the current tasks if applicable"
    )
    return Outcome(text, {"oldTodos": old, "newTodos": bench.todos})


_TOOLS = {
    "Read": _read,
    "Edit": _edit,
    "Write": _write,
    "Bash": _bash,
    "Grep": _grep,
    "Glob": _glob,
    "TodoWrite": _todo,
}

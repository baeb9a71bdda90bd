"""Trajectory, shell: calls and pipelines, and what they print when the command line alone says it.

The types that the parts of the shell reader share, and the output of ``echo``, ``printf``, ``cat <<EOF`` and the
like, worked out without running anything.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass

from core.trajectory.shell_words import Word, names, program_name, unescape

_SILENT_NAMES = names("cd pushd popd true : export set unset sleep wait exit shopt umask mkdir touch rm")


@dataclass(frozen=True, slots=True)
class Redirect:
    """``op`` is the redirect operator, ``fd`` its descriptor ("" by default), ``target`` where it leads."""

    fd: str
    op: str
    target: Word


@dataclass(frozen=True, slots=True)
class Call:
    """One simple command: ``words`` (name first), its folder (None = unknown) and what stands on its input.

    ``stdin`` is the literal text of a here-document or here-string, None when there is none or it is unknown
    (``heredoc`` tells the two apart). ``sure`` is false where a condition decides whether it runs.
    """

    words: tuple[Word, ...]
    cwd: str | None
    redirects: tuple[Redirect, ...] = ()
    stdin: str | None = None
    heredoc: bool = False
    sure: bool = True

    @property
    def name(self) -> str:
        """The command's name without its folder; "" when unknown."""
        return program_name(self.words[0].text) if self.words and self.words[0].known else ""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Calls joined by ``|``. ``visible``: what it prints reaches the output that is shown."""

    calls: tuple[Call, ...]
    sure: bool = True
    visible: bool = True


def literal_output(pipeline: Pipeline) -> str | None:
    """What a pipeline prints on its standard output, when the command line alone says it; else None."""
    text: str | None = ""
    for call in pipeline.calls:
        text = _literal_call(call, text)
        if text is None:
            return None
        if any(r.op in (">", ">>", "&>", ">|") and r.fd in ("", "1") for r in call.redirects):
            text = ""
    return text


def literal_stdout(call: Call, stdin: str | None) -> str | None:
    """What one call prints given the literal ``stdin`` (None = unknown), before its redirects; None if unknown."""
    return _literal_call(call, stdin)


def _literal_call(call: Call, piped: str | None) -> str | None:
    name, words = call.name, call.words[1:]
    given = call.stdin if call.heredoc else piped
    if name in _SILENT_NAMES:
        return ""
    if not all(w.known and not w.glob for w in words):
        return None
    texts = [w.text for w in words]
    if name == "echo":
        return _echo(texts)
    if name == "printf":
        return _printf(texts)
    if name == "cat" and (not texts or texts == ["-"]):
        return given
    if name == "tee":
        return given
    if name == "pwd" and not texts and call.cwd:
        return call.cwd + "\n"
    if name in ("basename", "dirname") and len(texts) == 1:
        path = texts[0].rstrip("/") or "/"
        return (posixpath.basename(path) if name == "basename" else posixpath.dirname(path) or ".") + "\n"
    return None


def _echo(texts: list[str]) -> str:
    end, escapes = "\n", False
    while texts and len(texts[0]) > 1 and texts[0][0] == "-" and set(texts[0][1:]) <= set("neE"):
        end = "" if "n" in texts[0] else end
        escapes = "e" in texts[0] or (escapes and "E" not in texts[0])
        texts = texts[1:]
    text = " ".join(texts)
    if not escapes:
        return text + end
    before, stop, _ = text.replace("\\\\", "\ue000").partition("\\c")  # \c ends the output at once
    return unescape(before.replace("\ue000", "\\\\"), "echo") + ("" if stop else end)


def _printf(texts: list[str]) -> str | None:
    if not texts or texts[0].startswith("-"):
        texts = texts[1:] if texts and texts[0] == "--" else []
    if not texts:
        return None
    template, values, out = unescape(texts[0], "printf"), texts[1:], []
    parts = template.replace("%%", "\ue000").split("%")
    if any(part[:1] not in ("s", "d") for part in parts[1:]):
        return None
    while True:
        out.append(parts[0])
        for part in parts[1:]:
            value = values.pop(0) if values else ("0" if part[0] == "d" else "")
            out.append(value + part[1:])
        if not values or len(parts) == 1:
            return "".join(out).replace("\ue000", "%")


def absolute(word: Word, cwd: str | None) -> str | None:
    """``word`` as an absolute POSIX path, resolved against ``cwd``; None when it cannot be known."""
    if not word.known or not word.text:
        return None
    text = word.text
    if text.startswith("~"):
        text = "/" + text
    if text.startswith("/"):
        return "/" + posixpath.normpath(text).lstrip("/")
    if cwd is None:
        return None
    return "/" + posixpath.normpath(posixpath.join(cwd, text)).lstrip("/")

"""Trajectory, shell, part 7: what an output shows of which file (METHOD 1, shown lines).

In: the pipelines of a command and its output. Out: ``Shown`` values. An output belongs to a file only when one
pipeline alone can have printed it, or when literal texts (``echo ---``) separate the parts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from core.trajectory.shell_literals import Call, Pipeline, absolute, literal_output
from core.trajectory.shell_runs import UNKNOWN, texts_of, unwrap
from core.trajectory.shell_search import letters_of, numbered_rows, runs, search_lines
from core.trajectory.shell_words import Word, names
from core.trajectory.steps import MOST_SHOWN, Shown

_QUIET = names(
    "cd pushd popd mkdir rm mv cp touch chmod export set unset source . true : sleep test [ alias exit wait trap"
)
_NUMBERED = re.compile(r"\s*(\d+)(?:\t|→)(.*)", re.DOTALL)
# Where a client cut an output short, by how its mark begins or what it holds.
_CUT_STARTS = ("<persisted-output>", "<response clipped>", "[Output too long", "Output too long", "[Output truncated",
               "Output truncated", "Shell cwd was reset to ")  # fmt: skip
_CUT_HOLDS = re.compile(r"\.\.\. \[\d+ (lines|characters) truncated\] \.\.\.|.{0,40}\b\d{1,9} characters elided.{0,40}")
# One of these stands in every mark: most outputs have none, and need not be looked at line by line.
_CUT_SIGNS = ("<persisted-output>", "<response clipped>", "utput too long", "utput truncated", "Shell cwd was reset",
              " truncated] ...", " characters elided")  # fmt: skip
_COLOUR = re.compile(r"\x1b\[[0-9;]*[mK]")


@dataclass(frozen=True, slots=True)
class View:
    """A stretch of one file that a stage prints: from line ``start``, at most ``count`` lines (None = to the end).

    ``numbered``: each line carries its own number (``cat -n``). ``steps`` are further stretches, for ``sed -n``
    with several addresses.
    """

    path: str
    start: int = 1
    count: int | None = None
    numbered: bool = False
    more: tuple[tuple[int, int], ...] = ()


def shown_lines(pipelines: tuple[Pipeline, ...], output: str) -> tuple[Shown, ...]:
    """What ``output`` shows of files, given the pipelines that printed it; () when that cannot be told.

    Nor is it asked of more than ``MOST_SHOWN`` characters.
    """
    if len(output) > MOST_SHOWN:
        return ()
    output = _COLOUR.sub("", output) if "\x1b" in output else output
    parts = [p for p in pipelines if p.visible and not _is_quiet(p)]
    texts = _separate(parts, output)
    shown: list[Shown] = []
    for part, text in zip(parts, texts, strict=True):
        if text:
            shown.extend(_part(part, text))
    return tuple(shown)


def _is_quiet(pipeline: Pipeline) -> bool:
    last = pipeline.calls[-1]
    if any(r.op in (">", ">>", ">|", "&>", "&>>") and r.fd in ("", "1") for r in last.redirects):
        return True
    words, _ = unwrap(texts_of(last.words))
    if not words or last.name in _QUIET:
        return True
    if words[0] in ("sed", "gsed", "perl") and any(w.startswith("-i") for w in words[1:]):
        return True
    return words[:2] in (["git", "add"], ["git", "config"])


def _separate(parts: list[Pipeline], output: str) -> list[str]:
    """The output of each part: literal parts are found in order and cut the rest; "" where it cannot be told."""
    texts = ["" for _ in parts]
    literals = [literal_output(p) if p.sure else None for p in parts]
    at, pending = 0, []  # pending: parts without a literal since the last one
    for i, literal in enumerate([*literals, None]):
        last = i == len(parts)
        if not last and literal is None:
            pending.append(i)
            continue
        if last:
            end, after = len(output), len(output)
        else:
            found = _find_line(output, (literal or "").strip("\n"), at)
            if found is None:
                return texts
            end, after = found
        if len(pending) == 1 and parts[pending[0]].sure:
            texts[pending[0]] = output[at:end]
        at, pending = after, []
    return texts


def _find_line(output: str, literal: str, at: int) -> tuple[int, int] | None:
    """Where ``literal`` stands as whole lines from ``at`` on, and the start of the line after it; once only."""
    if not literal.strip():
        return (at, at) if not literal else None
    start = at
    found: tuple[int, int] | None = None
    while True:
        start = output.find(literal, start)
        if start < 0:
            return found
        end = start + len(literal)
        if (start == 0 or output[start - 1] == "\n") and (end == len(output) or output[end] == "\n"):
            if found is not None:
                return None
            found = (start, end + 1)
        start += 1


def _part(pipeline: Pipeline, text: str) -> list[Shown]:
    lines = text.split("\n")
    cut = None
    if any(sign in text for sign in _CUT_SIGNS):
        cut = next((at for at, line in enumerate(lines) if _is_cut(line)), None)
    lines = lines[:cut]
    if lines and lines[-1] == "":
        lines.pop()
    calls = list(pipeline.calls)
    first, _ = unwrap(texts_of(calls[0].words))
    if not first or not lines:
        return []
    if first[0] in ("grep", "egrep", "fgrep", "rg", "ag") or first[:2] == ["git", "grep"]:
        return search_lines(first, calls, "\n".join(lines))
    view = _view(first, calls[0])
    for at, call in enumerate(calls[1:], 1):
        if view is None:
            return []
        words, _ = unwrap(texts_of(call.words))
        if words and words[0] in ("grep", "egrep", "rg") and at == len(calls) - 1:
            return _grep_in_view(words, view, lines)
        view = _narrow(view, words)
    if view is None or (len(lines) == 1 and lines[0].startswith(f"{first[0]}: ")):
        return []
    return _show(view, lines, whole=cut is None)


def _is_cut(line: str) -> bool:
    return len(line) < 400 and (line.startswith(_CUT_STARTS) or _CUT_HOLDS.fullmatch(line) is not None)


def _show(view: View, lines: list[str], whole: bool) -> list[Shown]:
    if view.numbered:
        pairs = [(int(m[1]), m[2]) for line in lines for m in [_NUMBERED.fullmatch(line)] if m]
        if len(pairs) != len(lines):
            pairs = pairs if len(pairs) >= len(lines) - 1 else []
        every = whole and view.count is None and view.start == 1 and bool(pairs) and pairs[0][0] == 1
        return runs([(view.path, number, text) for number, text in pairs], "cat", every)
    stretches = [(view.start, view.count), *((start, count) for start, count in view.more)]
    shown: list[Shown] = []
    at = 0
    for start, count in stretches:
        piece = lines[at : at + count] if count is not None else lines[at:]
        at += len(piece)
        if not piece:
            break
        every = whole and start == 1 and not view.more and (count is None or len(piece) < count)
        shown.append(Shown(view.path, start, tuple(piece), "cat", whole=every))
    return shown if at == len(lines) else []


def _view(words: list[str], call: Call) -> View | None:
    """What a first stage prints of one file, None when it is not a plain view of one."""
    name = words[0]
    files = [w for w in words[1:] if not w.startswith("-") or w == "-"]
    flags = [w for w in words[1:] if w.startswith("-") and w != "-"]
    if name in ("cat", "nl", "bat", "batcat", "less", "more"):
        files, flags, lines_range = _bat_range(words[1:]) if name.startswith("bat") else (files, flags, None)
        path = _path(files, call)
        if path is None:
            return None
        letters = {c for f in flags if not f.startswith("--") for c in f[1:]}
        if name == "cat" and (letters - {"n"} or [f for f in flags if f.startswith("--") and f != "--number"]):
            return None
        if name == "nl" and not ("ba" in " ".join(flags) or "--body-numbering=a" in flags):
            return None
        view = View(path, numbered=name == "nl" or ("n" in letters and name == "cat") or "--number" in flags)
        return replace(view, start=lines_range[0], count=lines_range[1]) if lines_range else view
    if name in ("head", "tail", "sed", "gsed", "awk", "gawk"):
        operands = _operands(words)
        path = _path(operands[-1:], call) if len(operands) == (2 if name.endswith(("sed", "awk")) else 1) else None
        return _narrow(View(path), words) if path is not None else None
    return None


def _bat_range(words: list[str]) -> tuple[list[str], list[str], tuple[int, int] | None]:
    files: list[str] = []
    span: tuple[int, int] | None = None
    at = 0
    while at < len(words):
        word = words[at]
        value = word.partition("=")[2]
        if word in ("-r", "--line-range", "--style", "-l", "--paging", "--color", "--theme") and at + 1 < len(words):
            value, at = words[at + 1], at + 1
        if word.startswith(("-r", "--line-range")):
            match = re.fullmatch(r"(\d+):(\d+)", value)
            span = (int(match[1]), int(match[2]) - int(match[1]) + 1) if match else (0, 0)
        elif not word.startswith("-"):
            files.append(word)
        at += 1
    return ([] if span == (0, 0) else files), [], span


def _operands(words: list[str]) -> list[str]:
    out, at = [], 1
    while at < len(words):
        if words[at] in ("-n", "-c", "--lines", "--bytes") and words[0] in ("head", "tail"):
            at += 2
            continue
        if words[at] in ("-e", "--expression") and at + 1 < len(words):
            out.append(words[at + 1])
            at += 2
            continue
        if not words[at].startswith("-"):
            out.append(words[at])
        at += 1
    return out


def _path(files: list[str], call: Call) -> str | None:
    if len(files) != 1 or UNKNOWN in files[0] or files[0] == "-" or any(c in files[0] for c in "*?"):
        return None
    return absolute(Word(files[0]), call.cwd)


def _narrow(view: View, words: list[str]) -> View | None:
    """The view after one more stage; None when the stage changes lines or their place is lost."""
    name = words[0] if words else ""
    if name == "cat" and len(words) == 1:
        return view
    if name == "cat" and words[1:] == ["-n"] and view == View(view.path):
        return replace(view, numbered=True)
    if name in ("head", "tail") and any(w.startswith(("-c", "--bytes")) for w in words):
        return None
    if name == "head":
        count = _count(words, 10)
        if count is None or view.more or count.startswith(("-", "+")):
            return replace(view, count=view.count or 10**9) if view.numbered else None
        wanted = int(count)
        return replace(view, count=wanted if view.count is None else min(view.count, wanted))
    if name == "tail":
        return _tail(view, words)
    if name in ("sed", "gsed"):
        return _sed_print(view, words)
    if name in ("awk", "gawk"):
        return _awk_print(view, words)
    if name in ("sort", "uniq", "less", "more") and view.numbered and len(words) == 1:
        return view if name in ("less", "more") else None
    return None


def _count(words: list[str], default: int) -> str | None:
    for at, word in enumerate(words[1:], 1):
        for flag in ("-n", "--lines"):
            if word == flag:
                value = words[at + 1] if at + 1 < len(words) else ""
                return value if re.fullmatch(r"[-+]?\d{1,9}", value) else None
            if word.startswith(flag) and len(word) > len(flag):
                value = word[len(flag) :].lstrip("=")
                return value if re.fullmatch(r"[-+]?\d{1,9}", value) else None
        if re.fullmatch(r"-\d{1,9}", word):
            return word[1:]
        if re.fullmatch(r"\+\d{1,9}", word):
            return word
    return str(default)


def _tail(view: View, words: list[str]) -> View | None:
    count = _count(words, 10)
    if count is None or view.more:
        return None
    if count.startswith("+"):
        skip = max(int(count[1:]) - 1, 0)
        left = None if view.count is None else max(view.count - skip, 0)
        return replace(view, start=view.start + skip, count=left)
    # The last lines of a view have a known place only when each carries its number.
    return replace(view, count=view.count or 10**9) if view.numbered else None


def _sed_print(view: View, words: list[str]) -> View | None:
    """``sed -n 'a,bp'`` with line numbers only, one or several."""
    operands = _operands(words)
    quiet = any(w in ("-n", "--quiet", "--silent", "-nE", "-En") for w in words[1:])
    if not operands or view.more or view.count is not None:
        return None
    if not quiet:
        match = re.fullmatch(r"(\d{1,9})q", operands[0].strip())
        return replace(view, count=int(match[1])) if match else None
    spans: list[tuple[int, int | None]] = []
    for part in re.split(r"[;\n]", operands[0]):
        match = re.fullmatch(r"\s*(\d{1,9})\s*(?:,\s*(\+?\d{1,9}|\$))?\s*p\s*(?:;?\s*\d*q)?", part)
        if match is None:
            if part.strip() and not re.fullmatch(r"\s*\d+q\s*", part):
                return replace(view, count=10**9) if view.numbered else None
            continue
        first = int(match[1])
        if match[2] == "$":
            spans.append((first, None))
        elif match[2] and match[2].startswith("+"):
            spans.append((first, int(match[2][1:]) + 1))
        else:
            spans.append((first, max(int(match[2] or first) - first, 0) + 1))
    counts = [c for _, c in spans]
    ordered = all(c is not None and s + c <= n for (s, c), (n, _) in pairwise(spans))
    if not spans or spans[0][0] < 1 or not ordered or None in counts[:-1]:
        return None
    if view.start != 1:
        spans = [(s + view.start - 1, c) for s, c in spans]
    more = tuple((s, c if c is not None else 10**9) for s, c in spans[1:])
    return replace(view, start=spans[0][0], count=spans[0][1], more=more)


def _awk_print(view: View, words: list[str]) -> View | None:
    operands = _operands(words)
    if len(words) > 3 or not operands or view != View(view.path, numbered=view.numbered):
        return None
    pattern = operands[0].replace(" ", "").removesuffix("{print}").removesuffix("{print$0}")
    match = re.fullmatch(r"NR(>=|>|==)(\d{1,9})(?:&&|,)NR(<=|<|==)(\d{1,9})", pattern)
    if match is None:
        return None
    first = int(match[2]) + (match[1] == ">")
    last = int(match[4]) - (match[3] == "<")
    return replace(view, start=first, count=max(last - first + 1, 0))


def _grep_in_view(words: list[str], view: View, lines: list[str]) -> list[Shown]:
    """``cat FILE | grep -n X``: numbers count from the start of the view."""
    flags = letters_of(words)
    if view.numbered and not flags & set("clLoqnZb"):
        return _show(replace(view, count=10**9), [line for line in lines if line != "--"], whole=False)
    if "n" not in flags or flags & set("clLoqZb") or view.more:
        return []
    rows = numbered_rows("\n".join(lines), "", view.path)
    return runs([(path, number + view.start - 1, text) for path, number, text in rows], "search")

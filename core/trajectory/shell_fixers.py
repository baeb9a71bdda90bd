"""Trajectory, shell, part 5: programs that rewrite files by their own rules (formatters, fixing linters).

In: the words of a call behind its wrappers. Out: the paths it may rewrite. What they write is not in the
transcript, so their writes are opaque (METHOD 4); replay tries them first when a change has no author.
"""

from __future__ import annotations

import posixpath
import re

from core.trajectory.shell_words import names, program_name

# Always rewrite, unless one of these flags asks for a report only.
_FORMATTERS: dict[str, tuple[str, ...]] = {
    "black": ("--check", "--diff", "-c", "--code"),
    "isort": ("--check", "--check-only", "-c", "--diff"),
    "rustfmt": ("--check",),
    "gofumpt": ("-l", "-d"),
    "docformatter": ("--check",),
    "pyupgrade": (),
    "ktlint": (),
    "taplo": ("--check",),
}
# Rewrite only when one of these flags is given.
_FIXING: dict[str, tuple[str, ...]] = {
    "ruff": ("--fix", "--fix-only", "--unsafe-fixes"),
    "autopep8": ("-i", "--in-place"),
    "yapf": ("-i", "--in-place"),
    "autoflake": ("-i", "--in-place"),
    "gofmt": ("-w",),
    "goimports": ("-w",),
    "gofumpt": ("-w",),
    "golangci-lint": ("--fix",),
    "prettier": ("--write", "-w"),
    "eslint": ("--fix",),
    "standard": ("--fix",),
    "xo": ("--fix",),
    "oxlint": ("--fix",),
    "stylelint": ("--fix",),
    "markdownlint": ("--fix", "-f"),
    "markdownlint-cli2": ("--fix",),
    "rubocop": ("-a", "-A", "--autocorrect", "--autocorrect-all"),
    "clang-format": ("-i",),
    "shfmt": ("-w",),
    "biome": ("--write", "--apply", "--apply-unsafe", "--fix"),
    "djlint": ("--reformat",),
    "sqlfluff": ("fix",),
    "ktlint": ("-F", "--format"),
}
_VERBS: dict[str, tuple[str, ...]] = {
    "ruff": ("format",),
    "golangci-lint": ("fmt",),
    "go": ("fmt", "generate", "mod", "get", "fix"),
    "cargo": ("fmt", "fix", "add", "remove", "update"),
    "dprint": ("fmt",),
    "deno": ("fmt",),
    "terraform": ("fmt",),
    "zig": ("fmt",),
    "mix": ("format",),
    "dart": ("format",),
    "swift": ("format",),
    "buf": ("format",),
    "pre-commit": ("run",),
    "npm": ("install", "i", "add", "uninstall", "remove", "update", "version"),
    "pnpm": ("install", "i", "add", "remove", "update"),
    "yarn": ("install", "add", "remove", "upgrade"),
    "bun": ("install", "add", "remove", "update"),
    "poetry": ("add", "remove", "update", "lock"),
    "uv": ("add", "remove", "lock", "sync"),
}
_REPORT_ONLY = ("--check", "--diff", "-d", "--dry-run", "--list-different")
FIXER = "fixer"
"""First of the ``args`` of an opaque write by a program named here."""
# ruff and black, biome, prettier
_UNCHANGED = re.compile(
    r"^(?:(\d{1,6}) files? left unchanged\.?|Checked (\d{1,6}) files? in .{1,20}\. No fixes applied\.|"
    r".{1,300} \d+ms \(unchanged\))$",
    re.MULTILINE,
)
_CHANGED = re.compile(r"\b(?:reformatted|fixed|rewritten|wrote|error)\b", re.IGNORECASE)
_TASKS = names("fmt format fix autofix lint-fix prettier format-all reformat")
_TASK_RUNNERS = names("make gmake mise just task npm pnpm yarn bun invoke inv rake poe nox tox hatch")


def fixer_paths(words: list[str]) -> list[str] | None:
    """The paths named to a program that rewrites files; []: anywhere; None: it rewrites nothing."""
    name, rest = program_name(words[0]), words[1:]
    plain = [w for w in rest if not w.startswith("-")]
    flags = {w.split("=")[0] for w in rest if w.startswith("-") and not w.endswith(("=false", "=0"))}
    if name in _TASK_RUNNERS and _is_fixing_task(plain):
        return []
    if name in _VERBS and plain[:1] and plain[0] in _VERBS[name]:
        if flags & set(_REPORT_ONLY):
            return None
        packages = name in ("npm", "pnpm", "yarn", "bun", "poetry", "uv", "go", "cargo", "pre-commit")
        return [] if packages else _files(plain[1:])
    if name in _FIXING and (flags & set(_FIXING[name]) or (name == "sqlfluff" and plain[:1] == ["fix"])):
        verb = plain[:1] in (["check"], ["run"], ["lint"], ["fix"], ["format"])
        return _files(plain[1:] if verb else plain)
    if name in _FORMATTERS and not flags & set(_FORMATTERS[name]):
        return _files(plain)
    return None


def left_alone(files: int, output: str) -> bool:
    """Whether programs that were to rewrite ``files`` files say that they changed none of them.

    One file may also stand for all that a single program found.
    """
    if _CHANGED.search(output):
        return False
    told = [int(count or 1) for found in _UNCHANGED.finditer(output) for count in [found[1] or found[2]]]
    return sum(told) == files or (files == len(told) == 1)


def _is_fixing_task(plain: list[str]) -> bool:
    tasks = [w for w in plain if w not in ("run", "run-script")][:2]
    return any(part in _TASKS for task in tasks for part in task.replace(":", "-").replace("_", "-").split("-"))


def _files(plain: list[str]) -> list[str]:
    """Files only: a folder or ``...`` may mean anything below it, so it counts as anywhere."""
    folders = [p for p in plain if p in (".", "./...") or p.endswith(("/", "...")) or "." not in posixpath.basename(p)]
    return [] if folders else plain

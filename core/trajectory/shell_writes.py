"""Trajectory, shell, part 4: the changes of files that a pipeline makes, as the command line alone states them.

In: a ``Pipeline``. Out: ``Write`` values in the order they happen (METHOD 4). What a command line does not say
(a fixing linter, an unknown file name, a condition) is an ``opaque`` write; path "" means anywhere. A path may
hold ``*``, ``?``, ``[`` or ``**``: replay matches it against the files there are.

``Write.args`` more: sed starts with flags ``-E`` and ``-n`` given; delete ``-r``; move and copy
``-n`` (keep what is there), ``into`` (the target is final, not a folder), ``>`` (a redirect: made even from nothing);
opaque ``mkdir``, ``fixer``; git ``apply`` also stands for ``patch < FILE``, ``show`` for ``git show REV:PATH > T``.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, replace
from itertools import pairwise

from core.trajectory.patches import patch_writes_or_doubt
from core.trajectory.shell_diff import diff_writes
from core.trajectory.shell_fixers import FIXER, fixer_paths
from core.trajectory.shell_literals import Call, Pipeline, absolute, literal_stdout
from core.trajectory.shell_python import python_writes
from core.trajectory.shell_runs import UNKNOWN, is_python, script_of, texts_of, unwrap
from core.trajectory.shell_sed import sed_words
from core.trajectory.shell_words import Word, names, program_name
from core.trajectory.steps import Write, WriteOp

_GIT_WRITES = names(
    "mv rm checkout switch restore stash reset apply am cherry-pick revert merge rebase pull commit clean add"
)
_GIT_VALUED = frozenset({"-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"})
_DOWNLOADS = {"curl": ("-o", "--output"), "wget": ("-O", "--output-document")}
_ANYWHERE = names("tar unzip rsync ed ex patch-package codemod jscodeshift comby 2to3 pyupgrade")


@dataclass(frozen=True, slots=True)
class _Program:
    """A call behind its wrappers: its words, folder and what is on its input (None = unknown)."""

    words: list[str]
    cwd: str | None
    stdin: str | None
    before: tuple[Call, ...]
    input_file: str = ""  # the file its input is read from

    def path(self, text: str) -> str | None:
        """``text`` as an absolute path, None when it cannot be known."""
        return None if UNKNOWN in text else absolute(Word(text), self.cwd)


def pipeline_writes(pipeline: Pipeline) -> list[Write]:
    """The writes of one pipeline; those of a call that only a condition runs are opaque."""
    writes: list[Write] = []
    piped: str | None = None
    for at, call in enumerate(pipeline.calls):
        given = call.stdin if call.heredoc else piped if at else _input_file(call)
        words, contained = unwrap(texts_of(call.words))
        # Asked is whether any call stands before and, if it is the only one, which: no copies of a long pipe.
        before = pipeline.calls[: min(at, 2)]
        program = _Program(words, call.cwd, given, before, _input_path(call, before))
        found = [] if contained else _program_writes(program)
        piped = literal_stdout(call, given)
        found.extend(_redirect_writes(call, piped, program))
        if any(r.op in (">", ">>", ">|", "&>", "&>>") and r.fd in ("", "1") for r in call.redirects):
            piped = ""
        if not (call.sure and pipeline.sure):
            found = [_opaque(w.target or w.path) for w in found]
        writes.extend(found)
    return [w for w in writes if not w.path.startswith("/dev/") and not w.target.startswith("/dev/")]


def _input_file(call: Call) -> str | None:
    return None if any(r.op == "<" for r in call.redirects) else ""


def _input_path(call: Call, before: tuple[Call, ...]) -> str:
    """The file of ``< FILE`` or ``cat FILE |``, "" when the input is not one known file."""
    given = next((absolute(r.target, call.cwd) for r in call.redirects if r.op == "<"), None)
    if given is None and len(before) == 1 and before[0].name == "cat" and len(before[0].words) == 2:
        given = absolute(before[0].words[1], before[0].cwd)
    return given or ""


def _opaque(path: str | None, *args: str) -> Write:
    return Write(path or "", "opaque", args=args)


def _redirect_writes(call: Call, text: str | None, program: _Program) -> list[Write]:
    writes: list[Write] = []
    for redirect in call.redirects:
        if redirect.op not in (">", ">>", ">|", "&>", "&>>", ">&"):
            continue
        if redirect.op == ">&" and (redirect.target.text.isdigit() or redirect.target.text == "-"):
            continue
        path = absolute(redirect.target, call.cwd)
        standard = redirect.fd in ("", "1")
        if path is None or not standard or text is None:
            writes.extend(_derived(program, path, redirect.op) if standard else [_opaque(path)])
        else:
            writes.append(Write(path, "append" if ">>" in redirect.op else "put", new=text))
    return writes


def _derived(program: _Program, path: str | None, op: str) -> list[Write]:
    """``cat A > B`` copies, ``sed SCRIPT A > B`` copies and edits; anything else leaves B opaque."""
    words = program.words
    if path is None or ">>" in op or program.before:
        return [_opaque(path)]
    if words[:1] == ["cat"] and len(words) == 2 and not words[1].startswith("-"):
        source = program.path(words[1])
        return [Write(source, "copy", target=path, args=("into", ">"))] if source else [_opaque(path)]
    if words[:1] == ["sed"]:
        parsed = sed_words(words[1:])
        if parsed is not None and not parsed.in_place and len(parsed.files) == 1:
            source = program.path(parsed.files[0])
            if source and source != path:
                copied = Write(source, "copy", target=path, args=("into", ">"))
                return [copied, Write(path, "sed", args=parsed.scripts)]
    if words[:2] == ["git", "show"] and len(words) == 3 and ":" in words[2] and program.cwd:
        return [Write(program.cwd, "git", target=path, args=("show", words[2]))]
    return [_opaque(path)]


def _program_writes(program: _Program) -> list[Write]:
    words = program.words
    if not words or words[0] == UNKNOWN:
        return []
    name = program_name(words[0])
    if is_python(words):
        script = script_of(words, program.stdin)
        return python_writes(script, program.cwd) if script else []
    handler = _HANDLERS.get(name)
    if handler is not None:
        return handler(program)
    if name in _DOWNLOADS:
        return [_opaque(program.path(b)) for a, b in pairwise(words) if a in _DOWNLOADS[name]]
    fixed = fixer_paths(words)
    if fixed is not None:
        return [_opaque(program.path(p), FIXER) for p in fixed] or [_opaque("", FIXER)]
    return [_opaque("")] if name in _ANYWHERE and not (name == "tar" and "t" in "".join(words[1:2])) else []


def _plain(words: list[str], takes: str = "") -> tuple[list[str], list[str], dict[str, str]]:
    """(operands, flags, values of the options in ``takes``) of GNU-style words."""
    operands: list[str] = []
    flags: list[str] = []
    values: dict[str, str] = {}
    at = 0
    while at < len(words):
        word = words[at]
        if word == "--":
            operands.extend(words[at + 1 :])
            break
        if word.startswith("-") and len(word) > 1:
            flags.append(word)
            if word in takes.split() and at + 1 < len(words):
                values[word] = words[at + 1]
                at += 1
        else:
            operands.append(word)
        at += 1
    return operands, flags, values


def _short(flags: list[str], letter: str) -> bool:
    return any(letter in f[1:] for f in flags if not f.startswith("--"))


def _tee(program: _Program) -> list[Write]:
    files, flags, _ = _plain(program.words[1:])
    append = _short(flags, "a") or "--append" in flags
    op: WriteOp = "append" if append else "put"
    writes = []
    for file in files:
        path = program.path(file)
        literal = path is not None and program.stdin is not None
        writes.append(Write(path or "", op, new=program.stdin or "") if literal else _opaque(path))
    return writes


def _move(program: _Program) -> list[Write]:
    op: WriteOp = "move" if program.words[0].endswith("mv") else "copy"
    operands, flags, values = _plain(program.words[1:], "-t --target-directory -S --suffix")
    folder = values.get("-t", values.get("--target-directory", ""))
    sources, target = (operands, folder) if folder else (operands[:-1], operands[-1] if operands else "")
    where = program.path(target)
    into = bool(folder) or len(sources) > 1 or target.endswith(("/", "/.")) or target in (".", "..")
    kept = ("-n",) if _short(flags, "n") or "--no-clobber" in flags else ()
    writes = []
    for source in sources:
        path = program.path(source)
        if path is None or where is None:
            writes.append(_opaque(where or ("" if op == "copy" else path)))
            continue
        name = posixpath.basename(path)
        end = posixpath.join(where, name) if into and not any(c in name for c in "*?[") else where
        writes.append(Write(path, op, target=end, args=kept if end != where or not into else (*kept, "into")))
    return writes


def _remove(program: _Program) -> list[Write]:
    operands, flags, _ = _plain(program.words[1:])
    recursive = ("-r",) if _short(flags, "r") or _short(flags, "R") or "--recursive" in flags else ()
    paths = [program.path(operand) for operand in operands]
    return [Write(p, "delete", args=recursive) if p and p != "/" else _opaque(p) for p in paths]


def _mkdir(program: _Program) -> list[Write]:
    operands, _, _ = _plain(program.words[1:], "-m")
    return [_opaque(p, "mkdir") for o in operands for p in [program.path(o)] if p]


def _touch(program: _Program) -> list[Write]:
    operands, _, _ = _plain(program.words[1:], "-d -t -r")
    return [Write(p, "append") for o in operands for p in [program.path(o)] if p]


def _truncate(program: _Program) -> list[Write]:
    operands, _, values = _plain(program.words[1:], "-s --size")
    empty = values.get("-s", values.get("--size")) == "0" or "-s0" in program.words
    paths = [program.path(o) for o in operands]
    return [Write(p, "put") if p and empty else _opaque(p) for p in paths]


def _sed(program: _Program) -> list[Write]:
    words = program.words[1:]
    parsed = sed_words(words)
    if parsed is None:
        in_place = any(w.startswith(("-i", "--in-place")) for w in words)
        files = [p for w in words[1:] if not w.startswith("-") for p in [program.path(w)] if p]
        return [_opaque(files[-1] if files else "")] if in_place else []
    if not parsed.in_place:
        return []
    writes = []
    for file in parsed.files:
        path = program.path(file)
        if path is None:
            writes.append(_opaque(""))
            continue
        if parsed.suffix:
            writes.append(Write(path, "copy", target=path + parsed.suffix))
        writes.append(Write(path, "sed", args=parsed.scripts))
    return writes


def _perl(program: _Program) -> list[Write]:
    operands, flags, _ = _plain(program.words[1:], "-e -pe -ne -pie -0pe -i")
    if not any("i" in f[1:].split("e")[0] for f in flags if not f.startswith("--")):
        return []
    files = [o for o in operands if "/" in o or "." in o or "*" in o]
    scripted = any(f.endswith("e") for f in flags)
    return [_opaque(program.path(f)) for f in (files if scripted else [])] or [_opaque("")]


def _git(program: _Program) -> list[Write]:
    rest, cwd = program.words[1:], program.cwd
    while rest and rest[0].startswith("-"):
        if rest[0] == "-C" and len(rest) > 1:
            cwd = absolute(Word(rest[1], UNKNOWN not in rest[1]), cwd)
            rest = rest[2:]
        else:
            rest = rest[2:] if rest[0] in _GIT_VALUED else rest[1:]
    if not rest or rest[0] not in _GIT_WRITES:
        return []
    if cwd is None:
        return [_opaque("")]
    if rest[0] == "apply" and program.stdin and not _plain(rest[1:], "-p --directory")[0]:
        return diff_writes(program.stdin, cwd, 1)
    given = (program.input_file,) if rest[0] == "apply" and program.input_file else ()
    return [Write(cwd, "git", args=(*rest, *given))]


def _gh(program: _Program) -> list[Write]:
    if program.words[1:3] == ["pr", "checkout"] and program.cwd:
        return [Write(program.cwd, "git", args=("pull",))]
    return []


def _patch(program: _Program) -> list[Write]:
    operands, flags, values = _plain(program.words[1:], "-i --input -p -d")
    level = values.get("-p", next((f[2:] for f in flags if f.startswith("-p") and len(f) > 2), ""))
    cwd = program.path(values["-d"]) if "-d" in values else program.cwd
    if cwd is None or "--dry-run" in flags:
        return [] if "--dry-run" in flags else [_opaque("")]
    file = values.get("-i", values.get("--input", operands[1] if len(operands) > 1 else ""))
    if not file and program.stdin:
        return diff_writes(program.stdin, cwd, int(level) if level.isdigit() else None)
    file = file or program.input_file
    if not file:
        return [_opaque("")]
    turn = ("-R",) if _short(flags, "R") or "--reverse" in flags else ()
    return [Write(cwd, "git", args=("apply", f"-p{level or 1}", *turn, file))]


def _apply_patch(program: _Program) -> list[Write]:
    text = program.stdin if program.stdin else program.words[1] if len(program.words) == 2 else None
    if text is None or text == UNKNOWN or program.cwd is None:
        return [_opaque("")]
    return list(patch_writes_or_doubt(text, program.cwd))


def _find(program: _Program) -> list[Write]:
    """``find ... -exec COMMAND {} ;`` and ``-delete``, on a path pattern where the tests are names only."""
    words = program.words[1:]
    pattern = _find_pattern(words, program)
    if "-delete" in words:
        return [Write(pattern, "delete") if pattern else _opaque("")]
    writes: list[Write] = []
    for flag in ("-exec", "-execdir", "-ok"):
        if flag in words:
            body = words[words.index(flag) + 1 :]
            body = body[: next((i for i, w in enumerate(body) if w in (";", "+")), len(body))]
            writes.extend(_on_found(program, body, pattern))
    return writes


def _find_pattern(words: list[str], program: _Program) -> str | None:
    roots, name, at = [], "*", 0
    while at < len(words) and not words[at].startswith(("-", "(", "!")):
        roots.append(words[at])
        at += 1
    while at < len(words) and words[at] not in ("-exec", "-execdir", "-ok", "-delete", "-print", "-print0"):
        if words[at] == "-name" and at + 1 < len(words):
            name = words[at + 1]
        elif words[at] != "-type":
            return None
        at += 2
    root = program.path(roots[0]) if len(roots) == 1 else program.path(".") if not roots else None
    return None if root is None or UNKNOWN in name else posixpath.join(root, "**", name)


def _xargs(program: _Program) -> list[Write]:
    _, _, _ = _plain(program.words[1:])
    words = program.words[1:]
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in ("-I", "-n", "-P", "-L", "-d", "-s") else 1
    body = words[at:]
    first = program.before[0] if program.before else None
    pattern: str | None = None
    if first is not None and first.name == "find" and len(program.before) == 1:
        pattern = _find_pattern(texts_of(first.words)[1:], program)
    elif program.stdin is not None and body:
        files = program.stdin.split()
        return _program_writes(replace(program, words=[*(w for w in body if w != "{}"), *files], stdin=None))
    return _on_found(program, body, pattern)


def _on_found(program: _Program, body: list[str], pattern: str | None) -> list[Write]:
    """A command run on files that a search found: on the pattern when there is one, else anywhere."""
    words, _ = unwrap(body)
    placeholder = pattern or "/\ue011"
    words = [w for w in words if w != "{}"] + [placeholder]
    inner = replace(program, words=words, stdin=None, before=())
    found = _program_writes(inner) if words[0] not in ("xargs", "find") else []
    return found if pattern else [_opaque("") for _ in found[:1]]


_HANDLERS = {
    "tee": _tee,
    "mv": _move,
    "cp": _move,
    "gcp": _move,
    "rm": _remove,
    "unlink": _remove,
    "mkdir": _mkdir,
    "touch": _touch,
    "truncate": _truncate,
    "sed": _sed,
    "gsed": _sed,
    "perl": _perl,
    "git": _git,
    "gh": _gh,
    "patch": _patch,
    "apply_patch": _apply_patch,
    "applypatch": _apply_patch,
    "find": _find,
    "xargs": _xargs,
}

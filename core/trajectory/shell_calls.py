"""Trajectory, shell, part 2: a command line becomes the pipelines it runs, in order.

In: the text of a command and its working folder. Out: ``Pipeline`` values whose calls have expanded words,
their own folder (``cd`` is followed), literal standard input where there is one, and their redirects.
Lists, subshells, groups, loops over known words, ``bash -c`` and here-documents are read; nothing is run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from core.trajectory.shell_heredoc import Heredoc, lift_heredocs
from core.trajectory.shell_literals import Call, Pipeline, Redirect, absolute, literal_output
from core.trajectory.shell_words import Environment, Word, expand, expand_one, node_text

MAX_CALLS = 2000  # loops in loops stop here
# Text for the grammar, here-documents aside: its error recovery is quadratic, and real commands stay below 3,000.
MAX_GRAMMAR = 16_000
MAX_DEPTH = 60

_LANGUAGE = Language(tree_sitter_bash.language())
# The grammar's scanner looks characters up in a table of 384 entries without a check: far ones end the process.
_UNSAFE = re.compile("[\U00020000-\U0010ffff]")
_SIMPLE = {"command", "test_command", "declaration_command", "unset_command"}
_APPENDING = {">": ">>", ">|": ">>", "&>": "&>>"}


@dataclass(slots=True)
class _Stage:
    """One stage of a pipeline as the grammar has it: its node and the redirects hung around it."""

    node: Node
    redirects: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class _Reader:
    pipelines: list[Pipeline] = field(default_factory=list)
    made: int = 0
    depth: int = 0
    visible: bool = True
    redirects: tuple[Redirect, ...] = ()  # of the groups around what is being read
    heredocs: dict[str, Heredoc] = field(default_factory=dict)


def read_pipelines(command: str, cwd: str) -> tuple[tuple[Pipeline, ...], bool]:
    """The pipelines of ``command`` in the order they run, and whether the grammar understood all of it."""
    return _read(command, Environment(cwd or None), _Reader())


def _read(command: str, env: Environment, reader: _Reader) -> tuple[tuple[Pipeline, ...], bool]:
    command, heredocs = lift_heredocs(command)
    kept, reader.heredocs = reader.heredocs, {**reader.heredocs, **heredocs}
    if len(command) > MAX_GRAMMAR:
        return tuple(reader.pipelines), False
    safe = _UNSAFE.sub("\ufffd", command)
    tree = Parser(_LANGUAGE).parse(safe.encode("utf-8", "replace"))
    env.substitute = lambda node, inner: _substitution(node, inner, reader)
    for child in tree.root_node.named_children:
        _statement(child, env, reader, True)
    reader.heredocs = kept
    return tuple(reader.pipelines), safe == command and not tree.root_node.has_error


def _statement(node: Node, env: Environment, reader: _Reader, sure: bool) -> None:
    """Reads one statement: appends its pipelines, moves ``env`` on."""
    if reader.depth > MAX_DEPTH or reader.made > MAX_CALLS:
        return
    reader.depth += 1
    try:
        _dispatch(node, env, reader, sure)
    finally:
        reader.depth -= 1


def _dispatch(node: Node, env: Environment, reader: _Reader, sure: bool) -> None:
    kind = node.type
    if kind in _SIMPLE or kind in ("list", "redirected_statement", "pipeline"):
        _chain(node, env, reader, sure)
    elif kind == "variable_assignment":
        _assign(node, env)
    elif kind == "variable_assignments":
        for child in node.named_children:
            _assign(child, env)
    elif kind == "subshell":
        _block(node, env.copy(), reader, sure)
    elif kind in ("compound_statement", "program", "do_group", "ERROR") or kind == "negated_command":
        _block(node, env, reader, sure)
    elif kind == "for_statement":
        _for(node, env, reader, sure)
    elif kind in ("while_statement", "c_style_for_statement", "if_statement", "case_statement"):
        _conditional(node, env, reader, sure)


def _block(node: Node, env: Environment, reader: _Reader, sure: bool) -> None:
    for child in node.named_children:
        _statement(child, env, reader, sure)


def _chain(node: Node, env: Environment, reader: _Reader, sure: bool) -> None:
    """``a && b`` runs b when a worked; ``a || b`` normally does not; an existence test on the left decides nothing."""
    conditional = False
    items = _flatten(node)
    for operator, stages in items:
        first = stages[0].node
        conditional = conditional or operator == "||"
        _pipeline(stages, env, reader, sure and not conditional)
        if len(stages) == 1 and first.type == "test_command" and not _exists_test(first):
            conditional = True


def _exists_test(node: Node) -> bool:
    words = node_text(node).split()
    return any(flag in words for flag in ("-e", "-f", "-d")) and "!" not in words


def _for(node: Node, env: Environment, reader: _Reader, sure: bool) -> None:
    name = node.child_by_field_name("variable")
    body = node.child_by_field_name("body")
    if name is None or body is None:
        return
    values = [word for child in node.children_by_field_name("value") for word in expand(child, env)]
    for word in values or [Word("", False)]:
        env.variables[node_text(name)] = word.text if word.known else None
        env.globs = env.globs | {node_text(name)} if word.glob else env.globs - {node_text(name)}
        _statement(body, env, reader, sure)


def _conditional(node: Node, env: Environment, reader: _Reader, sure: bool) -> None:
    """Conditions run; bodies may run: their variables become unknown afterwards."""
    before = dict(env.variables)
    condition = node.child_by_field_name("condition")
    certain = False
    if condition is not None:
        _statement(condition, env, reader, sure)
        certain = node.type == "if_statement" and condition.type == "test_command" and _exists_test(condition)
    for child in node.named_children:
        if condition is not None and child.start_byte == condition.start_byte and child.end_byte == condition.end_byte:
            continue
        if child.type in ("else_clause", "elif_clause", "case_item"):
            for inner in child.named_children:
                _statement(inner, env, reader, False)
        else:
            _statement(child, env, reader, sure and certain)
    for name, value in env.variables.items():
        if before.get(name, "\0") != value:
            env.variables[name] = None


def _assign(node: Node, env: Environment) -> None:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None:
        return
    word = expand_one(value, env) if value is not None and value.type != "array" else Word("", value is None)
    plain = name.type == "variable_name" and "+=" not in node_text(node)[: len(node_text(name)) + 2]
    env.variables[node_text(name)] = word.text if word.known and plain else None


def _flatten(node: Node) -> list[tuple[str, list[_Stage]]]:
    """The pipelines of a list with the operator before each: one shape for the several the grammar has."""
    items: list[tuple[str, list[_Stage]]] = []
    lefts: list[Node] = []
    while node.type == "list" and node.named_child_count >= 2:  # left-deep lists may hold thousands of parts
        lefts.append(node)
        node = node.named_children[0]
    items.extend(_flatten_part(node))
    for parent in reversed(lefts):
        operator = next((c.type for c in parent.children if c.type in ("&&", "||")), "&&")
        for right in parent.named_children[1:]:
            items.extend(_after(operator, _flatten(right)))
    return items


def _after(operator: str, items: list[tuple[str, list[_Stage]]]) -> list[tuple[str, list[_Stage]]]:
    return [(operator, items[0][1]), *items[1:]] if items else []


def _flatten_part(node: Node) -> list[tuple[str, list[_Stage]]]:
    if node.type == "pipeline":
        stages: list[_Stage] = []
        rest: list[tuple[str, list[_Stage]]] = []
        for child in node.named_children:
            items = _flatten(child)
            stages.extend(items[0][1])
            rest.extend(items[1:])
        return [("", stages), *rest]
    if node.type != "redirected_statement":
        return [("", [_Stage(node)])]
    body = node.child_by_field_name("body")
    items = _flatten(body) if body is not None else [("", [_Stage(node)])]
    stage = items[-1][1][-1]
    stage.redirects.extend(node.children_by_field_name("redirect"))
    return items


def _pipeline(stages: list[_Stage], env: Environment, reader: _Reader, sure: bool) -> None:
    alone = len(stages) == 1
    if alone and stages[0].node.type not in _SIMPLE and stages[0].node.type != "redirected_statement":
        _grouped(stages[0], env, reader, sure, piped=False)
        return
    calls: list[Call] = []
    for at, stage in enumerate(stages):
        inner = env if alone else env.copy()
        if stage.node.type in _SIMPLE or stage.node.type == "redirected_statement":
            calls.append(_call(stage, inner, reader, sure))
        else:
            _grouped(stage, inner, reader, sure, piped=at < len(stages) - 1)
            calls.append(Call((Word("", False),), env.cwd, sure=sure))
    reader.made += len(calls)
    calls[-1] = replace(calls[-1], redirects=calls[-1].redirects + reader.redirects)
    reader.pipelines.append(Pipeline(tuple(calls), sure, reader.visible))
    if alone:
        _effect(calls[0], env)


def _grouped(stage: _Stage, env: Environment, reader: _Reader, sure: bool, piped: bool) -> None:
    """A subshell, group, loop or condition, perhaps with redirects or a pipe behind it."""
    kept = reader.visible, reader.redirects
    outer = tuple(r for node in stage.redirects for r in _redirect(node, env))
    if any(r.op in (">", "&>", ">|") for r in outer):
        # The file is emptied once, then each call in the group appends to it.
        call = Call((Word("true"),), env.cwd, outer, sure=sure)
        reader.pipelines.append(Pipeline((call,), sure, False))
    reader.redirects = tuple(replace(r, op=_APPENDING.get(r.op, r.op)) for r in outer) + reader.redirects
    reader.visible = reader.visible and not piped
    _statement(stage.node, env, reader, sure)
    reader.visible, reader.redirects = kept


def _call(stage: _Stage, env: Environment, reader: _Reader, sure: bool) -> Call:
    words: list[Word] = []
    stdin: str | None = None
    heredoc = False
    node = stage.node
    if node.type == "test_command":
        words = [Word("[")]
    elif node.type in ("declaration_command", "unset_command"):
        words = [Word("export")]
        for child in node.named_children:
            if child.type == "variable_assignment":
                _assign(child, env)
    elif node.type == "command":
        inline: list[Node] = []
        for child in node.children:
            if child.type == "variable_assignment":
                continue
            if child.type in ("file_redirect", "heredoc_redirect", "herestring_redirect"):
                inline.append(child)
            elif child.is_named:
                words.extend(expand(child, env))
        stage.redirects[:0] = inline
    redirects: list[Redirect] = []
    for redirect in stage.redirects:
        lifted = reader.heredocs.get(_destination(redirect))
        if lifted is not None:
            heredoc, stdin = True, lifted.text(env.known())
        elif redirect.type == "herestring_redirect":
            word = expand_one(redirect.named_children[-1], env) if redirect.named_children else Word("", False)
            heredoc, stdin = True, word.text + "\n" if word.known else None
        else:
            redirects.extend(_redirect(redirect, env))
        # Words after a redirect's target are arguments, which the grammar takes for more targets.
        for extra in redirect.children_by_field_name("destination")[1:]:
            words.extend(expand(extra, env))
    call = Call(tuple(words), env.cwd, tuple(redirects), stdin, heredoc, sure)
    return _nested(call, env, reader)


def _destination(node: Node) -> str:
    target = node.child_by_field_name("destination")
    return node_text(target) if target is not None else ""


def _redirect(node: Node, env: Environment) -> list[Redirect]:
    if node.type != "file_redirect":
        return []
    fd = node.child_by_field_name("descriptor")
    target = node.child_by_field_name("destination")
    operator = next((c.type for c in node.children if not c.is_named), ">")
    words = expand(target, env) if target is not None else []
    return [Redirect(node_text(fd) if fd is not None else "", operator, words[0] if words else Word("", False))]


def _nested(call: Call, env: Environment, reader: _Reader) -> Call:
    """``bash -c TEXT``, ``eval TEXT`` and a script on a shell's input are read in place."""
    words = call.words
    text: str | None = None
    if call.name in ("bash", "sh", "zsh", "dash"):
        flags = [
            i for i, w in enumerate(words[1:], 1) if w.text.startswith("-") and "c" in w.text and w.text[1:2] != "-"
        ]
        if flags and len(words) > flags[0] + 1 and words[flags[0] + 1].known:
            text = words[flags[0] + 1].text
        elif call.heredoc and all(w.text.startswith("-") for w in words[1:]):
            text = call.stdin
    elif call.name == "eval" and all(w.known for w in words[1:]):
        text = " ".join(w.text for w in words[1:])
    if text is None or reader.depth > MAX_DEPTH:
        return call
    kept = reader.redirects, reader.depth
    reader.redirects, reader.depth = (), reader.depth + 10
    inner = env if call.name == "eval" else env.copy()
    _read(text, inner, reader)
    env.substitute = lambda node, inner: _substitution(node, inner, reader)
    reader.redirects, reader.depth = kept
    return replace(call, words=(Word("true"),), stdin=None, heredoc=False)


def _substitution(node: Node, env: Environment, reader: _Reader) -> str | None:
    """The literal text a ``$(...)`` stands for, trailing newlines cut; its own effects are noted."""
    if reader.depth > MAX_DEPTH or reader.made > MAX_CALLS:
        return None
    kept, first = reader.visible, len(reader.pipelines)
    reader.visible, reader.depth = False, reader.depth + 1
    inner = env.copy()
    for child in node.named_children:
        _statement(child, inner, reader, True)
    reader.visible, reader.depth = kept, reader.depth - 1
    texts = [literal_output(p) for p in reader.pipelines[first:]]
    if not texts or any(text is None for text in texts):
        return None
    return "".join(text for text in texts if text is not None).rstrip("\n")


def _effect(call: Call, env: Environment) -> None:
    """What a call does to the shell itself: ``cd`` and friends."""
    if call.name in ("cd", "pushd", "chdir"):
        targets = [w for w in call.words[1:] if w.text == "-" or not w.text.startswith("-")]
        before = env.cwd
        if not targets:
            env.cwd = "/~" if call.name == "cd" else None
        elif targets[0].text == "-" and targets[0].known:
            env.cwd = env.previous
        else:
            env.cwd = absolute(targets[0], env.cwd)
        env.previous = before
    elif call.name == "popd":
        env.cwd, env.previous = env.previous, env.cwd

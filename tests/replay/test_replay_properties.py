"""Replay of generated runs against a plain dict that is changed by the same script."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from core.replay.replay import replay
from core.replay.world import History
from core.trajectory.steps import Step
from tests.replay.runs import CWD, NONE, base, edit, put, read, run, shell

NAMES = ["a.py", "b.txt", "pkg/c.py"]
LINE = st.sampled_from(["one", "two", "  three", "x = 1", "}", "", "# note"])
TEXT = st.lists(LINE, min_size=1, max_size=8).map(lambda lines: "\n".join(lines) + "\n")
ACTION = st.tuples(
    st.integers(0, 8), st.sampled_from(NAMES), st.sampled_from(NAMES), TEXT, st.integers(0, 9), st.integers(1, 4)
)


def act(files: dict[str, str], action: tuple[int, str, str, str, int, int]) -> list[Step]:
    """The steps of one action; ``files`` is changed as the real files would be."""
    kind, name, other, text, at, count = action
    held = files.get(name)
    lines = held.split("\n")[:-1] if held else []
    if kind == 0:
        files[name] = text
        return [put(name, text)]
    if kind == 1 and lines:
        old, new = lines[at % len(lines)], text.split("\n")[0] + "!"
        if not old or held is None:
            return []
        files[name] = held.replace(old, new, 1)
        return [edit(name, old, new)]
    if kind == 2 and held:
        return [read(name, held)]
    if kind == 3 and lines:
        start = at % len(lines)
        return [read(name, "\n".join(lines[start : start + count]), start=start + 1, whole=False)]
    if kind == 4:
        files[name] = (held or "") + text
        return [shell(f"cat >> {name} <<'END'\n{text}END\n")]
    if kind == 5 and held is not None and name != other:
        files[other] = held
        return [shell(f"cp {name} {other}")]
    if kind == 6 and held is not None and name != other:
        files[other] = files.pop(name)
        return [shell(f"mv {name} {other}")]
    if kind == 7 and held is not None:
        del files[name]
        return [shell(f"rm {name}")]
    if kind == 8 and held is not None:
        files[name] = held.replace("one", "ONE")
        return [shell(f"sed -i 's/one/ONE/g' {name}")]
    return []


@settings(max_examples=100, deadline=None)
@given(st.lists(TEXT, min_size=3, max_size=3), st.lists(ACTION, max_size=25))
def test_states_equal_a_plain_simulation(texts: list[str], actions: list[tuple[int, str, str, str, int, int]]) -> None:
    first = dict(zip(NAMES, texts, strict=True))
    files, steps, states = dict(first), [], [dict(first)]
    for action in actions:
        for step in act(files, action):
            steps.append(step)
            states.append(dict(files))
    result = replay(run(*steps), base(first))
    for clock in ("t", "known_at"):
        history = History(result, clock)  # type: ignore[arg-type]
        for t, held in enumerate(states):
            assert {p: history.text(p, t) for p in history.paths(t)} == held
    assert result.fidelity in (None, 1.0)
    assert all(o.verdict == "equal" for o in result.observations)
    assert (result.unapplied, result.opaque) == ((), ())
    assert all(w.before != w.after and not w.opaque and w.t == w.known_at for w in result.writes)
    assert [w.t for w in result.writes] == sorted(w.t for w in result.writes)
    for sight in result.sights:
        lines = (History(result).text(sight.path, sight.t) or "").split("\n")
        assert tuple(lines[sight.start - 1 : sight.end]) == sight.lines


@settings(max_examples=100, deadline=None)
@given(st.lists(TEXT, min_size=3, max_size=3), st.lists(ACTION, max_size=20))
def test_without_a_base_the_run_itself_is_enough(
    texts: list[str], actions: list[tuple[int, str, str, str, int, int]]
) -> None:
    files = dict(zip(NAMES, texts, strict=True))
    steps = [read(name, text) for name, text in files.items()]
    for action in actions:
        steps += act(files, action)
    result = replay(run(*steps), NONE)
    history = History(result)
    assert {p: history.text(p, len(steps)) for p in history.paths(len(steps))} == files
    assert result.fidelity in (None, 1.0)


@settings(max_examples=100, deadline=None)
@given(st.lists(ACTION, max_size=12), TEXT, TEXT)
def test_a_change_from_outside_is_seen_once_and_believed(
    actions: list[tuple[int, str, str, str, int, int]], before: str, after: str
) -> None:
    files = dict.fromkeys(NAMES, before)
    steps: list[Step] = [read("a.py", before)]
    for action in actions:
        steps += act(files, action)
    files["a.py"] = after
    steps += [read("a.py", after), read("a.py", after)]
    result = replay(run(*steps), base(dict.fromkeys(NAMES, before)))
    last = [o for o in result.observations if o.t == len(steps)]
    assert all(o.equal == o.compared for o in last)
    assert History(result).text("a.py", len(steps)) == after
    assert all(w.t <= w.known_at for w in result.writes)
    chain: dict[str, str | None] = {}
    for write in result.writes:
        if not write.opaque:
            assert chain.get(write.path, write.before) == write.before
            chain[write.path] = write.after


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.text(max_size=60))
def test_hostile_commands_and_outputs_are_survived(command: str, output: str) -> None:
    steps = (shell(command, output), shell(f"cat a.py; {command}", output), shell(f"{command} > a.py", output))
    result = replay(run(*steps, cwd=CWD), base({"a.py": "x\n"}))
    assert all(not w.path.startswith("/") and ".." not in w.path.split("/") for w in result.writes)

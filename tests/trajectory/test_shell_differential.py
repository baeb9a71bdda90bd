"""Shell: what a command is read to write equals what bash really writes.

The commands are generated here, of harmless words, and run in an empty folder; no transcript is involved.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.replay.base import Base, folder_files
from core.replay.replay import replay
from core.replay.world import History
from core.trajectory.shell import read_command
from core.trajectory.steps import Step, Trajectory

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="needs bash")

FILES = ["a.txt", "b.txt", "c d.txt", "sub/e.txt", "sub/f.py"]
TEXTS = [
    "",
    "one\n",
    "alpha\nbeta\ngamma\n",
    "no end",
    "x = 1\n\n\ty = 'q'\n",
    '$HOME `x` \\n "q"\n',
    "# héllo\n  indented\n",
]
name = st.sampled_from(
    ["a.txt", "b.txt", "'c d.txt'", "sub/e.txt", "sub/f.py", "new.txt", "sub/new.py", "./a.txt", '"b.txt"']
)
word = st.sampled_from(
    [
        "one",
        "'two words'",
        '"q $V q"',
        "$V",
        "\\$x",
        "a\\ b",
        "'$V'",
        "${V}s",
        "-n",
        "it\\'s",
        "é",
        '"a\\"b\\\\c"',
        "'\\n'",
    ]
)
body_line = st.sampled_from(
    [
        "",
        "  lead",
        "plain",
        "\ttab",
        "$V here",
        "back\\\\slash",
        "\\$esc",
        "quote ' \" q",
        "EO",
        "# c",
        "end\\",
        "é ü",
        " ",
    ]
)


WHOLE = [
    "mv sub moved",
    "cp -r sub copied",
    "rm -rf sub",
    "mkdir -p sub2 && cp a.txt sub2",
    "mv a.txt sub",
    "cp a.txt b.txt sub/",
    "rm -f *.txt",
    "cp *.txt sub",
    "for f in a.txt b.txt; do echo x >> $f; done",
    "for f in *.txt; do sed -i 's/a/b/' \"$f\"; done",
    "(cd sub && echo in > inner.txt)",
    "cd sub && echo in > inner.txt && cd ..",
    "find . -name '*.py' -exec sed -i 's/x/y/' {} +",
    "{ echo a; echo b; } > a.txt",
    "W=a; echo $W > $W.txt",
    "bash -c 'echo deep > a.txt'",
    "python3 - <<'PY'\np = 'a.txt'\nopen(p, 'w').write('from python\\n')\nPY",
    "python3 -c \"open('a.txt', 'a').write('more')\"",
    "cat <<A > a.txt; echo after > b.txt\nbody\nA\n",
    "cat <<A | tee a.txt b.txt >/dev/null && echo after > new.txt\nbody\nA\n",
]


@st.composite
def echo(draw: st.DrawFn) -> str:
    flag = draw(st.sampled_from(["", "-n ", "-e "]))
    return f"echo {flag}" + " ".join(draw(st.lists(word.filter(lambda w: w != "-n"), min_size=1, max_size=3)))


@st.composite
def heredoc(draw: st.DrawFn) -> str:
    quote = draw(st.sampled_from(["'EOF'", "EOF", '"EOF"', "\\EOF"]))
    dash = draw(st.sampled_from(["", "-"]))
    lines = draw(st.lists(body_line, max_size=5))
    target = draw(st.sampled_from(["> {}", ">> {}", "| tee {} > /dev/null", "| tee -a {} > /dev/null"])).format(
        draw(name)
    )
    before = draw(st.booleans())
    head = f"cat {target} <<{dash}{quote}" if before and target.startswith(">") else f"cat <<{dash}{quote} {target}"
    return head + "\n" + "".join(line + "\n" for line in lines) + "EOF\n"


@st.composite
def simple(draw: st.DrawFn) -> str:
    kind = draw(st.integers(0, 9))
    a, b = draw(name), draw(name)
    if kind == 0:
        return f"{draw(echo())} {draw(st.sampled_from(['>', '>>']))} {a}"
    if kind == 1:
        form = draw(st.sampled_from(["hi", "x\\ny\\n", "%s\\n", "%s-%s\\n", "100%%\\n", "\\ttab %s"]))
        return f"printf '{form}' {draw(word)} > {a}"
    if kind == 2:
        return f"cp {a} {b}"
    if kind == 3:
        return f"mv {a} {b}"
    if kind == 4:
        return f"rm -f {a}"
    if kind == 5:
        script = draw(
            st.sampled_from(
                [
                    "s/a/b/",
                    "s/a/b/g",
                    "1d",
                    "$d",
                    "2a added",
                    "1i\\\n first",
                    "/beta/d",
                    "s/^/# /",
                    "2,3s/m/M/g",
                    "s|one|two|",
                ]
            )
        )
        return f"sed -i '{script}' {a}"
    if kind == 6:
        return f"{draw(echo())} | tee {draw(st.sampled_from(['', '-a ']))}{a} {b} > /dev/null"
    if kind == 7:
        return f"cat {a} > {b}" if a.strip("'\"./") != b.strip("'\"./") else f": > {a}"
    if kind == 8:
        return f"touch {a}"
    return draw(st.sampled_from(WHOLE))


@st.composite
def commands(draw: st.DrawFn) -> str:
    parts = draw(st.lists(st.one_of(simple(), heredoc()), min_size=1, max_size=4))
    text = "V=val\n"
    for part in parts:
        text += part if part.endswith("\n") else part + draw(st.sampled_from(["\n", "; ", "\n\n"]))
    return text


def contents(root: Path) -> dict[str, str]:
    return {p.relative_to(root).as_posix(): p.read_text() for p in root.rglob("*") if p.is_file()}


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(command=commands(), texts=st.lists(st.sampled_from(TEXTS), min_size=5, max_size=5))
def test_read_writes_equal_those_of_bash(
    tmp_path_factory: pytest.TempPathFactory, command: str, texts: list[str]
) -> None:
    root = tmp_path_factory.mktemp("r")
    (root / "sub").mkdir()
    for path, text in zip(FILES, texts, strict=True):
        (root / path).write_text(text)
    base = Base("folder", "folder", dict(folder_files(root)))
    done = subprocess.run([str(BASH), "-c", command], cwd=root, capture_output=True, timeout=20, check=False)
    cwd = "/home/dev/repo"
    action = read_command(command, cwd, (done.stdout + done.stderr).decode(), False)
    assert not any(w.op == "opaque" and w.args != ("mkdir",) for w in action.writes), action.writes
    step = Step(1, "run", "assistant", "Bash", "", "", cwd=cwd, command=command, writes=action.writes)
    run = Trajectory("r", "r", "test", "", (), cwd, "", "", "", "", (step,))
    result = replay(run, base)
    history = History(result)
    held = {p: t for p in history.paths(1) if (t := history.text(p, 1)) is not None}
    assert held == contents(root)

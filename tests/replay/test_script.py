"""Edit scripts worked out without running them: hand-worked cases, and what makes a script not known."""

from __future__ import annotations

import time
from typing import Literal

import pytest

from core.replay.replay import replay
from core.replay.script.run import Outcome, run_script
from tests.replay.runs import CWD, NONE, base, put, read, run, shell
from tests.replay.test_replay import text

FILES = {"/r/a.py": "import os\n\ndef f():\n    return 1\n\n\ndef g():\n    return 2\n", "/r/crlf": "x\r\ny\r\n"}


def reader(path: str) -> str | Literal[False] | None:
    return None if path == "/r/unknown" else FILES.get(path, False)


def outcome(source: str) -> Outcome | None:
    return run_script(source, "/r", reader)


def files(source: str) -> dict[str, str | None]:
    found = outcome(source)
    assert found is not None, source
    return dict(found.files)


def test_lines_are_inserted_cut_and_joined() -> None:
    source = (
        "with open('a.py') as f:\n    lines = f.readlines()\n"
        "for i, line in enumerate(lines):\n    if line.strip().startswith('def g'):\n"
        "        del lines[i:i + 2]\n        lines.insert(i, 'G = 3\\n')\n        break\n"
        "open('a.py', 'w').writelines(lines)\n"
    )
    assert files(source) == {"/r/a.py": "import os\n\ndef f():\n    return 1\n\n\nG = 3\n"}


def test_expressions_are_substituted() -> None:
    source = (
        "import re\ns = open('a.py').read()\n"
        "m = re.search(r'def f\\(\\):\\n(.*?)\\n\\n', s, re.DOTALL)\n"
        "s = s.replace(m.group(1), m.group(1).replace('1', '11'))\n"
        "s = re.sub(r'^def (\\w+)', r'async def \\1', s, flags=re.M)\n"
        "with open('a.py', 'w') as f:\n    f.write(s)\n"
    )
    assert files(source)["/r/a.py"] == FILES["/r/a.py"].replace("return 1", "return 11").replace("def", "async def")


def test_functions_paths_and_conditions() -> None:
    source = (
        "from pathlib import Path\nimport sys\n"
        "def main(name, old, new='Y'):\n    p = Path('.') / name\n    t = p.read_text()\n"
        "    if old not in t:\n        print('not found')\n        sys.exit(1)\n"
        "    p.write_text('\\n'.join(x for x in t.split('\\n') if x) + f'{new!r}{len(t)}')\n    print('done', name)\n"
        "if __name__ == '__main__':\n    main('a.py', 'return 1')\n    main('a.py', 'absent')\n"
    )
    found = outcome(source)
    assert found is not None
    assert dict(found.files)["/r/a.py"] == "import os\ndef f():\n    return 1\ndef g():\n    return 2'Y'57"
    assert (found.good, found.raised, found.printed) == (False, False, ("done a.py", "not found"))


def test_what_a_raising_script_wrote_before_stays() -> None:
    found = outcome("open('b', 'w').write('x')\nassert 'y' in open('a.py').read().upper()\nopen('c', 'w')")
    assert found == Outcome((("/r/b", "x"),), False, True, ())
    assert files("try:\n    open('no').read()\nexcept OSError:\n    open('b', 'w').write('caught')") == {
        "/r/b": "caught"
    }


def test_line_ends_are_those_of_text_mode() -> None:
    assert files("s = open('crlf').read()\nopen('crlf', 'w').write(s)") == {"/r/crlf": "x\ny\n"}
    assert files("s = open('crlf', newline='').read()\nopen('crlf', 'w', newline='').write(s)") == {
        "/r/crlf": "x\r\ny\r\n"
    }


def test_open_truncates_before_its_argument_is_read() -> None:
    assert files("open('a.py', 'w').write(open('a.py').read())") == {"/r/a.py": ""}
    assert files(
        "with open('a.py', 'r+') as f:\n    t = f.read()\n    f.seek(0)\n    f.write('x')\n    f.truncate()"
    ) == {"/r/a.py": "x"}


@pytest.mark.parametrize(
    "source",
    [
        "open('unknown', 'a').write(open('unknown').read())",
        "import subprocess\nsubprocess.run(['x'])",
        "import sys\nopen(sys.argv[1], 'w').write('x')",
        "open('b', 'wb').write(b'x')",
        "print(().__class__.__bases__[0].__subclasses__())",
        "'{0.__class__}'.format(1)",
        "getattr(str, 'upper')('x')",
        "__import__('os').system('x')",
        "eval('1')",
        'exec(\'open("b", "w")\')',
        "open.__globals__",
        "(lambda: 0).__code__",
        "class A:\n    pass",
        "import time\nopen('b', 'w').write(str(time.time()))",
        "for p in set(['a', 'b']):\n    open('b', 'w').write(p)",
        "x = 1.5",
        "async def f():\n    pass",
        "break",
        "x = 3.5 if 1else 2",  # Python warns of it; the tests take a warning for an error
        "return 1",
        "def broken(:",
        "print(vars())",
        "from os.path import *\nopen('b', 'w').write(sep)",
        "'{0.real}'.format(1)",
        "f'{1.5:.2f}'",
        "f'{1:+d}'",
        "def f(**k):\n    pass",
        "L = [[1]]\nL.append(L)\nimport json\njson.dumps(L)",
        "import json\njson.dumps({1: 2})",
        "import os\nos.makedirs('x')",
        "import re\nre.search(r'(?<=a|bb)c', 'c')",
        "L = ['b', 'a']\nL.sort(key=lambda x: L.append(x) or x)",
        "try:\n    1 // 0\nexcept ZeroDivisionError as e:\n    open('b', 'w').write(str(e))",
    ],
)
def test_what_is_not_known_stays_unknown(source: str) -> None:
    assert outcome(source) is None


@pytest.mark.parametrize(
    "source",
    [
        "while True:\n    pass",
        "x = 'x' * 10 ** 9",
        "x = 'x'\nwhile True:\n    x = x + x",
        "x = 'x' * 1000\nfor i in range(10 ** 12):\n    x = x.replace('x', 'xxxxxxxxxx')",
        "x = [1]\nwhile True:\n    x += x",
        "x = [0] * 10 ** 9",
        "list(range(10 ** 12))",
        "x = 7\nwhile True:\n    x = x * x",
        "x = 1 << 10 ** 10",
        "def f(n):\n    return f(n + 1)\nf(0)",
        "f = lambda g: g(g)\nf(f)",
        "x = []\nfor i in range(100):\n    x = [x, x]\nprint(x == x, str(x))\nopen('b', 'w').write(str(x))",
        "x = " + "(" * 5000 + ")" * 5000,
        "x = " + "+".join(["1"] * 20_000),
        "x = " + "[" * 180 + "]" * 180 + "\nopen('b', 'w').write(str(x))",
        "import re\nre.sub('(a+)+$', '', 'a' * 60 + 'b')",
        "import re\nre.search('(a|a)*$', 'a' * 100 + 'b')",
        "import re\nre.search('(.*)(.*)(.*)(.*)(.*)[xz]', 'y' * 1000)",
        "import re\nre.compile('(' * 2000 + ')' * 2000)",
        "import re\nre.search('(?:a{1,60000}){1,60000}[bc]', 'a' * 100000)",
        "'x'.ljust(10 ** 10)",
        "'\\t'.expandtabs(10 ** 10)",
        "f'{1:999999999}'",
        "' '.join(['x' * 4000000] * 4000000)",
        "x = [1]\nfor y in x:\n    x.append(y)",
        "any(True for x in range(10 ** 9) for y in range(10 ** 9) if False)",
        "for i in range(10 ** 6):\n    open(str(i), 'w').write('x' * 3000000)",
        "sorted(['a' * 3000000 + str(i) for i in range(1000)])",
    ],
)
def test_hostile_scripts_end_quickly(source: str) -> None:
    began = time.process_time()
    outcome(source)
    assert time.process_time() - began < 5
    assert outcome(source) is None


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("x = missing", None),
        ("def f():\n    print(x)\n    x = 2\nx = 1\nf()", None),
        ("def f():\n    global x\n    x = x + 1\nx = 1\nf()\nopen('b', 'w').write(str(x))", "2"),
        ("try:\n    y\nexcept NameError:\n    open('b', 'w').write('caught')", "caught"),
        ("from __future__ import annotations\nopen('b', 'w').write('x')", "x"),
        ("a, *b, c = 'vwxyz'\nopen('b', 'w').write('-'.join([a, *b]) + c)", "v-w-x-yz"),
        ("def f(a, *b, c='q', d):\n    return a + ''.join(b) + c + d\nopen('b', 'w').write(f('1', '2', '3', d='4'))",
         "123q4"),
        ("open('b', 'w').write('{} {name!r:>5}{{}} {1}'.format('x', name='y'))", None),
        ("open('b', 'w').write('{0} {name!r:>5}{{}} {1:03d}'.format('x', 7, name='y'))", "x   'y'{} 007"),
        ("L = ['bb', 'a', 'cc']\nL.sort(key=len, reverse=True)\nopen('b', 'w').write(max(L, key=len) + ','.join(L))",
         "bbbb,cc,a"),
        ("import json\nd = json.load(open('j'))\nd['b']['x'] = [1, None]\ndel d['a']\n"
         "with open('j', 'w') as f:\n    json.dump(d, f, indent=2)\n    f.write('\\n')\n"
         "open('b', 'w').write('k')", "k"),
        ("import re\nopen('b', 'w').write(re.sub(r'(?<=f)\\(\\)', '(x)', open('a.py').read())[11:19])", "def f(x)"),
        ("import re\nopen('b', 'w').write('|'.join(re.split(r'(,)\\s*', 'a, b,c', maxsplit=1)))", "a|,|b,c"),
        ("import os\nos.makedirs('new/er', exist_ok=True)\nopen('b', 'w').write(os.path.splitext('x.tar.gz')[0])",
         "x.tar"),
        ("import textwrap\nopen('b', 'w').write(textwrap.indent('a\\n\\nb\\n', '  '))", "  a\n\n  b\n"),
    ],
)  # fmt: skip
def test_what_edit_scripts_are_made_of(source: str, written: str | None) -> None:
    found = run_script(source, "/r", lambda path: '{"a": 1.50, "b": {}}' if path == "/r/j" else reader(path))
    if written is None:  # Python would raise
        assert found is None or found.raised
        return
    assert found is not None
    assert dict(found.files)["/r/b"] == written
    if "json" in source:
        assert dict(found.files)["/r/j"] == '{\n  "b": {\n    "x": [\n      1,\n      null\n    ]\n  }\n}\n'


def test_an_expression_without_the_text_it_needs_is_not_tried_everywhere() -> None:
    held = "\n" * 300_000 + "    else:\n"
    source = (
        "import re\ns = open('big').read()\n"
        "open('big', 'w').write(re.sub(r'(\\s*)elif x:\\n(\\s*)raise', 'y', s, flags=re.M) + '!')\n"
    )
    found = run_script(source, "/r", lambda path: held if path == "/r/big" else False)
    assert found is not None
    assert found.files == (("/r/big", held + "!"),)


def test_replay_works_a_script_out_on_the_state() -> None:
    script = (
        "L = open('a').read().split('\\n')\nL[1] = L[1].upper()\nopen('a', 'w').write('\\n'.join(L))\nprint('ok')\n"
    )
    steps = (shell(f"cat > /tmp/f.py <<'E'\n{script}E\n"), shell("python /tmp/f.py", "ok\n"), read("a", "x\nY\n"))
    result = replay(run(*steps), base({"a": "x\ny\n"}))
    assert [(w.t, w.path, w.after, w.opaque) for w in result.writes] == [(2, "a", "x\nY\n", False)]
    assert (result.fidelity, result.opaque) == (1.0, ())
    inline = replay(run(shell(f"python - <<'E'\n{script}E\n", "ok\n")), base({"a": "x\ny\n"}))
    assert text(inline, "a", 1) == "x\nY\n"


@pytest.mark.parametrize(
    ("output", "failed", "opaque"),
    [
        ("ok\n", False, False),
        ("something else\n", False, True),  # what it should have printed is not there
        ("Traceback (most recent call last):\n", True, True),
        ("ok\nthen something else failed\n", True, False),
    ],
)
def test_a_script_the_transcript_speaks_against_is_not_believed(output: str, failed: bool, opaque: bool) -> None:
    script = "L = open('a').readlines()\nL.insert(0, 'new\\n')\nopen('a', 'w').writelines(L)\nprint('ok')\n"
    steps = (put("f.py", script), shell("python f.py && make", output, failed))
    result = replay(run(*steps), base({"a": "x\n"}))
    assert [w.opaque for w in result.writes if w.path == "a"] == [opaque]


def test_a_script_over_an_uncertain_text_leaves_it_uncertain() -> None:
    script = "L = open('a.py').readlines()\nL.insert(0, 'new\\n')\nopen('a.py', 'w').writelines(L)\n"
    steps = (shell("black a.py"), shell(f"python - <<'E'\n{script}E\n"))
    result = replay(run(*steps), base({"a.py": "x\n"}))
    assert result.opaque == (("a.py", 1, None),)


def test_a_shell_script_the_run_wrote_and_runs_is_read_for_its_writes() -> None:
    steps = (put("fix.sh", "#!/bin/bash\nsed -i 's/x/y/' a\necho z >> a\n"), shell("chmod +x fix.sh && ./fix.sh"))
    assert text(replay(run(*steps), base({"a": "x\n"})), "a", 2) == "y\nz\n"


def test_a_checkout_forgets_what_was_known_of_a_file_in_part() -> None:
    steps = (
        read("a", "one\ntwo\n", 10),
        shell("sed -i 10d a"),
        read("a", "two\nthree\n", 10),
        shell("git checkout a", "Updated 1 path from the index\n"),
        read("a", "one\ntwo\n", 10),
        read("b", "x\n", 4),
        shell("git checkout a"),
        read("b", "x\n", 4),
    )
    result = replay(run(*steps), NONE)
    assert [(o.t, o.path, o.equal, o.compared) for o in result.observations] == [(8, "b", 1, 1)]


def test_a_patch_that_failed_half_way_leaves_its_files_unknown() -> None:
    said = "patching file a\nHunk #1 FAILED at 1.\npatching file s/b\n"
    action = shell("patch -p1 < /tmp/x.diff", said, True)
    assert [(w.op, w.path) for w in action.writes] == [("opaque", f"{CWD}/a"), ("opaque", f"{CWD}/s/b")]
    assert shell("patch -p1 < /tmp/x.diff", "can't find file\n", True).writes == ()

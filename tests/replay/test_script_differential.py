"""The interpreter of edit scripts against Python itself, and its expressions against ``re``.

The scripts are made here from the forms agents use, never taken from a transcript; Python runs them in a temporary
folder. Whenever the interpreter says it knows, it must say what Python did; the forms made here it must know.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.replay.script.meter import Meter, NotKnown, Raised
from core.replay.script.patterns import expanded
from core.replay.script.regex import compile_regex
from core.replay.script.run import run_script

WORDS = st.sampled_from(["a", "b", "ab", "  x", "def f():", "    return 1", "", "é", "a.b", "\\"])
TEXTS = st.lists(WORDS, max_size=8).map(lambda words: "\n".join(words) + ("\n" if len(words) % 2 else ""))
INDEX = st.integers(-3, 6)
PATTERNS = st.lists(
    st.sampled_from(
        ["a", "b", r"\s", r"\w", ".", "[ab]", "[^a]", r"\n", r"\b", "^", "$", "(a)", "(b|a)", "(?:ab|a)", "a*", "b+?",
         ".*?", ".*", r"\s*", "(?=a)", "(?!b)", "(a|b)+", "(?:a|bb)*?", "(ab)?", "a{1,2}", r"\Z", r"(\s+)x",
         "ab", "(?<=a)b", "(?<!b)a", "(?<=ab)"]
    ),
    min_size=1, max_size=5,
).map("".join)  # fmt: skip


def line(template: str, *parts: st.SearchStrategy[object]) -> st.SearchStrategy[str]:
    return st.tuples(*parts).map(lambda values: template.format(*(repr(value) for value in values)))


STATEMENTS = st.one_of(
    line("s = s.replace({}, {})", WORDS, WORDS),
    line("s = s.replace({}, {}, 1)", WORDS, WORDS),
    line("s = s[{}:{}] + {} + s[{}:]", INDEX, INDEX, WORDS, INDEX),
    line("L.insert({}, {})", INDEX, WORDS),
    line("L[{}:{}] = [{}, {}]", INDEX, INDEX, WORDS, WORDS),
    line("del L[{}:{}]", INDEX, INDEX),
    line("L[{}] = {}", INDEX, WORDS),
    line("L = [x.strip() for x in L if {} in x or x.startswith({})]", WORDS, WORDS),
    line("L = s.split({} or ' ')", WORDS),
    line("s = {}.join(L)", WORDS),
    line("for i, x in enumerate(L):\n    if {} in x:\n        L[i] = x + {}\n        break\nelse:\n    L.append({})",
         WORDS, WORDS, WORDS),
    line("for i, x in enumerate(L):\n    if x == {}:\n        L.insert(i + 1, {})\n        break", WORDS, WORDS),
    line("i = 0\nwhile i < len(L) and {} not in L[i]:\n    i += 1\nL.append(f'{{i:>3}}|{{len(s)}}')", WORDS),
    line("i = s.find({})\nif i >= 0:\n    s = s[:i] + {} + s[i:]", WORDS, WORDS),
    line("assert {} in s", WORDS),
    line("n = next((i for i, x in enumerate(L) if x.startswith({})), None)\nif n is not None:\n    L.pop(n)", WORDS),
    line("s = re.sub({}, {}, s)", PATTERNS, st.sampled_from(["", "X", r"<\g<0>>", r"\\", r"\n"])),
    line("m = re.search({}, s, re.S)\nif m:\n    s = s[:m.start()] + 'M' + s[m.end():] + str(m.groups())", PATTERNS),
    line("L = [re.sub({}, lambda m: m.group(0).upper(), x, count=1) for x in L]", PATTERNS),
    line("a, _, b = s.partition({} or 'q')\ns = b + a", WORDS),
    line("L.sort(key=lambda x: (len(x), x.count({})))", WORDS),
    line("L = sorted(L, key=len, reverse=True) + [max([{}, *L], key=len), min(L, key=str.lower, default='none')]",
         WORDS),
    line("a, *b = L or [{}]\ns = a + '+'.join(b)", WORDS),
    line("s = '{{0}}|{{1:>4}}|{{x!r}}{{{{}}}}'.format({}, len(L), x={})", WORDS, WORDS),
    line("t = {}\ns = f'{{len(L):04d}}{{s[:9]!r:*<14}}{{t:^7}}'", WORDS),
    line("d = dict(zip(L, range(len(L))))\nd.update({{{}: 7}}, k=1)\ns = json.dumps(d, indent=2, sort_keys=True)",
         WORDS),
    line("L = json.loads(json.dumps([L, {{'k': {}}}, None, True]))[0]", WORDS),
    line("def g(x, *more, sep={}, last):\n    return x + sep.join(more) + last\ns = g(s, *L, last={})", WORDS, WORDS),
    line("if {} in s:\n    L.append(nowhere)", WORDS),
    line("L += re.split({}, s, maxsplit=2)\nL = [x for x in L if x is not None]", PATTERNS),
    line("s = textwrap.indent(s, {}) + chr(ord('a') + len(L) % 9)", WORDS),
    line("L = list(map(str.strip, L)) + [os.path.splitext({})[0]]", WORDS),
    line("def h():\n    if {} in s:\n        t = 'set'\n    return t\n"
         "try:\n    s = h()\nexcept UnboundLocalError:\n    s += '?'", WORDS),
    st.just("L = open('a').readlines()"),
    st.just("L = s.splitlines(keepends=True)"),
    st.just("L += [str(len(L)), '%s-%d' % (len(s), len(L))]"),
    st.just("L = sorted(L, reverse=True)"),
    st.just("L[0], L[-1] = L[-1], L[0]"),
    st.just("with open('b', 'a') as f:\n    for x in L:\n        f.write(x)\n    f.writelines(L)"),
    st.just("print('at', len(s), len(L))"),
    st.just("try:\n    L.remove('ab')\nexcept ValueError:\n    s += '!'"),
    st.just("def f(x, y='q'):\n    if x:\n        return x[0] + y\n    return y\ns = f(s) + f(L, y='r')"),
)  # fmt: skip
SCRIPTS = st.lists(STATEMENTS, min_size=1, max_size=7).map(
    lambda body: "\n".join(
        ["import json, os, re, textwrap", "s = open('a').read()", "L = s.split('\\n')", *body,
         "with open('a', 'w') as f:", "    f.write(s)",
         "from pathlib import Path", "Path('c').write_text('\\n'.join(L))", ""]
    )
)  # fmt: skip


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(SCRIPTS, min_size=8, max_size=8), TEXTS)
def test_scripts_do_what_python_does(tmp_path: Path, scripts: list[str], text: str) -> None:
    # One process runs several scripts: starting Python is what costs.
    driver = (
        "import io, os, sys, contextlib\n"
        "for n, source in enumerate(eval(sys.stdin.read())):\n"
        "    os.makedirs(str(n), exist_ok=True)\n    os.chdir(str(n))\n"
        "    for name in os.listdir('.'):\n        os.remove(name)\n"
        "    open('a', 'w', encoding='utf-8').write(TEXT)\n    out = io.StringIO()\n    good = True\n"
        "    with contextlib.redirect_stdout(out):\n        try:\n            exec(source, {'__name__': '__main__'})\n"
        "        except Exception:\n            good = False\n"
        "    left = {name: open(name, encoding='utf-8').read() for name in sorted(os.listdir('.'))}\n"
        "    print(repr((left, good, out.getvalue())))\n    os.chdir('..')\n"
    ).replace("TEXT", repr(text))
    ran = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", driver],
        input=repr(scripts), capture_output=True, text=True, cwd=tmp_path, timeout=60, check=True, encoding="utf-8",
    )  # fmt: skip
    for source, said in zip(scripts, ran.stdout.splitlines(), strict=True):
        left, good, printed = eval(said)
        found = run_script(source, "/r", lambda path: text if path == "/r/a" else False)
        assert found is not None, source
        ours = {"a": text, **{path.removeprefix("/r/"): body for path, body in found.files}}
        assert (ours, found.good, "".join(x + "\n" for x in found.printed)) == (left, good, printed), source


@settings(max_examples=400, deadline=None)
@given(PATTERNS, st.text(alphabet="ab x\n", max_size=12), st.sampled_from([0, re.M, re.S, re.I, re.M | re.S]))
def test_expressions_match_as_in_python(pattern: str, text: str, flags: int) -> None:
    wanted = [(m.span(), m.groups()) for m in re.finditer(pattern, text, flags)]
    matches = list(compile_regex(pattern, flags).all(text, Meter()))
    assert [(m.span(), tuple(m.group(n) for n in range(1, m.groups + 1))) for m in matches] == wanted
    whole = compile_regex(pattern, flags).find(text, 0, Meter(), "fullmatch")
    expected = re.fullmatch(pattern, text, flags)
    assert (whole.span() if whole else None) == (expected.span() if expected else None)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="\\ng<>01w2 x", max_size=8))
def test_templates_expand_as_in_python(template: str) -> None:
    match = re.search("(a)(?P<w>b)?", "xa")
    found = compile_regex("(a)(?P<w>b)?", 0).find("xa", 0, Meter())
    assert match is not None
    assert found is not None
    try:
        wanted: str | None = match.expand(template)
    except (re.error, IndexError):
        wanted = None
    try:
        assert expanded(template, found) == wanted
    except Raised:
        assert wanted is None
    except NotKnown:
        pass

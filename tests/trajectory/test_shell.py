"""A shell command becomes what it read, searched, ran and wrote: hand-worked cases for each rule (METHOD 1, 4)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.trajectory.shell import parse_search_output, read_command, scripts_run
from core.trajectory.shell_heredoc import lift_heredocs
from core.trajectory.shell_python import SCRIPT

CWD = "/r"


def shown(command: str, output: str, failed: bool = False) -> list[tuple[str, int, list[str], bool]]:
    action = read_command(command, CWD, output, failed)
    return [(s.path, s.start, list(s.lines), s.whole) for s in action.shown]


def writes(command: str, output: str = "", failed: bool = False) -> list[tuple[str, ...]]:
    """(op, path, then what the op needs), each write in order."""
    out: list[tuple[str, ...]] = []
    for w in read_command(command, CWD, output, failed).writes:
        rest = {"put": (w.new,), "append": (w.new,), "move": (w.target,), "copy": (w.target,), "edit": (w.old, w.new)}
        rest |= {"opaque": w.args if w.args[:1] != (SCRIPT,) else ()}  # a script that replay may understand
        out.append((w.op, w.path, *rest.get(w.op, w.args)))
    return out


@pytest.mark.parametrize(
    ("command", "output", "expected"),
    [
        ("cat a.py", "x\ny\n", [("/r/a.py", 1, ["x", "y"], True)]),
        ("cat sub/../a.py", "x", [("/r/a.py", 1, ["x"], True)]),
        ("cd sub && cat a.py", "x", [("/r/sub/a.py", 1, ["x"], True)]),
        ("(cd sub && cat a.py)", "x", [("/r/sub/a.py", 1, ["x"], True)]),
        ("F=a.py; cat $F", "x", [("/r/a.py", 1, ["x"], True)]),
        ("cat /abs/a.py 2>/dev/null", "x", [("/abs/a.py", 1, ["x"], True)]),
        ("cat -n a.py", "     1\tx\n     2\ty\n", [("/r/a.py", 1, ["x", "y"], True)]),
        ("cat -n a.py | sed -n '5,6p'", "     5\tx\n     6\ty\n", [("/r/a.py", 5, ["x", "y"], False)]),
        ("nl -ba a.py | tail -2", "     8\tx\n     9\ty\n", [("/r/a.py", 8, ["x", "y"], False)]),
        ("sed -n 5,6p a.py", "x\ny\n", [("/r/a.py", 5, ["x", "y"], False)]),
        ("sed -n '3p' a.py", "x\n", [("/r/a.py", 3, ["x"], False)]),
        ("sed -n '3,$p' a.py", "x\ny\n", [("/r/a.py", 3, ["x", "y"], False)]),
        (
            "sed -n '1,2p;9,10p' a.py",
            "a\nb\nc\nd\n",
            [("/r/a.py", 1, ["a", "b"], False), ("/r/a.py", 9, ["c", "d"], False)],
        ),
        ("head -n 2 a.py", "x\ny\n", [("/r/a.py", 1, ["x", "y"], False)]),
        ("head -50 a.py", "x\n", [("/r/a.py", 1, ["x"], True)]),
        ("tail -n +7 a.py", "x\ny\n", [("/r/a.py", 7, ["x", "y"], False)]),
        ("cat a.py | head -20 | tail -n +3", "x\n", [("/r/a.py", 3, ["x"], False)]),
        ("awk 'NR>=3 && NR<=4' a.py", "x\ny\n", [("/r/a.py", 3, ["x", "y"], False)]),
        ("bat -p --line-range 4:5 a.py", "x\ny\n", [("/r/a.py", 4, ["x", "y"], False)]),
        ("grep -n x a.py", "3:x: 1\n4:x\n9:x\n", [("/r/a.py", 3, ["x: 1", "x"], False), ("/r/a.py", 9, ["x"], False)]),
        ("grep -rn x src | head -5", "src/a.py:3:x-1:y\n", [("/r/src/a.py", 3, ["x-1:y"], False)]),
        ("rg -n x", "a-b-2.py-1-z\na-b-2.py:2:x\n", [("/r/a-b-2.py", 1, ["z", "x"], False)]),
        ("git grep -n x", "a.py:3:x\n", [("/r/a.py", 3, ["x"], False)]),
        ("cat a.py | grep -n x", "3:x\n", [("/r/a.py", 3, ["x"], False)]),
        (
            "echo '--- a'; cat a.py; echo '--- b'; cat b.py",
            "--- a\nx\n--- b\ny\n",
            [("/r/a.py", 1, ["x"], True), ("/r/b.py", 1, ["y"], True)],
        ),
        (
            'for f in a b; do echo "== $f"; cat $f; done',
            "== a\nx\n== b\ny\n",
            [("/r/a", 1, ["x"], True), ("/r/b", 1, ["y"], True)],
        ),
        ("cat a.py", "x\ny\n... [40 lines truncated] ...\nz", [("/r/a.py", 1, ["x", "y"], False)]),
    ],
)
def test_what_a_view_shows(command: str, output: str, expected: list[tuple[str, int, list[str], bool]]) -> None:
    assert shown(command, output) == expected
    assert read_command(command, CWD, output, False).kind in ("read", "search")


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("cat a.py b.py", "x\ny\n"),  # where one file ends is not said
        ("cat a.py; cat b.py", "x\ny\n"),
        ("tail -5 a.py", "x\n"),  # nor where the last lines begin
        ("cat *.py", "x\n"),
        ("cat $UNKNOWN", "x\n"),
        ("cd $UNKNOWN && cat a.py", "x\n"),
        ("grep x a.py", "x\n"),  # no numbers
        ("grep -no x a.py", "3:x\n"),  # parts of lines
        ("grep -c x a.py", "3\n"),
        ("grep -n x a.py | cut -c1-20", "3:x\n"),
        ("cat a.py | sed 's/a/b/'", "x\n"),
        ("cat a.py || cat b.py", "x\n"),
        ("cat a.py > b.py", "x\n"),
        ("docker exec web cat a.py | wc -l", "x\n"),
        ("cat a.py", "cat: a.py: No such file or directory\n"),
        ("echo '--- a'; cat a.py", "no such line\nx\n"),
        ("ls; cat a.py", "a.py\nx\n"),
    ],
)
def test_what_cannot_be_told_shows_nothing(command: str, output: str) -> None:
    assert shown(command, output) == []


def test_a_failed_command_shows_nothing() -> None:
    assert shown("cat a.py", "x\n", failed=True) == []


def test_search_output() -> None:
    text = "a.py:3:x = {1: 2}\na.py-4-  y-1\n--\nb.py:7:z\nno number\nBinary file c matches\nb.py:content\n"
    found = [(s.path, s.start, s.lines, s.source) for s in parse_search_output(text, CWD)]
    assert found == [("/r/a.py", 3, ("x = {1: 2}", "  y-1"), "search"), ("/r/b.py", 7, ("z",), "search")]
    assert parse_search_output("", CWD) == ()


@pytest.mark.parametrize(
    ("command", "kind", "purpose"),
    [
        ("cat a | head", "read", ""),
        ("grep -r x . | wc -l", "search", ""),
        ("find . -name '*.py' | xargs grep -l x", "search", ""),
        ("git status && git diff", "search", ""),
        ("git log --oneline | head -3", "search", ""),
        ("ls -la; pwd", "search", ""),
        ("echo hi", "run", ""),
        ("sleep 1", "run", ""),
        ("git push", "run", ""),
        ("pip install -e .", "run", ""),
        ("cat a > b", "run", ""),
        ("pytest -q", "run", "test"),
        ("python -m pytest tests/ 2>&1 | tail -5", "run", "test"),
        ("cd sub && FOO=1 timeout 60 uv run pytest -x", "run", "test"),
        ("env A=b python3.11 -m unittest discover", "run", "test"),
        ("poetry run tox -e py311", "run", "test"),
        ("docker exec -it -w /app web pytest", "run", "test"),
        ("docker compose exec web npm test", "run", "test"),
        ("source .venv/bin/activate && pytest", "run", "test"),
        ("(source .venv/bin/activate && ruff check . && pytest)", "run", "test"),
        ("go test ./... -run X -count=1", "run", "test"),
        ("cargo test --all", "run", "test"),
        ("npm run test:unit -- --watch=false", "run", "test"),
        ("yarn test", "run", "test"),
        ("pnpm -r test", "run", "test"),
        ("bun test", "run", "test"),
        ("npx jest a.test.js", "run", "test"),
        ("mvn -q test", "run", "test"),
        ("./gradlew test", "run", "test"),
        ("ctest --output-on-failure", "run", "test"),
        ("make test", "run", "test"),
        ("make -j4 check", "run", "test"),
        ("mise run test:integration", "run", "test"),
        ("just test-all", "run", "test"),
        ("task unit:test", "run", "test"),
        ("./tests/runtests.py admin", "run", "test"),
        ("python manage.py test app", "run", "test"),
        ("bash scripts/run-tests.sh", "run", "test"),
        ("go build ./...", "run", "build"),
        ("cargo build", "run", "build"),
        ("make", "run", "build"),
        ("npm run build", "run", "build"),
        ("gcc -o a a.c", "run", "build"),
        ("python -m py_compile a.py", "run", "build"),
        ("npx tsc --noEmit", "run", "types"),
        ("uv run mypy core", "run", "types"),
        ("npm run typecheck", "run", "types"),
        ("ruff check .", "run", "lint"),
        ("golangci-lint run ./...", "run", "lint"),
        ("go vet ./...", "run", "lint"),
        ("mise run fmt && mise run lint", "run", "lint"),
        ("bash -n script.sh", "run", "lint"),
        ("npm run lint && npm test", "run", "test"),
        ("python -c 'import app; print(app.x)'", "run", "run-code"),
        ("python3 - <<'E'\nfrom app import x\nE", "run", "run-code"),
        ("python -c 'import json; print(1)'", "run", ""),
        ("python main.py --demo | head", "run", "run-code"),
        ("./run.sh", "run", "run-code"),
        ("go run ./cmd/x", "run", "run-code"),
        ("node index.js", "run", "run-code"),
        ("python /tmp/scratch.py", "run", ""),
        ("bash -c 'cd x && pytest'", "run", "test"),
        ("curl -s x | python3 -c 'import json,sys; print(json.load(sys.stdin))'", "run", ""),
    ],
)
def test_kind_and_purpose(command: str, kind: str, purpose: str) -> None:
    action = read_command(command, CWD, "", False)
    assert (action.kind, action.purpose) == (kind, purpose)


@pytest.mark.parametrize(
    "output",
    [
        "===== 3 passed, 1 skipped in 0.12s =====\n",
        "3 failed, 2 passed in 1.2s\n",
        "ok  \texample.com/pkg\t0.123s\n",
        "FAIL\texample.com/pkg\t0.123s\n",
        "--- FAIL: TestX (0.00s)\n",
        "test result: ok. 12 passed; 0 failed; 0 ignored\n",
        "Ran 5 tests in 0.003s\n\nOK\n",
        "Tests:       1 failed, 12 passed, 13 total\n",
        " Test Files  3 passed (3)\n",
        "  14 passing (20ms)\n",
        " 10 pass\n 0 fail\n",
        "100% tests passed, 0 tests failed out of 9\n",
        "[INFO] Tests run: 4, Failures: 0, Errors: 0\n",
        "10 examples, 0 failures\n",
        "\x1b[32m===== 3 passed in 0.12s =====\x1b[0m\n",
    ],
)
def test_a_runner_is_known_by_its_summary(output: str) -> None:
    assert read_command("./do-everything", CWD, f"noise\n{output}", False).purpose == "test"
    assert read_command("cat log.txt", CWD, output, False).purpose == ""
    assert read_command("gh run view 1 --log", CWD, output, False).purpose == ""


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("echo hi > a", [("put", "/r/a", "hi\n")]),
        ("echo -n 'a b' >> sub/a", [("append", "/r/sub/a", "a b")]),
        ("printf 'x\\ny\\n' > a", [("put", "/r/a", "x\ny\n")]),
        ("cat > a <<'EOF'\n$x `y`\n\n  z\nEOF\n", [("put", "/r/a", "$x `y`\n\n  z\n")]),
        ("cat <<EOF > a\nplain \\$x\nEOF\n", [("put", "/r/a", "plain $x\n")]),
        ("V=1\ncat <<EOF > a\nv=$V ${V}\nEOF\n", [("put", "/r/a", "v=1 1\n")]),
        ("cat <<EOF > a\n$(date)\nEOF\n", [("opaque", "/r/a")]),
        ("cat <<EOF > a\n$UNKNOWN\nEOF\n", [("opaque", "/r/a")]),
        ("cat <<-EOF > a\n\tx\n\tEOF\n", [("put", "/r/a", "x\n")]),
        ("cat <<A > a && cat <<B > b\nin a\nA\nin b\nB\n", [("put", "/r/a", "in a\n"), ("put", "/r/b", "in b\n")]),
        ("cat <<'E' | tee a > /dev/null\nx\nE\n", [("put", "/r/a", "x\n")]),
        ("tee -a a b <<< 'x y'", [("append", "/r/a", "x y\n"), ("append", "/r/b", "x y\n")]),
        ("make | tee log.txt", [("opaque", "/r/log.txt")]),
        ("pytest > out.txt 2>&1", [("opaque", "/r/out.txt")]),
        ("cmd > /dev/null 2>&1", []),
        ("cmd 2> err.txt", [("opaque", "/r/err.txt")]),
        (": > a", [("put", "/r/a", "")]),
        ("{ echo a; echo b; } > f", [("put", "/r/f", ""), ("append", "/r/f", "a\n"), ("append", "/r/f", "b\n")]),
        ("cat a > b", [("copy", "/r/a", "/r/b")]),
        ("sed 's/a/b/' a > b", [("copy", "/r/a", "/r/b"), ("sed", "/r/b", "s/a/b/")]),
        ("sort a > b", [("opaque", "/r/b")]),
        ("sed -i 's/a/b/' f g", [("sed", "/r/f", "s/a/b/"), ("sed", "/r/g", "s/a/b/")]),
        ("sed -i '' 's/a/b/' f", [("sed", "/r/f", "s/a/b/")]),
        ("sed -i '' -e 1d -e '2a\\\nx' f", [("sed", "/r/f", "1d", "2a\\\nx")]),
        ("sed -i.bak -E 's/(a)/b/' f", [("copy", "/r/f", "/r/f.bak"), ("sed", "/r/f", "-E", "s/(a)/b/")]),
        ("sed -Ei 's/a/b/' f", [("sed", "/r/f", "-E", "s/a/b/")]),
        ("sed -i -f script f", [("opaque", "/r/f")]),
        ('sed -i "s/a/$UNKNOWN/" f', [("opaque", "/r/f")]),
        ("sed 's/a/b/' f", []),
        ("perl -pi -e 's/a/b/' f.py", [("opaque", "/r/f.py")]),
        ("mv a b", [("move", "/r/a", "/r/b")]),
        ("mv a b sub/", [("move", "/r/a", "/r/sub/a"), ("move", "/r/b", "/r/sub/b")]),
        ("mv -t sub a", [("move", "/r/a", "/r/sub/a")]),
        ("cp -r src dst", [("copy", "/r/src", "/r/dst")]),
        ("rm a b", [("delete", "/r/a"), ("delete", "/r/b")]),
        ("rm -rf build", [("delete", "/r/build", "-r")]),
        ("rm -rf /", [("opaque", "/")]),
        ("touch a", [("append", "/r/a", "")]),
        ("mkdir -p a/b", [("opaque", "/r/a/b", "mkdir")]),
        ("cd sub && rm a && cd .. && rm b", [("delete", "/r/sub/a"), ("delete", "/r/b")]),
        ("(cd sub; rm a); rm b", [("delete", "/r/sub/a"), ("delete", "/r/b")]),
        ("for f in a b; do rm $f; done", [("delete", "/r/a"), ("delete", "/r/b")]),
        ("for f in src/*.py; do sed -i 's/a/b/' \"$f\"; done", [("sed", "/r/src/*.py", "s/a/b/")]),
        ("rm {a,b}.txt", [("delete", "/r/a.txt"), ("delete", "/r/b.txt")]),
        ("find . -name '*.pyc' -delete", [("delete", "/r/**/*.pyc")]),
        ("find src -name '*.py' -exec sed -i 's/a/b/' {} \\;", [("sed", "/r/src/**/*.py", "s/a/b/")]),
        ("find src -name '*.py' | xargs sed -i 's/a/b/'", [("sed", "/r/src/**/*.py", "s/a/b/")]),
        ("grep -rl a . | xargs sed -i 's/a/b/'", [("opaque", "")]),
        ("[ -f a ] && rm a", [("delete", "/r/a")]),
        ("grep -q x a || echo x >> a", [("opaque", "/r/a")]),
        ("if grep -q x a; then echo y > b; fi", [("opaque", "/r/b")]),
        ("git mv a b", [("git", "/r", "mv", "a", "b")]),
        ("git -C sub checkout -- a", [("git", "/r/sub", "checkout", "--", "a")]),
        ("git status; git diff; git log; git branch", []),
        ("git show HEAD:a > b", [("git", "/r", "show", "HEAD:a")]),
        ("ruff check --fix a.py", [("opaque", "/r/a.py", "fixer")]),
        ("ruff format --check .", []),
        ("ruff format", [("opaque", "", "fixer")]),
        ("uv run black src", [("opaque", "", "fixer")]),
        ("gofmt -w a.go b.go", [("opaque", "/r/a.go", "fixer"), ("opaque", "/r/b.go", "fixer")]),
        ("gofmt -l .", []),
        ("npx prettier --write src/a.ts", [("opaque", "/r/src/a.ts", "fixer")]),
        ("npx eslint src", []),
        ("mise run fmt", [("opaque", "", "fixer")]),
        ("golangci-lint run --fix=false", []),
        ("docker exec web rm /r/a", []),
        ("bash -c 'echo x > a'", [("put", "/r/a", "x\n")]),
        ("eval 'rm a'", [("delete", "/r/a")]),
        ("bash <<'E'\nrm a\nE\n", [("delete", "/r/a")]),
        ("echo $(rm a)", [("delete", "/r/a")]),
        ("git commit -m \"$(cat <<'EOF'\nrm -rf x > y\nEOF\n)\"", [("git", "/r", "commit", "-m", "rm -rf x > y")]),
    ],
)
def test_writes(command: str, expected: list[tuple[str, ...]]) -> None:
    assert writes(command) == expected


def test_patches_are_read_from_their_text() -> None:
    diff = "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+n\n"
    diff += "--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-o\n"
    for command in (f"patch -p1 <<'E'\n{diff}E\n", f"git apply <<'E'\n{diff}E\n"):
        found = read_command(command, CWD, "", False).writes
        assert [(w.op, w.path, w.new) for w in found] == [
            ("patch", "/r/f", ""),
            ("put", "/r/new", "n\n"),
            ("delete", "/r/old", ""),
        ]
        assert [(h.old_start, h.new_start, h.lines) for h in found[0].hunks] == [(1, 1, (" x", "-y", "+z"))]
    for command in ("patch -p1 < fix.diff", "patch -p1 -i fix.diff", "cat fix.diff | patch -p1"):
        assert writes(command)[0][:4] == ("git", "/r", "apply", "-p1")
        assert writes(command)[0][4].endswith("fix.diff")
    assert writes("git apply fix.diff") == [("git", "/r", "apply", "fix.diff")]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("open('a', 'w').write('x\\n')", [("put", "/r/a", "x\n")]),
        (
            "with open('a', 'w') as f:\n    f.write('x')\n    f.write('y')\n",
            [("put", "/r/a", "x"), ("append", "/r/a", "y")],
        ),
        ("with open('a', 'a') as f:\n    f.write('x')\n", [("append", "/r/a", "x")]),
        ("from pathlib import Path\nPath('s/a').write_text('x')", [("put", "/r/s/a", "x")]),
        ("import pathlib\np = pathlib.Path('s') / 'a'\np.write_text('x' + 'y')", [("put", "/r/s/a", "xy")]),
        (
            "p = 'a'\ns = open(p).read()\nassert 'x' in s\ns = s.replace('x', 'y')\nopen(p, 'w').write(s)",
            [("edit", "/r/a", "x", "y")],
        ),
        (
            "from pathlib import Path\np = Path('a')\nt = p.read_text()\nif 'x' in t:\n    t = t.replace('x', 'y', 1)\n"
            "p.write_text(t.replace('q', 'r'))",
            [("edit", "/r/a", "x", "y"), ("edit", "/r/a", "q", "r")],
        ),
        ("for p in ['a', 'b']:\n    open(p, 'w').write(p)", [("put", "/r/a", "a"), ("put", "/r/b", "b")]),
        ("import re\ns = open('a').read()\ns = re.sub('x', 'y', s)\nopen('a', 'w').write(s)", [("opaque", "/r/a")]),
        ("import json\njson.dump({}, open('a', 'w'))", [("opaque", "/r/a")]),
        ("import sys\nif len(sys.argv) > 9:\n    open('a', 'w').write('x')", [("opaque", "/r/a")]),
        ("import sys\nopen(sys.argv[1], 'w').write('x')", [("opaque", "")]),
        ("import os\nos.remove('a')\nos.rename('b', 'c')", [("delete", "/r/a"), ("move", "/r/b", "/r/c")]),
        ("import subprocess\nsubprocess.run(['x'])", [("opaque", "")]),
        ("print(open('a').read())", []),
        ("def broken(:", []),
    ],
)
def test_python_scripts_that_write(script: str, expected: list[tuple[str, ...]]) -> None:
    assert writes(f"python3 - <<'PY'\n{script}\nPY\n") == expected
    if "'" not in script.replace("'", '"'):
        assert writes("python -c '" + script.replace("'", '"') + "'") == expected


def test_python_files_that_are_run_are_named() -> None:
    assert scripts_run("cd x && uv run python fix.py --all; python -c 'x'; python /tmp/a.py", CWD) == (
        ("/r/x/fix.py", "/r/x"),
        ("/tmp/a.py", "/r/x"),
    )
    assert scripts_run("docker exec web python fix.py; python $X.py; pytest a.py; bash -c x.sh", CWD) == ()
    assert scripts_run("chmod +x a.sh && ./a.sh && bash -e s/b.sh", CWD) == (("/r/a.sh", CWD), ("/r/s/b.sh", CWD))


def test_a_failed_command_keeps_what_came_before_its_last_part() -> None:
    assert writes("echo x > a && pytest", "", failed=True) == [("put", "/r/a", "x\n")]
    assert writes("mv a b", "mv: cannot stat", failed=True) == []
    assert writes("echo x > a; rm b", "", failed=True) == [("put", "/r/a", "x\n")]
    assert writes("git checkout -- a", "error", failed=True) == []
    assert writes("git cherry-pick abc", "CONFLICT", failed=True) == [("opaque", "")]


def test_a_redirect_the_shell_refused_wrote_nothing() -> None:
    for message in ("bash: line 1: no/x: No such file or directory", "(eval):1: no such file or directory: no/x"):
        assert writes("echo x > no/x; echo y > y", message) == [("put", "/r/y", "y\n")]


def test_heredocs_are_lifted_by_bashs_rule() -> None:
    text, found = lift_heredocs("cat <<'A' > x; echo $((1<<2)) \"<<Q\" '<<Q' # <<Q\n\nbody\nA\necho after\n")
    assert [(h.body, h.quoted) for h in found.values()] == [("\nbody\n", True)]
    assert "body" not in text
    assert "echo after" in text
    assert lift_heredocs("cat <<A\nnever ends")[1].popitem()[1].body == "never ends\n"


HOSTILE = [
    "(" * 5000,
    "$(" * 3000,
    "`" * 3000,
    "{" * 5000,
    "a && " * 3000 + "b",
    "if true; then " * 500,
    "for a in 1 2 3 4 5 6 7 8 9; do " * 8 + "echo $a > $a; " + "done; " * 8,
    "cat <<A <<B <<C\n" * 500,
    "echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b} > x",
    "rm {1..999999}",
    "\0\x01\x02 > \0",
    "'" + "x" * 100_000,
    "cat " + "../" * 20_000 + "etc/passwd",
    "eval " * 500 + "x",
    "bash -c 'bash -c \"bash -c x\"' " * 100,
]


@pytest.mark.parametrize("command", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_commands_neither_crash_nor_hang(command: str) -> None:
    began = time.perf_counter()
    action = read_command(command, CWD, "out\n" * 10, False)
    assert time.perf_counter() - began < 10
    assert len(action.writes) < 20_000


def test_hostile_outputs_do_not_hang() -> None:
    began = time.perf_counter()
    for output in (
        "=" * 300_000,
        "passed " * 50_000,
        "a:" * 100_000,
        "-" * 300_000,
        "a-" * 100_000,
        "1" * 300_000,
        "a:1:" + "a-1-" * 80_000,
    ):
        read_command("./x", CWD, output, False)
        parse_search_output(output, CWD)
        parse_search_output("a:1:x\n" + output, CWD, default_path="/r/a")
        read_command("cat a; echo x", CWD, output, False)
    assert time.perf_counter() - began < 10


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80), st.text(max_size=40), st.booleans())
def test_any_text_is_a_command(command: str, output: str, failed: bool) -> None:
    action = read_command(command, CWD, output, failed)
    assert all(w.path == "" or w.path.startswith("/") for w in action.writes)
    assert all(s.path.startswith("/") for s in action.shown)

"""Trajectory, shell: the names of programs by what they are (tests, builds, linters, wrappers, task runners).

Tables only. One word in one table is all it takes to teach the reader a new tool.
"""

from __future__ import annotations

import re

from core.trajectory.shell_words import names
from core.trajectory.steps import Purpose

# Wrapper -> its options that take a value of their own.
WRAPPERS: dict[str, frozenset[str]] = {
    "env": frozenset({"-u", "--unset", "-C", "--chdir"}),
    "sudo": frozenset({"-u", "-g", "-h", "-p", "-C"}),
    "time": frozenset({"-f", "-o"}),
    "nohup": frozenset(),
    "nice": frozenset({"-n"}),
    "ionice": frozenset({"-c", "-n"}),
    "command": frozenset(),
    "exec": frozenset(),
    "builtin": frozenset(),
    "stdbuf": frozenset({"-i", "-o", "-e"}),
    "timeout": frozenset({"-k", "-s", "--signal", "--kill-after"}),
    "gtimeout": frozenset({"-k", "-s"}),
    "xvfb-run": frozenset({"-n", "-s"}),
    "npx": frozenset({"-p", "--package", "-c"}),
    "bunx": frozenset(),
    "uvx": frozenset({"--from", "--with", "-p", "--python"}),
    "pipx": frozenset({"--spec"}),
    "dotenv": frozenset({"-f", "-e"}),
    "winpty": frozenset(),
    "setsid": frozenset(),
    "chronic": frozenset(),
    "script": frozenset(),
}
# "tool verb": runs the words after it.
RUNNERS: dict[str, tuple[tuple[str, ...], frozenset[str]]] = {
    "uv": (
        ("run",),
        names("--with -p --python --extra --group --env-file --project --directory"),
    ),
    "poetry": (("run",), frozenset({"-C", "--directory"})),
    "pipenv": (("run",), frozenset()),
    "pdm": (("run",), frozenset({"-p"})),
    "hatch": (("run", "env run"), frozenset({"-e"})),
    "rye": (("run",), frozenset()),
    "pixi": (("run",), frozenset({"-e"})),
    "conda": (("run",), frozenset({"-n", "-p", "--name", "--prefix"})),
    "mamba": (("run",), frozenset({"-n", "-p"})),
    "micromamba": (("run",), frozenset({"-n", "-p"})),
    "bundle": (("exec",), frozenset()),
    "pnpm": (("exec", "dlx"), frozenset({"-C", "--dir", "--filter", "-F"})),
    "npm": (("exec",), frozenset({"--prefix", "-w", "--workspace"})),
    "yarn": (("exec", "dlx"), frozenset({"--cwd"})),
    "mise": (("exec", "x"), frozenset({"-C", "--cd"})),
    "direnv": (("exec",), frozenset()),
    "docker": (
        ("exec", "run"),
        names("-e -w -u -v --name --workdir --user --env --network"),
    ),
    "podman": (("exec", "run"), frozenset({"-e", "-w", "-u", "-v", "--name"})),
    "docker-compose": (("exec", "run"), frozenset({"-e", "-w", "-u", "-f"})),
    "kubectl": (("exec",), frozenset({"-n", "-c"})),
}
CONTAINERS = {"docker", "podman", "docker-compose", "kubectl"}
PYTHONS = re.compile(r"(python|pypy)[\d.]*(\.exe)?$")
TEST_TOOLS = names(
    """
    pytest py.test tox nox nose nosetests nose2 unittest trial ward green stestr jest vitest mocha ava jasmine
    karma cypress playwright tap c8 nyc ctest gtest gotestsum ginkgo rspec minitest phpunit pest bats busted
    nextest doctest behave runtests.py runtests test.sh run_tests.sh run_tests.py run-tests.sh
    """
)
BUILD_TOOLS = names(
    """
    make gmake ninja cmake meson bazel gcc g++ cc c++ clang clang++ rustc javac webpack rollup esbuild vite tsup
    swc babel parcel turbo nx py_compile compileall msbuild xcodebuild swiftc kotlinc scalac protoc docker-build
    gradle gradlew mvn mvnw build
    """
)
LINT_TOOLS = names(
    """
    ruff flake8 pylint pyflakes pycodestyle pydocstyle black isort autopep8 yapf bandit eslint prettier biome
    oxlint stylelint tslint standard xo golangci-lint gofmt goimports gofumpt staticcheck golint revive rustfmt
    clippy rubocop shellcheck shfmt hadolint yamllint markdownlint markdownlint-cli2 clang-format clang-tidy
    cppcheck pre-commit dprint ktlint checkstyle swiftlint stylua luacheck sqlfluff djlint vulture lint-staged
    actionlint taplo
    """
)
TYPE_TOOLS = names(
    """
    mypy pyright basedpyright pytype pyre tsc vue-tsc flow ty dmypy
    """
)
TASK_RUNNERS = names(
    """
    make gmake mise just task npm pnpm yarn bun invoke inv rake nox tox poe hatch pdm pipenv poetry turbo nx
    lerna rush wireit deno composer gradle gradlew mvn mvnw sbt lein mix swift dotnet zig stack cabal dune doit
    moon ant bazel cmake ninja meson docker manage.py setup.py uv
    """
)
TASKS: dict[Purpose, str] = {
    "test": "test tests testing spec specs e2e pytest jest vitest unittest coverage cov t verify",
    "build": "build compile bundle install package dist assemble all docs",
    "types": "typecheck types type mypy tsc pyright typescript",
    "lint": "lint linting format fmt style check vet prettier eslint ruff clippy fix precommit",
}
TASK_WORDS = {word: purpose for purpose, words in TASKS.items() for word in words.split()}
GO: dict[Purpose, str] = {
    "test": "test",
    "build": "build install generate",
    "lint": "vet fmt fix tool",
    "run-code": "run",
}
CARGO: dict[Purpose, str] = {
    "test": "test t nextest bench llvm-cov tarpaulin miri",
    "build": "build b check c install",
    "lint": "fmt clippy fix",
    "run-code": "run r",
}
PACKAGE_VERBS = names("install i add ci remove uninstall update link view info ls list pack publish why")
RANK: tuple[Purpose, ...] = ("test", "build", "types", "lint", "run-code", "")
INTERPRETERS = names(
    """
    node deno bun tsx ts-node ruby perl php lua Rscript julia bash sh zsh
    """
)

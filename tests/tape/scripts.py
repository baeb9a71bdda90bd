"""Small repositories and edit scripts for property tests: every step reads, searches, tests or rewrites something."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

NAMES = ("alpha", "beta", "gamma")
MODULES = ("one", "two", "three")


@dataclass(frozen=True)
class Function:
    """A function's body as numbered statements and the names it calls."""

    name: str
    lines: tuple[str, ...]

    def text(self) -> str:
        return "\n".join([f"def {self.name}(x):", *(f"    {line}" if line else "" for line in self.lines)])


statements = st.sampled_from(
    ["x = 1", "x += LIMIT", "y = alpha(x)", "y = beta(x)", "y = gamma(x)", "return x", "", "x = 2", "print(x)"]
)
bodies = st.lists(statements, min_size=1, max_size=6).map(lambda lines: ("x = 0", *lines, "return 0"))


@st.composite
def files(draw: st.DrawFn) -> str:
    """The text of one module: imports, a constant, up to three functions and a class, in any order."""
    imports = draw(
        st.lists(st.tuples(st.sampled_from(MODULES), st.sampled_from(NAMES)), max_size=2, unique_by=lambda p: p[1])
    )
    parts = ["\n".join(f"from {m} import {n}" for m, n in imports)] if imports else []
    if draw(st.booleans()):
        parts.append(f"LIMIT = {draw(st.integers(1, 3))}")
    names = draw(st.lists(st.sampled_from(NAMES), max_size=3, unique=True))
    parts += [Function(name, draw(bodies)).text() for name in names]
    if draw(st.booleans()):
        methods = [
            Function(n, draw(bodies)).text()
            for n in draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=2, unique=True))
        ]
        lines = [
            "class Box:",
            "    size = 0",
            "",
            *(f"    {line}" if line else "" for m in methods for line in [*m.split("\n"), ""]),
        ]
        parts.append("\n".join(lines))
    gap = draw(st.sampled_from(["\n\n", "\n\n\n"]))
    return gap.join(parts) + "\n"


@dataclass(frozen=True)
class Act:
    """One step: read (a, b are fractions of the file), search, test, put, delete, tweak one line, swap two parts."""

    what: str
    path: str
    a: int = 0
    b: int = 0
    text: str = ""


acts = st.one_of(
    st.builds(Act, st.just("read"), st.sampled_from(MODULES), st.integers(0, 30), st.integers(0, 30)),
    st.builds(Act, st.just("whole"), st.sampled_from(MODULES)),
    st.builds(Act, st.just("search"), st.sampled_from(MODULES), st.integers(0, 30), st.integers(0, 30)),
    st.builds(Act, st.just("test"), st.sampled_from(MODULES)),
    st.builds(Act, st.just("put"), st.sampled_from(MODULES), text=files()),
    st.builds(Act, st.just("delete"), st.sampled_from(MODULES)),
    st.builds(Act, st.just("tweak"), st.sampled_from(MODULES), st.integers(0, 30), st.integers(0, 2)),
    st.builds(Act, st.just("back"), st.sampled_from(MODULES), st.integers(0, 9)),
    st.builds(Act, st.just("swap"), st.sampled_from(MODULES), st.integers(0, 3), st.integers(0, 3)),
)
repositories = st.fixed_dictionaries({f"{m}.py": files() for m in MODULES})
scripts = st.lists(acts, min_size=4, max_size=14)

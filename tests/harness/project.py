"""The small project of the paper's Table 5, and runs over it written step by step."""

from __future__ import annotations

from core.harness.run import HarnessRun, follow
from core.replay.base import Base
from core.replay.replay import replay
from core.trajectory.steps import Shown, Step, Trajectory, Write

ROOT = "/p"
FILES = {
    "pkg/__init__.py": "",
    "pkg/loader.py": "def load_table(path):\n    return open(path).read()\n\n\ndef helper():\n    return 1\n",
    "pkg/service.py": "from pkg.loader import load_table\n\n\ndef serve():\n    return load_table('a')\n",
    "pkg/cli.py": "from pkg.loader import load_table\n\n\ndef main():\n    print(load_table('b'))\n",
    "pkg/other.py": "def unrelated():\n    return 2\n",
    "tests/test_loader.py": "from pkg.loader import load_table\n\n\ndef test_load():\n    assert load_table('c')\n",
    "README.md": "# pkg\n\nCall `load_table` with a path.\n",
    "settings.toml": 'entry = "pkg.loader:load_table"\n',
    "notes.md": "Nothing to see.\n",
}
NEW_LOADER = FILES["pkg/loader.py"].replace("load_table(path)", "load_table(path, encoding)")


class Script:
    """A run being written: each method adds one step; ``run`` follows it."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.texts = dict(FILES)

    def _add(self, **fields: object) -> Script:
        values: dict[str, object] = {
            "kind": "say",
            "role": "assistant",
            "tool": "",
            "call": "",
            "text": "",
            "cwd": ROOT,
        }
        self.steps.append(Step(t=len(self.steps) + 1, **{**values, **fields}))  # type: ignore[arg-type]
        return self

    def user(self, text: str) -> Script:
        return self._add(role="user", text=text)

    def say(self, text: str) -> Script:
        return self._add(text=text)

    def read(self, path: str, **fields: object) -> Script:
        lines = tuple(self.texts[path].removesuffix("\n").split("\n"))
        shown = (Shown(f"{ROOT}/{path}", 1, lines, "read", whole=True),)
        return self._add(kind="read", tool="Read", text="\n".join(lines), shown=shown, **fields)

    def edit(self, path: str, old: str, new: str, **fields: object) -> Script:
        self.texts[path] = self.texts[path].replace(old, new, 1)
        writes = (Write(f"{ROOT}/{path}", "edit", new, old),)
        return self._add(kind="edit", tool="Edit", text="edited", writes=writes, **fields)

    def bash(self, command: str, output: str = "", purpose: str = "", failed: bool = False) -> Script:
        return self._add(kind="run", tool="Bash", command=command, text=output, purpose=purpose, failed=failed)

    def test(self, output: str, command: str = "pytest", failed: bool = False) -> Script:
        return self.bash(command, output, "test", failed)

    def trajectory(self) -> Trajectory:
        task = next((s.text for s in self.steps if s.role == "user"), "")
        return Trajectory("run", "run", "made", "Agent 1", ("m",), ROOT, "main", "", "", task, tuple(self.steps))

    def run(self) -> HarnessRun:
        trajectory = self.trajectory()
        return follow(trajectory, replay(trajectory, Base("made", "made", FILES)))


def table_5() -> Script:
    """The paper's example: the loader changes, the service follows, the CLI is deferred and forgotten."""
    s = Script().user("Make load_table take an encoding.")  # 1
    s.say("I'll add the encoding parameter to load_table.")  # 2
    s.edit("pkg/loader.py", "load_table(path)", "load_table(path, encoding)")  # 3
    s.read("pkg/service.py")  # 4
    s.edit("pkg/service.py", "load_table('a')", "load_table('a', 'utf-8')")  # 5
    s.say("I'll leave the CLI as is for now.")  # 6
    s.say("Let me check `loader.py` again. I suspect encoding is still handled incorrectly.")  # 7
    for n in range(6):
        s.edit("pkg/other.py", f"return {2 + n}", f"return {3 + n}")  # 8, 10, ... 18
        s.read("pkg/loader.py")  # 9, 11, ... 19
    return s

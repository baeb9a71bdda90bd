"""Small contexts with two files, for policies worked out by hand."""

from __future__ import annotations

from core.context.plan import Plan
from tests.manager.scene import Scene

FILES = {
    "app/a.py": "LIMIT = 3\n\n\ndef one(x):\n    return x + LIMIT\n\n\ndef two(x):\n    return one(x)\n",
    "app/b.py": "from app.a import two\n\n\ndef three(x):\n    return two(x)\n\n\ndef lone(x):\n    return x\n",
}


def worked() -> Scene:
    """Nine records over nine steps: task, two reads, a search, a test, a re-read, an edit of two, talk, a run."""
    scene = Scene(FILES, task="Make two return twice as much.")
    scene.user(scene.task)  # r1
    scene.read("app/a.py")  # r2
    scene.read("app/b.py", 1, 5)  # r3
    scene.find("app/a.py\napp/b.py")  # r4
    scene.test("pytest -q", "2 passed")  # r5
    scene.read("app/a.py", 8, 9)  # r6
    scene.write("app/a.py", FILES["app/a.py"].replace("return one(x)", "return 2 * one(x)"))  # r7
    scene.say("Now b.")  # r8
    scene.run("ls", "app\ntests")  # r9
    return scene


def gone(plan: Plan) -> set[str]:
    """The records with an action other than keep."""
    return {a.record_id for a in plan.actions if a.name != "keep"}


def named(plan: Plan) -> dict[str, str]:
    """The action of each record."""
    return {a.record_id: a.name for a in plan.actions}

"""What the agent writes into the records is taken over and stands; what may not be is noticed, by line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import cli
from storage.live.client import FOLDER
from tests.harness_live.project import Project, context

LOG, TASK, RELATIONS, SKILLS = (
    "breakthrough_log.md", "task_state.md", "file_relation_graph.md", "skill_states.json",
)  # fmt: skip


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.chdir(tmp_path)
    made = Project(tmp_path / "project")
    made.hook("SessionStart", source="startup")
    made.hook("UserPromptSubmit", prompt="Make load_table take an encoding.")
    yield made
    made.journal.connection.close()


def change(name: str, old: str, new: str) -> None:
    text = Path(name).read_text(encoding="utf-8")
    assert old in text, text
    Path(name).write_text(text.replace(old, new, 1), encoding="utf-8")


def checked(project: Project, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[dict[str, Any]]]:
    capsys.readouterr()
    code = cli.main(["harness", "check", "--project", str(project.root), "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_an_edit_opens_relations_and_the_agent_is_told(project: Project) -> None:
    answer = project.edit("pkg/loader.py", "load_table(path)", "load_table(path, encoding)")
    assert "- [ ] `pkg/loader.py` -> caller `pkg/cli.py`" in context(answer)
    assert answer["hookSpecificOutput"]["hookEventName"] == "PostToolUse"
    assert "caller `pkg/cli.py`" in Path(RELATIONS).read_text()
    assert "edited pkg/loader.py (load_table)" in Path(LOG).read_text()
    assert "pkg/cli.py" in project.hook("Stop")["systemMessage"]
    assert project.hook("Stop") == {}  # said once
    project.read("pkg/cli.py")
    assert "- [x] caller `pkg/cli.py`" in Path(RELATIONS).read_text()


def test_the_agents_focus_stands_until_a_person_asks(project: Project) -> None:
    change(TASK, "Asked: Make load_table take an encoding.", "Find every caller")
    project.read("pkg/cli.py")
    assert project.live.state.task.focus == "Find every caller"
    assert not project.live.state.task.derived
    project.edit("pkg/cli.py", "'b'", "'c'")  # would be "Changing pkg/cli.py"
    assert project.live.state.task.focus == "Find every caller"
    project.again()
    assert project.live.state.task.focus == "Find every caller"
    project.hook("UserPromptSubmit", prompt="Now the docs.")
    assert project.live.state.task.focus == "Asked: Now the docs."


def test_events_the_agent_appends_are_taken_over_in_order(project: Project) -> None:
    project.edit("pkg/loader.py", "path)", "path, encoding)")
    with open(LOG, "a", encoding="utf-8") as log:
        log.write("- E2, step 0, finding (root-cause): the cause is the codec\n  - reason: seen in a trace\n")
    project.read("pkg/cli.py")
    first, second = project.live.state.events
    assert (first.n, first.derived) == (1, True)
    assert (second.n, second.t, second.text, second.reason, second.derived) == (
        2, 2, "the cause is the codec", "seen in a trace", False,
    )  # fmt: skip
    project.edit("pkg/cli.py", "'b'", "'c'")
    assert [e.n for e in project.live.state.events] == [1, 2, 3]
    assert Path(LOG).read_text().count("the codec") == 1


def test_progress_the_agent_writes_down_clears_its_alerts(project: Project) -> None:
    for _ in range(6):
        project.read("pkg/loader.py")
    assert project.live.alerts()
    with open(LOG, "a", encoding="utf-8") as log:
        log.write("- E9, step 0, finding (root-cause): the cause is the codec\n")
    project.read("pkg/cli.py")
    assert project.live.alerts() == ()


def test_guidance_the_agent_sets_stands_and_goes_on_being_counted(project: Project) -> None:
    project.bash("pytest -q", "===== 3 passed in 0.10s =====")
    change(SKILLS, '"policy": "use", "rationale": "it worked at step 2"', '"policy": "avoid", "rationale": "too slow"')
    project.bash("pytest -q", "===== 4 passed in 0.10s =====")
    (pytest_,) = project.live.state.procedures
    assert (pytest_.runs, pytest_.policy, pytest_.rationale, pytest_.derived) == (2, "avoid", "too slow", False)


def test_a_relation_the_agent_ticks_off_is_checked_and_one_it_adds_is_open(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    project.edit("pkg/loader.py", "load_table(path)", "load_table(path, encoding)")
    change(RELATIONS, "- [ ] caller `pkg/cli.py`", "- [x] caller `pkg/cli.py`")
    with open(RELATIONS, "a", encoding="utf-8") as notes:
        notes.write("\n## `pkg/loader.py`\n\n- [ ] documentation `docs/x.md`: it says how to call it\n")
    project.bash("true")
    assert {r.target for r in project.live.state.open_relations} == {"docs/x.md", "tests/test_loader.py"}
    code, problems = checked(project, capsys)
    assert code == 1
    line = (
        Path(RELATIONS)
        .read_text()
        .split("\n")
        .index(next(x for x in Path(RELATIONS).read_text().split("\n") if "[x]" in x))
        + 1
    )
    assert {(p["file"], p["line"]) for p in problems} == {(RELATIONS, line)}
    assert all("closed without an observation" in p["why"] for p in problems)


def test_a_rewritten_log_is_noticed_and_loses_nothing(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.edit("pkg/loader.py", "path)", "path, encoding)")
    project.edit("pkg/cli.py", "'b'", "'c'")
    assert checked(project, capsys) == (0, [])
    change(LOG, "edited pkg/loader.py (load_table)", "nothing of note")
    code, problems = checked(project, capsys)
    assert (code, [(p["file"], p["why"]) for p in problems]) == (1, [(LOG, "the event log was rewritten from E1 on")])
    assert (
        problems[0]["line"]
        == Path(LOG)
        .read_text()
        .split("\n")
        .index(next(x for x in Path(LOG).read_text().split("\n") if x.startswith("- E1,")))
        + 1
    )
    told = project.read("pkg/cli.py")
    assert "rewritten from E1" in context(told)
    assert project.live.state.events[0].text == "edited pkg/loader.py (load_table)"
    assert project.live.state.events[-1].text == "nothing of note"
    assert checked(project, capsys)[0] == 1  # its history stays what it was


def test_a_log_that_was_cut_or_deleted_is_written_again(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.edit("pkg/loader.py", "path)", "path, encoding)")
    Path(LOG).write_text("# Breakthrough log\n")
    assert "the event log was cut" in checked(project, capsys)[1][0]["why"]
    project.read("pkg/cli.py")
    assert "edited pkg/loader.py" in Path(LOG).read_text()
    Path(LOG).unlink()
    project.read("pkg/cli.py")
    assert "edited pkg/loader.py" in Path(LOG).read_text()


def test_a_file_whose_form_is_broken_is_left_alone_until_it_is_mended(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(LOG).write_text(Path(LOG).read_text() + "I tried three things and none of them worked.\n")
    broken = Path(LOG).read_text()
    told = project.edit("pkg/loader.py", "path)", "path, encoding)")
    line = broken.split("\n").index("I tried three things and none of them worked.") + 1
    assert f"{FOLDER}/{LOG}, line {line}: not an event" in context(told)
    assert Path(LOG).read_text() == broken
    code, problems = checked(project, capsys)
    assert (code, [(p["file"], p["line"]) for p in problems]) == (1, [(LOG, line)])
    assert "I tried" not in context(project.read("pkg/cli.py"))  # said once
    change(LOG, "I tried three", "- E1, step 0, rejected-assumption: I tried three")
    project.read("pkg/cli.py")
    assert [(e.kind, e.derived) for e in project.live.state.events] == [
        ("change", True),
        ("rejected-assumption", False),
    ]
    assert "edited pkg/loader.py" in Path(LOG).read_text()
    assert checked(project, capsys) == (0, [])


def test_the_brief_comes_back_when_it_was_neglected(project: Project) -> None:
    said = [context(project.bash(f"true {n}")) for n in range(25)]
    assert [n for n, text in enumerate(said, 1) if "# Working brief" in text] == [25]
    assert "# Working brief" in context(project.hook("SessionStart", source="compact"))


def test_what_a_hook_cannot_tell_is_told_by_the_next(project: Project) -> None:
    own = {"tool_name": "Bash", "tool_input": {"command": "sleep"}}
    for n in range(3):
        project.hook("PreToolUse", tool_use_id=f"x{n}", **own)
    project.hook("PreToolUse", tool_use_id="x3", **own)
    assert project.hook("Stop") == {}  # four calls never came back: noticed here
    assert "did not complete normally three times" in context(project.hook("UserPromptSubmit", prompt="Go on."))


def test_a_sub_agent_is_told_nothing_and_its_write_is_a_change(project: Project) -> None:
    assert context(project.edit("pkg/loader.py", "path)", "path, encoding)", agent_id="a1")) == ""
    assert "caller `pkg/cli.py`" in context(project.bash("true"))
    assert project.live.harness("s").signals.window == 1


def test_a_second_session_goes_on_with_the_records_and_has_its_own_counters(project: Project) -> None:
    for _ in range(2):
        project.read("pkg/loader.py")
    project.put("pkg/other.py", "x = 1\n")  # while no agent works
    told = project.hook("SessionStart", source="startup", session_id="two")
    assert "Make load_table take an encoding." in context(told)
    assert dict(project.live.harness("two").signals.reads) == {}
    assert dict(project.live.harness("s").signals.reads) == {"pkg/loader.py": 2}
    assert not any("other.py" in e.text for e in project.live.state.events)


def test_records_without_a_journal_are_where_a_new_one_begins(project: Project) -> None:
    project.edit("pkg/loader.py", "path)", "path, encoding)")
    before = project.live.state
    project.keeper._journal.connection.close()
    for name in Path(".").glob("journal.sqlite*"):
        name.unlink()
    project.again()
    assert project.live.state == before
    project.edit("pkg/cli.py", "'b'", "'c'")
    assert [e.n for e in project.live.state.events] == [1, 2]


def test_brief_and_diagnose_print_what_is_kept(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.edit("pkg/loader.py", "load_table(path)", "load_table(path, encoding)")
    capsys.readouterr()
    assert cli.main(["harness", "brief", "--project", str(project.root)]) == 0
    assert capsys.readouterr().out.rstrip("\n") == Path("context_brief.md").read_text().rstrip("\n")
    assert cli.main(["harness", "diagnose", "--project", str(project.root)]) == 0
    assert "pkg/loader.py changed and nothing has looked since" in capsys.readouterr().out
    assert cli.main(["harness", "diagnose", "--project", str(project.root), "--prompt"]) == 0
    assert '<record name="breakthrough_log.md">' in capsys.readouterr().out
    assert project.live.alerts() == ()  # printing changes nothing
    assert cli.main(["harness", "brief", "--project", str(project.root / "pkg")]) == 1


def test_hostile_text_cannot_steer_the_terminal(project: Project, capsys: pytest.CaptureFixture[str]) -> None:
    project.hook("UserPromptSubmit", prompt="\x1b[31mred\x07 \u202e alert")
    capsys.readouterr()
    cli.main(["harness", "brief", "--project", str(project.root)])
    assert all(line.isprintable() for line in capsys.readouterr().out.split("\n"))

"""Commands nobody types: the reader gives up on them in bounded work and says that it did not understand."""

from core.trajectory.shell import read_command
from core.trajectory.shell_calls import MAX_GRAMMAR, read_pipelines
from core.trajectory.steps import Shown, share_lines


def test_text_beyond_the_grammar_limit_is_not_parsed() -> None:
    command = "a|" * MAX_GRAMMAR
    assert read_pipelines(command, "/w") == ((), False)
    assert read_command(command, "/w", "", False).writes == ()


def test_a_long_here_document_is_no_long_command() -> None:
    body = "x = 1\n" * MAX_GRAMMAR
    action = read_command(f"cat > /w/a.py <<'EOF'\n{body}EOF\n", "/w", "", False)
    assert [(w.path, w.op, w.new == body) for w in action.writes] == [("/w/a.py", "put", True)]


def test_more_than_any_context_holds_is_not_taken_for_lines_of_a_file(monkeypatch):
    printed = "a line\n" * 10
    assert [len(view.lines) for view in read_command("cat a.log", "/r", printed, False).shown] == [10]
    view = Shown("/r/a.log", 1, ("a line",) * 10, "read", whole=True)
    assert share_lines([view]) == (view,)
    monkeypatch.setattr("core.trajectory.shell_output.MOST_SHOWN", 50)
    monkeypatch.setattr("core.trajectory.steps.MOST_SHOWN", 50)
    assert read_command("cat a.log", "/r", printed, False).shown == ()
    assert share_lines([view]) == ()

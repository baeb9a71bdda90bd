"""Commands nobody types: the reader gives up on them in bounded work and says that it did not understand."""

from core.trajectory.shell import read_command
from core.trajectory.shell_calls import MAX_GRAMMAR, read_pipelines


def test_text_beyond_the_grammar_limit_is_not_parsed() -> None:
    command = "a|" * MAX_GRAMMAR
    assert read_pipelines(command, "/w") == ((), False)
    assert read_command(command, "/w", "", False).writes == ()


def test_a_long_here_document_is_no_long_command() -> None:
    body = "x = 1\n" * MAX_GRAMMAR
    action = read_command(f"cat > /w/a.py <<'EOF'\n{body}EOF\n", "/w", "", False)
    assert [(w.path, w.op, w.new == body) for w in action.writes] == [("/w/a.py", "put", True)]

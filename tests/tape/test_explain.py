"""The sentences a person reads: why a record was nominated, and why another was not."""

from __future__ import annotations

from core.options import Options
from core.tape.explain import why_nominated, why_not
from tests.tape.driver import Driver
from tests.tape.test_cases import CONFIG, FILES


def test_a_body_edit() -> None:
    run = Driver(dict(FILES), Options())
    record = run.read("config.py", 6, 7)
    run.write("config.py", CONFIG.replace("return load(path)", "return load(path, 1)"))
    nomination, action = run.rows[0]
    said = why_nominated(record, nomination, run.tape, action, stale=True)
    assert said[0] == (
        f"This copy of `read_config` (read at step 1, {record.tokens} tokens) stopped being true at step 2: "
        "the write changed the body of `read_config`."
    )
    assert (
        said[1]
        == f"It was refreshed at step 2, {action.tokens_after - action.tokens_before:+} tokens: read_config changed."
    )


def test_a_rewired_call() -> None:
    run = Driver(dict(FILES), Options())
    record = run.read("config.py", 6, 7)
    run.write("config.py", CONFIG.replace("json_io", "yaml_io"))
    said = why_nominated(record, run.rows[0][0], run.tape)
    assert "may have stopped being true at step 2: `read_config` is unchanged, but its call `load()` went" in said[0]


def test_bindings_removals_and_tests() -> None:
    run = Driver(dict(FILES), Options())
    other, test, gone = run.read("config.py", 10, 13), run.test(), run.read("yaml_io.py", 1, 2)
    run.writes({"config.py": CONFIG.replace("LIMIT = 3", "LIMIT = 4"), "yaml_io.py": None})
    said = {n.record_id: why_nominated(run.records[n.record_id], n, run.tape, a)[0] for n, a in run.rows}
    assert said[other.id].endswith("`other` is unchanged, but LIMIT that it reads was bound anew.")
    assert said[test.id].endswith("the repository has been written once since it ran.")
    assert said[gone.id].endswith("the write removed `load`.")


def test_the_opposite_question() -> None:
    run = Driver(dict(FILES), Options())
    far = run.read("json_io.py")
    kept = run.read("config.py", 10, 11)
    near = run.read("config.py", 6, 7)
    said = run.step(_say(run), [])
    run.write("config.py", CONFIG.replace("return y", "return -y"))
    later = run.read("config.py")
    drift = run.drifts[0]
    assert why_not(far, drift, run.tape) == (
        "It covers `load`.",
        "The write at step 5 changed `other`.",
        "The two have no symbol in common, so the record still holds.",
    )
    assert why_not(near, drift, run.tape)[0] == "It covers `read_config`."
    assert "was born at step 6" in why_not(later, drift, run.tape)[0]
    assert "had already left the context at step 3" in why_not(far, drift, run.tape, gone=3)[0]
    assert "makes no claim" in why_not(said, drift, run.tape)[0]
    action = next(a for n, a in run.rows if n.record_id == kept.id)
    assert why_not(kept, drift, run.tape, action=action)[0].startswith("It was nominated at step 5 and kept: no line")
    assert why_not(kept, drift, run.tape) == (
        "It was nominated: it covers `other`, which the write at step 5 drifted.",
    )


def _say(run: Driver):  # type: ignore[no-untyped-def]
    from core.trajectory.steps import Step

    return Step(run.t + 1, "say", "assistant", "", "", "thinking about it")

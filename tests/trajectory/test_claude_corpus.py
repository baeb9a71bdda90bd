"""Real recorded runs, only where STATETAPE_CORPUS names their folder: nothing lost, nothing twice, all understood.

The expectations are counted from the raw lines by other means than the parser's: ids and texts collected
with the standard json module, whatever thread or file they stand in.
"""

import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.errors import NotATranscript
from core.trajectory.load import RunFiles, discover, load
from core.trajectory.steps import Trajectory

CORPUS = os.environ.get("STATETAPE_CORPUS")
pytestmark = [pytest.mark.corpus, pytest.mark.skipif(not CORPUS, reason="STATETAPE_CORPUS is not set")]
FOLDER = Path(CORPUS or ".") / "claude_code"

# Main-thread and hidden steps, edits among them, and compactions of each recorded run.
COUNTS = {
    "agentv-ts_2.1.62_acc53d32.jsonl": (19, 0, 1, 0),
    "energy-import-export-py_2.1.231_e31e5543.jsonl": (179, 0, 36, 0),
    "entire-cli-go_2.0.76_7d66f047ac98-0.jsonl": (150, 0, 30, 0),
    "entire-cli-go_2.0.76_9878b713483d-0.jsonl": (193, 0, 16, 1),
    "entire-cli-go_2.1.14_89e8867f9092-0.jsonl": (134, 0, 17, 1),
    "entire-cli-go_2.1.17_13db96e5c261-0.jsonl": (188, 0, 60, 0),
    "entire-cli-go_2.1.17_bccb77bb88fa-1.jsonl": (326, 15, 42, 2),
    "entire-cli-go_2.1.31_cc90f6622c5b-1.jsonl": (360, 0, 45, 1),
    "entire-cli-go_2.1.7_5e5207b424e2-0.jsonl": (381, 0, 55, 2),
    "pup-mcp-py_2.1.37_c461850b.jsonl": (72, 35, 8, 0),
}


def objects(path: Path) -> Iterator[dict]:
    """Every JSON object of a file, joined ones too."""
    decoder = json.JSONDecoder()
    for line in path.read_text("utf-8", "replace").split("\n"):
        rest = line.strip()
        while rest:
            value, end = decoder.raw_decode(rest)
            rest = rest[end:].strip()
            if isinstance(value, dict):
                yield value


def messages(path: Path) -> Iterator[dict]:
    """Every message of a file, those inside progress lines too."""
    for value in objects(path):
        inner = value.get("data", {}).get("message", value) if value.get("type") == "progress" else value
        if value.get("type") in ("user", "assistant", "progress") and isinstance(inner, dict):
            message = inner.get("message")
            if isinstance(message, dict):
                yield message


def blocks(run: RunFiles, kind: str) -> Iterator[tuple[str, dict]]:
    """Content blocks of one kind with their message's id."""
    for path in (run.main, *run.agents):
        for message in messages(path) if path else ():
            content = message.get("content")
            for block in content if isinstance(content, list) else ():
                if isinstance(block, dict) and block.get("type") == kind:
                    yield message.get("id", ""), block


def load_all() -> tuple[list[tuple[RunFiles, Trajectory]], dict[str, str]]:
    runs, refused = [], {}
    for run in discover([FOLDER]):
        try:
            runs.append((run, load(run)))
        except NotATranscript as error:
            refused[str(run.path.relative_to(FOLDER))] = f"{'skipped' if error.skip else 'refused'}: {error}"
    return runs, refused


RUNS, REFUSED = load_all() if CORPUS else ([], {})
REAL = [(run, t) for run, t in RUNS if "edge_fixtures" not in run.path.parts]


def names(runs: list[tuple[RunFiles, Trajectory]]) -> list[str]:
    return [str(run.path.relative_to(FOLDER))[-50:] for run, _ in runs]


def test_every_file_is_a_run_of_the_counts_written_down():
    found = {
        run.path.name: (
            sum(not step.agent for step in t.steps),
            sum(bool(step.agent) for step in t.steps),
            sum(step.kind == "edit" and step.tool != "Bash" for step in t.steps),
            len(t.compactions),
        )
        for run, t in REAL
    }
    assert {name: found[name] for name in COUNTS} == COUNTS
    assert len(RUNS) > 50


def test_files_without_a_run_say_why():
    reasons = Counter(reason.split(" of types")[0] for reason in REFUSED.values())
    assert reasons == {
        "skipped: empty file": 3,
        "skipped: only a summary": 1,
        "refused: no step in it: 1 line": 2,
        "refused: no step in it: 4 lines": 1,
    }


def test_fewer_than_one_line_in_a_thousand_is_not_understood():
    assert sum(len(t.skipped) for _, t in RUNS) < sum(t.lines for _, t in RUNS) / 1000
    assert [t.skipped for _, t in REAL if t.skipped] == []


@pytest.mark.parametrize(("run", "t"), RUNS, ids=names(RUNS))
def test_every_call_is_one_step_and_every_text_block_is_one(run: RunFiles, t: Trajectory):
    calls = {block["id"] for _, block in blocks(run, "tool_use") if "id" in block}
    raw = "".join(path.read_text("utf-8", "replace") for path in (run.main, *run.agents) if path)
    found = Counter(step.call_id for step in t.steps if step.call_id and step.tool != "attachment")
    assert all(f'"{call_id}"' in raw for call_id in found)
    assert calls <= set(found)
    assert max(found.values(), default=1) == 1
    assert [step.t for step in t.steps] == list(range(1, len(t.steps) + 1))


@pytest.mark.parametrize(("run", "t"), REAL, ids=names(REAL))
def test_real_runs_agree_with_their_raw_lines(run: RunFiles, t: Trajectory):
    texts = {(mid, block["text"]) for mid, block in blocks(run, "text") if mid and block["text"]}
    said = Counter((step.message_id, step.text) for step in t.steps if step.kind == "say" and step.role == "assistant")
    assert said == Counter(texts)
    results = {block["tool_use_id"]: block.get("content") for _, block in blocks(run, "tool_result")}
    for step in t.steps:
        if isinstance(results.get(step.call_id), str):
            assert step.text == results[step.call_id]
    usage: dict[str, int] = {}
    for path in (run.main, *run.agents):
        for message in messages(path) if path else ():
            if message.get("id") and isinstance(message.get("usage"), dict) and message["model"] != "<synthetic>":
                usage[message["id"]] = max(usage.get(message["id"], 0), message["usage"]["output_tokens"])
    assert {item.message_id: item.output for item in t.usages} == usage
    main = [step for step in t.steps if not step.agent and step.message_id and step.kind != "say"]
    for message in {step.message_id for step in main}:
        numbers = [step.t for step in main if step.message_id == message]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_reads_show_the_numbered_lines_of_their_result():
    seen = 0
    for _, t in REAL:
        for step in t.steps:
            if step.tool == "Read" and not step.failed and step.shown:
                (shown,) = step.shown
                for number, line in enumerate(shown.lines, shown.start):
                    assert f"{number}→{line}" in step.text or f"{number}\t{line}" in step.text
                seen += 1
    assert seen > 350


def test_originals_hold_the_text_an_edit_replaces():
    checked = 0
    for _, t in REAL:
        for step in t.steps:
            originals = {shown.path: "\n".join(shown.lines) for shown in step.shown if shown.source == "original"}
            for write in step.writes[:1]:
                if write.op == "edit" and write.path in originals:
                    assert write.old.rstrip("\n") in originals[write.path]
                    checked += 1
    assert checked > 200

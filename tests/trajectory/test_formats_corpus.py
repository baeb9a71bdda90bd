"""Real runs of the other agents, only where STATETAPE_CORPUS names their folder: nothing lost, nothing twice.

The expectations are counted from the raw files by other means than the parsers': with the standard json module,
by ids and texts.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.errors import InputError
from core.replay.base import load_base
from core.replay.replay import replay
from core.trajectory.load import RunFiles, discover, load
from core.trajectory.steps import Trajectory

CORPUS = os.environ.get("STATETAPE_CORPUS")
pytestmark = [pytest.mark.corpus, pytest.mark.skipif(not CORPUS, reason="STATETAPE_CORPUS is not set")]
ROOT = Path(CORPUS or ".")
FOLDERS = ("codex", "swe_agent", "mini_swe_agent", "openhands", "other")
CONTEXT = ("# AGENTS.md instructions", "<environment_context>")


def load_all() -> tuple[list[tuple[RunFiles, Trajectory]], dict[str, str]]:
    runs, refused = [], {}
    for run in discover([ROOT / folder for folder in FOLDERS]):
        try:
            runs.append((run, load(run)))
        except InputError as error:
            refused[run.path.name] = str(error)
    return runs, refused


RUNS, REFUSED = load_all() if CORPUS else ([], {})


def of(fmt: str) -> list[tuple[RunFiles, Trajectory]]:
    return [(run, t) for run, t in RUNS if t.format == fmt]


def named(fmt: str) -> dict[str, Any]:
    return {"argvalues": of(fmt), "ids": [run.label[-45:] for run, _ in of(fmt)]}


def test_every_file_is_a_run_or_says_why_not():
    assert {t.format for _, t in RUNS} == {"codex", "swe-agent", "mini-swe-agent", "openhands"}
    assert [len(of(fmt)) for fmt in ("codex", "swe-agent", "mini-swe-agent", "openhands")] == [9, 5, 10, 3]
    assert all(
        why.startswith(("JSON, but of no transcript format known here", "no step in it: ")) for why in REFUSED.values()
    )
    assert len(REFUSED) == 8
    assert {run.path.parent.name for run, _ in RUNS} & {"other"} == set()
    assert len({t.run_id for _, t in RUNS}) == len(RUNS)


def test_fewer_than_one_line_in_a_thousand_is_not_understood():
    assert sum(len(t.skipped) for _, t in RUNS) < sum(t.lines for _, t in RUNS) / 1000
    assert [run.label for run, t in RUNS if t.skipped] == ["schema_drift.jsonl"]


def payloads(run: RunFiles) -> Iterator[dict]:
    for line in run.path.read_text("utf-8").split("\n"):
        if line.strip():
            value = json.loads(line)
            if isinstance(value.get("payload"), dict):
                yield {"line_type": value["type"], **value["payload"]}


@pytest.mark.parametrize(("run", "t"), **named("codex"))
def test_codex_steps_are_the_calls_and_messages_of_the_file(run: RunFiles, t: Trajectory):
    if "fixtures" in run.path.parts:
        pytest.skip("made by hand, with events that repeat nothing")
    rows = list(payloads(run))
    items = [row for row in rows if row["line_type"] == "response_item"]
    calls = [row for row in items if row["type"].endswith("_call")]
    texts = 0
    for row in items:
        if row["type"] == "message" and row["role"] in ("user", "assistant"):
            texts += any(not block["text"].startswith(CONTEXT) for block in row["content"])
    cuts = [row for row in rows if row["line_type"] == "compacted"]
    assert len(t.steps) == len(calls) + texts + len(cuts)
    assert len(t.compactions) == len(cuts)
    outputs = {row["call_id"]: row["output"] for row in items if "output" in row}
    by_id = {step.call_id: step for step in t.steps if step.call_id}
    assert {call["call_id"] for call in calls if "call_id" in call} == set(by_id)
    for call_id, output in outputs.items():
        if isinstance(output, str):
            assert by_id[call_id].text == output
            fine = ("exited with code 0\n", "Exit code: 0\n", "running with session ID", "Plan updated")
            assert by_id[call_id].failed is not any(words in output[:200] for words in fine)
    applied = [row for row in rows if row.get("type") == "patch_apply_end"]
    assert len(applied) == sum(bool(step.writes) for step in t.steps if step.tool == "apply_patch")
    for row in applied:
        assert {write.path for write in by_id[row["call_id"]].writes} == set(row["changes"])
    counted = [row["info"] for row in rows if row.get("type") == "token_count" and row["info"]]
    total = counted[-1]["total_token_usage"]
    assert sum(u.input + u.cache_read for u in t.usages) == total["input_tokens"]
    assert sum(u.cache_read for u in t.usages) == total["cached_input_tokens"]
    assert sum(u.output for u in t.usages) == total["output_tokens"]
    assert t.base_hint == next(row["git"]["commit_hash"] for row in rows if row["line_type"] == "session_meta")


def test_codex_shown_lines_stand_in_the_output():
    seen = 0
    for _, t in of("codex"):
        for step in t.steps:
            for shown in step.shown:
                assert all(line in step.text for line in shown.lines)
                seen += len(shown.lines)
    assert seen > 15000


@pytest.mark.parametrize(("run", "t"), **named("mini-swe-agent"))
def test_mini_swe_agent_steps_are_the_calls_and_messages_of_the_file(run: RunFiles, t: Trajectory):
    value = json.loads(run.path.read_text("utf-8"))
    messages = value["messages"] if isinstance(value, dict) else value
    texts = calls = 0
    for message in messages:
        if message["role"] == "assistant":
            actions = message.get("tool_calls")
            thought = message["content"] or ""
            if actions is None:
                calls += 1
                thought = thought.split("```")[0]
            calls += len(actions or ())
            texts += bool(thought.strip())
    assert len(t.steps) == 1 + texts + calls
    by_id = {step.call_id: step for step in t.steps if step.call_id}
    for message in messages:
        if message["role"] == "tool":
            step = by_id[message["tool_call_id"]]
            assert step.text == message["content"]
            assert step.failed is (message["extra"]["returncode"] != 0)
    if isinstance(value, dict):
        assert (t.submission, t.instance_id) == (value["info"]["submission"], value["instance_id"])
        used = [m["extra"]["response"]["usage"] for m in messages if m["role"] == "assistant"]
        assert sum(u.output for u in t.usages) == sum(item["completion_tokens"] for item in used)
        assert sum(u.input + u.cache_read for u in t.usages) == sum(item["prompt_tokens"] for item in used)


@pytest.mark.parametrize(("run", "t"), **named("swe-agent"))
def test_swe_agent_steps_are_the_entries_of_the_file(run: RunFiles, t: Trajectory):
    value = json.loads(run.path.read_text("utf-8"))
    entries = value["trajectory"]
    tasks = sum(
        message["role"] == "user" and not message.get("is_demo")
        for message in value["history"][: next(i for i, m in enumerate(value["history"]) if m["role"] == "assistant")]
    )
    assert len(t.steps) == tasks + len(entries) + sum(bool(entry["thought"].strip()) for entry in entries)
    calls = [step for step in t.steps if step.kind != "say"]
    for step, entry in zip(calls, entries, strict=True):
        assert step.call == entry["action"]
        assert entry["observation"].strip()[:200] in step.text
        shown = [line for view in step.shown for line in view.lines]
        assert all(line in step.text for line in shown)
    result = replay(t, load_base("none", t))
    assert (result.fidelity, result.unapplied) == (1.0, ())


@pytest.mark.parametrize(("run", "t"), **named("openhands"))
def test_openhands_steps_are_the_actions_of_the_row(run: RunFiles, t: Trajectory):
    row = json.loads(run.path.read_text("utf-8").split("\n")[run.row - 1])
    actions = [event for event in row["history"] if "action" in event]
    calls = [event for event in actions if event["action"] != "message"]
    thoughts = sum(bool(event.get("args", event).get("thought")) for event in calls)
    assert len(t.steps) == len(actions) + thoughts
    results = [event["content"] for event in row["history"] if "observation" in event]
    assert len(results) == len(calls) - 1  # the last call ends the run
    steps = [step for step in t.steps if step.kind != "say"]
    assert all(step.text.startswith(content) for step, content in zip(steps, results, strict=False))
    assert t.submission == (row.get("git_patch") or row["test_result"]["git_patch"])
    used = {
        e["tool_call_metadata"]["model_response"]["id"]: e["tool_call_metadata"]["model_response"]["usage"]
        for e in actions
        if "tool_call_metadata" in e
    }
    assert sum(u.output for u in t.usages) == sum(item["completion_tokens"] for item in used.values())
    result = replay(t, load_base("none", t))
    assert result.fidelity in (None, 1.0)

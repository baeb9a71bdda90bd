"""Records of real shape, changed at random: whatever comes of it, it is a run or an InputError, soon."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.options import Options
from core.pipeline import analyse
from core.replay.base import load_base
from core.trajectory.load import load_bytes
from storage.rows import RunMeta
from storage.save import stage
from tests.bad_input.hostile import within
from tests.trajectory.test_claude_properties import SESSION_LINES

ROOT = Path(__file__).resolve().parents[2]
FORMATS = ROOT / "tests" / "trajectory"
ODD: list[Any] = [
    None, True, False, 0, -1, 1, 2**31, 2**53, 2**63 - 1, 2**64 - 1, 10**30, 1.5, 1e308, "", " ", "x", "~", "/", "..",
    "../../etc/passwd", "\0", "\ud800", "\u202e", "</script>", "a" * 3000, "\r\n", "9" * 30, "²", "-5", [], [None],
    [[]], {}, {"a": {}}, {"type": "text", "text": None}, [{"type": "tool_result"}], "cat > x <<'EOF'\n",
    "sed -i 's/(/)/' x", "2026-13-45T99:99:99Z", "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch",
    "@@ -1,99999999999 +1 @@\n-x\n+y",
]  # fmt: skip
Path_ = tuple[Any, ...]


def places(value: Any, at: Path_ = ()) -> Iterator[Path_]:
    """Where something stands in a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in list(items)[:60]:
        yield (*at, key)
        if len(at) < 20:
            yield from places(item, (*at, key))


def get(value: Any, path: Path_) -> Any:
    for key in path:
        value = value[key]
    return value


@st.composite
def changed(draw: st.DrawFn, session: list[Any]) -> bytes:
    """The lines of ``session`` with some values dropped, replaced, exchanged, wrapped or cut."""
    lines = copy.deepcopy(session)
    for _ in range(draw(st.integers(1, 8))):
        if not lines:
            break
        path = draw(st.sampled_from(sorted(places(lines), key=repr)))
        holder, key = get(lines, path[:-1]), path[-1]
        match draw(st.sampled_from(["drop", "odd", "odd", "swap", "wrap", "text", "repeat"])):
            case "drop":
                del holder[key]
            case "odd":
                holder[key] = draw(st.sampled_from(ODD))
            case "swap":
                holder[key] = copy.deepcopy(get(lines, draw(st.sampled_from(sorted(places(lines), key=repr)))))
            case "wrap":
                holder[key] = draw(st.sampled_from([[holder[key]], {str(key): holder[key]}]))
            case "text":
                holder[key] = json.dumps(holder[key])
            case "repeat":
                holder[key] = holder[key] * 2 if isinstance(holder[key], list | str) else [holder[key]] * 2
    data = b"\n".join(json.dumps(line).encode() for line in lines)
    return data[: draw(st.integers(0, len(data)))] if draw(st.integers(0, 9)) == 0 else data


def check(data: bytes) -> None:
    """A run that can be stored, or an InputError."""
    with within(20), suppress(InputError):  # any other exception fails
        trajectory = load_bytes("s.jsonl", data)
        stage(analyse(trajectory, load_base("none", trajectory), Options()), RunMeta("s.jsonl"))


@given(changed(SESSION_LINES))
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_changed_sessions_are_runs_or_refused(data: bytes) -> None:
    check(data)


def corpus() -> list[Path]:
    """Small recorded runs of every format, when there are any."""
    folder = os.environ.get("STATETAPE_CORPUS")
    found = sorted(Path(folder).rglob("*.*")) if folder else []
    wanted = {".jsonl", ".json", ".traj"}
    return [p for p in found if p.suffix in wanted and p.is_file() and 0 < p.stat().st_size < 400_000]


@pytest.mark.corpus
@pytest.mark.skipif(not corpus(), reason="needs STATETAPE_CORPUS")
@given(st.data())
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
def test_changed_recorded_runs_are_runs_or_refused(data: st.DataObject) -> None:
    path = data.draw(st.sampled_from(corpus()))
    raw = path.read_bytes()
    try:
        lines = [json.loads(line) for line in raw.split(b"\n") if line.strip()][:60]
    except ValueError:
        try:
            lines = [json.loads(raw)]
        except ValueError:
            return
    check(data.draw(changed(lines)))

"""Bad transcripts through the public door: what each gives, what it is called, and the rest of the batch goes on.

The kinds that need more room stand in ``tests/bad_input``: records, code, bombs, bases, databases, markup, fuzz.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

import cli
from core.trajectory.load import load_bytes
from storage.database import open_engine
from storage.export import export_rows, list_runs
from storage.ingest import INGEST_COLUMNS, ingest
from tests.bad_input.hostile import FILE, SOURCE, TASK, Records, edit, read, taken, within
from tests.trajectory.sessions import assistant, call, result, to_lines, user

GOOD: Records = [TASK, *read("r", FILE, SOURCE, 1), *edit("e", FILE, "return x", "return 2", 2)]
DATA = to_lines(*GOOD)
DEEP = '{"type":"user","sessionId":"s","message":{"content":' + "[" * 100_000 + "]" * 100_000 + "}}"
# name -> bytes, status, reason, (steps, skipped lines)
FILES: dict[str, tuple[bytes, str, str | None, tuple[int, int] | None]] = {
    "a_empty.jsonl": (b"", "skipped", "empty file", None),
    "b_blank.jsonl": (b"\n \r\n\n", "skipped", "only blank", None),
    "c_nul.jsonl": (b"\0" * 5000, "skipped", "only blank", None),
    "d_bom.jsonl": (b"\xef\xbb\xbf\n", "skipped", "only blank", None),
    "d_utf16.jsonl": (DATA.decode().encode("utf-16"), "skipped", "not JSON lines: UTF-16 text; save it as UTF-8", None),
    "e_binary.jsonl": (bytes(range(256)) * 40, "skipped", "not JSON lines: looks binary", None),
    "f_text.jsonl": (b"hello\nworld\n", "skipped", "not JSON lines: looks like plain text", None),
    "g_other.json": (
        b'{"name": "x", "version": 1}', "skipped",
        "JSON, but of no transcript format known here (keys name, version)", None,
    ),
    "h_deep.json": (b"[" * 100_000, "skipped", "JSON, but of no transcript format known here", None),
    "i_summary.jsonl": (b'{"type":"summary","summary":"x","leafUuid":"y"}\n', "skipped", "only a summary", None),
    "j_nothing.jsonl": (
        b'{"type":"system","sessionId":"s","subtype":"x"}\n{"type":"mode","sessionId":"s"}\n', "refused",
        "no step in it: 2 lines of types mode, system", None,
    ),
    "k_cut.jsonl": (DATA[:-40], "loaded", None, (3, 1)),
    "l_joined.jsonl": (DATA.replace(b"}\n{", b"}{", 1), "loaded", None, (3, 0)),
    "m_comments.jsonl": (b"// a note\n\n" + DATA, "loaded", None, (3, 0)),
    "n_utf8.jsonl": (DATA.replace(b"Fix it.", b"Fix \xff\xfe\xc0 it."), "loaded", None, (3, 0)),
    "o_surrogate.jsonl": (DATA.replace(b"Fix it.", b"Fix \\ud800 it."), "loaded", None, (3, 0)),
    "p_nul_text.jsonl": (DATA.replace(b"Fix it.", b"Fix \\u0000\0 it."), "loaded", None, (3, 0)),
    "q_bom_run.jsonl": (b"\xef\xbb\xbf" + DATA.replace(b"\n", b"\r\n"), "loaded", None, (3, 0)),
    "r_nonsense.jsonl": (
        DATA + b'[1]\n"x"\nnull\n{"a":1}\n{"type":5}\n{broken\n' + DEEP.encode() + b"\n", "loaded", None, (3, 7),
    ),
    "s_strange.jsonl": (
        DATA + b"".join(b'{"type":"thing-%d","sessionId":"s"}\n' % n for n in range(1000)), "loaded", None, (3, 0),
    ),
}  # fmt: skip


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return open_engine(tmp_path / "db" / "t.duckdb")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "in"
    made.mkdir()
    for number, (name, (data, *_)) in enumerate(FILES.items()):
        # each its own run: the sessions differ
        (made / name).write_bytes(data.replace(b"5e551000", b"5e551%03d" % number))
    return made


@pytest.mark.parametrize("jobs", [1, 3])
def test_every_bad_file_is_a_row_with_its_reason_and_none_stops_the_batch(
    engine: Engine, folder: Path, jobs: int
) -> None:
    rows = ingest([folder], engine=engine, jobs=jobs)
    assert [Path(row["path"]).name for row in rows] == list(FILES)
    for row, (_, status, why, counts) in zip(rows, FILES.values(), strict=True):
        assert tuple(row) == INGEST_COLUMNS
        assert (row["status"], row["error"]) == (status, why), row["path"]
        assert (row["steps"], row["skipped_lines"]) == (counts or (None, None)), row["path"]
    loaded = sorted(row["run_id"] for row in rows if row["status"] == "loaded")
    assert [run["run_id"] for run in list_runs(engine)] == loaded
    assert len(loaded) == len(set(loaded)) == 9


def test_a_batch_with_a_refusal_is_exit_1_and_one_with_skips_is_not(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["ingest", str(folder), "--json", "--db", str(tmp_path / "cli.duckdb")]
    assert cli.main(words) == 1
    rows = json.loads(capsys.readouterr().out)
    assert {row["status"] for row in rows} == {"loaded", "skipped", "refused"}
    (folder / "j_nothing.jsonl").unlink()
    assert cli.main(words) == 0
    assert len(json.loads(capsys.readouterr().out)) == len(FILES) - 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("n_utf8.jsonl", "Fix \ufffd\ufffd\ufffd it."),
        ("o_surrogate.jsonl", "Fix \ufffd it."),
        ("p_nul_text.jsonl", "Fix  it."),
        ("q_bom_run.jsonl", "Fix it."),
    ],
)
def test_text_that_cannot_be_stored_is_repaired_once_and_said(
    engine: Engine, folder: Path, name: str, text: str
) -> None:
    (row,) = ingest([folder / name], engine=engine)
    steps = export_rows(engine, row["run_id"], "steps", ("P",))
    assert steps[0]["text"] == text
    repairs = dict(load_bytes(name, FILES[name][0]).unknown)
    wanted = {"n": "invalid UTF-8 replaced", "o": "lone surrogate replaced", "p": "NUL removed"}.get(name[0])
    assert repairs == ({f"text:{wanted}": 1} if wanted else {})


def test_unknown_record_types_are_counted_by_name() -> None:
    unknown = dict(load_bytes("s.jsonl", FILES["s_strange.jsonl"][0]).unknown)
    assert unknown == {f"type:thing-{n}": 1 for n in range(1000)}


def test_a_line_of_50_megabytes_is_read(engine: Engine, tmp_path: Path) -> None:
    words = "hello world " * 4_200_000
    with within(30):
        row = taken(engine, tmp_path, "s.jsonl", to_lines(TASK, user(words, 1)))
    assert (row["status"], row["steps"], row["skipped_lines"]) == ("loaded", 2, 0)
    (stored,) = list_runs(engine)
    steps = export_rows(engine, stored["run_id"], "steps", ("P",))
    assert len(steps[1]["text"]) == len(words)
    assert steps[1]["tokens"] >= 8_400_000


def test_a_line_too_long_to_read_is_skipped_by_name_and_the_rest_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.trajectory.streams.MAX_LINE", 4096)
    monkeypatch.setattr("core.trajectory.json_lines.MAX_LINE", 4096)
    run = load_bytes("s.jsonl", to_lines(TASK, user("x" * 9000, 1), *GOOD[1:]))
    assert [step.kind for step in run.steps] == ["say", "read", "edit"]
    assert [(s.line, s.why) for s in run.skipped] == [(2, "longer than 0 MB")]


def test_the_same_run_again_is_replaced_and_not_doubled(engine: Engine, tmp_path: Path) -> None:
    first = taken(engine, tmp_path / "in", "s.jsonl", DATA)
    grown = DATA + to_lines(user("More.", 9))
    again = taken(engine, tmp_path / "in", "s.jsonl", grown)
    elsewhere = taken(engine, tmp_path / "copy", "other-name.jsonl", grown)
    assert first["run_id"] == again["run_id"] == elsewhere["run_id"]
    (run,) = list_runs(engine)
    assert (run["steps"], run["path"]) == (4, str(tmp_path / "copy" / "other-name.jsonl"))
    assert [step["t"] for step in export_rows(engine, run["run_id"], "steps", ("P",))] == [1, 2, 3, 4]


def test_two_files_with_one_session_id_are_two_runs(engine: Engine, tmp_path: Path) -> None:
    other = DATA.replace(b"Fix it.", b"Other.")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "one.jsonl").write_bytes(DATA)
    (tmp_path / "in" / "two.jsonl").write_bytes(other)
    rows = ingest([tmp_path / "in"], engine=engine)
    assert [row["status"] for row in rows] == ["loaded", "loaded"]
    assert len({row["run_id"] for row in rows}) == 2
    assert {run["run_id"] for run in list_runs(engine)} == {row["run_id"] for row in rows}
    tasks = {export_rows(engine, row["run_id"], "steps", ("P",))[0]["text"] for row in rows}
    assert tasks == {"Fix it.", "Other."}


def test_a_run_that_turns_bad_keeps_what_was_stored_of_it(engine: Engine, tmp_path: Path) -> None:
    taken(engine, tmp_path, "s.jsonl", DATA)
    row = taken(engine, tmp_path, "s.jsonl", b"")
    assert (row["status"], row["error"]) == ("skipped", "empty file")
    assert [run["steps"] for run in list_runs(engine)] == [3]


def agents(folder: Path, make: Callable[[dict[str, Any]], dict[str, Any]]) -> list[dict[str, Any]]:
    """A session that starts an agent, and that agent's file with ``make`` done to each of its records."""
    session = [TASK, assistant([call("t", "Task", prompt="Look.")], 1, "m1"), result("t", "Looked.", 9)]
    (folder / "s.jsonl").write_bytes(to_lines(*session))
    hidden = [user("Look.", 2, "h0"), *read("r", FILE, SOURCE, 3)]
    inner = [make({**record, "isSidechain": True, "agentId": "a1"}) for record in hidden]
    (folder / "agent-a1.jsonl").write_bytes(to_lines(*inner))
    return inner


@pytest.mark.parametrize(
    "make",
    [
        lambda record: record,
        lambda record: {**record, "parentUuid": record["uuid"]},
        lambda record: {**record, "sessionId": "a1", "agentId": "a1"},
        lambda record: {**record, "parentToolUseID": "r", "agentId": "agent-a1"},
        lambda record: {**record, "isSidechain": "yes"},
    ],
)
def test_an_agent_file_that_names_itself_as_parent_is_never_a_loop(
    engine: Engine, tmp_path: Path, make: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    agents(folder, make)
    with within(10):
        rows = ingest([folder], engine=engine)
    assert {row["status"] for row in rows} == {"loaded"}
    assert sum(row["steps"] for row in rows) == 2 + 2  # nothing lost, nothing twice
    shutil.rmtree(folder)

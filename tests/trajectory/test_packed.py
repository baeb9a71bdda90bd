"""Transcripts packed with gzip or zstd are the same runs; damaged and swollen ones say so."""

import gzip
import hashlib
import json
from pathlib import Path

import pytest
import zstandard

from core.errors import InputError, NotATranscript
from core.trajectory import streams
from core.trajectory.load import discover, load, load_bytes
from tests.trajectory.sessions import assistant, text, to_lines, user
from tests.trajectory.test_openhands import ROW

DATA = to_lines(user("Fix it.", 0), assistant([text("Done.")], 1, "m"))
PACKERS = {"gz": gzip.compress, "zst": zstandard.compress}


@pytest.mark.parametrize("kind", PACKERS)
def test_a_packed_session_is_the_same_run(tmp_path: Path, kind: str):
    packed = PACKERS[kind](DATA)
    (tmp_path / f"a.jsonl.{kind}").write_bytes(packed)
    (run,) = discover([tmp_path])
    parts: list[float] = []
    t, plain = load(run, parts.append), load_bytes("a.jsonl", DATA)
    assert (t.run_id, t.steps[0].text, t.content_hash, t.size) == (
        plain.run_id,
        "Fix it.",
        plain.content_hash,
        len(DATA),
    )
    assert parts[-1] == 1.0
    assert load_bytes(f"a.{kind}", packed).run_id == plain.run_id


@pytest.mark.parametrize("kind", PACKERS)
def test_rows_of_a_packed_file_are_found_where_they_start(tmp_path: Path, kind: str):
    line = json.dumps(ROW).encode() + b"\n"
    other = json.dumps({**ROW, "instance_id": "shop__shop-9"}).encode()
    (tmp_path / "output.jsonl").write_bytes(PACKERS[kind](line + other))
    one, two = discover([tmp_path])
    assert [load(run).instance_id for run in (one, two)] == ["shop__shop-3", "shop__shop-9"]


@pytest.mark.parametrize("kind", PACKERS)
@pytest.mark.parametrize("keep", [0.2, 0.7, 0.95])
def test_a_packed_file_that_was_cut_is_refused_with_the_reason(tmp_path: Path, kind: str, keep: float):
    noise = [hashlib.sha256(bytes([n % 256, n // 256])).hexdigest() for n in range(300)]
    packed = PACKERS[kind](b"".join(to_lines(user(f"Message {word}", n)) for n, word in enumerate(noise)))
    path = tmp_path / f"a.{kind}"
    path.write_bytes(packed[: int(len(packed) * keep)])
    (run,) = discover([path])
    with pytest.raises(InputError, match=r"damaged or cut off|empty file") as raised:
        load(run)
    assert kind == "gz" or "a.zst" in str(raised.value) or isinstance(raised.value, NotATranscript)


@pytest.mark.parametrize("kind", PACKERS)
def test_a_file_that_swells_beyond_the_limit_is_refused(tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(streams, "MAX_UNPACKED", 3 << 30 >> 10)
    path = tmp_path / f"bomb.{kind}"
    path.write_bytes(PACKERS[kind](to_lines(user("a", 0)) + b" " * (8 << 20)))
    (run,) = discover([path])
    with pytest.raises(InputError, match="unpacks to more than"):
        load(run)


def test_a_packed_file_of_another_kind_is_skipped(tmp_path: Path):
    path = tmp_path / "notes.gz"
    path.write_bytes(gzip.compress(b"# Notes\nnothing\n"))
    assert discover([tmp_path]) == ()
    (run,) = discover([path])
    with pytest.raises(NotATranscript, match="looks like plain text") as raised:
        load(run)
    assert raised.value.skip

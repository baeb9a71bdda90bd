"""Rows between their maker and the database: the same out as in, and nothing left behind whoever dies."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from core.errors import StorageError
from storage.save import publish, stage
from storage.schema import RUN_TABLES, blobs
from storage.staged import Pile, Staged, pack
from tests.storage.test_save import META, engine, everything  # noqa: F401
from tests.storage.tiny import HOSTILE, tiny

ROOT = Path(__file__).resolve().parents[2]
SPILL_AND_WAIT = """
import sys, time
from pathlib import Path
import pyarrow as pa
from storage.staged import Pile, pack
pile = Pile(Path(sys.argv[1]), in_memory=10)
for n in range(50):
    pile.put(pack("blobs", pa.table({"text": [str(n) * 10_000]})))
print(pile.packed, flush=True)
time.sleep(60)
"""


def table(first: int) -> pa.Table:
    return pa.table({"n": pa.array(range(first, first + 3)), "text": pa.array([HOSTILE[:20], None, "é"] * 1)})


@pytest.mark.parametrize("in_memory", [0, 400, 1 << 20])
def test_pieces_come_back_by_table_in_order_and_as_often_as_asked(tmp_path: Path, in_memory: int) -> None:
    pile = Pile(tmp_path, in_memory)
    for n in range(4):
        pile.put(pack("a" if n % 2 else "b", table(n)))
        for name, firsts in (("a", [1, 3]), ("b", [0, 2])):
            expected = [table(first) for first in firsts if first <= n]
            assert list(pile.pieces(name)) == expected
            assert list(pile.pieces(name)) == expected
    assert list(tmp_path.iterdir()) == []  # what is on disk has no name
    assert (pile.rows, pile.size, pile.names()) == (12, sum(table(n).nbytes for n in range(4)), {"a", "b"})
    pile.close()
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_lies_on_disk_is_stored_like_one_in_memory(tmp_path: Path, engine: object) -> None:  # noqa: F811
    here, there = stage(tiny(odd=HOSTILE), META), stage(tiny(odd=HOSTILE), META, new_pile=lambda: Pile(tmp_path, 0))
    assert here.pile.names() == {t.name for t in (*RUN_TABLES, blobs)}
    publish(engine, here)  # type: ignore[arg-type]
    once = everything(engine)  # type: ignore[arg-type]
    publish(engine, there)  # type: ignore[arg-type]
    assert everything(engine) == once  # type: ignore[arg-type]
    there.close()


def test_no_room_is_said(tmp_path: Path) -> None:
    pile = Pile(tmp_path / "gone", in_memory=0)
    with pytest.raises(StorageError, match=r"gone: the rows of the run cannot be kept there \(No such file"):
        pile.put(pack("a", table(0)))
    pile.close()


def test_rows_refused_while_they_are_made_are_let_go(tmp_path: Path) -> None:
    made: list[Pile] = []

    def new_pile() -> Pile:
        made.append(Pile(tmp_path, 0))
        return made[-1]

    analysis = tiny()
    object.__setattr__(analysis, "statuses", (*analysis.statuses, analysis.statuses[0]))
    with pytest.raises(StorageError, match="same key"):
        stage(analysis, META, new_pile=new_pile)
    (pile,) = made
    with pytest.raises(ValueError, match="closed file"):
        list(pile.pieces("records"))


def test_a_killed_process_leaves_no_file(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SPILL_AND_WAIT, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        assert int(process.stdout.readline()) > 1000
        process.send_signal(signal.SIGKILL)
    assert list(tmp_path.iterdir()) == []


def test_a_long_text_is_a_piece_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = stage(tiny(odd=HOSTILE), META)
    monkeypatch.setattr("storage.save.TEXTS", 5)
    monkeypatch.setattr("storage.row_pieces.TEXTS", 5)  # now nearly every text is a long one
    pieces = stage(tiny(odd=HOSTILE), META)
    assert isinstance(pieces, Staged)
    assert pieces.table("blobs").to_pylist() == whole.table("blobs").to_pylist()

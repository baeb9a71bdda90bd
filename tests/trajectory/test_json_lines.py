"""Lines -> records: what real files hold besides one clean object a line (FORMATS, Lines)."""

import io
import json
import sys
import time

import pytest

from core.trajectory.json_lines import Source, Tally, compact, make_run_id, read_records
from core.trajectory.streams import BLOCK, Meter


def read(*lines: bytes) -> tuple[list[dict], Tally]:
    tally = Tally()
    return [record for _, record in read_records(Source("f.jsonl", lines), tally)], tally


def test_blank_and_comment_lines_are_not_counted():
    records, tally = read(b"\n", b"  \r\n", b"// exported by a tool\n", b'{"type":"user"}\n')
    assert records == [{"type": "user"}]
    assert (tally.lines, tally.skipped) == (1, [])


@pytest.mark.parametrize("blank", [b" ", b"\t", b"\r", b"\x0b", b"\x0c", b" \x0c\r"])
def test_any_blank_around_a_record_is_not_part_of_it(blank: bytes):
    first, *others = blank + b'{"type":"a"}' + blank + b"\n", blank + b"// no\n", blank + b"\n", b'{"type":"b"}'
    records, tally = read(first, *others)
    assert [record["type"] for record in records] == ["a", "b"]
    assert (tally.lines, tally.skipped) == (2, [])


def test_joined_objects_on_one_line_are_both_read():
    records, tally = read(b'{"type":"user","n":1}{"type":"assistant","n":2} {"type":"system","n":3}\n')
    assert [record["n"] for record in records] == [1, 2, 3]
    assert (tally.lines, tally.skipped) == (1, [])


def test_a_cut_last_line_is_skipped_with_its_number_and_the_place_of_the_break():
    records, tally = read(b'{"type":"user"}\n', b'{"type":"assistant","message":{"content":[{"type":"te')
    assert records == [{"type": "user"}]
    (skipped,) = tally.skipped
    assert (skipped.source, skipped.line) == ("f.jsonl", 2)
    assert skipped.why.startswith("broken JSON at character ")


def test_a_record_behind_a_cut_one_on_the_same_line_is_still_read():
    cut = b'{"parentUuid":"x","type":"user","message":{"role":"user","content":"half a sen'
    records, tally = read(cut + b'{"parentUuid":"y","type":"user","whole":true}\n')
    assert records == [{"parentUuid": "y", "type": "user", "whole": True}]
    assert len(tally.skipped) == 1


def test_a_record_quoted_inside_a_text_is_never_taken_for_one():
    inner = json.dumps({"parentUuid": None, "type": "user"})
    records, _ = read(json.dumps({"type": "assistant", "text": inner}).encode()[:-1])
    assert records == []


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"42", "not an object: a number"),
        (b'"error"', "not an object: a string"),
        (b"[1]", "not an object: an array"),
        (b"null", "not an object: null"),
        (b'{"silly":"this"}', "an object without a type"),
        (b'{"type":7}', "an object without a type"),
        (b"\0\0\0\0", "only NUL bytes"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"type":' + b'{"a":' * 3000 + b"1" + b"}" * 3000 + b"}", "nested too deeply"),
    ],
)
def test_what_cannot_be_a_record_is_skipped_with_the_reason(line: bytes, why: str):
    records, tally = read(line)
    assert records == []
    assert [skipped.why for skipped in tally.skipped] == [why]
    assert tally.lines == 1


def test_invalid_utf8_is_replaced_and_counted():
    records, tally = read(b'{"type":"user","text":"caf\xe9 \xff"}')
    assert records[0]["text"] == "caf\ufffd \ufffd"
    assert tally.unknown == {"text:invalid UTF-8 replaced": 1}


def test_lone_surrogates_become_replacement_characters_and_pairs_become_their_character():
    records, tally = read(rb'{"type":"user","text":"a\ud83d b\udc00","smile":"\ud83d\ude00"}')
    assert records[0]["text"] == "a\ufffd b\ufffd"
    assert records[0]["smile"] == "\U0001f600"
    assert tally.unknown == {"text:lone surrogate replaced": 1}


def test_nul_is_removed_wherever_it_stands():
    records, tally = read(b'\0\0{"type":"user","te\\u0000xt":"a\\u0000b"}\0')
    assert records == [{"type": "user", "text": "ab"}]
    assert tally.unknown == {"text:NUL removed": 1}


def test_an_escaped_backslash_before_u0000_is_text_not_a_nul():
    records, tally = read(rb'{"type":"user","text":"\\u0000"}')
    assert records[0]["text"] == r"\u0000"
    assert not tally.unknown


def test_numbers_the_strict_parser_refuses_are_read_and_a_hostile_one_is_skipped():
    records, _ = read(b'{"type":"user","n":123456789012345678901234567890,"x":NaN}')
    assert records[0]["n"] == 123456789012345678901234567890
    records, tally = read(b'{"type":"user","n":' + b"9" * 10_000 + b"}")
    assert records == []
    assert "number too long" in tally.skipped[0].why


def test_a_byte_order_mark_is_not_part_of_the_first_record():
    records, tally = read(b'\xef\xbb\xbf{"type":"user"}')
    assert (records, tally.skipped) == ([{"type": "user"}], [])


def test_a_line_full_of_broken_starts_costs_linear_time():
    began = time.process_time()
    read(b'{"parentUuid"' * 200_000)
    assert time.process_time() - began < 2


def test_compact_writes_what_the_fast_writer_refuses():
    assert compact({"a": [1, "é"]}) == '{"a":[1,"é"]}'
    assert compact({"n": 1 << 70}) == f'{{"n":{1 << 70}}}'
    deep: object = 1
    for _ in range(5000):
        deep = [deep]
    assert compact(deep) == ""


def test_run_id_depends_on_session_and_first_record_and_not_on_spacing():
    first = {"type": "user", "uuid": "a", "n": 1}
    run_id = make_run_id("s-1", first)
    assert run_id == make_run_id("s-1", dict(reversed(first.items())))
    assert run_id.startswith("s-1-")
    assert len(run_id) == len("s-1-") + 8
    assert run_id != make_run_id("s-1", {**first, "n": 2})
    assert make_run_id("../../etc/\npasswd", first).startswith(".._.._etc__passwd-")


def test_a_line_is_not_held_while_its_records_are_worked_on():
    kept: list[bytes] = []

    def lines():
        for name in "ab":
            kept.append(b'{"type":"%s"}\n' % name.encode())
            yield kept[-1]

    for number, record in enumerate(read_records(Source("f.jsonl", lines()), Tally())):
        assert record[1]["type"] == "ab"[number]
        holders = sys.getrefcount(kept[number])
        assert holders == 2  # this list, and the question itself


def test_a_line_longer_than_a_block_is_held_by_nobody_but_its_reader():
    lines = Meter(0, None).lines(io.BytesIO(b"a" * (3 * BLOCK) + b"\n" + b"b" * (2 * BLOCK)))
    for expected in (3 * BLOCK + 1, 2 * BLOCK):
        line = next(lines)
        assert len(line) == expected
        holders = sys.getrefcount(line)
        assert holders == 2  # this name, and the question itself

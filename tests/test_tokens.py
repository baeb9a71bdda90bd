"""The counter: known counts, agreement of the two counters, hostile text, a wrong rank file."""

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import content, tokens
from core.errors import StateTapeError


@pytest.mark.parametrize(
    ("text", "count"),
    # Worked out with the published encoding: "hello world" is tokens 15339 1917; 1234567 splits 123|456|7.
    [("", 0), ("hello world", 2), ("1234567", 3), ("<|endoftext|>", 7)],
)
def test_known_counts(text: str, count: int) -> None:
    assert tokens.count_tokens(text) == count


@given(st.text() | st.text(alphabet="ab's \n\t\u00e9\U0001e900\u0560'lL"))
def test_fast_counter_equals_reference(text: str) -> None:
    clean = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert tokens.count_tokens(text) == len(tokens.encoding().encode_ordinary(clean))


@given(st.text(max_size=60))
def test_token_starts_tile_the_text(text: str) -> None:
    starts = tokens.token_starts(text)
    assert len(starts) == tokens.count_tokens(text)
    assert starts == sorted(starts)
    assert all(0 <= at < len(text) for at in starts)
    assert not text or starts[0] == 0


@given(st.text(max_size=60) | st.text(alphabet="ab's1 !(\n\r\t\u00e9\u3000\x0c\x1c\u2028\U0001e900\ud800", max_size=60))
def test_tokens_before_lines_are_those_that_start_there(text: str) -> None:
    starts = tokens.token_starts(text)
    ends = [at + 1 for at, character in enumerate(text) if character == "\n"]
    before = [sum(start < end for start in starts) for end in ends]
    found = tokens.tokens_before_lines(text)
    assert found[: len(ends) + 1] == [0, *before]
    assert found[-1] == len(starts)
    assert len(found) == len(ends) + 1 + (0 if not text or text.endswith("\n") else 1)


def test_lone_surrogate_counts_as_replacement_character() -> None:
    assert tokens.count_tokens("a\ud800b") == tokens.count_tokens("a\ufffdb")


def test_many_keeps_order_and_repeats() -> None:
    assert tokens.count_many(["hello world", "", "hello world", "1234567"]) == [2, 0, 2, 3]


@given(st.text(alphabet="ab's1 !(\n\r\t\u00e9\u3000\x1c", max_size=80), st.integers(0, 7))
def test_a_long_text_is_counted_in_parts_that_add_up(text: str, long: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "_LONG", long)
        patch.setattr(tokens, "_counts", {})
        parts = list(tokens._parts(text))
        counted = tokens.count_many([text])[0]
    assert "".join(parts) == text
    reference = tokens.encoding().encode_ordinary
    assert counted == sum(len(reference(part)) for part in parts) == len(reference(text))


@given(st.text(st.characters(), max_size=50))
def test_the_identity_of_a_text_is_that_of_its_bytes_however_long(text: str) -> None:
    plain = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    assert content.content_digest(text) == plain
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(content, "_STRETCH", 3)
        assert content.content_digest(text) == plain


def test_wrong_rank_file_is_a_clear_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "cl100k_base.tiktoken"
    fake.write_bytes(b"QQ== 0\n")
    monkeypatch.setattr(tokens, "RANK_FILE", fake)
    tokens.encoding.cache_clear()
    with pytest.raises(StateTapeError, match="expected 223921b7"):
        tokens.encoding()
    fake.unlink()
    with pytest.raises(StateTapeError, match="restore core/data"):
        tokens.encoding()
    monkeypatch.undo()
    tokens.encoding.cache_clear()
    assert tokens.encoding().n_vocab == 100277

"""n(text): tokens under the pinned cl100k_base encoding (section 3.2), counted once per content.

EDGE: reads the rank file ``core/data/cl100k_base.tiktoken`` that ships with the project; nothing is ever
downloaded. Special-token text in a transcript is ordinary text (``encode_ordinary``).

Two counters with identical results: tiktoken (the reference), and toktok, about 25 times as fast, which
is used after it has agreed with tiktoken on a self-check. The two differ only where a letter of a newer
Unicode stands before a contraction, so any text with a non-ASCII character before an apostrophe goes to
tiktoken.
"""

from __future__ import annotations

import base64
import hashlib
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from pathlib import Path

import tiktoken

from core.content import content_digest
from core.errors import StateTapeError

RANK_FILE = Path(__file__).parent / "data" / "cl100k_base.tiktoken"
RANK_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
# The pattern and the special tokens of cl100k_base, as published with tiktoken.
_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_SPECIAL = {
    "<|endoftext|>": 100257,
    "<|fim_prefix|>": 100258,
    "<|fim_middle|>": 100259,
    "<|fim_suffix|>": 100260,
    "<|endofprompt|>": 100276,
}
_SELF_CHECK = "def f(x):\n\treturn x's  # caf\u00e9 \u65e5\u672c <|endoftext|>\r\n\n   1234567 \U0001f9e0 don't\n"
_UNSURE = re.compile(r"[^\x00-\x7f]'")
_counts: dict[bytes, int] = {}
_MEMO_LIMIT = 100_000
_SHORT = 4096  # characters
_LONG = 4 << 20  # characters; longer texts are counted in parts: a counter copies its text several times
# Where a text can be cut without changing its tokens: no piece the pattern makes goes on behind a line end that a
# visible character follows, and none looks further back or ahead than that.
_CUT = re.compile(r"\n(?=[!-~])")
# The same holds where blanks stand between the two; a line that begins there is counted by itself.
_LINE = re.compile(r"(?<=\n)(?=[ \t]*[!-~])")


@lru_cache(maxsize=1)
def encoding() -> tiktoken.Encoding:
    """The pinned encoding; raises StateTapeError when the rank file is missing or is not the pinned one."""
    try:
        data = RANK_FILE.read_bytes()
    except OSError as error:
        message = f"{RANK_FILE.name}: cannot be read ({error.strerror}); restore core/data from the repository"
        raise StateTapeError(message) from error
    digest = hashlib.sha256(data).hexdigest()
    if digest != RANK_SHA256:
        expected = f"expected {RANK_SHA256[:12]}; restore core/data from the repository"
        message = f"{RANK_FILE.name}: sha256 is {digest[:12]}, {expected}"
        raise StateTapeError(message)
    ranks = {base64.b64decode(token): int(rank) for token, rank in (line.split() for line in data.splitlines() if line)}
    return tiktoken.Encoding("cl100k_base", pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens=_SPECIAL)


@lru_cache(maxsize=1)
def _fast() -> Callable[[list[str]], list[int]] | None:
    """The fast counter, None when it is not installed or disagrees with tiktoken on the self-check."""
    try:
        import toktok
    except ImportError:
        return None

    def count_all(texts: list[str]) -> list[int]:
        return list(toktok.batch_count(texts, "cl100k_base", 1))

    expected = len(encoding().encode_ordinary(_SELF_CHECK))
    return count_all if count_all([_SELF_CHECK]) == [expected] else None


def count_tokens(text: str) -> int:
    """n(text): the number of tokens; memoised by content hash, lone surrogates count as U+FFFD."""
    return _count_short(text) if len(text) <= _SHORT else count_many((text,))[0]


@lru_cache(maxsize=8192)
def _count_short(text: str) -> int:
    """As ``count_tokens``, by the text itself: Python hashes it once, and it is small enough to be kept."""
    return count_many((text,))[0]


def count_many(texts: Sequence[str]) -> list[int]:
    """``count_tokens`` of each text, in order, in one call of the counter."""
    keys = [content_digest(text) for text in texts]
    missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in _counts}
    if len(_counts) > _MEMO_LIMIT:
        _counts.clear()
        missing = dict(zip(keys, texts, strict=True))
    if missing:
        short = {key: _clean(text) for key, text in missing.items() if len(text) <= _LONG}
        _counts.update(zip(short, _count_clean(list(short.values())), strict=True))
        for key in missing.keys() - short.keys():
            _counts[key] = sum(_count_clean([_clean(part)])[0] for part in _parts(missing[key]))
    return [_counts[key] for key in keys]


def _parts(text: str) -> Iterator[str]:
    """The text in parts of about ``_LONG`` characters, cut where the tokens of the parts are those of the whole."""
    at = 0
    while at < len(text):
        cut = _CUT.search(text, at + _LONG)
        end = cut.end() if cut else len(text)
        yield text[at:end]
        at = end


def _count_clean(texts: list[str]) -> list[int]:
    fast = _fast()
    if fast is None:
        return [len(encoding().encode_ordinary(text)) for text in texts]
    counts = fast(texts)
    for at, text in enumerate(texts):
        if not text.isascii() and _UNSURE.search(text):
            counts[at] = len(encoding().encode_ordinary(text))
    return counts


def token_starts(text: str) -> list[int]:
    """The character offset at which each token of ``text`` starts, ascending; len = n(text).

    A token that starts inside a character (byte-level merges split some) starts at that character.
    """
    text = _clean(text)
    _, starts = encoding().decode_with_offsets(encoding().encode_ordinary(text))
    return list(starts)


def tokens_before_lines(text: str) -> list[int]:
    """How many tokens start before each line: item n is for line n + 1, the last is n(text)."""
    sums = [0]
    stretches = _LINE.split(_clean(text)) if text else []
    for stretch, count in zip(stretches, _count_clean(stretches), strict=True):
        before = sums[-1]
        if stretch.find("\n") in (-1, len(stretch) - 1):
            sums.append(before + count)
        else:  # blank lines follow, whose ends may be one token
            sums.extend(before + n for n in _before_lines(stretch))
    return sums


@lru_cache(maxsize=1)
def _lengths() -> list[int]:
    """Bytes of each token that is not special, by its number."""
    pinned = encoding()
    return [len(pinned.decode_single_token_bytes(n)) for n in range(min(_SPECIAL.values()) - 1)]


@lru_cache(maxsize=4096)
def _before_lines(text: str) -> list[int]:
    """How many tokens start before each line but the first, and n(text) if the last line has no end."""
    tokens = encoding().encode_ordinary(text)
    starts = [0, *accumulate(map(_lengths().__getitem__, tokens))][:-1]
    data = text.encode()
    sums, at = [], data.find(b"\n")
    while at >= 0:
        sums.append(bisect_right(starts, at))
        at = data.find(b"\n", at + 1)
    if sums[-1:] != [len(starts)]:
        sums.append(len(starts))
    return sums


def _clean(text: str) -> str:
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

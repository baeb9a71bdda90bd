"""The identity of a text: what caches, counts and stored texts are known by.

In: a text. Out: 16 bytes, equal for equal texts.
"""

from __future__ import annotations

import hashlib

_STRETCH = 1 << 20  # characters encoded at a time


def content_digest(text: str) -> bytes:
    """The blake2b-16 of a text in UTF-8; lone surrogates are allowed. Holds no second copy of a long text."""
    if len(text) <= _STRETCH:
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    digest = hashlib.blake2b(digest_size=16)
    for at in range(0, len(text), _STRETCH):
        digest.update(text[at : at + _STRETCH].encode("utf-8", "surrogatepass"))
    return digest.digest()

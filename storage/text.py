"""Stage 8: hostile text made fit for every database: no NUL, no lone surrogate, nothing else changed."""

from __future__ import annotations

import json
from typing import Any


def clean(text: str) -> str:
    """``text`` as every database can hold it, with the same length: NUL becomes U+2400, a lone surrogate U+FFFD."""
    if "\0" in text:
        text = text.replace("\0", "\u2400")
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    return text


def to_json(value: Any) -> str:
    """``value`` as compact JSON whose strings are all clean."""
    out = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    if "\\u0000" in out or clean(out) != out:
        out = json.dumps(_deep(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return out


def _deep(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {_deep(key): _deep(item) for key, item in value.items()}
    return [_deep(item) for item in value] if isinstance(value, list | tuple) else value

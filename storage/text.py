"""Stage 8: hostile text made fit for every database: no NUL, no lone surrogate, nothing else changed."""

from __future__ import annotations

import json
from dataclasses import fields
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
    """``value`` as compact JSON whose strings are all clean; a dataclass is an object of its fields."""
    out = _ENCODER.encode(value)
    if "\\u0000" in out or clean(out) != out:
        out = _ENCODER.encode(_deep(json.loads(out)))
    return out


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value)}  # TypeError for another type


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_fields)


def _deep(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {_deep(key): _deep(item) for key, item in value.items()}
    return [_deep(item) for item in value] if isinstance(value, list) else value

"""Numbers and run text in the form people read: 61,204 tokens; 51.3%; n/a. Run text is escaped for where it goes."""

from __future__ import annotations

import html
import math
import re
from typing import Any

NA = "n/a"
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~$:&^=@])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")


def count(value: float | None, unit: str = "") -> str:
    """A whole number with thousands separators; undefined is n/a."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return NA
    return f"{value:,.0f}{' ' + unit if unit else ''}"


def share(part: float | None, whole: float | None) -> str:
    """part / whole as a percentage with one decimal; n/a when it is undefined."""
    if part is None or not whole:
        return NA
    return f"{100 * part / whole:.1f}%"


def fraction(value: float | None) -> str:
    """A share given as 0..1."""
    return NA if value is None or not math.isfinite(value) else f"{100 * value:.1f}%"


def plural(n: float | None, word: str) -> str:
    """``3 writes``, ``1 write``, ``n/a writes``."""
    return f"{count(n)} {word}{'' if n == 1 else 's'}"


def clean(text: Any) -> str:
    """``text`` without control characters and direction overrides."""
    return _CONTROL.sub("\ufffd", "" if text is None else str(text))


def clip(text: Any, length: int = 80) -> str:
    """At most ``length`` characters of one line, with an ellipsis where something was cut."""
    line = clean(text).replace("\n", " ").strip()
    return line if len(line) <= length else line[: length - 1] + "…"


def tail(text: Any, length: int = 60) -> str:
    """As ``clip``, keeping the end: what tells paths and symbols apart."""
    line = clean(text).replace("\n", " ").strip()
    return line if len(line) <= length else "…" + line[-(length - 1) :]


def esc(text: Any) -> str:
    """``text`` for HTML and for Plotly's labels."""
    return html.escape(clean(text), quote=True)


def markdown(text: Any) -> str:
    """``text`` as itself inside Streamlit's markdown (labels, captions, tooltips)."""
    return _MARKDOWN.sub(r"\\\1", clean(text).replace("\n", " "))


def place(path: str | None, start: int | None = None, end: int | None = None) -> str:
    """``core/a.py:10-40``; empty without a path."""
    if not path:
        return ""
    if start is None:
        return path
    return f"{path}:{start}-{end}" if end is not None and end != start else f"{path}:{start}"


def short_symbol(symbol: str) -> str:
    """``load_config`` of ``core/a.py::load_config``; the file of ``core/a.py::<module>``."""
    path, _, name = symbol.rpartition("::")
    if name == "<module>":
        return path.rsplit("/", 1)[-1]
    return name or symbol

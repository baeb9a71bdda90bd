"""Verbs: what their arguments have in common, and how a word of a command line becomes a value."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import Any

from storage.export import ANCHORS


def common(target: argparse.ArgumentParser) -> None:
    """Options that stand before or after the verb; SUPPRESS lets the one given win over the one left out."""
    target.add_argument(
        "--db", default=argparse.SUPPRESS, metavar="DB", help="SQLAlchemy URL, or the path of a DuckDB file"
    )
    target.add_argument(
        "--json", action="store_true", default=argparse.SUPPRESS, help="one JSON document on stdout and nothing else"
    )


def add_verb(verbs: Any, name: str, says: str) -> argparse.ArgumentParser:
    verb: argparse.ArgumentParser = verbs.add_parser(name, help=says, description=says)
    common(verb)
    return verb


def path(text: str) -> Path:
    if not text:  # a variable that is not set: the working directory is not meant
        raise argparse.ArgumentTypeError("the path is empty")
    return Path(text)


def count(text: str) -> int:
    if re.fullmatch(r"[1-9][0-9]{0,5}", text) is None:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number from 1 on")
    return int(text)


def anchors(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(text.upper().split(",")))
    if not set(names) <= set(ANCHORS):
        raise argparse.ArgumentTypeError(f"{text!r}: expected one or more of {', '.join(ANCHORS)}, with commas")
    return names


def names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for part in text.split(",") if (name := part.strip())))

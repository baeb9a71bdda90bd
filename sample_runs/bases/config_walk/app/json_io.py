"""JSON files."""

import json
from pathlib import Path


def load(path):
    """The JSON document at path."""
    return json.loads(Path(path).read_text(encoding="utf-8"))


def _read_json(path):
    """The JSON object at path; an empty file is an empty object."""
    text = Path(path).read_text(encoding="utf-8")
    return json.loads(text) if text.strip() else {}

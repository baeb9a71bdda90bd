"""The application's own settings."""

from .json_io import load


def read_config(path):
    """The settings at path, with a level even where the file has none."""
    values = dict(load(path))
    values.setdefault("level", "info")
    return values

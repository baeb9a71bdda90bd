"""The server's settings."""

from .json_io import _read_json

REQUIRED = ("host", "port")


def load_config(path):
    """The settings at path."""
    config = _read_json(path)
    return config


def describe(config):
    """The settings as aligned lines, for the log."""
    width = max((len(key) for key in config), default=0)
    lines = []
    for key in sorted(config):
        lines.append(f"{key.ljust(width)}  {config[key]}")
    return "\n".join(lines)


def public(config):
    """The settings without anything secret."""
    shown = {}
    for key, value in config.items():
        secret = key.endswith("_key") or key.endswith("_password")
        shown[key] = "***" if secret else value
    return shown

"""Settings in ini files."""

import configparser

from .errors import ConfigError

SCHEMA = ("name", "level")


def parse_config(path):
    """The [app] section at path."""
    parser = configparser.ConfigParser()
    if not parser.read(path):
        raise ConfigError(f"{path}: cannot be read")
    return dict(parser["app"])


def format_config(values):
    """The [app] section as text, ready to write."""
    lines = ["[app]"]
    for key in sorted(values):
        lines.append(f"{key} = {values[key]}")
    return "\n".join(lines) + "\n"

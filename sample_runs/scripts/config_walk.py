"""The papers' own examples as one short session: load_config, parse_config and read_config.

Small enough to check by hand: tests/golden/config_walk.md works its whole analysis out. 25 steps, 8 of them
writes (one of them by the shell).
"""

from __future__ import annotations

from sample_runs.script import Script, User, bash, edit, grep, read, turn, write

_TEST = "python -m unittest discover -s tests -t ."

_LOAD_OLD = '''from .json_io import _read_json

REQUIRED = ("host", "port")


def load_config(path):
    """The settings at path."""
    config = _read_json(path)
    return config
'''
_LOAD_NEW = '''from . import yaml_io
from .errors import ConfigError

REQUIRED = ("host", "port")


def load_config(path):
    """The settings at path; a ConfigError names the first one that is missing."""
    config = yaml_io.load(path)
    for key in REQUIRED:
        if key not in config:
            raise ConfigError(f"{path}: no {key}")
    return config
'''
_SERVER_OLD = '''from .config import load_config


def start_server(path):
    """The address the server listens on."""
    config = load_config(path)
    return f"{config['host']}:{config['port']}"
'''
_SERVER_NEW = '''from .config import ConfigError, load_config


def start_server(path, fallback=None):
    """The address the server listens on; fallback when there are no usable settings."""
    try:
        config = load_config(path)
    except ConfigError:
        return fallback
    return f"{config['host']}:{config['port']}"
'''
_PARSE_OLD = """    return dict(parser["app"])
"""
_PARSE_NEW = """    values = dict(parser["app"])
    missing = [key for key in SCHEMA if key not in values]
    if missing:
        raise ConfigError(f"{path}: no {', '.join(missing)}")
    return values
"""

_EVENTS = (
    User(
        "Make load_config read YAML and complain with a ConfigError when a required key is missing. "
        "parse_config should check its result against SCHEMA in the same way, and colour becomes a required key "
        "there. The application's own settings (read_config) move to YAML too. Keep the tests passing."
    ),
    turn(
        "I will read the two loaders and the helper first.",
        read("app/config.py"),
        read("app/json_io.py", 12, 4),
        read("app/parser.py"),
    ),
    turn(bash(_TEST, "Run the tests")),
    turn(read("app/settings.py", 6, 5), read("app/log.py")),
    turn(grep("ConfigError", path="app", output_mode="content")),
    turn(
        "ConfigError is there. load_config can switch to yaml_io.load in one edit.",
        edit("app/config.py", _LOAD_OLD, _LOAD_NEW),
    ),
    turn(bash(_TEST, "Run the tests", fails=True)),
    turn(read("tests/test_loaders.py")),
    turn(
        write("tests/files/server.yaml", "host: localhost\nport: 8080\n"),
        edit("tests/test_loaders.py", '"tests/files/server.json"', '"tests/files/server.yaml"'),
    ),
    turn(read("app/server.py")),
    turn(
        edit("app/server.py", _SERVER_OLD, _SERVER_NEW),
        edit("app/parser.py", _PARSE_OLD, _PARSE_NEW),
        thinking="start_server can now see a ConfigError; parse_config gets the same check.",
    ),
    turn(bash(_TEST, "Run the tests")),
    turn(
        "Both loaders check their result. Now the application's settings, and colour in the schema.",
        edit("app/settings.py", "from .json_io import load\n", "from .yaml_io import load\n"),
    ),
    turn(edit("app/parser.py", 'SCHEMA = ("name", "level")\n', 'SCHEMA = ("name", "level", "colour")\n')),
    turn(
        bash(
            "echo '\nSettings are YAML; a missing required key is a ConfigError.' >> README.md",
            "Say so in the README",
        )
    ),
    turn(bash(_TEST, "Run the tests")),
    turn(
        "load_config reads YAML and raises ConfigError for a missing key, start_server answers with its fallback "
        "then, parse_config checks SCHEMA (with colour), and read_config reads YAML. All four tests pass."
    ),
)

SCRIPT = Script(
    name="config_walk",
    base="config_walk",
    project="walk",
    version="2.1.37",
    model="claude-sonnet-4-5-20250929",
    branch="main",
    slug="patient-walking-heron",
    started="2026-03-02T09:00:00",
    events=_EVENTS,
)

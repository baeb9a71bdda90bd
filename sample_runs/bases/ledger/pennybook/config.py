"""Settings from pennybook.ini, if there is one."""

import configparser
from pathlib import Path

from .constants import NAME_WIDTH

SECTION = "pennybook"


class Config:
    """What a user may set once instead of on every command line."""

    def __init__(self, width=NAME_WIDTH, strict=True):
        self.width = width
        self.strict = strict


def load_config(path):
    """The settings in an ini file; the defaults where it does not exist or says nothing."""
    parser = configparser.ConfigParser()
    if not Path(path).exists():
        return Config()
    parser.read(path, encoding="utf-8")
    if SECTION not in parser:
        return Config()
    section = parser[SECTION]
    return Config(
        width=section.getint("width", NAME_WIDTH),
        strict=section.getboolean("strict", True),
    )

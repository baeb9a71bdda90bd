"""Which reader a file name asks for."""

from .parser import parse_config
from .settings import read_config

READERS = {
    ".ini": parse_config,
    ".json": read_config,
}


def reader_for(name):
    """The reader of a file, by the end of its name."""
    for ending, reader in READERS.items():
        if name.endswith(ending):
            return reader
    raise KeyError(name)

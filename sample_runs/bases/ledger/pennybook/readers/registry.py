"""Which reader a file name asks for."""

from ..errors import ParseError

READERS = {}


def register(reader_class):
    """Class decorator: make a reader known by its ending."""
    READERS[reader_class.ending] = reader_class
    return reader_class


def reader_for(path):
    """A reader for a file, by its ending."""
    for ending, reader_class in READERS.items():
        if str(path).endswith(ending):
            return reader_class()
    raise ParseError(f"no reader for {path}; known endings: {', '.join(sorted(READERS))}")

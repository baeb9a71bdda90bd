"""Stage 8, EDGE: what a person names beside transcripts: paths they type, patches, lists of instances.

In: text from a form or a command line. Out: a ``Path``, or the bytes of a regular file; InputError with the reason.
"""

from __future__ import annotations

from pathlib import Path

from core.errors import InputError

MAX_GIVEN = 500_000_000
"""Most bytes of a patch or a list of instances."""


def typed_path(text: str) -> Path:
    """The path somebody typed, ``~`` resolved; whether anything is there is not asked.

    Raises InputError for what can be no path: too long, with a NUL, the home of nobody.
    """
    try:
        path = Path(text.strip()).expanduser()
        path.exists()
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(f"{text.strip()[:200]!r}: cannot be a path ({why(error)})") from error
    return path


def read_given(path: Path) -> bytes:
    """The bytes of a regular file of at most MAX_GIVEN; opens no pipe and no device. Raises InputError."""
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"{path}: cannot be read ({'Is a directory' if path.is_dir() else 'not a file'})")
        with path.open("rb") as file:
            data = file.read(MAX_GIVEN + 1)
    except (OSError, ValueError) as error:
        raise InputError(f"{str(path)[:200]}: cannot be read ({why(error)})") from error
    if len(data) > MAX_GIVEN:
        raise InputError(f"{path}: longer than {MAX_GIVEN // 10**6} MB, which is the most that is read of such a file")
    return data


def why(error: Exception) -> str:
    """The reason an operation on a file gives, without the path it repeats."""
    said = error.strerror if isinstance(error, OSError) else None
    return said or (str(error) or type(error).__name__).splitlines()[0]

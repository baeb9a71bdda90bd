"""What can go wrong, as one tree.

    StateTapeError
      InputError            something the user gave cannot be used; says which, why and what to do
        NotATranscript      the file is not a recorded run (empty, binary, another kind of file)
          NoStep            the file is a recorded run in which nothing happens: refused, not skipped
        BaseError           the base folder, commit or archive cannot be read
        OptionError         a switch has an unknown name or a value it cannot take
      StorageError          the database cannot be opened, is locked, is full or is of a newer version

A broken line inside a transcript is none of these: it becomes a counted ``Skipped`` (trajectory).
"""

from __future__ import annotations


class StateTapeError(Exception):
    """Root of every error this project raises on purpose; its text is fit to show to a person."""


class InputError(StateTapeError):
    """Something the user handed over cannot be used."""


class NotATranscript(InputError):
    """A file holds no recorded run; a batch goes on without it.

    ``skip`` tells a file that was never meant to be one (skipped) from one that cannot be used (refused).
    """

    skip = True


class NoStep(NotATranscript):
    """A transcript yields no step."""

    skip = False


class BaseError(InputError):
    """A base repository state cannot be read."""


class OptionError(InputError):
    """A switch is unknown or has a value it cannot take."""


class StorageError(StateTapeError):
    """The database cannot do what was asked."""

"""Account names: a path such as Expenses:Food."""

from ..constants import ROOTS

SEPARATOR = ":"


def parent_of(name):
    """The account above, or None at the root."""
    above, separator, _ = name.rpartition(SEPARATOR)
    return above if separator else None


def ancestors(name):
    """The account itself and everything above it, nearest first."""
    found = []
    while name:
        found.append(name)
        name = parent_of(name)
    return found


def depth(name):
    """How many accounts stand above this one."""
    return name.count(SEPARATOR)


def is_under(name, root):
    """Whether an account is another one or lies below it."""
    return name == root or name.startswith(root + SEPARATOR)


def is_known_root(name):
    """Whether an account hangs under one of the five roots."""
    return name.split(SEPARATOR)[0] in ROOTS

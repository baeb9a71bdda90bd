"""Fitting text into columns."""

ELLIPSIS = "..."


def cut(text, width):
    """A text of at most width characters."""
    if len(text) <= width:
        return text
    return text[: max(0, width - len(ELLIPSIS))] + ELLIPSIS


def pad(text, width, right=False):
    """A text of exactly width characters, cut or filled with blanks."""
    text = cut(text, width)
    return text.rjust(width) if right else text.ljust(width)


def indent(text, level):
    """A text moved to the right by two blanks a level."""
    return "  " * level + text

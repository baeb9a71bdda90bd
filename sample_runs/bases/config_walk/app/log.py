"""Lines for the log."""


def stamp(level, text):
    """One line: the level in capitals, then the text."""
    return f"{level.upper():7} {text}"


def lines(level, texts):
    """One stamped line a text."""
    return [stamp(level, text) for text in texts]

def a():
    pass


def _b():
    pass


__all__ = [n for n in dir() if n != "_b"]

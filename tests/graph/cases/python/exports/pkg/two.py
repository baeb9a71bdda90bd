__all__ = ["g"]
if f"{1}":
    __all__ = ["h"]


def g():
    pass


def h():
    pass


def covered():
    pass

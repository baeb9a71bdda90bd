__all__: list[str] = ["f"]


def f():
    pass


def hidden():
    pass

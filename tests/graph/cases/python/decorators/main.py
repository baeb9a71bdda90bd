import contextlib
import functools


def plain(f):
    return f


def wrapping(f):
    @functools.wraps(f)
    def inner():
        return f()

    return inner


class Command:
    def __init__(self, f):
        self.f = f

    def invoke(self):
        pass


@plain
def one():
    pass


@wrapping
def two():
    pass


@Command
def three():
    pass


@contextlib.contextmanager
def managed():
    yield Thing()  # -> constructor Thing


class Thing:
    def go(self):
        pass


one()  # -> call one
two()  # -> call two, possible call wrapping
three.invoke()  # -> call Command.invoke
with managed() as thing:  # -> call managed
    thing.go()  # -> call Thing.go


def replacing(c):
    return Thing


@replacing
class Old:
    def go(self):
        pass


def patch(self):
    pass


Old.late = patch
Old().go()  # -> constructor Old, call Old.go, constructor Thing, call Thing.go
Old().late()  # -> constructor Old, constructor Thing, call patch

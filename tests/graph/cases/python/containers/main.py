import functools


def a():
    pass


def b():
    pass


table = {"a": a, "b": b}
both = [a, b]


def use(key):
    table["a"]()  # -> call a
    table[key]()  # -> call a, call b, call grow
    table.get(key)()  # -> call <builtin>dict.get, call a, call b, call grow
    both[1]()  # -> call b
    for f in both:
        f()  # -> call a, call b
    for name, f in table.items():  # -> call <builtin>dict.items
        f()  # -> call a, call b, call grow
    first, second = a, b
    second()  # -> call b
    head, *rest = a, b, b
    rest[0]()  # -> call b


def grow():
    found = []
    found.append(a)
    found[0]()  # -> call a
    functools.partial(b, 1)()  # -> call <external>functools.partial, call b
    extra = {}
    extra["x"] = b
    extra["x"]()  # -> call b


def add():
    table["c"] = grow


table["c"]()  # -> call grow

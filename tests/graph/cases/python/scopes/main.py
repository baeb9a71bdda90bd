def outer():
    def inner():
        helper()  # -> call helper

    inner()  # -> call outer
    run = inner
    run()  # -> call outer
    value = lambda: helper()  # -> call helper
    value()  # -> call outer
    return inner


def helper():
    pass


def shadow(helper):
    helper()  # -> nothing


def late():
    other()  # -> call other#2
    print  # builtins are no edge unless called


def other():
    return 1


def other():
    global thing
    thing = helper
    return 2


thing = None


def through_global():
    thing()  # -> call helper


helper = helper  # the value, not a loop
helper()  # -> call helper
name = helper
name()  # -> call helper
[helper() for _ in range(3)]  # -> call helper
(found := helper)()  # -> call helper
found()  # -> call helper
outer()()  # -> call outer

from pkg import *

f()  # -> call pkg/one.py::f
g()  # -> call pkg/two.py::g
h()  # -> call pkg/two.py::h
hidden()  # -> nothing
covered()  # -> nothing

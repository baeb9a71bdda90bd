from listed import *
from unknown import *

f()  # -> call pkg/one.py::f
g()  # -> call pkg/two.py::g
own()  # -> call listed.py::own
names()  # -> nothing
a()  # -> call unknown.py::a
_b()  # -> nothing

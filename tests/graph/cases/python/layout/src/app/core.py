from app.tools import hammer


def work():
    hammer()  # -> call src/app/tools.py::hammer

from app.core import work
from helpers import check


def test_work():
    check(work())  # -> call src/app/core.py::work, call tests/helpers.py::check

from ..pkg.source import original
from .deep import leaf


def inside():
    original()  # -> call pkg/source.py::original
    leaf.leaf()  # -> call pkg/deep/leaf.py::leaf

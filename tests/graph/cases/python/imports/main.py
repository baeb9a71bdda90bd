import pkg
import pkg.deep.leaf
import pkg.deep.leaf as short
from pkg import exported, renamed, submodule
from pkg.star import *
from pkg.deep.leaf import leaf as again
from space.inner import spaced
from nowhere import thing
import os.path

pkg.exported()  # -> call pkg/source.py::exported
pkg.deep.leaf.leaf()  # -> call pkg/deep/leaf.py::leaf
short.leaf()  # -> call pkg/deep/leaf.py::leaf
again()  # -> call pkg/deep/leaf.py::leaf
exported()  # -> call pkg/source.py::exported
renamed()  # -> call pkg/source.py::original
submodule.inside()  # -> call pkg/submodule.py::inside
public()  # -> call pkg/star.py::public
_hidden()  # -> nothing
listed()  # -> call pkg/source.py::listed
spaced()  # -> call space/inner.py::spaced
thing.call()  # -> call <external>nowhere.thing.call
os.path.join()  # -> call <external>os.path.join
pkg.Kind.build().go()  # -> call pkg/source.py::Kind.build, call pkg/source.py::Kind.go

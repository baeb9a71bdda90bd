import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lib import Thing

try:
    from lib import fast as run
except ImportError:
    from lib import slow as run

if sys.platform == "x":

    def pick():
        pass
else:

    def pick():
        pass


def use(thing: "Thing"):
    run()  # -> possible call lib.py::fast, possible call lib.py::slow
    pick()  # -> possible call pick, possible call pick#2
    thing.go()  # -> call lib.py::Thing.go

from pkg.one import *
from pkg.one import __all__ as names
from pkg.two import *
import pkg.two


def own():
    pass


__all__ = [*names, "own"]
__all__ += pkg.two.__all__

from . import one, two
from .one import *
from .two import *

__all__ = one.__all__ + two.__all__

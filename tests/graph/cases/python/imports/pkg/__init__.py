from .source import exported, Kind
from .source import original as renamed
from . import deep

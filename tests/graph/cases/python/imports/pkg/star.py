from pkg.source import *


def public():
    pass


def _hidden():
    pass

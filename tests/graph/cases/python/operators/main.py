class Money:
    def __add__(self, other):
        return self

    def __radd__(self, other):
        return self

    def __iadd__(self, other):
        return self

    def __neg__(self):
        return self

    def __lt__(self, other):
        return True

    def __eq__(self, other):
        return True

    def __str__(self):
        return ""


class Purse:
    def __getitem__(self, key):
        return Money()  # -> constructor Money

    def __setitem__(self, key, value):
        pass

    def __delitem__(self, key):
        pass

    def __len__(self):
        return 1

    def __getattr__(self, name):
        return self


class Plain:
    pass


def arithmetic(a: Money, b: Money):
    a + 1  # -> possible call Money.__add__
    1 + a  # -> possible call Money.__radd__
    a + b  # -> possible call Money.__add__, possible call Money.__radd__
    -a  # -> possible call Money.__neg__
    c = Money()  # -> constructor Money
    c += 1  # -> possible call Money.__iadd__
    Plain() + 1  # -> constructor Plain


def comparison(a: Money, b: Plain):
    a < 1  # -> possible call Money.__lt__
    1 > a  # -> possible call Money.__lt__
    a == b  # -> possible call Money.__eq__
    a != 1  # -> possible call Money.__eq__
    a is b  # -> nothing


def items(p: Purse):
    p[0]  # -> possible call Purse.__getitem__
    p[0] = 1  # -> possible call Purse.__setitem__
    del p[0]  # -> possible call Purse.__delitem__
    p[0] + 1  # -> possible call Purse.__getitem__, possible call Money.__add__
    1 in p  # -> possible call Purse.__getitem__


def builtins(p: Purse, a: Money):
    len(p)  # -> possible call Purse.__len__
    str(a)  # -> possible call Money.__str__
    p.anything()  # -> possible call Purse.__getattr__


def annotated(x: "Purse[Money]") -> "Purse[Money]":  # -> nothing
    y: Purse[Money] = x  # -> nothing
    return y

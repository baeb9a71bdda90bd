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
    p.whatever  # -> possible call Purse.__getattr__
    p.whatever.more  # -> possible call Purse.__getattr__
    p.__class__  # -> nothing
    a.whatever  # -> nothing


class Holds(Purse):
    size = 3

    def __init__(self, given):
        self.given = given

    def reads(self):
        self.given  # -> nothing
        self.size  # -> nothing
        self.other  # -> possible call Purse.__getattr__


class Truth:
    def __bool__(self):
        return True

    def __len__(self):
        return 0


class Inherits(Truth):
    pass


def truths(t: Truth, p: Purse, i: Inherits, q: Plain, x):
    if t:  # -> possible call Truth.__bool__
        pass
    elif not i:  # -> possible call Truth.__bool__
        pass
    while p:  # -> possible call Purse.__len__
        break
    assert t, p  # -> possible call Truth.__bool__
    a = t or p  # -> possible call Truth.__bool__
    if x and (t and p):  # -> possible call Truth.__bool__, possible call Purse.__len__
        pass
    b = 1 if t else p  # -> possible call Truth.__bool__
    [y for y in x if p]  # -> possible call Purse.__len__
    match x:
        case 1 if t:  # -> possible call Truth.__bool__
            pass
    if q:  # -> nothing
        pass
    if t is None or isinstance(t, Truth):  # -> nothing
        pass
    return a, b


def annotated(x: "Purse[Money]") -> "Purse[Money]":  # -> nothing
    y: Purse[Money] = x  # -> nothing
    return y

class Engine:
    def start(self):
        pass


class Sail:
    def start(self):
        pass

    def trim(self):
        pass


class Boat:
    power: Engine


def make():
    return Sail()  # -> constructor Sail


def captures(x):
    match make():  # -> call make
        case None:
            pass
        case other:
            other.trim()  # -> call Sail.trim
    match x:
        case Engine() | Sail() as found:
            found.start()  # -> call Engine.start, call Sail.start
        case [Engine() as first, *_]:
            first.start()  # -> call Engine.start
        case {"k": Sail() as held, **rest}:
            held.trim()  # -> call Sail.trim
            rest.trim()  # -> nothing
        case Boat(power=p):
            p.start()  # -> call Engine.start
        case Boat(power=Sail() as s):
            s.trim()  # -> call Sail.trim
        case Boat(q):
            q.start()  # -> nothing
        case (Sail() as only):
            only.trim()  # -> call Sail.trim
        case Engine() | Sail():
            x.start()  # -> call Engine.start, call Sail.start
        case y:
            y.start()  # -> nothing


def parts(a):
    match a, make():  # -> call make
        case Engine() as e, s:
            e.start()  # -> call Engine.start
            s.trim()  # -> call Sail.trim
        case (_, t):
            t.trim()  # -> call Sail.trim
        case [u, *v]:
            u.start()  # -> nothing
    match [Engine(), Sail(), Sail()]:  # -> constructor Engine, constructor Sail
        case [f, *rest]:
            f.start()  # -> call Engine.start
            rest[0].trim()  # -> call Sail.trim
    match {"e": Engine()}:  # -> constructor Engine
        case {"e": g} if g.start():  # -> call Engine.start
            g.start()  # -> call Engine.start

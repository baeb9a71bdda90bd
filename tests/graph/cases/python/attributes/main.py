class Store:
    limit = 3

    def __init__(self, given):
        self.log = Log()
        self.given = given
        self.write = self.log.write

    def attach(self):
        self.other = Other()

    def use(self):
        self.log.write()  # -> call Log.write
        self.other.write()  # -> call Other.write
        self.write()  # -> call Log.write
        self.given.write()  # -> nothing

    @property
    def size(self):
        return Other()

    @size.setter
    def size(self, value):
        pass

    def read(self):
        self.size  # -> property Store.size
        self.size.write()  # -> call Other.write, property Store.size
        self.limit


class Log:
    def write(self):
        pass

    def _get(self):
        return 1

    total = property(_get)


class Other:
    def write(self):
        pass

    def __call__(self):
        pass

    def __enter__(self):
        return Log()

    def __exit__(self, *a):
        pass

    def __iter__(self):
        return self

    def __next__(self):
        return Log()


def outside():
    store = Store(None)
    store.size  # -> property Store.size
    Log().total  # -> constructor Log, property Log._get
    Other()()  # -> call Other.__call__, constructor Other
    with Other() as log:  # -> call Other.__enter__, call Other.__exit__, constructor Other
        log.write()  # -> call Log.write
    for item in Other():  # -> call Other.__iter__, call Other.__next__, constructor Other
        item.write()  # -> call Log.write
    getattr(store, "read")()  # -> call Store.read

class Box[T]:
    def put(self, item: T) -> None:
        self.items.append(item)

    async def send(self):
        await self.flush()  # -> call Box.flush
        async with Session() as session:  # -> call Session.__aenter__, call Session.__aexit__, constructor Session
            await session.get()  # -> call Session.get

    async def flush(self):
        pass


type Boxes = Box[int]


class Session:
    async def __aenter__(self) -> "Session":
        return self

    async def __aexit__(self, *args):
        pass

    async def get(self):
        pass


def first[T: Session](x: T, boxes: Boxes) -> T:
    boxes.put(1)  # -> call Box.put
    x.get()  # -> call Session.get
    return x


class Pool[T: (Session, Box), *Rest, **Spec]:
    kept: T

    def take(self, given: T, many: "list[T]", rest: Rest):
        given.get()  # -> call Session.get
        given.put(1)  # -> call Box.put
        self.kept.get()  # -> call Session.get
        for one in many:
            one.get()  # -> call Session.get
        rest.get()  # -> nothing

    def other[U: Query](self, u: U, t: T):
        u.all()  # -> call Query.all, override Special.all
        t.get()  # -> call Session.get

        def inner(v: U):
            v.all()  # -> call Query.all, override Special.all

        inner(u)  # -> call Pool.other


T = Session


def not_a_parameter[T](x: T, y: Box):  # the T of the brackets, not of the module
    x.get()  # -> nothing
    y.put(1)  # -> call Box.put


class Query:
    def filter(self):
        return self._clone()  # -> call Query._clone

    def _clone(self):
        return self.__class__()  # -> constructor Query

    def all(self):
        return self.filter().filter()  # -> call Query.filter


class Special(Query):
    def only(self):
        pass

    def all(self):
        pass


Special().filter().only()  # -> call Query.filter, call Special.only, constructor Special

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
    return x


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


Special().filter().only()  # -> call Query.filter, call Special.only, constructor Special

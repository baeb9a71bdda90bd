from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Generic, Iterator, Optional, TypeVar

T = TypeVar("T", bound="Engine")


class Engine:
    def start(self) -> Engine:
        return self


class Diesel(Engine):
    def start(self) -> Engine:
        return self


@dataclass
class Car:
    engine: Engine
    spare: Optional[Engine] = None
    tools: list[Tool] = None

    def go(self):
        self.engine.start()  # -> call Engine.start, override Diesel.start
        self.spare.start()  # -> call Engine.start, override Diesel.start
        self.tools[0].use()  # -> call Tool.use
        for tool in self.tools:
            tool.use()  # -> call Tool.use


class Tool:
    def use(self):
        pass


def by_parameter(car: Car, name: "Tool | None", many: dict[str, Tool], maker: Callable[[], Tool], kind: type[Tool]):
    car.go()  # -> call Car.go
    name.use()  # -> call Tool.use
    many["x"].use()  # -> call Tool.use
    for key, tool in many.items():
        tool.use()  # -> call Tool.use
    maker().use()  # -> call Tool.use
    kind().use()  # -> call Tool.use, constructor Tool


def bounded(engine: T) -> T:
    engine.start()  # -> call Engine.start, override Diesel.start
    return engine


def make() -> Iterator[Tool]:
    yield Tool()  # -> constructor Tool


def inferred():
    return Tool()  # -> constructor Tool


def union(flag):
    if flag:
        thing = Tool()
    else:
        thing = Car(None)
    thing.use()  # -> call Tool.use
    thing.go()  # -> call Car.go
    for tool in make():
        tool.use()  # -> call Tool.use
    inferred().use()  # -> call Tool.use, call inferred


def narrowed(x, y):
    if isinstance(x, Tool):
        x.use()  # -> call Tool.use
    x.use()  # -> nothing
    assert isinstance(y, Car)
    match x:
        case Tool() as t:
            t.use()  # -> call Tool.use
        case Car():
            x.go()  # -> call Car.go


local: Tool = unknown()
local.use()  # -> call Tool.use

import enum
from enum import Enum


class Colour(Enum):
    RED = 1
    BLUE = [2]
    _hidden = 3
    _order_ = "RED BLUE"

    def paint(self):
        return self.RED.paint()  # -> call Colour.paint

    def _mix(self):
        pass

    mix = _mix

    @property
    def label(self):
        return ""

    @classmethod
    def pick(cls):
        return cls.BLUE


class Choices(str, enum.Enum):
    def say(self):
        pass


class Size(Choices):
    SMALL = "s", "small"


def use(name, given: Colour):
    Colour.RED.paint()  # -> call Colour.paint
    Colour(name).paint()  # -> call Colour.paint, constructor Colour, constructor <external>enum.Enum.__init__
    Colour["RED"].paint()  # -> call Colour.paint
    Colour.BLUE.label  # -> property Colour.label
    Colour.pick().paint()  # -> call Colour.paint, call Colour.pick
    Colour.RED.mix()  # -> call Colour._mix
    given.paint()  # -> call Colour.paint
    Size.SMALL.say()  # -> call Choices.say
    Colour._hidden.paint()  # -> call Colour.paint
    for colour in Colour:
        colour.paint()  # -> call Colour.paint

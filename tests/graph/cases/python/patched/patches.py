import shapes
from shapes import Shape as Base
from shapes import Square


def other_area(self):
    pass


def square_area(self):
    pass


def colour_of(self):
    pass


Base.area = other_area
Base.edge = Base.__init__ = Base.__call__ = Base.__lt__ = other_area
Base.name = "shape"  # nothing that can be called
Base.colour = property(colour_of)
shapes.Square.area = square_area
shapes.Shape.Inner.run = other_area
shapes.missing.area = other_area


def local(Square, shapes):  # other things of these names
    Square.area = colour_of
    shapes.measure = colour_of


def put(given):
    Square.edge_of = given  # not known what


setattr(Base, "given", other_area)
setattr(shapes, "made", square_area)
setattr(Base, "not" + "literal", other_area)

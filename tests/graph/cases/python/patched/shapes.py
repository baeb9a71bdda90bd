"""What ``patches.py`` and ``test_shapes.py`` assign to, and the calls that may reach it."""


class Shape:
    def area(self):
        return 1

    def draw(self):
        self.area()  # -> call Shape.area, override Circle.area, possible call patches.py::other_area, override patches.py::square_area
        self.edge()  # -> possible call patches.py::other_area
        self.name
        self.colour  # -> possible property patches.py::colour_of

    class Inner:
        def run(self):
            pass


class Square(Shape):
    def edge_of(self):
        super().area()  # -> call Shape.area, possible call patches.py::other_area


class Circle(Shape):
    def area(self):  # hides what is assigned to Shape
        return 2


def measure():
    return open("x")  # -> possible call test_shapes.py::fake_open


def use(s: Circle, q: Square):
    measure()  # -> call measure, possible call test_shapes.py::Test.test_measure
    s.area()  # -> call Circle.area
    q.area()  # -> call Shape.area, possible call patches.py::other_area, possible call patches.py::square_area
    q()  # -> possible call patches.py::other_area
    q < q  # -> possible call patches.py::other_area
    Shape.Inner().run()  # -> call Shape.Inner.run, constructor Shape.Inner, possible call patches.py::other_area
    Shape()  # -> constructor Shape, possible constructor patches.py::other_area


def given(c: Circle, q: Square):
    c.given()  # -> possible call patches.py::other_area
    made()  # -> possible call patches.py::square_area
    c.radius()  # -> possible call test_shapes.py::fake_open
    q.side()  # -> possible call test_shapes.py::fake_open
    q.radius()  # -> nothing

import shapes


def fake_open(name):
    pass


class Test:
    def test_measure(self):
        def fake():
            pass

        kept = shapes.measure
        shapes.measure = fake
        shapes.open = fake_open
        try:
            shapes.measure()  # -> call shapes.py::measure, possible call Test.test_measure
        finally:
            shapes.measure = kept

    def test_class(self):
        shapes.Circle = Double
        shapes.Circle()  # -> constructor shapes.py::Circle, possible constructor Double, possible constructor patches.py::other_area


class Double:
    pass


class Here:
    def put(self):
        setattr(self, "field", Double())  # -> constructor Double
        self.field.twice()  # -> nothing
        self.late()  # -> call fake_open

    def test_patches(self, monkeypatch):
        monkeypatch.setattr("shapes.Circle.radius", fake_open)
        monkeypatch.setattr(shapes.Square, "side", fake_open, raising=False)


setattr(Here, "late", fake_open)

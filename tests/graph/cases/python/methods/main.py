class Base:
    def run(self):
        self.step()  # -> call Base.step, override Left.step, override Right.step
        self.only_below()  # -> override Left.only_below

    def step(self):
        return self

    @classmethod
    def build(cls):
        cls.register()  # -> call Base.register, override Right.register
        return cls()  # -> constructor Base, constructor Base.__init__

    @classmethod
    def register(cls):
        pass

    @staticmethod
    def helper():
        pass

    def __init__(self):
        self.helper()  # -> call Base.helper


class Left(Base):
    def step(self):
        return super().step().run()  # -> call Base.run, call Base.step

    def only_below(self):
        pass


class Right(Base):
    def step(self):
        pass

    @classmethod
    def register(cls):
        super().register()  # -> call Base.register


def use():
    Left().step()  # -> call Left.step, constructor Base.__init__, constructor Left
    x = Right()  # -> constructor Base.__init__, constructor Right
    x.run()  # -> call Base.run
    Right.build().step()  # -> call Base.build, call Right.step

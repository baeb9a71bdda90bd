"""Functions and methods that are handed on: whoever gets them may call them."""

import functools


def apply(f):
    return f()


def plain():
    pass


class Base:
    def step(self):
        pass

    @property
    def size(self):
        return 1

    @classmethod
    def make(cls):
        pass

    def run(self):
        apply(self.step)  # -> call apply, possible call Base.step, override Below.step
        apply(self.make)  # -> call apply, possible call Base.make
        apply(self.size)  # -> call apply, property Base.size
        apply(plain)  # -> call apply
        kept = self.step  # -> possible call Base.step, override Below.step
        apply(kept)  # -> call apply
        apply(functools.partial(self.step, 1))  # -> call apply, call <external>functools.partial, possible call Base.step, override Below.step
        self.hook = self.step  # -> possible call Base.step, override Below.step
        return {"step": self.step}  # -> possible call Base.step, override Below.step


class Below(Base):
    def step(self):
        apply(super().step)  # -> call apply, possible call Base.step


class Other:
    step = 3

    def run(self):
        apply(self.step)  # -> call apply


apply(Base.step)  # -> call apply, possible call Base.step
apply(Below().step)  # -> call apply, constructor Below, possible call Below.step
apply(Below.make)  # -> call apply, possible call Base.make

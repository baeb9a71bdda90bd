class Root:
    def __init__(self):
        super().__init__()  # -> call <builtin>object.__init__

    def go(self):
        pass


class A(Root):
    def __init__(self):
        super().__init__()  # -> call Root.__init__


class B(Root):
    def go(self):
        pass


class C(A, B):
    def both(self):
        super().go()  # -> call B.go
        super(A, self).go()  # -> call B.go


class Deep(C):
    class Inner:
        def go(self):
            pass

    def make(self):
        self.Inner().go()  # -> call Deep.Inner.go, constructor Deep.Inner


C().go()  # -> call B.go, constructor A.__init__, constructor C
Deep.Inner().go()  # -> call Deep.Inner.go, constructor Deep.Inner

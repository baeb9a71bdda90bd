class Thing:
    def go(self):
        pass


def fast():
    pass


def slow():
    pass

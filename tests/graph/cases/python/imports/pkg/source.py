__all__ = ["listed"]
__all__ += ["Kind"]


def exported():
    pass


def original():
    pass


def listed():
    pass


class Kind:
    @classmethod
    def build(cls) -> "Kind":
        return cls()

    def go(self):
        pass

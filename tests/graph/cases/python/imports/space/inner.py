def spaced():
    pass

def check(value):
    pass

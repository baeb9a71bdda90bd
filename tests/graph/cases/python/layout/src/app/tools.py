def hammer():
    pass

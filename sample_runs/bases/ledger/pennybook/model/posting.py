"""One line of a transaction."""


class Posting:
    """An amount that goes to an account; amount is None until the transaction is completed."""

    def __init__(self, account, amount=None):
        self.account = account
        self.amount = amount

    def __repr__(self):
        return f"Posting({self.account!r}, {self.amount!r})"

    def is_open(self):
        """Whether the amount is still to be worked out."""
        return self.amount is None

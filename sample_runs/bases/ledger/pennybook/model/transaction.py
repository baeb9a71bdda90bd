"""A dated set of postings that add up to zero."""

from ..errors import UnbalancedError
from ..money import zero


class Transaction:
    """What happened on one day with one payee."""

    def __init__(self, date, payee, postings):
        self.date = date
        self.payee = payee
        self.postings = postings

    def complete(self):
        """Fill in the one amount that may be left out."""
        open_postings = [posting for posting in self.postings if posting.is_open()]
        if len(open_postings) > 1:
            raise UnbalancedError(f"{self.date} {self.payee}: more than one amount is missing")
        if open_postings:
            open_postings[0].amount = -self.total()
        return self

    def total(self):
        """The sum of all known amounts."""
        total = zero()
        for posting in self.postings:
            if not posting.is_open():
                total = total + posting.amount
        return total

    def check(self):
        """Raise unless everything adds up."""
        if not self.total().is_zero():
            raise UnbalancedError(f"{self.date} {self.payee}: off by {self.total().text()}")
        return self

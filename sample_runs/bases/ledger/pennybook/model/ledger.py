"""All transactions, in order of their dates."""

from ..errors import UnknownAccountError
from ..money import zero
from .account import ancestors, is_under


class Ledger:
    """Transactions and what can be asked about them."""

    def __init__(self, transactions=()):
        self.transactions = []
        for transaction in transactions:
            self.add(transaction)

    def add(self, transaction):
        """Add a transaction, keeping the order of dates."""
        self.transactions.append(transaction.complete())
        self.transactions.sort(key=lambda one: one.date)

    def postings(self):
        """All (transaction, posting) pairs in order."""
        for transaction in self.transactions:
            for posting in transaction.postings:
                yield transaction, posting

    def accounts(self):
        """Names of all accounts, parents included, sorted."""
        names = set()
        for _, posting in self.postings():
            names.update(ancestors(posting.account))
        return sorted(names)

    def balance(self, account):
        """What an account and everything below it holds."""
        if account not in self.accounts():
            raise UnknownAccountError(account)
        total = zero()
        for _, posting in self.postings():
            if is_under(posting.account, account):
                total = total + posting.amount
        return total

    def span(self):
        """First and last date, or None for an empty ledger."""
        if not self.transactions:
            return None
        return self.transactions[0].date, self.transactions[-1].date

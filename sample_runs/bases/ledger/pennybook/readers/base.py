"""What every reader does."""

from pathlib import Path

from ..errors import ParseError
from ..model.transaction import Transaction


class Reader:
    """Reads one kind of file; a subclass says how its text becomes rows."""

    ending = ""

    def read(self, path):
        """All transactions of a file."""
        text = Path(path).read_text(encoding="utf-8")
        transactions = []
        for date, payee, postings in self.rows(text):
            transactions.append(Transaction(date, payee, postings))
        return transactions

    def rows(self, text):
        """(date, payee, postings) of every transaction in a text."""
        raise NotImplementedError

    def fail(self, message):
        """Raise a ParseError."""
        raise ParseError(message)

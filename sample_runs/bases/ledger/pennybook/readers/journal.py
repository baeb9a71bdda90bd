"""The journal format (docs/journal.md)."""

from ..dates import parse_date
from ..model.posting import Posting
from ..money import parse_money
from .base import Reader
from .registry import register

COMMENT = ";"


@register
class JournalReader(Reader):
    """Transactions as indented blocks."""

    ending = ".journal"

    def rows(self, text):
        """One row a block; blank lines and comments stand anywhere."""
        head = None
        postings = []
        for line in text.splitlines():
            if not line.strip() or line.lstrip().startswith(COMMENT):
                continue
            if line[0].isspace():
                if head is None:
                    self.fail("posting before the first transaction")
                postings.append(self.posting(line))
                continue
            if head:
                yield (*head, postings)
            head, postings = self.head(line), []
        if head:
            yield (*head, postings)

    def head(self, line):
        """Date and payee of a transaction's first line."""
        date, _, payee = line.partition(" ")
        return parse_date(date), payee.strip()

    def posting(self, line):
        """Account and amount of an indented line; two blanks or more stand between them."""
        account, _, amount = line.strip().partition("  ")
        return Posting(account, parse_money(amount) if amount.strip() else None)

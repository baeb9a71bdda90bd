"""The postings of one account."""

from ..errors import LedgerError
from ..model.account import is_under
from ..money import zero
from .base import Report
from .registry import add_report


@add_report
class RegisterReport(Report):
    """One row a posting, with a running total."""

    name = "register"
    columns = ("date", "payee", "amount", "total")
    right = ("amount", "total")

    def rows(self, ledger):
        """Postings to the account or below it, oldest first."""
        if self.account is None:
            raise LedgerError("the register needs --account")
        total = zero()
        for transaction, posting in ledger.postings():
            if is_under(posting.account, self.account):
                total = total + posting.amount
                yield transaction.date, self.label(transaction.payee), posting.amount.text(), total.text()

"""Income and expenses a month."""

from ..dates import month_of
from ..model.account import is_under
from ..money import zero
from .base import Report
from .registry import add_report


@add_report
class MonthlyReport(Report):
    """One row a month that has postings."""

    name = "monthly"
    columns = ("month", "income", "expenses", "left")
    right = ("income", "expenses", "left")

    def rows(self, ledger):
        """Months with what came in, what went out and what is left."""
        income, expenses = sums_by_month(ledger, "Income"), sums_by_month(ledger, "Expenses")
        for month in sorted(set(income) | set(expenses)):
            came, went = -income.get(month, zero()), expenses.get(month, zero())
            yield month, came.text(), went.text(), (came - went).text()


def sums_by_month(ledger, root):
    """What was posted below an account, by month."""
    sums = {}
    for transaction, posting in ledger.postings():
        if is_under(posting.account, root):
            month = month_of(transaction.date)
            sums[month] = sums.get(month, zero()) + posting.amount
    return sums

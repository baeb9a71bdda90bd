"""The balance of every account."""

from ..model.account import depth
from ..render.text import indent
from .base import Report
from .registry import add_report


@add_report
class BalancesReport(Report):
    """One row an account, children indented below their parents."""

    name = "balances"
    columns = ("account", "balance")
    right = ("balance",)

    def rows(self, ledger):
        """Accounts with what they hold."""
        for account in ledger.accounts():
            yield self.label(account), ledger.balance(account).text()

    def label(self, account):
        """The last part of the name, indented by its depth."""
        short = account.rsplit(":", 1)[-1]
        return indent(super().label(short), depth(account))

"""What every report does."""

from ..constants import NAME_WIDTH
from ..render.table import Table
from ..render.text import cut


class Report:
    """Turns a ledger into a table; a subclass says which rows it has."""

    name = ""
    columns = ()
    right = ()

    def __init__(self, width=NAME_WIDTH, account=None):
        self.width = width
        self.account = account

    def rows(self, ledger):
        """The cells of every row."""
        raise NotImplementedError

    def table(self, ledger):
        """The report as a table."""
        table = Table(self.columns, self.right)
        for row in self.rows(ledger):
            table.add(*row)
        return table

    def render(self, ledger):
        """The report as text."""
        return self.table(ledger).text()

    def label(self, account):
        """An account's name as the report shows it."""
        return cut(account, self.width)

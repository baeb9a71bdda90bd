"""Comma-separated files: date, payee, account, amount."""

import csv
import io

from ..dates import parse_date
from ..model.posting import Posting
from ..money import parse_money
from .base import Reader
from .registry import register

COLUMNS = ("date", "payee", "account", "amount")


@register
class CsvReader(Reader):
    """One posting a line; lines with the same date and payee make one transaction."""

    ending = ".csv"

    def rows(self, text):
        """One row a transaction, in order of first appearance."""
        table = csv.DictReader(io.StringIO(text))
        if tuple(table.fieldnames or ()) != COLUMNS:
            self.fail(f"expected the columns {', '.join(COLUMNS)}")
        groups = {}
        for line in table:
            key = (parse_date(line["date"]), line["payee"])
            groups.setdefault(key, []).append(self.posting(line))
        for (date, payee), postings in groups.items():
            yield date, payee, postings

    def posting(self, line):
        """The posting of one line."""
        return Posting(line["account"], parse_money(line["amount"]))

"""JSON files: a list of transactions."""

import json

from ..dates import parse_date
from ..model.posting import Posting
from ..money import parse_money
from .base import Reader
from .registry import register


@register
class JsonReader(Reader):
    """Transactions as objects with date, payee and postings."""

    ending = ".json"

    def rows(self, text):
        """One row an object."""
        document = json.loads(text)
        if not isinstance(document, list):
            self.fail("expected a list of transactions")
        for item in document:
            postings = [self.posting(entry) for entry in item["postings"]]
            yield parse_date(item["date"]), item["payee"], postings

    def posting(self, entry):
        """The posting of one object; the amount may be left out."""
        amount = entry.get("amount")
        return Posting(entry["account"], None if amount is None else parse_money(str(amount)))

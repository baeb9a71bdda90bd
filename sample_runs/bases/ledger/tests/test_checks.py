import unittest

from pennybook.checks.engine import run_checks
from pennybook.cli import load_ledger
from pennybook.dates import parse_date
from pennybook.model.ledger import Ledger
from pennybook.model.posting import Posting
from pennybook.model.transaction import Transaction
from pennybook.money import Money


class ChecksTest(unittest.TestCase):
    def test_clean(self):
        self.assertEqual(run_checks(load_ledger("examples/home.journal")), [])

    def test_naming(self):
        postings = [Posting("Pets:Cat", Money(1)), Posting("Assets:Cash")]
        ledger = Ledger([Transaction(parse_date("2026-01-01"), "Vet", postings)])
        self.assertEqual(run_checks(ledger), ["2026-01-01 Vet: unknown root in Pets:Cat"])

import unittest
from pathlib import Path

from pennybook.errors import ParseError
from pennybook.money import Money
from pennybook.readers import reader_for
from pennybook.readers.journal import JournalReader


class ReadersTest(unittest.TestCase):
    def test_journal(self):
        transactions = reader_for("examples/home.journal").read("examples/home.journal")
        self.assertEqual(len(transactions), 6)
        self.assertEqual(transactions[1].postings[0].amount, Money("4.20"))

    def test_csv(self):
        transactions = reader_for("examples/trip.csv").read("examples/trip.csv")
        self.assertEqual([t.payee for t in transactions], ["Train", "Hotel"])

    def test_unknown_ending(self):
        with self.assertRaises(ParseError):
            reader_for(Path("books.xls"))

    def test_posting_without_head(self):
        with self.assertRaises(ParseError):
            list(JournalReader().rows("    Assets:Cash  1\n"))

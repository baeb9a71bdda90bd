import unittest

from pennybook.errors import LedgerError, ParseError
from pennybook.money import Money, parse_money, zero


class MoneyTest(unittest.TestCase):
    def test_add(self):
        self.assertEqual(Money("1.10") + Money("2.20"), Money("3.30"))

    def test_add_other_currency(self):
        with self.assertRaises(LedgerError):
            Money(1, "EUR") + Money(1, "USD")

    def test_text(self):
        self.assertEqual(Money("1234.5").text(), "1,234.50 EUR")

    def test_parse(self):
        self.assertEqual(parse_money("4.20 USD"), Money("4.20", "USD"))
        self.assertEqual(parse_money("4.20"), Money("4.20"))

    def test_parse_bad(self):
        with self.assertRaises(ParseError):
            parse_money("four")

    def test_zero(self):
        self.assertTrue(zero().is_zero())

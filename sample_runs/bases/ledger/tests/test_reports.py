import unittest

from pennybook.cli import run


class ReportsTest(unittest.TestCase):
    def test_balances(self):
        lines = run(["examples/home.journal"]).splitlines()
        self.assertEqual(lines[0].split(), ["account", "balance"])
        self.assertIn("  Food         35.35 EUR", lines)

    def test_register(self):
        text = run(["examples/home.journal", "register", "--account", "Expenses:Food"])
        self.assertTrue(text.endswith("2026-02-14  Market  31.15 EUR  35.35 EUR\n"))

    def test_monthly(self):
        lines = run(["examples/home.journal", "monthly"]).splitlines()
        self.assertEqual(lines[2].split(), ["2026-01", "2,100.00", "EUR", "4.20", "EUR", "2,095.80", "EUR"])

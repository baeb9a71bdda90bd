import unittest

from pennybook.dates import month_of, months_between, parse_date


class DatesTest(unittest.TestCase):
    def test_month_of(self):
        self.assertEqual(month_of(parse_date("2026-01-05")), "2026-01")

    def test_months_between(self):
        self.assertEqual(months_between("2025-11", "2026-01"), ["2025-11", "2025-12", "2026-01"])

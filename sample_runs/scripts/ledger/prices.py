"""Part 2, continued: prices and ``--in``, a moved function, a removed helper."""

from __future__ import annotations

from sample_runs.script import Event, bash, edit, grep, read, todo, turn, write
from sample_runs.scripts.ledger.readers import TEST, plan

_PRICES = '''cat > pennybook/prices.py <<'EOF'
"""What one currency is worth in another, day by day."""

from pathlib import Path

from .dates import parse_date
from .errors import LedgerError, ParseError
from .money import Money, parse_money


class Prices:
    """Rates; each holds from its date on."""

    def __init__(self):
        self.rates = {}

    def add(self, date, currency, worth):
        """From this date on, one unit of a currency is worth an amount of another."""
        known = self.rates.setdefault((currency, worth.currency), [])
        known.append((date, worth.amount))
        known.sort()

    def rate(self, currency, target, date):
        """The newest rate that holds on a date."""
        known = [rate for day, rate in self.rates.get((currency, target), []) if day <= date]
        if not known:
            raise LedgerError(f"no price of {currency} in {target} on {date}")
        return known[-1]

    def convert(self, money, target, date):
        """An amount in another currency."""
        if money.currency == target:
            return money
        return Money(money.amount * self.rate(money.currency, target, date), target)


def load_prices(path):
    """The prices in a file with lines such as 2026-01-01 USD 0.92 EUR."""
    prices = Prices()
    for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            day, currency, worth = line.split(maxsplit=2)
            prices.add(parse_date(day), currency, parse_money(worth))
        except ValueError:
            raise ParseError(f"not a price: {line!r}", number) from None
    return prices
EOF'''
_TOTAL_IN = '''
    def total(self, bag, target, date):
        """Everything in a bag in one currency."""
        total = Money(0, target)
        for money in bag.parts():
            total = total + self.convert(money, target, date)
        return total
'''
_CONVERT_END = """        return Money(money.amount * self.rate(money.currency, target, date), target)
"""
_PRICES_TEST = """import unittest
from datetime import date

from pennybook.bag import Bag
from pennybook.errors import LedgerError
from pennybook.money import Money
from pennybook.prices import load_prices


class PricesTest(unittest.TestCase):
    def setUp(self):
        self.prices = load_prices("examples/prices.txt")

    def test_newest_rate(self):
        self.assertEqual(self.prices.convert(Money(10, "USD"), "EUR", date(2026, 2, 1)), Money("9.00"))

    def test_total(self):
        bag = Bag(Money(1), Money(10, "USD"))
        self.assertEqual(self.prices.total(bag, "EUR", date(2026, 1, 5)), Money("10.20"))

    def test_unknown(self):
        with self.assertRaises(LedgerError):
            self.prices.convert(Money(1, "CHF"), "EUR", date(2026, 1, 5))
"""
_REPORT_INIT_OLD = """    def __init__(self, width=NAME_WIDTH, account=None):
        self.width = width
        self.account = account
"""
_REPORT_INIT_NEW = """    def __init__(self, width=NAME_WIDTH, account=None, currency=None, prices=None):
        self.width = width
        self.account = account
        self.currency = currency
        self.prices = prices
"""
_LABEL_OLD = '''    def label(self, account):
        """An account's name as the report shows it."""
'''
_LABEL_NEW = '''    def amount(self, bag, date):
        """A bag as text, in the report's currency if it has one."""
        if self.currency is None:
            return bag.text()
        return self.prices.total(bag, self.currency, date).text()

    def label(self, account):
        """An account's name as the report shows it."""
'''
_BALANCES_OLD = '''        """Accounts with what they hold."""
        for account in ledger.accounts():
            yield self.label(account), ledger.balance(account).text()
'''
_BALANCES_NEW = '''        """Accounts with what they hold on the last day."""
        span = ledger.span()
        for account in ledger.accounts():
            yield self.label(account), self.amount(ledger.balance(account), span[1])
'''
_REGISTER_OLD = """        total = zero()
        for transaction, posting in ledger.postings():
            if is_under(posting.account, self.account):
                total = total + posting.amount
                yield transaction.date, self.label(transaction.payee), posting.amount.text(), total.text()
"""
_REGISTER_NEW = """        total = Bag()
        for transaction, posting in ledger.postings():
            if is_under(posting.account, self.account):
                total = total + posting.amount
                day = transaction.date
                yield day, self.label(transaction.payee), posting.amount.text(), self.amount(total, day)
"""
_SUMS = '''"""Sums over a ledger."""

from ..bag import Bag
from ..dates import month_of
from .account import is_under


def sums_by_month(ledger, root):
    """What was posted below an account, by month."""
    sums = {}
    for transaction, posting in ledger.postings():
        if is_under(posting.account, root):
            month = month_of(transaction.date)
            sums[month] = sums.get(month, Bag()) + posting.amount
    return sums
'''
_MONTHLY_HEAD_OLD = """from ..dates import month_of
from ..model.account import is_under
from ..money import zero
from .base import Report
"""
_MONTHLY_HEAD_NEW = """from ..bag import Bag
from ..dates import last_day
from ..model.sums import sums_by_month
from .base import Report
"""
_MONTHLY_ROWS_OLD = '''            came, went = -income.get(month, zero()), expenses.get(month, zero())
            yield month, came.text(), went.text(), (came - went).text()


def sums_by_month(ledger, root):
    """What was posted below an account, by month."""
    sums = {}
    for transaction, posting in ledger.postings():
        if is_under(posting.account, root):
            month = month_of(transaction.date)
            sums[month] = sums.get(month, zero()) + posting.amount
    return sums
'''
_MONTHLY_ROWS_NEW = """            came, went = -income.get(month, Bag()), expenses.get(month, Bag())
            day = last_day(month)
            yield month, self.amount(came, day), self.amount(went, day), self.amount(came - went, day)
"""
_LAST_DAY_OLD = """def months_between(first, last):
"""
_LAST_DAY_NEW = '''def last_day(month):
    """The last day of a month."""
    return parse_date(f"{next_month(month)}-01") - timedelta(days=1)


def months_between(first, last):
'''
_CLI_OPTION_OLD = """    parser.add_argument("--width", type=int)
"""
_CLI_OPTION_NEW = """    parser.add_argument("--width", type=int)
    parser.add_argument("--in", dest="currency")
    parser.add_argument("--prices")
"""
_CLI_RUN_OLD = """    report = report_for(options.report)(width=options.width or config.width, account=options.account)
    return report.render(ledger)
"""
_CLI_RUN_NEW = """    report = report_for(options.report)(
        width=options.width or config.width,
        account=options.account,
        currency=options.currency,
        prices=load_prices(options.prices) if options.prices else Prices(),
    )
    return report.render(ledger)
"""
_CLI_TEST = """
    def test_in_euro(self):
        lines = run(["examples/abroad.journal", "--in", "EUR", "--prices", "examples/prices.txt"]).splitlines()
        self.assertIn("  Travel    45.00 EUR", lines)

    def test_by_currency(self):
        lines = run(["examples/abroad.journal", "register", "--account", "Assets:Bank"]).splitlines()
        self.assertTrue(lines[-1].endswith("60.00 EUR, -50.00 USD"))
"""
_LAST_REPORT_TEST = """"4.20", "EUR", "2,095.80", "EUR"])
"""

EVENTS: tuple[Event, ...] = (
    turn(todo(*plan(2)), read("pennybook/dates.py"), read("pennybook/config.py")),
    turn(bash(_PRICES, "Write the prices module")),
    turn(
        bash(
            "printf '2026-01-01 USD 0.92 EUR\\n2026-02-01 USD 0.90 EUR\\n' > examples/prices.txt && "
            "cat > examples/abroad.journal <<'EOF'\n2026-01-10 Savings\n    Assets:Bank  60.00 EUR\n"
            "    Equity:Opening\n\n2026-02-03 Museum\n    Expenses:Travel  50.00 USD\n    Assets:Bank\nEOF",
            "Write example files",
        ),
        write("tests/test_prices.py", _PRICES_TEST),
    ),
    turn(bash("python -m unittest tests.test_prices", "Run the price tests", fails=True)),
    turn(read("pennybook/prices.py", 8, 30)),
    turn(
        "total() is missing: a whole bag in one currency.",
        edit("pennybook/prices.py", _CONVERT_END, _CONVERT_END + _TOTAL_IN),
    ),
    turn(bash("python -m unittest tests.test_prices", "Run the price tests")),
    turn(
        "The reports get one method that turns a bag into text.",
        edit("pennybook/reports/base.py", _REPORT_INIT_OLD, _REPORT_INIT_NEW),
        edit("pennybook/reports/base.py", _LABEL_OLD, _LABEL_NEW),
        edit("pennybook/reports/balances.py", _BALANCES_OLD, _BALANCES_NEW),
    ),
    turn(
        edit("pennybook/reports/register.py", _REGISTER_OLD, _REGISTER_NEW),
        edit("pennybook/reports/register.py", "from ..errors", "from ..bag import Bag\nfrom ..errors"),
        edit("pennybook/reports/register.py", "from ..money import zero\n", ""),
    ),
    turn(
        "sums_by_month is no business of one report; the budget report will need it too. It moves to the model.",
        write("pennybook/model/sums.py", _SUMS),
        edit("pennybook/reports/monthly.py", _MONTHLY_ROWS_OLD, _MONTHLY_ROWS_NEW),
        edit("pennybook/reports/monthly.py", _MONTHLY_HEAD_OLD, _MONTHLY_HEAD_NEW),
        edit("pennybook/dates.py", _LAST_DAY_OLD, _LAST_DAY_NEW),
    ),
    turn(bash(TEST, "Run the tests", fails=True)),
    turn(edit("pennybook/dates.py", "import datetime\n", "import datetime, timedelta\n")),
    turn(bash(TEST, "Run the tests")),
    turn(
        edit("pennybook/cli.py", _CLI_OPTION_OLD, _CLI_OPTION_NEW),
        edit("pennybook/cli.py", _CLI_RUN_OLD, _CLI_RUN_NEW),
        edit(
            "pennybook/cli.py",
            "from .model.ledger import Ledger\n",
            "from .model.ledger import Ledger\nfrom .prices import Prices, load_prices\n",
        ),
    ),
    turn(read("tests/test_reports.py")),
    turn(edit("tests/test_reports.py", _LAST_REPORT_TEST, _LAST_REPORT_TEST + _CLI_TEST)),
    turn(bash("python -m unittest tests.test_reports", "Run the report tests")),
    turn(
        bash(
            "python -m pennybook examples/abroad.journal balances --in EUR --prices examples/prices.txt",
            "Look at a converted report",
        ),
        bash(
            "git stash -q && python -m pennybook examples/home.journal balances | tail -3; git stash pop -q",
            "See what the report looked like before",
        ),
    ),
    turn(grep(r"\bzero\b", path="pennybook", output_mode="content")),
    turn(
        "Nothing but its own definition and one test uses zero() any more. It goes.",
        edit(
            "pennybook/money.py",
            '''def zero(currency=DEFAULT_CURRENCY):
    """No money at all."""
    return Money(0, currency)


''',
            "",
        ),
        read("tests/test_money.py"),
    ),
    turn(
        edit("tests/test_money.py", "self.assertTrue(zero().is_zero())", "self.assertTrue(Money(0).is_zero())"),
        edit("tests/test_money.py", "import Money, parse_money, zero\n", "import Money, parse_money\n"),
    ),
    turn(bash(TEST, "Run the tests")),
    turn(todo(*plan(3))),
)

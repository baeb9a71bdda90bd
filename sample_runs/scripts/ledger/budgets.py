"""Part 3: the compaction, re-reading, and budgets."""

from __future__ import annotations

from sample_runs.script import Compact, Event, bash, edit, grep, read, todo, turn, write
from sample_runs.scripts.ledger.readers import TEST, plan

_SUMMARY = """Analysis:
The user asked for five things in pennybook: line numbers in parse errors, several currencies with prices and --in,
budgets, output formats, and tests and docs that follow. Small steps, tests green in between.

Summary:
1. Done: ParseError has a line; Reader.located puts it on errors of the small parsers; JsonReader overrides located and
   names the entry instead.
2. Done: pennybook/bag.py (Bag: amounts by currency, parts, single, text). Transaction.total and Ledger.balance return a
   Bag. pennybook/prices.py (Prices.rate, convert, total; load_prices). Report has currency and prices and a method
   amount(bag, date). sums_by_month moved to pennybook/model/sums.py, last_day is new in dates.py, zero() is gone.
   The CLI has --in and --prices. The user wants the sorting in Ledger.add left alone.
3. Left: budgets ([budget] in pennybook.ini, report budget with planned, spent, left), formats csv and markdown for
   every report, docs.
4. All tests passed at the last run: python -m unittest discover -s tests -t .

Next step: budgets, starting with config.py."""

_CONFIG_INIT_OLD = """    def __init__(self, width=NAME_WIDTH, strict=True):
        self.width = width
        self.strict = strict
"""
_CONFIG_INIT_NEW = """    def __init__(self, width=NAME_WIDTH, strict=True, budget=None):
        self.width = width
        self.strict = strict
        self.budget = budget or {}
"""
_CONFIG_LOAD_OLD = """    parser.read(path, encoding="utf-8")
    if SECTION not in parser:
        return Config()
    section = parser[SECTION]
    return Config(
        width=section.getint("width", NAME_WIDTH),
        strict=section.getboolean("strict", True),
    )
"""
_CONFIG_LOAD_NEW = """    parser.read(path, encoding="utf-8")
    budget = dict(parser[BUDGET]) if BUDGET in parser else {}
    if SECTION not in parser:
        return Config(budget=budget)
    section = parser[SECTION]
    return Config(
        width=section.getint("width", NAME_WIDTH),
        strict=section.getboolean("strict", True),
        budget=budget,
    )
"""
_CONFIG_TEST = """import tempfile
import unittest
from pathlib import Path

from pennybook.config import load_config


class ConfigTest(unittest.TestCase):
    def load(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "pennybook.ini"
            path.write_text(text, encoding="utf-8")
            return load_config(path)

    def test_width(self):
        self.assertEqual(self.load("[pennybook]\\nwidth = 12\\n").width, 12)

    def test_budget(self):
        budget = self.load("[budget]\\nExpenses:Food = 120 EUR\\n").budget
        self.assertEqual(budget, {"Expenses:Food": "120 EUR"})
"""
_PARSER_OLD = """    parser = configparser.ConfigParser()
"""
_PARSER_NEW = """    parser = configparser.ConfigParser(delimiters=("=",))  # account names hold colons
    parser.optionxform = str
"""
_BUDGET = '''"""Planned amounts."""

from ..money import Money, parse_money


class Budget:
    """What may be spent a month, by account."""

    def __init__(self, plans):
        self.plans = {account: parse_money(amount) for account, amount in plans.items()}

    def accounts(self):
        """Accounts with a plan, sorted."""
        return sorted(self.plans)

    def planned(self, account, months):
        """What may be spent in a number of months."""
        plan = self.plans[account]
        return Money(plan.amount * months, plan.currency)
'''
_BUDGET_REPORT = '''"""Planned and spent."""

from ..bag import Bag
from ..dates import month_of, months_between
from .base import Report
from .registry import add_report


@add_report
class BudgetReport(Report):
    """One row an account with a plan, over all months of the ledger."""

    name = "budget"
    columns = ("account", "planned", "spent", "left")
    right = ("planned", "spent", "left")

    def rows(self, ledger):
        """Accounts with what was planned, what was spent and what is left."""
        last = ledger.span()[1]
        for account, planned, spent in self.sums(ledger):
            cells = (self.amount(bag, last) for bag in (planned, spent, planned - spent))
            yield self.label(account), *cells

    def sums(self, ledger):
        """(account, planned, spent) as bags."""
        first, last = ledger.span()
        months = len(months_between(month_of(first), month_of(last)))
        known = ledger.accounts()
        for account in self.budget.accounts():
            spent = ledger.balance(account) if account in known else Bag()
            yield account, Bag(self.budget.planned(account, months)), spent

    def table(self, ledger):
        """The report as a table, with a last row for everything."""
        table = super().table(ledger)
        planned, spent = Bag(), Bag()
        for _, plan, sum_ in self.sums(ledger):
            planned, spent = planned + plan, spent + sum_
        last = ledger.span()[1]
        table.add("all", *(self.amount(bag, last) for bag in (planned, spent, planned - spent)))
        return table
'''
_INIT_OLD = """    def __init__(self, width=NAME_WIDTH, account=None, currency=None, prices=None):
        self.width = width
        self.account = account
        self.currency = currency
        self.prices = prices
"""
_INIT_NEW = """    def __init__(self, width=NAME_WIDTH, account=None, currency=None, prices=None, budget=None):
        self.width = width
        self.account = account
        self.currency = currency
        self.prices = prices
        self.budget = budget
"""
_BUDGET_TEST = """import unittest

from pennybook.cli import load_ledger
from pennybook.model.budget import Budget
from pennybook.reports import report_for


class BudgetTest(unittest.TestCase):
    def setUp(self):
        self.budget = Budget({"Expenses:Food": "120 EUR", "Expenses:Books": "10 EUR"})

    def test_rows(self):
        report = report_for("budget")(budget=self.budget)
        lines = report.render(load_ledger("examples/home.journal")).splitlines()
        self.assertEqual(lines[2].split()[1:], ["20.00", "EUR", "0.00", "EUR", "20.00", "EUR"])
        self.assertEqual(lines[-1].split()[:3], ["all", "260.00", "EUR"])
"""
_CURRENCY_CHECK = '''"""Are currencies written as agreed?"""

from ..constants import CURRENCY
from .base import Check


class CurrencyCheck(Check):
    """Every currency is three capital letters."""

    name = "currency"

    def transaction(self, transaction):
        """One complaint for each currency that looks wrong."""
        names = sorted({posting.amount.currency for posting in transaction.postings})
        return [f"not a currency: {name}" for name in names if not CURRENCY.fullmatch(name)]
'''
_CHECK_TEST = """
    def test_currency(self):
        postings = [Posting("Expenses:Food", Money(1, "euro")), Posting("Assets:Cash")]
        ledger = Ledger([Transaction(parse_date("2026-01-01"), "Baker", postings)])
        self.assertEqual(run_checks(ledger), ["2026-01-01 Baker: not a currency: euro"])
"""
_LAST_CHECK_TEST = """        self.assertEqual(run_checks(ledger), ["2026-01-01 Vet: unknown root in Pets:Cat"])
"""

EVENTS: tuple[Event, ...] = (
    Compact(_SUMMARY, "manual"),
    turn(
        "Budgets next. I look at the settings again before I change them.",
        read("pennybook/config.py"),
        read("pennybook/reports/base.py"),
    ),
    turn(
        edit("pennybook/config.py", _CONFIG_INIT_OLD, _CONFIG_INIT_NEW),
        edit("pennybook/config.py", _CONFIG_LOAD_OLD, _CONFIG_LOAD_NEW),
        edit("pennybook/config.py", 'SECTION = "pennybook"\n', 'SECTION = "pennybook"\nBUDGET = "budget"\n'),
        write("tests/test_config.py", _CONFIG_TEST),
    ),
    turn(bash("python -m unittest tests.test_config", "Run the settings tests", fails=True)),
    turn(
        "configparser takes the colon for a delimiter and lower-cases the names.",
        edit("pennybook/config.py", _PARSER_OLD, _PARSER_NEW),
    ),
    turn(bash("python -m unittest tests.test_config", "Run the settings tests")),
    turn(
        write("pennybook/model/budget.py", _BUDGET),
        write("pennybook/reports/budget.py", _BUDGET_REPORT),
        edit("pennybook/reports/base.py", _INIT_OLD, _INIT_NEW),
    ),
    turn(
        edit(
            "pennybook/reports/__init__.py",
            "import balances, monthly,",
            "import balances, budget, monthly,",
            fails=True,
        )
    ),
    turn(read("pennybook/reports/__init__.py"), read("pennybook/reports/registry.py")),
    turn(
        edit("pennybook/reports/__init__.py", "import balances, monthly,", "import balances, budget, monthly,"),
        edit("pennybook/reports/__init__.py", '["balances", "monthly",', '["balances", "budget", "monthly",'),
        write("tests/test_budget.py", _BUDGET_TEST),
    ),
    turn(bash(TEST, "Run the tests")),
    turn(grep("report_for", path="pennybook", output_mode="content"), read("pennybook/cli.py", 1, 60)),
    turn(
        edit(
            "pennybook/cli.py",
            "        prices=load_prices(options.prices) if options.prices else Prices(),\n",
            "        prices=load_prices(options.prices) if options.prices else Prices(),\n"
            "        budget=Budget(config.budget),\n",
        ),
        edit(
            "pennybook/cli.py",
            "from .model.ledger import Ledger\n",
            "from .model.budget import Budget\nfrom .model.ledger import Ledger\n",
        ),
    ),
    turn(
        bash(
            "printf '[budget]\\nExpenses:Food = 120 EUR\\nExpenses:Rent = 700 EUR\\n' > examples/home.ini && "
            "python -m pennybook examples/home.journal budget --config examples/home.ini",
            "Look at the budget report",
        )
    ),
    turn(
        "A misspelt currency would now silently become one of its own, so there should be a check for that.",
        read("pennybook/checks/engine.py"),
        read("pennybook/checks/base.py"),
        read("pennybook/constants.py"),
        read("tests/test_checks.py"),
    ),
    turn(
        write("pennybook/checks/currency.py", _CURRENCY_CHECK),
        edit(
            "pennybook/constants.py",
            '"""Values the whole package agrees on."""\n',
            '"""Values the whole package agrees on."""\n\nimport re\n',
        ),
        edit(
            "pennybook/constants.py",
            'DEFAULT_CURRENCY = "EUR"\n',
            'DEFAULT_CURRENCY = "EUR"\nCURRENCY = re.compile("[A-Z]{3}")\n',
        ),
        edit(
            "pennybook/checks/engine.py",
            "from .balance import BalanceCheck\n",
            "from .balance import BalanceCheck\nfrom .currency import CurrencyCheck\n",
        ),
        edit("pennybook/checks/engine.py", "[BalanceCheck, NamingCheck]", "[BalanceCheck, CurrencyCheck, NamingCheck]"),
        edit("tests/test_checks.py", _LAST_CHECK_TEST, _LAST_CHECK_TEST + _CHECK_TEST),
    ),
    turn(bash(TEST, "Run the tests")),
    turn(
        "The sentence of the other check could say what is wrong more clearly.",
        bash(
            "sed -i 's/unknown root in/no known root above/' pennybook/checks/naming.py && "
            "python -m unittest tests.test_checks",
            "Reword and run the check tests",
            fails=True,
        ),
    ),
    turn(
        "Nobody asked for that, and others may match the sentence. Back as it was.",
        bash("git checkout -q pennybook/checks/naming.py && git status --short pennybook/checks", "Undo the rewording"),
    ),
    turn(todo(*plan(4))),
)

"""Part 4: output formats with a sub-agent, a moved file, longer names, the docs."""

from __future__ import annotations

from sample_runs.script import Event, User, bash, edit, grep, read, task, todo, turn, write
from sample_runs.scripts.ledger.readers import TEST, plan

_AGENT_TASK = """In pennybook/render/tables.py there is a class Table that prints a table as text. Add two subclasses
in a new file pennybook/render/formats.py: CsvTable (comma-separated, head first, no padding) and MarkdownTable (a
pipe table, right-aligned columns marked with a colon). Give Table what they need to share. Add a function
table_class(name) for text, csv and markdown that raises LedgerError for anything else. Do not touch the reports. Say
what you changed."""

_TABLE_TEXT_OLD = '''    def text(self):
        """The whole table."""
        widths = self.widths()
        lines = [self.line(self.columns, widths), self.rule(widths)]
        lines += [self.line(row, widths) for row in self.rows]
        return "\\n".join(lines) + "\\n"
'''
_TABLE_TEXT_NEW = '''    def text(self):
        """The whole table."""
        return "\\n".join(self.lines()) + "\\n"

    def lines(self):
        """Head, rule and rows."""
        widths = self.widths()
        yield self.line(self.columns, widths)
        yield self.rule(widths)
        for row in self.rows:
            yield self.line(row, widths)
'''
_FORMATS = '''"""Tables in other formats."""

import csv
import io

from ..errors import LedgerError
from .tables import Table


class CsvTable(Table):
    """Comma-separated."""

    def lines(self):
        """Head and rows, quoted where needed."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\\n")
        writer.writerows([self.columns, *self.rows])
        return out.getvalue().splitlines()


class MarkdownTable(Table):
    """A pipe table."""

    def line(self, cells, widths):
        """One row between pipes."""
        return "| " + " | ".join(cells) + " |"

    def rule(self, widths):
        """Dashes, with a colon where amounts stand."""
        return "|" + "|".join("--:" if column in self.right else "---" for column in self.columns) + "|"


TABLES = {"text": Table, "csv": CsvTable, "markdown": MarkdownTable}


def table_class(name):
    """The table of that format."""
    if name not in TABLES:
        raise LedgerError(f"no format {name}; there are {', '.join(sorted(TABLES))}")
    return TABLES[name]
'''
_BASE_TABLE_OLD = """        table = Table(self.columns, self.right)
"""
_BASE_TABLE_NEW = """        table = table_class(self.format)(self.columns, self.right)
"""
_BASE_INIT_OLD = """prices=None, budget=None):
"""
_BASE_INIT_NEW = """prices=None, budget=None, format="text"):
"""
_FORMAT_TEST = """
    def test_csv(self):
        lines = run(["examples/home.journal", "monthly", "--format", "csv"]).splitlines()
        self.assertEqual(lines[1], '2026-01,"2,100.00 EUR",4.20 EUR,"2,095.80 EUR"')

    def test_markdown(self):
        lines = run(["examples/home.journal", "--format", "markdown"]).splitlines()
        self.assertEqual(lines[:2], ["| account | balance |", "|---|--:|"])

    def test_unknown_format(self):
        with self.assertRaises(LedgerError):
            run(["examples/home.journal", "--format", "pdf"])
"""
_BY_CURRENCY_END = """        self.assertTrue(lines[-1].endswith("60.00 EUR, -50.00 USD"))
"""
_NAMES = '''"""Cutting account names."""

from .text import ELLIPSIS
from .text import cut as cut_end

SEPARATOR = ":"


def cut(name, width):
    """A name of at most width characters; what goes is in the middle, the last part stays."""
    last = name.rsplit(SEPARATOR, 1)[-1]
    if len(name) <= width or len(last) + len(ELLIPSIS) >= width:
        return cut_end(name, width)
    return name[: width - len(last) - len(ELLIPSIS)] + ELLIPSIS + last
'''
_NAMES_TEST = """import unittest

from pennybook.render.names import cut


class NamesTest(unittest.TestCase):
    def test_short(self):
        self.assertEqual(cut("Expenses:Food", 20), "Expenses:Food")

    def test_keeps_the_last_part(self):
        self.assertEqual(cut("Expenses:Household:Repairs", 18), "Expenses...Repairs")

    def test_last_part_too_long(self):
        self.assertEqual(cut("Expenses:Household", 10), "Expense...")
"""
_ROWS_DOC_OLD = """| monthly | income and expenses a month |
"""
_ROWS_DOC_NEW = """| monthly | income and expenses a month |
| budget | planned and spent, for the accounts in [budget] |

`--in EUR --prices FILE` converts every amount, `--format csv` and `--format markdown` change how a table is written.
"""
_REPORTS_DOC = """
## Currencies

Amounts in different currencies stand side by side. With `--in` and a prices file they become one:

    python -m pennybook examples/abroad.journal --in EUR --prices examples/prices.txt

A balance is converted at the price of the last day, a month at that of its last day, a register line at that of its
own.

## Budgets

    [budget]
    Expenses:Food = 120 EUR

in `pennybook.ini` plans an amount a month. The report `budget` adds them up over all months of the journal.
"""

_AGENT = task(
    "Add table formats",
    _AGENT_TASK,
    turn("I'll read the table first.", read("pennybook/render/tables.py"), read("pennybook/render/text.py")),
    turn(edit("pennybook/render/tables.py", _TABLE_TEXT_OLD, _TABLE_TEXT_NEW)),
    turn(write("pennybook/render/formats.py", _FORMATS)),
    turn(
        bash(
            "python -c \"from pennybook.render.formats import table_class; t = table_class('markdown')(('a', 'b'), "
            "('b',)); t.add('x', 1); print(t.text(), end='')\"",
            "Try the markdown table",
        )
    ),
    turn(
        "Table now builds its lines in lines(), so a subclass can replace them. formats.py holds CsvTable (overrides "
        "lines), MarkdownTable (overrides line and rule), TABLES and table_class(name). A markdown table of two "
        "columns prints as expected. Nothing else changed."
    ),
)

_OUTPUT: tuple[Event, ...] = (
    turn(grep("render.table", output_mode="content"), grep("Table")),
    turn(
        "Formats next. The module should be called tables, since there will be several.",
        bash(
            "mv pennybook/render/table.py pennybook/render/tables.py && "
            "sed -i 's/render\\.table import/render.tables import/' pennybook/reports/base.py",
            "Rename the module and its import",
        ),
    ),
    turn("The two formats are a job of their own.", _AGENT),
    turn(read("pennybook/render/formats.py"), read("pennybook/reports/base.py")),
    turn(
        edit("pennybook/reports/base.py", _BASE_TABLE_OLD, _BASE_TABLE_NEW),
        edit(
            "pennybook/reports/base.py",
            "from ..render.tables import Table\n",
            "from ..render.formats import table_class\n",
        ),
        read("tests/test_reports.py"),
    ),
    turn(
        edit(
            "pennybook/cli.py",
            '    parser.add_argument("--prices")\n',
            '    parser.add_argument("--prices")\n    parser.add_argument("--format", default="text")\n',
        ),
        edit(
            "pennybook/cli.py",
            "        budget=Budget(config.budget),\n",
            "        budget=Budget(config.budget),\n        format=options.format,\n",
        ),
        edit("tests/test_reports.py", _BY_CURRENCY_END, _BY_CURRENCY_END + _FORMAT_TEST),
        edit(
            "tests/test_reports.py",
            "from pennybook.cli import run\n",
            "from pennybook.cli import run\nfrom pennybook.errors import LedgerError\n",
        ),
    ),
    turn(bash("python -m unittest tests.test_reports", "Run the report tests", fails=True)),
    turn(
        "Report does not take a format yet.",
        edit("pennybook/reports/base.py", _BASE_INIT_OLD, _BASE_INIT_NEW),
        edit(
            "pennybook/reports/base.py",
            "        self.budget = budget\n",
            "        self.budget = budget\n        self.format = format\n",
        ),
    ),
    turn(bash(TEST, "Run the tests")),
    turn(todo(*plan(5))),
)

_NAMES_AND_DOCS: tuple[Event, ...] = (
    User(
        "Good. One more thing: long account names are cut at the end, so Expenses:Household:Repairs and "
        "Expenses:Household:Rent look the same. Can the last part stay? And 28 is too narrow, make it 36.",
        after=340,
    ),
    turn(read("pennybook/render/text.py"), grep(r"\bcut\b", path="pennybook", output_mode="content")),
    turn(
        "A cut for names beside the one for text. Report.label keeps its body, only its import changes.",
        write("pennybook/render/names.py", _NAMES),
        edit(
            "pennybook/reports/base.py",
            "from ..render.text import cut\n",
            "from ..render.names import cut\n",
        ),
        edit("pennybook/constants.py", "NAME_WIDTH = 28\n", "NAME_WIDTH = 36\n"),
    ),
    turn(write("tests/test_names.py", _NAMES_TEST), bash(TEST, "Run the tests")),
    turn(read("pennybook/reports/balances.py"), read("pennybook/model/account.py")),
    turn(
        "BalancesReport cuts the name to its last part already, and names.py has its own separator: it should be the "
        "one of the model.",
        edit(
            "pennybook/render/names.py",
            'from .text import ELLIPSIS\nfrom .text import cut as cut_end\n\nSEPARATOR = ":"\n',
            "from ..model.account import SEPARATOR\nfrom .text import ELLIPSIS\nfrom .text import cut as cut_end\n",
        ),
        edit(
            "pennybook/reports/balances.py",
            '        short = account.rsplit(":", 1)[-1]\n',
            "        short = account.rsplit(SEPARATOR, 1)[-1]\n",
        ),
        edit("pennybook/reports/balances.py", "account import depth\n", "account import SEPARATOR, depth\n"),
    ),
    turn(bash(TEST, "Run the tests")),
    turn(read("docs/reports.md"), read("README.md"), read("docs/journal.md", 12, 8)),
    turn(
        edit("README.md", _ROWS_DOC_OLD, _ROWS_DOC_NEW),
        bash("cat >> docs/reports.md <<'EOF'\n" + _REPORTS_DOC + "EOF", "Add currencies and budgets to the docs"),
    ),
    turn(
        edit(
            "docs/journal.md",
            "one they are in the default currency.\n",
            "one they are in the default currency. A transaction may mix currencies if every one of them adds up.\n",
        ),
        bash("sed -i 's/--width N. sets/--width N` (36 unless told) sets/' docs/reports.md", "Name the new width"),
    ),
    turn(
        bash(
            "python -m pennybook examples/home.journal budget --config examples/home.ini --format markdown && "
            "python -m pennybook examples/trip.csv register --account Expenses:Travel --format csv",
            "Look at two reports",
        )
    ),
    turn(read("pennybook/reports/base.py"), bash("git status --short | sort", "List what changed")),
    turn(bash(TEST, "Run all tests a last time")),
    turn(todo(*plan(6))),
    turn(
        "All five parts are in. Parse errors name their line or entry; amounts are kept by currency and `--in` "
        "converts them with a prices file; `budget` compares plan and spending; every report takes `--format csv` or "
        "`--format markdown`; long names keep their last part at 36 characters. There is one new check (currencies are "
        "three capital letters). Tests and docs follow, all tests pass."
    ),
)

EVENTS: tuple[Event, ...] = _OUTPUT + _NAMES_AND_DOCS

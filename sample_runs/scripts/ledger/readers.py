"""Part 1: getting to know the package, then line numbers in parse errors."""

from __future__ import annotations

from sample_runs.script import Event, User, bash, edit, glob, grep, read, todo, turn

TEST = "python -m unittest discover -s tests -t ."

_TASK = """pennybook only knows one currency at a time. Please change that, and a few things along the way:

1. A parse error should say on which line it is (for JSON: in which entry).
2. Transactions may mix currencies. Totals and balances are kept by currency. A prices file
   (`2026-01-01 USD 0.92 EUR`) and `--in EUR` convert what a report shows.
3. Budgets: a [budget] section in pennybook.ini and a report `budget` (planned, spent, left).
4. `--format csv` and `--format markdown` for every report.
5. Tests and docs should follow.

Small steps please, and keep the tests green in between."""

_FAIL_OLD = '''    def fail(self, message):
        """Raise a ParseError."""
        raise ParseError(message)
'''
_FAIL_NEW = '''    def fail(self, message, line=None):
        """Raise a ParseError, with its line when that is known."""
        raise ParseError(message, line)
'''
_LOCATED = '''
    def located(self, parse, value, line):
        """parse(value), with the line on any ParseError."""
        try:
            return parse(value)
        except ParseError as error:
            raise ParseError(str(error), line) from None
'''
_PARSE_ERROR_OLD = '''class ParseError(LedgerError):
    """A file cannot be read as a journal."""
'''
_PARSE_ERROR_NEW = '''class ParseError(LedgerError):
    """A file cannot be read as a journal; line says where, when that is known."""

    def __init__(self, message, line=None):
        super().__init__(message if line is None else f"line {line}: {message}")
        self.line = line
'''
_ROWS_OLD = """        for line in text.splitlines():
            if not line.strip() or line.lstrip().startswith(COMMENT):
                continue
            if line[0].isspace():
                if head is None:
                    self.fail("posting before the first transaction")
                postings.append(self.posting(line))
                continue
            if head:
                yield (*head, postings)
            head, postings = self.head(line), []
"""
_ROWS_NEW = """        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip() or line.lstrip().startswith(COMMENT):
                continue
            if line[0].isspace():
                if head is None:
                    self.fail("posting before the first transaction", number)
                postings.append(self.located(self.posting, line, number))
                continue
            if head:
                yield (*head, postings)
            head, postings = self.located(self.head, line, number), []
"""
_TEST_OLD = """    def test_posting_without_head(self):
"""
_TEST_NEW = """    def test_line_of_a_bad_amount(self):
        text = "2026-01-05 Baker\\n    Expenses:Food  four\\n    Assets:Cash\\n"
        with self.assertRaises(ParseError) as caught:
            list(JournalReader().rows(text))
        self.assertEqual(str(caught.exception), "line 2: not an amount: 'four'")

    def test_line_of_a_bad_date(self):
        text = "date,payee,account,amount\\n2026-01-05,Baker,Expenses:Food,1\\nsoon,Baker,Assets:Cash,-1\\n"
        with self.assertRaises(ParseError) as caught:
            list(CsvReader().rows(text))
        self.assertEqual(caught.exception.line, 3)

    def test_posting_without_head(self):
"""
_CSV_OLD = """            key = (parse_date(line["date"]), line["payee"])
            groups.setdefault(key, []).append(self.posting(line))
"""
_CSV_NEW = """            date = self.located(parse_date, line["date"], table.line_num)
            posting = self.located(self.posting, line, table.line_num)
            groups.setdefault((date, line["payee"]), []).append(posting)
"""
_JSON_OLD = """        for item in document:
            postings = [self.posting(entry) for entry in item["postings"]]
            yield parse_date(item["date"]), item["payee"], postings
"""
_JSON_NEW = '''        for number, item in enumerate(document, 1):
            yield self.located(self.row, item, number)

    def row(self, item):
        """The row of one object."""
        postings = [self.posting(entry) for entry in item["postings"]]
        return parse_date(item["date"]), item["payee"], postings

    def located(self, parse, value, entry):
        """parse(value), with the number of the entry on any ParseError."""
        try:
            return parse(value)
        except ParseError as error:
            raise ParseError(f"entry {entry}: {error}") from None
'''
_JSON_TEST = """
    def test_entry_of_a_bad_date(self):
        with self.assertRaises(ParseError) as caught:
            list(JsonReader().rows('[{"date": "soon", "payee": "Baker", "postings": []}]'))
        self.assertEqual(str(caught.exception), "entry 1: not a date: 'soon'")
"""
_LAST_TEST = """            list(JournalReader().rows("    Assets:Cash  1\\n"))
"""

_PLAN = (
    ("Line numbers in parse errors", "Adding line numbers to parse errors"),
    ("Amounts in several currencies", "Adding amounts in several currencies"),
    ("Prices and --in", "Adding prices and --in"),
    ("Budgets", "Adding budgets"),
    ("Output formats", "Adding output formats"),
    ("Docs", "Updating the docs"),
)


def plan(done: int) -> tuple[tuple[str, str, str], ...]:
    """The to-do list with the first ``done`` items completed and the next one in progress."""
    states = ["completed"] * done + ["in_progress"] + ["pending"] * len(_PLAN)
    return tuple((content, form, state) for (content, form), state in zip(_PLAN, states, strict=False))


EVENTS: tuple[Event, ...] = (
    User(_TASK),
    turn(
        "I'll get to know the package first.",
        glob("**/*.py"),
        bash("git log --oneline && git status --short && wc -l pennybook/*.py | tail -1", "Look at the repository"),
    ),
    turn(read("README.md"), read("pennybook/cli.py"), read("pennybook/money.py")),
    turn(
        read("pennybook/model/ledger.py"),
        read("pennybook/model/transaction.py"),
        read("pennybook/model/posting.py"),
        thinking="Totals start from zero() in one currency. Who else uses it?",
    ),
    turn(grep(r"zero\(", path="pennybook", output_mode="content")),
    turn(
        read("pennybook/readers/base.py"),
        read("pennybook/readers/journal.py"),
        read("pennybook/readers/csv_reader.py"),
        read("pennybook/readers/json_reader.py"),
        interleaved=True,
    ),
    turn(bash(TEST, "Run the tests")),
    turn(
        read("pennybook/reports/base.py"),
        read("pennybook/reports/balances.py"),
        read("pennybook/reports/register.py"),
        read("pennybook/reports/monthly.py"),
    ),
    turn(grep("ParseError", path="pennybook", output_mode="content", context=1)),
    turn(
        "Parse errors first: they touch the readers only. Then currencies from the inside out (amounts, transactions, "
        "ledger, reports), then budgets and formats.",
        todo(*plan(0)),
    ),
    turn(read("pennybook/errors.py"), read("tests/test_readers.py")),
    turn(
        edit("pennybook/errors.py", _PARSE_ERROR_OLD, _PARSE_ERROR_NEW),
        edit("pennybook/readers/base.py", _FAIL_OLD, _FAIL_NEW + _LOCATED),
        thinking="ParseError carries the line; located() adds it to errors of the small parsers.",
    ),
    turn(edit("pennybook/readers/journal.py", _ROWS_OLD, _ROWS_NEW)),
    turn(
        "Two tests for it, one for the journal and one for CSV, which is not done yet.",
        edit("tests/test_readers.py", _TEST_OLD, _TEST_NEW),
        edit(
            "tests/test_readers.py",
            "from pennybook.readers import reader_for\n",
            "from pennybook.readers import reader_for\nfrom pennybook.readers.csv_reader import CsvReader\n",
        ),
    ),
    turn(bash(TEST, "Run the tests", fails=True)),
    turn("Only CSV fails, as expected.", edit("pennybook/readers/csv_reader.py", _CSV_OLD, _CSV_NEW)),
    turn(bash("python -m unittest tests.test_readers", "Run the reader tests")),
    turn(
        edit("pennybook/readers/json_reader.py", _JSON_OLD, _JSON_NEW),
        edit(
            "pennybook/readers/json_reader.py",
            "from ..dates import parse_date\n",
            "from ..dates import parse_date\nfrom ..errors import ParseError\n",
        ),
        edit("tests/test_readers.py", _LAST_TEST, _LAST_TEST + _JSON_TEST),
        edit(
            "tests/test_readers.py",
            "from pennybook.readers.journal import JournalReader\n",
            "from pennybook.readers.journal import JournalReader\n"
            "from pennybook.readers.json_reader import JsonReader\n",
        ),
    ),
    turn(bash(TEST, "Run the tests")),
    turn(todo(*plan(1))),
)

"""The command line."""

import argparse
import sys

from .checks.engine import run_checks
from .config import load_config
from .errors import LedgerError
from .model.ledger import Ledger
from .readers import reader_for
from .reports import report_for


def build_parser():
    """The options there are."""
    parser = argparse.ArgumentParser(prog="pennybook")
    parser.add_argument("file")
    parser.add_argument("report", nargs="?", default="balances")
    parser.add_argument("--account")
    parser.add_argument("--width", type=int)
    parser.add_argument("--config", default="pennybook.ini")
    return parser


def load_ledger(path):
    """The ledger in a file."""
    return Ledger(reader_for(path).read(path))


def run(arguments):
    """Do what the arguments ask for and return the text to print."""
    options = build_parser().parse_args(arguments)
    config = load_config(options.config)
    ledger = load_ledger(options.file)
    complaints = run_checks(ledger)
    if complaints and config.strict:
        raise LedgerError("; ".join(complaints))
    report = report_for(options.report)(width=options.width or config.width, account=options.account)
    return report.render(ledger)


def main(arguments):
    """Print a report, or what is wrong."""
    try:
        print(run(arguments), end="")
    except LedgerError as error:
        print(f"pennybook: {error}", file=sys.stderr)
        return 1
    return 0

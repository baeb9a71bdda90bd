"""Which report a name asks for."""

from ..errors import LedgerError

REPORTS = {}


def add_report(report_class):
    """Class decorator: make a report known by its name."""
    REPORTS[report_class.name] = report_class
    return report_class


def report_for(name):
    """The report of that name."""
    if name not in REPORTS:
        raise LedgerError(f"no report {name}; there are {', '.join(sorted(REPORTS))}")
    return REPORTS[name]

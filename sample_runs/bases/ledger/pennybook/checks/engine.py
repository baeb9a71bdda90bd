"""Runs all checks."""

from .balance import BalanceCheck
from .naming import NamingCheck

CHECKS = [BalanceCheck, NamingCheck]


def run_checks(ledger, names=None):
    """Complaints of the named checks, or of all."""
    complaints = []
    for check_class in CHECKS:
        if names is None or check_class.name in names:
            complaints.extend(check_class().run(ledger))
    return complaints

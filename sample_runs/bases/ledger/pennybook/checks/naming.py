"""Are accounts named as agreed?"""

from ..model.account import is_known_root
from .base import Check


class NamingCheck(Check):
    """Every account hangs under a known root."""

    name = "naming"

    def transaction(self, transaction):
        """One complaint for each account with an unknown root."""
        return [f"unknown root in {p.account}" for p in transaction.postings if not is_known_root(p.account)]

"""Does every transaction add up?"""

from .base import Check


class BalanceCheck(Check):
    """Every transaction adds up to zero."""

    name = "balance"

    def transaction(self, transaction):
        """One complaint when something is left over."""
        rest = transaction.total()
        return [] if rest.is_zero() else [f"off by {rest.text()}"]

"""What can be wrong with someone's books."""


class LedgerError(Exception):
    """Root of everything this package raises on purpose."""


class ParseError(LedgerError):
    """A file cannot be read as a journal."""


class UnbalancedError(LedgerError):
    """A transaction does not add up to zero."""


class UnknownAccountError(LedgerError):
    """A report asks for an account the ledger does not have."""

"""Plain-text bookkeeping."""

from .model.ledger import Ledger
from .model.transaction import Transaction

__all__ = ["Ledger", "Transaction"]

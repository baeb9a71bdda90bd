"""Reports: a ledger in, a table out."""

from . import balances, monthly, register
from .registry import report_for

__all__ = ["balances", "monthly", "register", "report_for"]

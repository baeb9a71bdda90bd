"""Checks: what is wrong with a ledger, in sentences."""

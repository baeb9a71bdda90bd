"""Accounts, transactions and the ledger that holds them."""

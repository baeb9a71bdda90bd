"""The long run in four parts; scripts/ledger_long.py joins them."""

"""Values the whole package agrees on."""

DEFAULT_CURRENCY = "EUR"
DATE_FORMAT = "%Y-%m-%d"
PLACES = 2
NAME_WIDTH = 28
ROOTS = ("Assets", "Liabilities", "Equity", "Income", "Expenses")

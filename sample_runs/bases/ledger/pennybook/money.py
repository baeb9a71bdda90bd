"""Amounts of money."""

from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

from .constants import DEFAULT_CURRENCY, PLACES
from .errors import LedgerError, ParseError


class Money:
    """A decimal amount in one currency."""

    def __init__(self, amount, currency=DEFAULT_CURRENCY):
        self.amount = Decimal(amount)
        self.currency = currency

    def __add__(self, other):
        self._same(other)
        return Money(self.amount + other.amount, self.currency)

    def __sub__(self, other):
        self._same(other)
        return Money(self.amount - other.amount, self.currency)

    def __neg__(self):
        return Money(-self.amount, self.currency)

    def __eq__(self, other):
        return isinstance(other, Money) and (self.amount, self.currency) == (other.amount, other.currency)

    def __hash__(self):
        return hash((self.amount, self.currency))

    def __repr__(self):
        return f"Money({str(self.amount)!r}, {self.currency!r})"

    def _same(self, other):
        if self.currency != other.currency:
            raise LedgerError(f"cannot add {other.currency} to {self.currency}")

    def is_zero(self):
        """Whether nothing is left after rounding."""
        return self.rounded().amount == 0

    def rounded(self):
        """The amount rounded to the places money has."""
        step = Decimal(1).scaleb(-PLACES)
        return Money(self.amount.quantize(step, rounding=ROUND_HALF_UP), self.currency)

    def text(self):
        """The amount as people write it."""
        return f"{self.rounded().amount:,} {self.currency}"


def zero(currency=DEFAULT_CURRENCY):
    """No money at all."""
    return Money(0, currency)


def parse_money(text):
    """The amount in a text such as '4.20 EUR' or '4.20'."""
    number, _, currency = text.strip().partition(" ")
    try:
        return Money(number.replace(",", ""), currency.strip() or DEFAULT_CURRENCY)
    except InvalidOperation:
        raise ParseError(f"not an amount: {text!r}") from None

"""Dates and months."""

from datetime import datetime

from .constants import DATE_FORMAT
from .errors import ParseError


def parse_date(text):
    """The date in a text such as 2026-01-05."""
    try:
        return datetime.strptime(text, DATE_FORMAT).date()
    except ValueError:
        raise ParseError(f"not a date: {text!r}") from None


def month_of(date):
    """The month of a date, as 2026-01."""
    return f"{date.year:04d}-{date.month:02d}"


def next_month(month):
    """The month after a month."""
    year, number = (int(part) for part in month.split("-"))
    return f"{year + number // 12:04d}-{number % 12 + 1:02d}"


def months_between(first, last):
    """All months from first to last, both included."""
    months = [first]
    while months[-1] < last:
        months.append(next_month(months[-1]))
    return months

"""Readers: files in, transactions out."""

from . import csv_reader, journal, json_reader
from .registry import reader_for

__all__ = ["csv_reader", "journal", "json_reader", "reader_for"]

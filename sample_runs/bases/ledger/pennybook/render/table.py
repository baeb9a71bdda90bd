"""Tables of text."""

from .text import pad


class Table:
    """Rows of cells under a head; amounts stand on the right."""

    def __init__(self, columns, right=()):
        self.columns = columns
        self.right = set(right)
        self.rows = []

    def add(self, *cells):
        """Add a row."""
        self.rows.append([str(cell) for cell in cells])

    def widths(self):
        """How wide each column must be."""
        widths = [len(column) for column in self.columns]
        for row in self.rows:
            widths = [max(width, len(cell)) for width, cell in zip(widths, row)]
        return widths

    def text(self):
        """The whole table."""
        widths = self.widths()
        lines = [self.line(self.columns, widths), self.rule(widths)]
        lines += [self.line(row, widths) for row in self.rows]
        return "\n".join(lines) + "\n"

    def line(self, cells, widths):
        """One row as text."""
        padded = []
        for column, cell, width in zip(self.columns, cells, widths):
            padded.append(pad(cell, width, right=column in self.right))
        return "  ".join(padded).rstrip()

    def rule(self, widths):
        """The line under the head."""
        return "  ".join("-" * width for width in widths)

"""Any file without a grammar: one module symbol that covers it, no definitions, no calls."""

from __future__ import annotations

from core.graph.facts import MODULE, FileFacts, SymbolFact, digest
from core.replay.lines import split_lines

NAME = "text"
EXTENSIONS: tuple[str, ...] = ()


def facts(text: str) -> FileFacts:
    """The module symbol of a text: its non-blank lines; blocks are its runs of non-blank lines."""
    lines = split_lines(text)
    ranges: list[tuple[int, int]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1] = (ranges[-1][0], number)
        else:
            ranges.append((number, number))
    own = tuple(ranges)
    own_hash = digest("\n".join(line.rstrip() for line in lines if line.strip()))
    symbol = SymbolFact("", "module", MODULE, 1, max(len(lines), 1), own, own_hash, "", None)
    return FileFacts(language=NAME, symbols=(symbol,), blocks=own)

"""fresh(r): what a refresh puts in a record's place, its own view of the present state (METHOD 3).

In: a record, the texts of its files at birth and now, the code graph of w_t. Out: a new record, born at t,
that shows the same symbols and lines as they are in w_t, renumbered in the record's own format. With
``fresh=drifted`` it shows only the bodies that drifted (the paper's wording).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from core.options import Options
from core.records.inventory import primary_span
from core.records.record import Record, Symbols
from core.records.referents import GraphView, line_runs, own_lines, symbols_covered, unknown_paths
from core.replay.lines import LineMap, split_lines
from core.replay.world import Sight
from core.tape.shown import soft_map
from core.tokens import count_tokens

TextAt = Callable[[str, int], str | None]
_TRIES = 8
_REMEMBERED = 2048
_NUMBERED = re.compile(r"(?s)(?P<before>.*?)(?P<number>\d{1,9})(?P<after>[^\w]{1,4})")


@dataclass(frozen=True, slots=True)
class LineFormat:
    """How a record prints a line: what stands before the number, its width, what stands after; plain without."""

    before: str = ""
    width: int = 0
    after: str = ""
    plain: bool = True

    def line(self, number: int, text: str) -> str:
        """One line as the record would print it."""
        return text if self.plain else f"{self.before}{str(number).rjust(self.width)}{self.after}{text}"


@dataclass(slots=True)
class _Made:
    """One fresh view as it was made: of which record, from which texts of its files."""

    of: Record
    texts: tuple[str | None, ...]
    sights: tuple[Sight, ...]
    record: Record | None = None


class FreshViews:
    """fresh(r) of the records of one run, each made once for a text of its files and dated anew after that.

    ``graph`` must stand at w_t whenever it is asked. Cost: where a file changed, one diff of it.
    """

    def __init__(self, text_at: TextAt, graph: GraphView, options: Options) -> None:
        self._text_at, self._graph, self._options = text_at, graph, options
        self._made: dict[tuple[str, frozenset[str], frozenset[str]], _Made] = {}

    def sights(
        self, record: Record, t: int, drifted: Iterable[str] = (), without: Collection[str] = ()
    ) -> tuple[Sight, ...]:
        """As ``fresh_sights``."""
        return tuple(replace(s, t=t) for s in self._of(record, t, drifted, without).sights)

    def record(
        self, record: Record, t: int, drifted: Iterable[str] = (), without: Collection[str] = ()
    ) -> Record | None:
        """fresh(r) at ``t`` as a record of its own (id ``r12@31``); None when nothing of it is left to show."""
        made = self._of(record, t, drifted, without)
        if not made.sights:
            return None
        if made.record is None:
            made.record = shown_as(record, t, made.sights, self._graph)
        if made.record.born == t:
            return made.record
        sights = tuple(replace(s, t=t) for s in made.sights)
        return replace(made.record, id=_fresh_id(record, t), born=t, sights=sights)

    def _of(self, record: Record, t: int, drifted: Iterable[str], without: Collection[str]) -> _Made:
        drifted = frozenset(drifted if self._options.fresh == "drifted" else ())
        key = (record.id, drifted, frozenset(without))
        texts = tuple(self._text_at(path, t) for path in dict.fromkeys(s.path for s in record.sights))
        made = self._made.get(key)
        # Of a file without a text the graph may know more than the texts say: such views are made each time.
        if made is None or made.of is not record or made.texts != texts or None in texts:
            sights = fresh_sights(record, t, self._text_at, self._graph, self._options, drifted, without)
            if len(self._made) >= _REMEMBERED:
                self._made.clear()
            made = self._made[key] = _Made(record, texts, sights)
        return made


def fresh_sights(
    record: Record,
    t: int,
    text_at: TextAt,
    graph: GraphView,
    options: Options,
    drifted: Iterable[str] = (),
    without: Collection[str] = (),
) -> tuple[Sight, ...]:
    """The lines of w_t that fresh(r) shows, file by file in the record's order; none when nothing is left.

    Lines of a file whose text was never known stay as they were seen; ``without`` are files to leave out, since
    they were written in a way that is not known.
    """
    sights: list[Sight] = []
    for path in dict.fromkeys(s.path for s in record.sights):
        now = text_at(path, t)
        if path in without or not isinstance(record.referent, Symbols):
            continue
        if now is None:
            if text_at(path, record.born) is None:
                sights.extend(s for s in record.sights if s.path == path)
            continue
        lines = split_lines(now)
        ranges = _ranges(record, path, text_at(path, record.born), now, graph, options, drifted)
        like = replace(next(s for s in record.sights if s.path == path), t=t, whole=ranges == [(1, len(lines))])
        sights.extend(replace(like, start=a, lines=tuple(lines[a - 1 : b])) for a, b in ranges)
    return tuple(sights)


def shown_as(record: Record, t: int, sights: Sequence[Sight], graph: GraphView) -> Record:
    """The record that shows these lines of w_t in the place and the format of ``record``."""
    rendered: list[str] = []
    for path in dict.fromkeys(s.path for s in sights):
        rendered.extend(_render([s for s in sights if s.path == path], line_format(record, path)))
    text = "\n".join(rendered)
    ids = symbols_covered(graph, sights)
    main, start, end = primary_span(sights) if record.path is not None else (None, None, None)
    return replace(
        record,
        id=_fresh_id(record, t),
        born=t,
        text=text,
        tokens=count_tokens(text),
        referent=Symbols(ids, unknown_paths(graph, sights)),
        path=main,
        start=start,
        end=end,
        sights=tuple(sights),
        owned=own_lines(graph, ids),
    )


def _fresh_id(record: Record, t: int) -> str:
    return f"{record.id.partition('@')[0]}@{t}"


def line_format(record: Record, path: str) -> LineFormat:
    """How the record prints the lines of ``path``, told by the first line it can find in its own text."""
    printed = [line.rstrip() for line in record.text.split("\n")]
    tried = 0
    for sight in record.sights:
        for number, text in enumerate(sight.lines, sight.start) if sight.path == path else ():
            if not text.strip():
                continue
            style = next((f for line in printed if (f := _format(line, number, text.rstrip()))), None)
            tried += 1
            if style or tried == _TRIES:
                return style or LineFormat()
    return LineFormat()


def _format(line: str, number: int, text: str) -> LineFormat | None:
    if not line.endswith(text) or len(line) - len(text) > 1000:
        return None
    head = line[: len(line) - len(text)]
    for match in _NUMBERED.finditer(head):
        if int(match["number"]) == number and match.end() == len(head):
            before = head[: match.start("number")]
            pad = len(before) - len(before.rstrip(" "))
            return LineFormat(
                before[: len(before) - pad], pad + len(match["number"]) if pad else 0, match["after"], False
            )
    return None


def _render(shown: Sequence[Sight], style: LineFormat) -> list[str]:
    out: list[str] = []
    for sight in shown:
        if out:
            out.append("--" if style.before else "...")
        out.extend(style.line(n, line) for n, line in enumerate(sight.lines, sight.start))
    return out


def _ranges(
    record: Record,
    path: str,
    before: str | None,
    now: str,
    graph: GraphView,
    options: Options,
    drifted: Iterable[str],
) -> list[tuple[int, int]]:
    """The lines of ``path`` in w_t that the record would show, as sorted runs that do not touch."""
    total = len(split_lines(now))
    if options.fresh == "drifted":
        ids = [i for i in drifted if i.startswith(f"{path}::")]
        return _joined((r.start, r.end) for r in own_lines(graph, ids))
    if any(s.whole and s.path == path for s in record.sights):
        return [(1, total)] if total else []
    if before is None:
        return []
    lmap = soft_map(before, now)
    runs = [(a, b) for p, a, b in line_runs(record.sights) if p == path]
    images = _joined(image for a, b in runs if (image := image_of(lmap, a, b)))
    covered = record.referent.ids if isinstance(record.referent, Symbols) else ()
    shown = {i for a, b in images for i in graph.covering(path, a, b)}
    moved = [i for i in covered if i not in shown and i.startswith(f"{path}::")]
    return _joined((*images, *((r.start, r.end) for r in own_lines(graph, moved))))


def image_of(lmap: LineMap, start: int, end: int) -> tuple[int, int] | None:
    """Where the old lines ``start..end`` stand now, text that replaced a part of them included; None if nowhere."""
    end = min(end, lmap.old_count)
    if start > end:
        return None
    low, high = lmap.to_new(start), lmap.to_new(end)
    for block in lmap.blocks:
        if low is None and block.old_start <= start <= block.old_end:
            low = block.new_start
        if high is None and block.old_start <= end <= block.old_end:
            high = block.new_end
    return (low, high) if low is not None and high is not None and low <= high else None


def _joined(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if out and start <= out[-1][1] + 1:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out

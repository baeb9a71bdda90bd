"""fresh(r): what a refresh puts in a record's place, its own view of the present state (METHOD 3).

In: a record, the texts of its files at birth and now, the code graph of w_t. Out: a new record, born at t,
that shows the same symbols and lines as they are in w_t, renumbered in the record's own format. With
``fresh=drifted`` it shows only the bodies that drifted (the paper's wording).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.context.standing import Standing
from core.options import Options
from core.records.inventory import primary_span
from core.records.record import OwnLines, Record, Symbols
from core.records.referents import GraphView, line_runs, overlap, own_lines, symbols_covered, unknown_paths
from core.replay.lines import LineMap, lines_of
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
class _Part:
    """What a fresh view shows of one file: made of which record, from which text, in which format."""

    of: Record
    text: str | None
    sights: tuple[Sight, ...]
    style: LineFormat | None = None  # told when it is first printed
    printed: _Printed | None = None


@dataclass(frozen=True, slots=True)
class _Printed:
    """A part as the record prints it, and the symbols it covers."""

    text: str
    ids: tuple[str, ...]
    owned: tuple[OwnLines, ...]


@dataclass(slots=True)
class _Made:
    """One fresh view as it was made: of which record, from which texts of its files; dated ``t``."""

    of: Record
    texts: tuple[str | None, ...]
    t: int
    parts: tuple[_Part, ...]
    sights: tuple[Sight, ...]
    record: Record | None = None
    solid: Mapping[str, Sequence[int]] | None = None


class FreshViews:
    """fresh(r) of the records of one run, each made once for a text of its files and dated anew after that.

    A file that did not change keeps its part of the view when another one did. ``graph`` must stand at w_t whenever
    it is asked. ``standing`` is what records truly show, over the same texts. Cost: where a file changed, one diff of
    it.
    """

    def __init__(self, text_at: TextAt, graph: GraphView, options: Options) -> None:
        self._text_at, self._graph, self._options = text_at, graph, options
        self._made: dict[tuple[str, frozenset[str], frozenset[str]], _Made] = {}
        self._parts: dict[tuple[str, str, frozenset[str]], _Part] = {}
        self.standing = Standing(text_at)

    def sights(
        self, record: Record, t: int, drifted: Iterable[str] = (), without: Collection[str] = ()
    ) -> tuple[Sight, ...]:
        """The lines of w_t that fresh(r) shows, file by file in the record's order; none when nothing is left.

        Lines of a file whose text was never known stay as they were seen; ``without`` are files to leave out, since
        they were written in a way that is not known.
        """
        return self._of(record, t, drifted, without).sights

    def solid(
        self, record: Record, t: int, drifted: Iterable[str] = (), without: Collection[str] = ()
    ) -> Mapping[str, Sequence[int]]:
        """By path the numbers of the lines fresh(r) shows that are not blank, in its order."""
        made = self._of(record, t, drifted, without)
        if made.solid is None:
            solid: dict[str, list[int]] = {}
            for sight in made.sights:
                numbers = (n for n, line in enumerate(sight.lines, sight.start) if line.strip())
                solid.setdefault(sight.path, []).extend(numbers)
            made.solid = solid
        return made.solid

    def record(
        self, record: Record, t: int, drifted: Iterable[str] = (), without: Collection[str] = ()
    ) -> Record | None:
        """fresh(r) at ``t`` as a record of its own (id ``r12@31``); None when nothing of it is left to show."""
        made = self._of(record, t, drifted, without)
        if not made.sights:
            return None
        if made.record is None:
            made.record = self._shown(made)
        return made.record

    def _of(self, record: Record, t: int, drifted: Iterable[str], without: Collection[str]) -> _Made:
        drifted = frozenset(drifted if self._options.fresh == "drifted" else ())
        key = (record.id, drifted, frozenset(without))
        made = self._made.get(key)
        if made is not None and made.of is record and made.t == t and None not in made.texts:
            return made
        paths = tuple(dict.fromkeys(s.path for s in record.sights))
        texts = tuple(self._text_at(path, t) for path in paths)
        # Of a file without a text the graph may know more than the texts say: such views are made each time.
        if made is None or made.of is not record or made.texts != texts or None in texts:
            shown = zip(paths, texts, strict=True) if isinstance(record.referent, Symbols) else ()
            parts = tuple(self._part(record, path, now, t, drifted) for path, now in shown if path not in without)
            if len(self._made) >= _REMEMBERED:
                self._made.clear()
            made = self._made[key] = _Made(record, texts, t, parts, tuple(s for p in parts for s in p.sights))
            made.sights = _dated(made.sights, t)
        elif made.t != t:
            made.t, made.sights = t, _dated(made.sights, t)
            if made.record is not None:
                made.record = replace(made.record, id=_fresh_id(record, t), born=t, sights=made.sights)
        return made

    def _part(self, record: Record, path: str, now: str | None, t: int, drifted: frozenset[str]) -> _Part:
        part = self._parts.get((record.id, path, drifted))
        if part is not None and part.of is not record:
            part = None
        if part is None or now is None or part.text != now:
            sights = _file_sights(record, path, now, t, self._text_at, self._graph, self._options, drifted)
            if len(self._parts) >= _REMEMBERED:
                self._parts.clear()
            part = _Part(record, now, sights, part.style if part else None)
            self._parts[record.id, path, drifted] = part
        return part

    def _shown(self, made: _Made) -> Record:
        """The record that shows the made sights in the place and the format of the one it was made of."""
        record, graph, sights = made.of, self._graph, made.sights
        printed = [self._print(part) for part in made.parts if part.sights]
        text = "\n".join(p.text for p in printed)
        main, start, end = primary_span(sights) if record.path is not None else (None, None, None)
        return replace(
            record,
            id=_fresh_id(record, made.t),
            born=made.t,
            text=text,
            tokens=count_tokens(text),
            referent=Symbols(tuple(sorted(i for p in printed for i in p.ids)), unknown_paths(graph, sights)),
            path=main,
            start=start,
            end=end,
            sights=sights,
            owned=tuple(sorted((o for p in printed for o in p.owned), key=lambda o: (o.path, o.start, o.end, o.id))),
        )

    def _print(self, part: _Part) -> _Printed:
        if part.printed is None:
            part.style = part.style or line_format(part.of, part.sights[0].path)
            ids = symbols_covered(self._graph, part.sights)
            text = "\n".join(_render(part.sights, part.style))
            part.printed = _Printed(text, ids, own_lines(self._graph, ids))
        return part.printed


def _dated(sights: Iterable[Sight], t: int) -> tuple[Sight, ...]:
    return tuple(Sight(t, s.path, s.start, s.lines, s.source, s.whole) for s in sights)


def _file_sights(
    record: Record,
    path: str,
    now: str | None,
    t: int,
    text_at: TextAt,
    graph: GraphView,
    options: Options,
    drifted: Iterable[str],
) -> tuple[Sight, ...]:
    """The lines of one file in w_t that fresh(r) shows."""
    before, seen = text_at(path, record.born), [s for s in record.sights if s.path == path]
    if now is None:
        return tuple(seen) if before is None else ()
    lines = lines_of(now)
    ranges = _ranges(record, path, before, now, graph, options, drifted)
    whole = ranges == [(1, len(lines))]
    return tuple(Sight(t, path, a, lines[a - 1 : b], seen[0].source, whole) for a, b in ranges)


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
    total = len(lines_of(now))
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
    covered = set(record.referent.ids if isinstance(record.referent, Symbols) else ())
    moved = (s.own for s in graph.symbols(path) if s.id in covered and not overlap(s.own, images))
    return _joined((*images, *(own for ranges in moved for own in ranges)))


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

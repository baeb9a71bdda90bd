"""Retrieval candidates: definitions near the work that the context does not show, ranked (3.3.3, Appendix D).

In: a moment, the walk from its seeds, the records that will be held. Out: candidates, best first, each labelled with
the rule that admits it: G1 the edit site, G2 a definition it references, G3 a site that must stay consistent with it,
G4 a contract it must meet. Seeds are what drifted last and (Departs: the paper walks from the drift alone) what the
agent has read since it wrote last, which is where it edits next; a definition it read only in part is a candidate
itself. Sliced from w_t (Departs: the paper slices w_0 and then needs its caveat), only the lines no held record truly
shows. Test code and documentation are not retrieved.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from core.context.apply import clip, symbol_name
from core.context.moment import Moment
from core.context.plan import Retrieval, RetrievalRule, retrieval
from core.context.standing import Ranges, join, without
from core.graph.symbols import EdgeKind, Symbol
from core.manager.uses import ids_of
from core.manager.walk import Reach, neighbours
from core.manager.weights import Weights
from core.records.record import Record
from core.replay.lines import lines_of
from core.tape.drift import is_documentation

_VERBS: dict[EdgeKind, tuple[str, str]] = {
    "call": ("is called by", "calls"),
    "constructor": ("is constructed by", "constructs"),
    "property": ("is read by", "reads"),
    "override": ("may be reached by", "may reach"),
    "uses": ("is used by", "uses"),
    "import": ("is imported by", "imports"),
    "inherits": ("is the base of", "subclasses"),
}
_TEST = re.compile(
    r"(?i)(.*/)?(__tests__|tests?|testing|testdata|e2e)/.*|(.*/)?(test_[^/]*\.py|conftest\.py|[^/]*_tests?\.\w+"
    r"|[^/]*\.(test|spec)\.\w+)"
)
_WORD = re.compile(r"\w{4,}")
# A read counts as one of the last while it is fewer steps than this behind the last of all.
_LATE = 2


@dataclass(frozen=True, slots=True)
class Candidate:
    """A definition (or a statement) that could be retrieved: ``pieces`` are its lines no held record shows.

    ``edited``: its file was written; ``named``: the task names it; ``reshaped``: the signature of what it depends
    on changed; ``latest``: it is reached from the latest write or what was read since. ``read``: from what was read
    since, ``late``: by one of the last reads; ``shared``: two or more definitions read since lie beside it.
    """

    reach: Reach
    rule: RetrievalRule
    path: str
    pieces: Ranges
    edited: bool
    named: bool
    reshaped: bool
    latest: bool
    read: bool = False
    late: bool = False
    shared: bool = False

    @property
    def rest(self) -> bool:
        """Whether it is what a read left out of the definition it shows."""
        return self.read and self.reach.hop == 0


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score and what it would add."""

    score: float
    candidate: Candidate
    retrievals: tuple[Retrieval, ...]

    @property
    def tokens(self) -> int:
        """Tokens it would add."""
        return sum(r.tokens for r in self.retrievals)


def seeds(moment: Moment, weights: Weights) -> dict[str, int]:
    """What the walk starts from, with the latest step: X and dX of the last writes, and what was read since."""
    found = drifted(moment, weights.recent_writes)
    for symbol, step in focused(moment, weights.focus).items():
        found[symbol] = max(found.get(symbol, 0), step)
    return found


def focused(moment: Moment, steps: int) -> dict[str, int]:
    """The definitions read since the last write and in the last ``steps`` steps, each with its latest read."""
    since = max(max(moment.writes, default=0), moment.t - steps)
    found: dict[str, int] = {}
    for record in moment.records:
        if record.kind == "read" and record.born > since:
            found.update((i, record.born) for i in ids_of(record) if not i.endswith("::<module>"))
    return found


def drifted(moment: Moment, writes: int) -> dict[str, int]:
    """X and dX of the last ``writes`` writes (0: of all), each symbol with the step it last drifted at."""
    steps = moment.writes
    return drifted_since(moment, steps[-writes] if 0 < writes < len(steps) else 0)


def drifted_since(moment: Moment, first: int) -> dict[str, int]:
    """X and dX of the writes known at ``first`` or later, each symbol with the step it last drifted at."""
    found: dict[str, int] = {}
    for drift in moment.tape.drifts_in(first, moment.t):
        found.update((i, drift.known_at) for i in (*drift.changed, *drift.rewired))
    return found


def candidates(
    moment: Moment, reached: Mapping[str, Reach], held: Sequence[Record], focus: Mapping[str, int]
) -> tuple[Candidate, ...]:
    """Every definition reached whose present lines ``held`` does not show whole, nearest first, then by id.

    ``focus`` are the definitions read since the last write, as ``focused`` gives them. Cost: the symbols of the files
    reached, the edges of ``focus``, and a line map of each record that shows one of them.
    """
    finder = _Finder(moment, held, focus)
    found: dict[tuple[str, Ranges], Candidate] = {}
    for way in sorted(reached.values(), key=lambda r: (r.hop, r.symbol)):
        for candidate in finder.of(way):
            found.setdefault((candidate.path, candidate.pieces), candidate)
    return tuple(found.values())


def rank(moment: Moment, found: Iterable[Candidate], weights: Weights) -> list[Ranked]:
    """Candidates worth ``weights.least`` or more with their text, best first; ties by path and line."""
    ranked = []
    for candidate in found:
        value = score(candidate, weights)
        if value < weights.least:
            continue
        one = Ranked(value, candidate, _texts(moment, candidate))
        if one.retrievals and one.tokens <= weights.largest:
            ranked.append(one)
    return sorted(ranked, key=lambda r: (-r.score, r.tokens, r.candidate.path, r.candidate.pieces))


def choose(ranked: Iterable[Ranked], budget: int) -> tuple[Retrieval, ...]:
    """The best candidates that fit into ``budget`` tokens together, in rank order; one too large is passed over.

    Lines that two candidates share are taken once.
    """
    chosen: list[Retrieval] = []
    taken: set[tuple[str, int, int]] = set()
    for one in ranked:
        fresh = [r for r in one.retrievals if (r.path, r.start, r.end) not in taken]
        cost = sum(r.tokens for r in fresh)
        if cost <= budget:
            budget -= cost
            chosen += fresh
            taken.update((r.path, r.start, r.end) for r in fresh)
    return tuple(chosen)


def score(candidate: Candidate, weights: Weights) -> float:
    """How much the next edit is expected to need the candidate; the sum of its weights."""
    way = candidate.reach
    site = weights.rest if candidate.rest else weights.site
    value = (site, weights.first_hop, weights.second_hop)[min(way.hop, 2)]
    value += weights.late if candidate.late else 0.0
    value += weights.shared if candidate.shared else 0.0
    if way.direction == "in":
        value += weights.caller + (weights.signature if candidate.reshaped else 0.0)
    elif way.direction == "out":
        value += weights.callee
    value += 0.0 if candidate.latest else weights.older
    value += weights.contract if candidate.rule == "G4" else 0.0
    value += weights.edited if candidate.edited else 0.0
    value += weights.named if candidate.named else 0.0
    value += 0.0 if way.straight else weights.turned
    value += weights.imported if way.kind == "import" else 0.0
    value += weights.module_seed if way.seed.endswith("::<module>") else 0.0
    value += weights.possible if way.tier == "possible" else 0.0
    return value


def label(way: Reach, symbol: Symbol) -> RetrievalRule:
    """The rule under which a way admits a symbol (Appendix D, "Retrieval labels")."""
    if way.direction == "self":
        return "G1"
    if way.direction == "out":
        return "G4" if way.kind in ("inherits", "override") else "G2"
    return "G4" if symbol.kind == "module" else "G3"


@lru_cache(maxsize=8192)
def is_test(path: str) -> bool:
    """Whether a path is test code by its name."""
    return _TEST.fullmatch(path) is not None


class _Finder:
    """Looks up definitions and what of them is held, once for each file and seed."""

    def __init__(self, moment: Moment, held: Sequence[Record], focus: Mapping[str, int]) -> None:
        self._moment, self._graph, self._focus = moment, moment.graph, focus
        self._beside = _beside(moment, focus)
        self._last_read = max(focus.values(), default=0)
        self._showing: dict[str, list[Record]] = {}
        for record in held:
            for path in sorted({s.path for s in record.sights}):
                self._showing.setdefault(path, []).append(record)
        self._held: dict[str, Ranges] = {}
        self._lines: dict[str, Sequence[str]] = {}
        self._reshaped: dict[str, bool] = {}
        self._written: dict[str, bool] = {}
        self._latest = max(moment.writes, default=0)
        self._task = {w.lower() for w in _WORD.findall(moment.task)}

    def of(self, way: Reach) -> list[Candidate]:
        """The candidates a way leads to: none when the context shows it all, it is a test, or not to be shown.

        A symbol that was only rewired is no edit site: its text is what it was. One read in part is one.
        """
        symbol = self._outermost(way.symbol)
        if symbol is None or is_test(symbol.path) or is_documentation(symbol.path):
            return []
        read = self._focus.get(way.seed) == way.step
        if way.hop == 0 and not read and self._moment.tape.last(way.symbol, self._moment.t) != way.step:
            return []
        pieces = without(self._pieces(symbol, way), self._shown(symbol.path))
        pieces = tuple(piece for p in pieces if (piece := self._trim(symbol.path, p)))
        if not pieces:
            return []
        return [
            Candidate(
                way,
                label(way, symbol),
                symbol.path,
                pieces,
                edited=self._was_written(symbol.path),
                named=symbol.name.lower() in self._task,
                reshaped=not read and self._reshaped_seed(way),
                latest=way.step >= self._latest,
                read=read,
                late=read and way.step > self._last_read - _LATE,
                shared=way.hop > 0 and self._beside[way.symbol] > 1,
            )
        ]

    def _was_written(self, path: str) -> bool:
        if path not in self._written:
            self._written[path] = bool(self._moment.tape.written_in(path, -1, self._moment.t))
        return self._written[path]

    def _outermost(self, symbol_id: str) -> Symbol | None:
        symbol = self._graph.symbol(symbol_id)
        top, parent = symbol, symbol.parent if symbol else None
        while parent is not None and (above := self._graph.symbol(parent)) is not None:
            if above.kind in ("function", "method"):
                top = above
            parent = above.parent
        return top

    def _pieces(self, symbol: Symbol, way: Reach) -> Ranges:
        """A function whole, of a class its own lines, of module text the statements that name what drifted."""
        if symbol.kind == "module":
            return self._mentions(symbol, way.via) if way.direction == "in" and way.kind != "import" else ()
        return join(symbol.own) if symbol.kind == "class" else ((symbol.start, symbol.end),)

    def _mentions(self, module: Symbol, via: str) -> Ranges:
        name = re.sub(r"#\d+", "", via.rpartition("::")[2]).rpartition(".")[2]
        if not name or name == "<module>":
            return ()
        word = re.compile(rf"\b{re.escape(name)}\b")
        lines = self._text(module.path)
        found = [n for a, b in module.own for n in range(a, min(b, len(lines)) + 1) if word.search(lines[n - 1])]
        blocks = (self._graph.statement_at(module.path, n) or (n, n) for n in found if not _imports(lines[n - 1]))
        return join(blocks)

    def _trim(self, path: str, piece: tuple[int, int]) -> tuple[int, int] | None:
        """The piece without blank lines at its ends, None when nothing is left."""
        lines = self._text(path)
        start, end = piece[0], min(piece[1], len(lines))
        while start <= end and not lines[start - 1].strip():
            start += 1
        while end >= start and not lines[end - 1].strip():
            end -= 1
        return (start, end) if start <= end else None

    def _shown(self, path: str) -> Ranges:
        if path not in self._held:
            records = self._showing.get(path, ())
            self._held[path] = self._moment.fresh.standing.shown(records, path, self._moment.t)
        return self._held[path]

    def _text(self, path: str) -> Sequence[str]:
        if path not in self._lines:
            self._lines[path] = lines_of(self._moment.text(path, self._moment.t) or "")
        return self._lines[path]

    def _reshaped_seed(self, way: Reach) -> bool:
        """Whether the write that drifted the way's seed changed its signature."""
        if way.direction != "in":
            return False
        if way.seed not in self._reshaped:
            self._reshaped[way.seed] = reshaped(self._moment, way.seed, way.step)
        return self._reshaped[way.seed]


def _beside(moment: Moment, focus: Mapping[str, int]) -> Counter[str]:
    """How many definitions of ``focus`` each symbol has an edge with."""
    found: Counter[str] = Counter()
    for symbol in sorted(focus):
        found.update({e.target if d == "out" else e.source for e, d in neighbours(moment.graph, symbol)})
    return found


def reshaped(moment: Moment, symbol_id: str, step: int) -> bool:
    """Whether the signature of a symbol differs between before ``step`` and now."""
    now = moment.graph.symbol(symbol_id)
    before = moment.text(now.path, step - 1) if now is not None else None
    if now is None or before is None:
        return False
    was = next((s for s in moment.graph.symbols_in(now.path, before) if s.id == symbol_id), None)
    return was is not None and was.signature != now.signature


def _imports(line: str) -> bool:
    return line.lstrip().startswith(("import ", "from ", "use ", "#include", "require"))


def _texts(moment: Moment, candidate: Candidate) -> tuple[Retrieval, ...]:
    text = moment.text(candidate.path, moment.t)
    if text is None:
        return ()
    way, why = candidate.reach, reason(candidate.reach, candidate.read)
    return tuple(
        retrieval(candidate.path, a, b, text, candidate.rule, why, way.hop, way.symbol) for a, b in candidate.pieces
    )


def reason(way: Reach, read: bool = False) -> str:
    """Why a way leads to its symbol, in words: "is called by read_config, which changed"; ``read``: which was read."""
    if way.hop == 0 or way.kind == "":
        return "was read in part" if read else "changed"
    passive, active = _VERBS[way.kind]
    via = symbol_name(way.via)
    tail = f", near {symbol_name(way.seed)}" if way.hop > 1 else ", which was read last" if read else ", which changed"
    return clip(f"{passive if way.direction == 'out' else active} {via}{tail}", 120)

"""Harness: what an agent's words state: an intention, a hypothesis, a finding, a decision, an assumption given up.

In: the text of an assistant's message. Out: ``Statement``s in the order said, at most a few. Rules on words, English
only, meant to be right when they speak and silent otherwise: code, tables and headings are passed over, and a
sentence is one thing at most. Cost: linear in the text, of which the first 20,000 characters are read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

StatementKind = Literal["intention", "hypothesis", "finding", "root-cause", "decision", "deferred", "rejected"]
_LONGEST = 20_000
_SENTENCE = 400  # longer ones are lists or data
_MOST = 6  # statements of one message
CLIP = 240

_FENCED = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_NOT_PROSE = re.compile(r"^\s*(?:#|\||[-=]{3,}\s*$|>|\$ )")
_BULLET = re.compile(r"^\s*(?:[-*+]|\d{1,2}[.)])\s+")
_ENDS = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'`(*])|:\s*$")
_EMPHASIS = re.compile(r"\*\*|__")


def _words(*alternatives: str, start: str = r"\b(?:", end: str = r")\b") -> re.Pattern[str]:
    return re.compile(start + "|".join(alternatives) + end, re.IGNORECASE)


# "Good - now that this is done, let me ...": what may stand before what is stated.
_OPENERS = (
    r"^(?:(?:(?:good|great|ok|okay|perfect|excellent|alright|right|now|next|first|then|so|and|but|finally|also|yes|no"
    r"|actually|that said|for this|hmm|to start|interesting)[,.!:;]?|(?:since|to) [^,]{3,60},)(?: -)?\s+)*"
)
_INTENTION = _words(
    "let me", "let's", "let us", "i'll", "i will", "i need to", "i should", "i'm going to", "i am going to",
    "we need to", "we should", "i want to", "i'd like to", "time to",
    start=_OPENERS + "(?:",
    end=r")\s+(?:now |also |first |then |just |start by |begin by |go ahead and )*(?P<what>\S.*)",
)  # fmt: skip
_HEDGED = _words(
    "i suspect", "my (?:guess|hypothesis|suspicion)", "hypothesis", "probably", "likely", "might be", "may be",
    "could be", "seems?", "appears?", "perhaps", "maybe", "presumably", "i assume", "i believe", "i think",
)  # fmt: skip
_GUESS = _words("i suspect", "my (?:guess|hypothesis)", "i (?:assume|believe|think)")
_REJECTED = _words(
    "i (?:was wrong|misread|misunderstood|assumed wrongly|incorrectly|accidentally|mistakenly)", "my mistake",
    "my (?:earlier )?(?:assumption|guess) was",
    "(?:assumption|hypothesis|theory) (?:is|turned out) (?:wrong|false|not)",
    "(?:isn't|is not|wasn't|was not) the (?:issue|problem|cause|culprit)", "ruled? out",
    r"turns out\b.*\b(?:not|never|already)", r"turns out\b.*n't", "i (?:may|might) have broken",
    "that (?:didn't|did not|won't) work",
)  # fmt: skip
_DEFERRED = _words(
    r"(?:leave|keep|skip|ignore|use|add|stick|hard-?code|stub)\b[^.]{0,80}\bfor now", "for later", "later on",
    "until later", "defer(?:red|ring)?", r"postpon\w+", "out of scope", "come back to", "not (?:touch|chang)ing",
    r"(?:do|handle|address|fix|update|revisit|look at|deal with)\b[^.]{0,60}\blater",
    "(?:follow-?up|separate) (?:pr|issue|change|commit|task)",
    r"(?:i'll|i will|let's|we'll|we can|i can) skip",
    r"leav(?:e|ing)\b[^.]{0,60}\b(?:as is|as-is|alone)",
)  # fmt: skip
_DECISION = _words(
    "i(?:'ll| will) (?:use|go with|keep|make it|stick|take the)", "let's (?:use|go with|keep|stick)", "decision:",
    "we(?:'ll| will) (?:use|keep|go with)", "i(?:'ve| have)? (?:decided|chose|chosen|opted)",
    r"(?:i'll|i will|let's|we'll|let me|better to|should)\b[^.]{0,120}\b(?:instead of|rather than)",
    "i(?:'d| would)? recommend", "the (?:best|right|simplest|cleanest|safest) (?:approach|option|fix|solution|way)",
)  # fmt: skip
_ROOT = _words(
    "root cause", "caused by", "(?:fail(?:s|ed|ing)?|breaks?|happens?|hangs?|crash(?:es)?) because",
    "the (?:real |actual |underlying )?(?:issue|problem|bug|culprit|cause|error|failure) (?:is|was|lies|comes)",
)  # fmt: skip
_FINDING = _words(
    "i (?:found|see|notice|noticed|can see|discovered|confirmed)", "found", "confirmed", "it turns out", "turns out",
    "this (?:confirms|means|shows|reveals|explains)", "there(?:'s| is| are) (?:already|no|also|only|two|three|one)",
    "they're (?:the same|identical|essentially)", "it's only", "already", start=_OPENERS + "(?:",
)  # fmt: skip

# "I see the issue." tells nobody anything: a finding names something or is long enough to say something.
_CODE = re.compile(r"`[^`]+`|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*\b|\b\w+\(\)|\b\w+\.\w{1,4}\b|\d")
_TELLING = 7


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence and what it states; of an intention ``text`` is what is intended."""

    kind: StatementKind
    text: str


def statements(text: str) -> tuple[Statement, ...]:
    """What a message states, in order; of each kind the first: what follows it spells it out."""
    found: dict[StatementKind, Statement] = {}
    for sentence in _sentences(text[:_LONGEST]):
        statement = _statement(sentence)
        if statement is not None:
            found.setdefault(statement.kind, statement)
    return tuple(found.values())[:_MOST]


def first_sentence(text: str) -> str:
    """The first sentence of prose of a text, clipped; "" where there is none."""
    return next((clip(sentence) for sentence in _sentences(text[:_LONGEST])), "")


def clip(text: str, size: int = CLIP) -> str:
    """``text`` on one line of at most ``size`` characters, a cut marked."""
    line = " ".join(text.split())
    return line if len(line) <= size else line[: size - 1].rstrip() + "…"


def _sentences(text: str) -> list[str]:
    found: list[str] = []
    for line in _FENCED.sub("\n", text).split("\n"):
        if _NOT_PROSE.match(line):
            continue
        plain = _EMPHASIS.sub("", _BULLET.sub("", line)).strip()
        found += [s.strip() for s in _ENDS.split(plain) if s and len(s.strip()) > 3]
    return found


def _statement(sentence: str) -> Statement | None:
    if len(sentence) > _SENTENCE or sentence.endswith("?"):
        return None
    straight = sentence.replace("\u2019", "'")
    intention = _INTENTION.match(straight)
    kind: StatementKind | None = None
    if _REJECTED.search(straight):
        kind = "rejected"
    elif _DEFERRED.search(straight):
        kind = "deferred"
    elif _ROOT.search(straight):
        kind = "hypothesis" if _HEDGED.search(straight) else "root-cause"
    elif _DECISION.search(straight):
        kind = "decision"
    elif intention is not None:
        what = clip(intention["what"]).rstrip(".:")
        return Statement("intention", what[:1].upper() + what[1:])
    elif _FINDING.match(straight) and (_CODE.search(straight) or len(straight.split()) >= _TELLING):
        kind = "finding"
    elif _GUESS.search(straight):
        kind = "hypothesis"
    return Statement(kind, clip(sentence)) if kind is not None else None

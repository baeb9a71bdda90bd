"""Harness: feedback and diagnostic transitions (StateHarness, Table 4) as one pure function.

In: a ``SignalState`` and one ``HarnessEvent``. Out: the next state and the effects, in order. A call is two events:
``Call`` when it is proposed, ``Done`` when its normal completion comes back; a call that fails, is refused or is
interrupted has no ``Done``. Whatever a row does not mention keeps its value.

Departs: the paper names a diagnostic threshold and gives no number, nor what one signal adds: here a signal adds 1
and ``threshold`` is 2. Nor does it say when a diagnosis is asked for that a cooldown held back (here: at the first
event after the last call of the cooldown), or again when one brought nothing (here: at the next signal).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal

from core.harness.project_state import Alert

EffectKind = Literal["signal", "deliver-brief", "clear", "request-diagnosis"]
Why = Literal[
    "missing-completions", "repeated-reads", "neglected-brief", "test-completed", "progress", "diagnosis", "threshold"
]
_NONE: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Settings:
    """The defaults of Table 4; ``threshold`` is ours."""

    completions: int = 3  # shell calls without a normal completion
    reads: int = 3  # counted reads of one path
    neglect: int = 25  # calls without the brief
    cooldown: int = 15  # calls after a diagnosis
    threshold: int = 2  # score from which a diagnosis is asked for


DEFAULTS = Settings()


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call was proposed. ``edits`` are the repository paths it would write, the state's own files left out;
    ``test`` a recognised test command; ``brief`` a recognised access to the working brief."""

    shell: bool = False
    edits: tuple[str, ...] = ()
    test: bool = False
    brief: bool = False


@dataclass(frozen=True, slots=True)
class Done:
    """The normal completion of a call came back. ``reads`` are the paths whose text it showed."""

    shell: bool = False
    reads: tuple[str, ...] = ()
    test: bool = False


@dataclass(frozen=True, slots=True)
class Synchronized:
    """The records were brought up to date; ``progress``: the latest event stands for recognised progress."""

    progress: bool = False


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """A diagnostic session ended; ``alerts`` are its suggestions, blank when it failed or said nothing."""

    alerts: tuple[Alert, ...] = ()


HarnessEvent = Call | Done | Synchronized | Diagnosed


@dataclass(frozen=True, slots=True)
class Effect:
    """What a transition does outside: ``signal`` (``scored`` when it added to the score), ``deliver-brief``,
    ``clear`` (score and alerts were cleared), ``request-diagnosis``; ``path`` is that of repeated reads."""

    kind: EffectKind
    why: Why
    path: str = ""
    scored: bool = False


@dataclass(frozen=True, slots=True)
class SignalState:
    """The counters. None is ever negative; ``reads`` holds positive counts below ``Settings.reads`` only."""

    shell_open: bool = False  # the last shell call has had no normal completion
    missing: int = 0
    reads: Mapping[str, int] = field(default_factory=lambda: _NONE)
    window: int = 0  # calls since the brief was delivered or read
    productive: bool = False  # an edit or a recognised test was proposed in this window
    score: int = 0
    cooldown: int = 0  # calls left
    alerts: tuple[Alert, ...] = ()
    held: bool = False  # a signal reached the threshold while the cooldown ran


def due(state: SignalState, settings: Settings = DEFAULTS) -> bool:
    """Whether the score calls for a diagnosis and no cooldown holds it back."""
    return state.score >= settings.threshold and state.cooldown == 0


def transition(
    state: SignalState, event: HarnessEvent, settings: Settings = DEFAULTS
) -> tuple[SignalState, tuple[Effect, ...]]:
    """The state after ``event`` and what it brings about, in order; O(paths counted)."""
    match event:
        case Call():
            return _call(state, event, settings)
        case Done():
            return _done(state, event, settings)
        case Synchronized():
            return _cleared(state, "progress") if event.progress else (state, ())
        case Diagnosed():
            return _diagnosed(state, event, settings)


def _call(before: SignalState, call: Call, settings: Settings) -> tuple[SignalState, tuple[Effect, ...]]:
    """A proposed call: the cooldown runs, a missing completion is counted, edits clear reads, the window moves on."""
    effects: list[Effect] = []
    state = replace(before, cooldown=max(before.cooldown - 1, 0))
    if call.shell:
        missing = state.missing + state.shell_open
        if missing >= settings.completions:
            effects.append(Effect("signal", "missing-completions", scored=True))
            state, missing = replace(state, score=state.score + 1), 0
        state = replace(state, missing=missing, shell_open=True)
    if any(path in state.reads for path in call.edits):
        state = replace(state, reads={p: n for p, n in state.reads.items() if p not in call.edits})
    state, delivered = _window(state, call, settings)
    effects += delivered
    return _asked(before, state, effects, settings)


def _window(state: SignalState, call: Call, settings: Settings) -> tuple[SignalState, list[Effect]]:
    """The window of calls without the brief, this one included; reading the brief begins a new one."""
    if call.brief:
        return replace(state, window=0, productive=False), []
    productive = state.productive or bool(call.edits) or call.test
    if state.window + 1 < settings.neglect:
        return replace(state, window=state.window + 1, productive=productive), []
    effects = [] if productive else [Effect("signal", "neglected-brief", scored=True)]
    effects.append(Effect("deliver-brief", "neglected-brief"))
    return replace(state, window=0, productive=False, score=state.score + (not productive)), effects


def _done(before: SignalState, done: Done, settings: Settings) -> tuple[SignalState, tuple[Effect, ...]]:
    """A normal completion: the streak ends, reads are counted, a finished test clears the score last."""
    effects: list[Effect] = []
    state = replace(before, shell_open=False, missing=0) if done.shell else before
    if done.reads:
        reads, score = dict(state.reads), state.score
        for path in dict.fromkeys(done.reads):
            reads[path] = reads.get(path, 0) + 1
            if reads[path] >= settings.reads:
                del reads[path]
                score += 1
                effects.append(Effect("signal", "repeated-reads", path, scored=True))
        state = replace(state, reads=reads, score=score)
    if done.test:
        state, cleared = _cleared(state, "test-completed")
        return state, (*effects, *cleared)
    return _asked(before, state, effects, settings)


def _cleared(state: SignalState, why: Why) -> tuple[SignalState, tuple[Effect, ...]]:
    """Score and alerts cleared; nothing is said when there was nothing to clear."""
    if not state.score and not state.alerts:
        return state, ()
    return replace(state, score=0, held=False, alerts=()), (Effect("clear", why),)


def _diagnosed(state: SignalState, event: Diagnosed, settings: Settings) -> tuple[SignalState, tuple[Effect, ...]]:
    """A successful nonblank diagnosis; a blank one changes nothing."""
    if not any(alert.text.strip() for alert in event.alerts):
        return state, ()
    after = replace(state, alerts=event.alerts, score=0, held=False, window=0, productive=False)
    after = replace(after, cooldown=max(settings.cooldown, 0))
    return after, (Effect("deliver-brief", "diagnosis"),)


def _asked(
    before: SignalState, state: SignalState, effects: list[Effect], settings: Settings
) -> tuple[SignalState, tuple[Effect, ...]]:
    """With a request for a diagnosis when a signal makes one due, or one was held back by a cooldown now over."""
    rose = state.score > before.score and state.score >= settings.threshold
    if before.cooldown > 0:
        return (replace(state, held=True) if rose else state), tuple(effects)
    if not rose and not state.held:
        return state, tuple(effects)
    effects.append(Effect("request-diagnosis", "threshold"))
    return replace(state, held=False), tuple(effects)

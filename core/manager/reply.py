"""The manager's reply read: three decisions, or nothing where they cannot be used (METHOD 5: invalid -> defaults).

In: the text a model answered, and what it may name. Out: a ``Choice``. A reply that is too long or holds no JSON
object is invalid as a whole; an entry that names no nominated record, no action, no held record or no symbol is left
out by itself, and counted. What remains is what the tape's defaults do not decide.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from core.context.actions import ActionName
from core.context.plan import RetrievalRule
from core.manager.prompt import REPLY_TOKENS
from core.tokens import count_tokens

_MOST = 200


@dataclass(frozen=True, slots=True)
class Choice:
    """What a manager chose: actions by record id, evictions, retrievals as (symbol id, rule), and what was unusable."""

    actions: Mapping[str, ActionName] = field(default_factory=dict)
    evict: tuple[str, ...] = ()
    retrieve: tuple[tuple[str, RetrievalRule], ...] = ()
    problems: tuple[str, ...] = ()


def read_reply(text: str, nominated: Collection[str], evictable: Collection[str]) -> Choice:
    """The choice a reply states; ``nominated`` and ``evictable`` are the record ids it may name."""
    found = read_object(text)
    if found is None:
        return Choice(problems=("the reply is not a JSON object of at most 2,000 tokens",))
    problems: list[str] = []
    actions = _actions(found.get("actions", {}), nominated, problems)
    evict = _evictions(found.get("evict", []), evictable, problems)
    return Choice(actions, evict, _retrievals(found.get("retrieve", []), problems), tuple(problems))


def read_object(text: str) -> dict[str, Any] | None:
    """The JSON object a reply holds, fenced or with words around it, None if it has none or is too long."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start or count_tokens(text) > REPLY_TOKENS:
        return None
    try:
        found = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _actions(given: Any, nominated: Collection[str], problems: list[str]) -> dict[str, ActionName]:
    if not isinstance(given, dict):
        problems.append("actions: expected an object of record id to action")
        return {}
    names = {str(name): name for name in get_args(ActionName)}
    found: dict[str, ActionName] = {}
    for record_id, name in list(given.items())[:_MOST]:
        if record_id in nominated and isinstance(name, str) and name in names:
            found[record_id] = names[name]
        else:
            problems.append(f"actions: {record_id!r:.40} is not nominated or {name!r:.40} is no action")
    return found


def _evictions(given: Any, evictable: Collection[str], problems: list[str]) -> tuple[str, ...]:
    if not isinstance(given, list):
        problems.append("evict: expected a list of record ids")
        return ()
    found: dict[str, None] = {}
    for record_id in given[:_MOST]:
        if isinstance(record_id, str) and record_id in evictable:
            found[record_id] = None
        else:
            problems.append(f"evict: {record_id!r:.40} may not be evicted")
    return tuple(found)


def _retrievals(given: Any, problems: list[str]) -> tuple[tuple[str, RetrievalRule], ...]:
    if not isinstance(given, list):
        problems.append("retrieve: expected a list of {symbol, rule}")
        return ()
    rules = {str(rule): rule for rule in get_args(RetrievalRule) if rule}
    found: dict[str, RetrievalRule] = {}
    for entry in given[:_MOST]:
        symbol = entry.get("symbol") if isinstance(entry, dict) else None
        rule = entry.get("rule") if isinstance(entry, dict) else None
        if isinstance(symbol, str) and isinstance(rule, str) and rule in rules:
            found.setdefault(symbol, rules[rule])
        else:
            problems.append(f"retrieve: {entry!r:.60} is not a symbol with a rule")
    return tuple(found.items())

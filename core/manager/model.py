"""The paper's manager: one prompt to a small model, its reply carried out by the harness (3.3.3).

In: a moment and a ``Client``. Out: a ``Plan``. Invoked only when something is nominated; what the reply leaves open
or says wrongly is decided by the defaults. Retrievals are definitions of w_t, checked against source, within the
token budget, and never what the context shows already.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from core.context.moment import Moment
from core.context.plan import Plan, PlanAction, Retrieval, RetrievalRule, context_after, retrieval
from core.context.standing import join, without
from core.manager.client_protocol import Client
from core.manager.prompt import REPLY_TOKENS, prompt
from core.manager.reply import Choice, read_reply
from core.manager.settle import evict, settle
from core.records.record import Record
from core.tokens import count_tokens


def manage_with_model(moment: Moment, client: Client) -> Plan:
    """The model manager's decisions at one moment, with the tokens they cost; one call of the client at most."""
    if not moment.nominations:
        return Plan(note="nothing is nominated")
    question = prompt(moment)
    answer = client.complete(question, REPLY_TOKENS)
    nominated = {n.record_id for n in moment.nominations}
    evictable = {r.id for r in moment.records if r.kind != "user"} - nominated
    choice = read_reply(answer, nominated, evictable)
    plan = carry_out(moment, choice)
    return Plan(plan.actions, plan.retrievals, plan.note, spent=count_tokens(question) + count_tokens(answer))


def carry_out(moment: Moment, choice: Choice) -> Plan:
    """The plan of a choice: chosen or default actions, evictions, retrievals."""
    records = {r.id: r for r in moment.records}
    actions: list[PlanAction] = []
    for nomination, default in zip(moment.nominations, moment.defaults, strict=True):
        name = choice.actions.get(nomination.record_id, default.action.name)
        actions.append(settle(moment, records[nomination.record_id], nomination, default, name))
    actions += [evict(records[i], "the manager is finished with it") for i in choice.evict]
    kept = context_after(Plan(tuple(actions)), moment.records, moment.t)
    note = f"{len(choice.problems)} entries of the reply were unusable" if choice.problems else ""
    return Plan(tuple(actions), definitions(moment, choice.retrieve, kept, moment.budget), note)


def definitions(
    moment: Moment, wanted: Iterable[tuple[str, RetrievalRule]], held: Sequence[Record], budget: int
) -> tuple[Retrieval, ...]:
    """The present text of the symbols ``wanted``, the lines ``held`` does not show, while it fits into ``budget``."""
    found: list[Retrieval] = []
    for symbol_id, rule in wanted:
        symbol = moment.graph.symbol(symbol_id)
        text = moment.text(symbol.path, moment.t) if symbol is not None else None
        if symbol is None or text is None or symbol.kind == "module":
            continue
        whole = join(symbol.own) if symbol.kind == "class" else ((symbol.start, symbol.end),)
        missing = without(whole, moment.fresh.standing.shown(held, symbol.path, moment.t))
        pieces = [retrieval(symbol.path, a, b, text, rule, "chosen by the manager", 0, symbol.id) for a, b in missing]
        cost = sum(p.tokens for p in pieces)
        if cost <= budget:
            budget -= cost
            found += pieces
    return tuple(found)

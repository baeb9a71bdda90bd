"""Stage 1, Claude Code: the records of a session and of its sub-agents -> a Trajectory.

In: JSON-lines sources, the main one first (FORMATS, Claude Code; versions 1.0 to 2.1). Out: one
Trajectory whose steps follow CONTRACT's rule. Here records become ``Unit``s of threads; what a call
shows and writes is read in ``claude_results``, records that carry context in ``claude_records``, and
the threads are merged and numbered in ``claude_threads``.

The same step is never counted twice: a resumed session repeats its lines, a sub-agent's calls stand in
its own file and are echoed as ``progress`` in the main one. Calls are known by their id, texts by their
message and wording; the first place wins, echoes come last because they hold least.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.trajectory.claude_reader import Reader, string
from core.trajectory.claude_records import agent_echo, take_record, tokens
from core.trajectory.claude_threads import UNKNOWN_TIME, Unit, number_steps, seconds
from core.trajectory.json_lines import Record, Source, Tally, make_run_id, read_records, whole_objects
from core.trajectory.steps import Step, Trajectory, Usage

FORMAT = "claude-code"

_TYPES = frozenset(
    (
        "user",
        "assistant",
        "system",
        "progress",
        "summary",
        "attachment",
        "file-history-snapshot",
        "queue-operation",
        "mode",
    )
)
_MARKS = ("sessionId", "uuid", "leafUuid", "messageId")
_TYPE = re.compile(rb'"type"\s*:\s*"(?:user|assistant|system|progress|summary|attachment|file-history-snapshot)"')
_MARK = re.compile(rb'"(?:sessionId|leafUuid|messageId)"\s*:\s*"')
_SIDECHAIN = re.compile(rb'"isSidechain"\s*:\s*true')
_AGENT_FILE = re.compile(r"agent-(.+)\.jsonl")


def sniff(head: bytes) -> bool:
    """Whether ``head``, the first bytes of a file, comes from a Claude Code session; decided by content alone."""
    lines = head.split(b"\n")
    for record in whole_objects(lines):
        if string(record.get("type")) in _TYPES and any(mark in record for mark in _MARKS):
            return True
    # A first line longer than the head, or joined objects. Inside JSON strings quotes are escaped, so the
    # patterns only match real keys.
    return any(line.lstrip().startswith(b"{") and _TYPE.search(line) and _MARK.search(line) for line in lines)


def is_agent_file(head: bytes) -> tuple[bool, str, str]:
    """Whether ``head`` is of a sub-agent's own file, its session id and its agent id ("" if not given)."""
    session, agent, sidechain = "", "", []
    for record in whole_objects(head.split(b"\n")):
        session = session or string(record.get("sessionId"))
        if isinstance(record.get("isSidechain"), bool):
            sidechain.append(record["isSidechain"])
            agent = agent or string(record.get("agentId"))
    if not sidechain and _SIDECHAIN.search(head):  # a first line longer than the head
        keys = {key: re.search(rb'"%s"\s*:\s*"([^"\\]*)"' % key, head) for key in (b"sessionId", b"agentId")}
        session, agent = (found[1].decode("utf-8", "replace") if found else "" for found in keys.values())
        return bool(agent), session, agent
    return bool(sidechain) and all(sidechain) and bool(agent), session, agent


def parse(main: Source | None, agents: Sequence[Source] = ()) -> Trajectory:
    """The run of one session: ``main`` is its file, ``agents`` those of its sub-agents, every step of which is hidden.

    Without ``main`` the agents' files are the whole run. Lines that cannot be used are in ``skipped``,
    records without a meaning here are counted in ``unknown``; a run without any step is returned as such.
    Cost: O(bytes); one record is in memory at a time, besides what the steps keep.
    """
    reader = Reader(Tally())
    sources = [source for source in (main, *agents) if source is not None]
    for number, source in enumerate(sources):
        named = _AGENT_FILE.fullmatch(source.name)
        reader.start(number, source.name, "" if source is main else named[1] if named else source.name)
        for line, record in read_records(source, reader.tally):
            _note(reader, record)
            take_record(reader, line, record)
    for number, name, line, record in reader.echoes:
        reader.start(number, name, "")
        take_record(reader, line, agent_echo(record))
    reader.finish()
    return _trajectory(reader, tuple(source.name for source in sources))


def _note(reader: Reader, record: Record) -> None:
    """Remember what describes the whole run, each from the first record that says it."""
    about = reader.about
    if about.first is None:
        about.first = record
    about.session_id = about.session_id or string(record.get("sessionId"))
    about.cwd = about.cwd or string(record.get("cwd"))
    about.git_branch = about.git_branch or string(record.get("gitBranch"))
    version, time = string(record.get("version")), string(record.get("timestamp"))
    if version and version not in about.versions:
        about.versions.append(version)
    at = seconds(time)
    if at > UNKNOWN_TIME:
        if about.started is None or at < about.started[0]:
            about.started = (at, time)
        if about.ended is None or at > about.ended[0]:
            about.ended = (at, time)


def _trajectory(reader: Reader, names: tuple[str, ...]) -> Trajectory:
    about = reader.about
    steps, compactions = number_steps(reader.threads.values())
    versions = about.versions[:1] + about.versions[1:][-1:]
    return Trajectory(
        run_id=make_run_id(about.session_id, about.first or {}),
        session_id=about.session_id,
        format=FORMAT,
        agent=" ".join(["Claude Code", " to ".join(versions)]).strip(),
        models=tuple(about.models),
        cwd=reader.place(about.cwd),
        git_branch=about.git_branch,
        started=about.started[1] if about.started else "",
        ended=about.ended[1] if about.ended else "",
        task=about.task or about.slash_command,
        steps=steps,
        usages=_usages(reader, steps),
        compactions=compactions,
        skipped=tuple(reader.tally.skipped),
        unknown=tuple(sorted(reader.tally.unknown.items())),
        sources=names,
        lines=reader.tally.lines,
    )


def _usages(reader: Reader, steps: tuple[Step, ...]) -> tuple[Usage, ...]:
    """One Usage a message, in step order."""
    usages = [_usage(message_id, *found, len(steps)) for message_id, found in reader.usages.items()]
    return tuple(sorted(usages, key=lambda usage: (usage.t, usage.message_id)))


def _usage(message_id: str, unit: Unit, model: str, raw: Record, last: int) -> Usage:
    written = tokens(raw.get("cache_creation_input_tokens"))
    detail = raw.get("cache_creation")
    hour = tokens(detail.get("ephemeral_1h_input_tokens")) if isinstance(detail, dict) else 0
    five = tokens(detail.get("ephemeral_5m_input_tokens")) if isinstance(detail, dict) else 0
    return Usage(
        t=min(unit.first, last),
        message_id=message_id,
        model=model,
        input=tokens(raw.get("input_tokens")),
        cache_read=tokens(raw.get("cache_read_input_tokens")),
        cache_write_5m=max(five, written - hour),
        cache_write_1h=hour,
        output=tokens(raw.get("output_tokens")),
        agent=unit.agent,
    )

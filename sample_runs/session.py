"""A session file in Claude Code's form: lines with a uuid chain, split messages, usage, a compaction boundary.

In: what was said, called and answered. Out: JSON lines. Ids and times come from a generator seeded by the
script's name, so a recording is the same bytes every time. Usage is modelled, not measured: a request holds
the system prompt (14,000 tokens; 9,000 for a sub-agent) plus 1.3 times the tokens of the text held so far;
what the previous request held is read from the cache, the rest is written to it; after five minutes of
silence or a compaction only the system prompt is still cached.
"""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from core.tokens import count_tokens
from sample_runs.script import Script
from sample_runs.tools import Outcome

_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_FRESH_INPUT = 6  # tokens of a request that are neither read from nor written to the cache
_CACHE_SECONDS = 300


@dataclass(slots=True)
class Clock:
    """The run's own time and ids, shared by the main thread and its sub-agents."""

    random: random.Random
    now: datetime

    def wait(self, low: float, high: float) -> str:
        """Moves on by a drawn number of seconds and returns the timestamp."""
        self.now += timedelta(milliseconds=round(1000 * self.random.uniform(low, high)))
        return self.now.strftime("%Y-%m-%dT%H:%M:%S.") + f"{self.now.microsecond // 1000:03d}Z"

    def uuid(self) -> str:
        """A version 4 uuid."""
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def name(self, prefix: str, length: int) -> str:
        """An id such as msg_01..., toolu_01... or req_011C...."""
        return prefix + "".join(self.random.choice(_ALPHABET) for _ in range(length))


@dataclass(slots=True)
class Session:
    """One file being written: the main thread, or one sub-agent (``agent`` is its id)."""

    script: Script
    clock: Clock
    session_id: str
    agent: str = ""
    lines: list[dict[str, Any]] = field(default_factory=list)
    parent: str | None = None
    held: int = 0
    cached: int = 0
    last_request: datetime | None = None
    total: int = 0
    tool_uses: int = 0
    usage: dict[str, Any] = field(default_factory=dict)

    @property
    def system(self) -> int:
        """Tokens of the system prompt and the tool descriptions."""
        return 9_000 if self.agent else 14_000

    def user(self, text: str) -> None:
        """A user message (for a sub-agent: its task), with the client's file snapshot before it on the main thread."""
        stamp = self.clock.wait(0.2, 0.9)
        identifier = self.clock.uuid()
        if not self.agent:
            snapshot = {"messageId": identifier, "trackedFileBackups": {}, "timestamp": stamp}
            line = {"type": "file-history-snapshot", "messageId": identifier, "snapshot": snapshot}
            self.lines.append({**line, "isSnapshotUpdate": False})
        extra = {"thinkingMetadata": {"maxThinkingTokens": 31999}, "todos": [], "permissionMode": "acceptEdits"}
        message = {"role": "user", "content": text}
        self._add({"type": "user", "message": message}, identifier, stamp, {} if self.agent else extra)
        self.held += count_tokens(text)

    def begin(self, blocks: Sequence[Mapping[str, Any]]) -> Message:
        """Opens an assistant message of these content blocks: draws its ids and works out its usage."""
        now = self.clock.now
        if self.last_request is None or now - self.last_request > timedelta(seconds=_CACHE_SECONDS):
            self.cached = min(self.cached, self.system) if self.last_request else 0
        self.last_request = now
        size = self.system + round(1.3 * self.held)
        output = max(4, round(1.3 * sum(_block_tokens(block) for block in blocks)))
        written = max(0, size - self.cached - _FRESH_INPUT)
        self.usage = {
            "input_tokens": _FRESH_INPUT,
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": self.cached,
            "cache_creation": {"ephemeral_5m_input_tokens": written, "ephemeral_1h_input_tokens": 0},
            "output_tokens": output,
            "service_tier": "standard",
        }
        self.cached = self.cached + written
        self.total = size + output
        self.held += sum(_block_tokens(block) for block in blocks if block["type"] != "thinking")
        return Message(self.clock.name("msg_01", 22), self.clock.name("req_011C", 20), self.usage)

    def block(self, message: Message, content: Mapping[str, Any], last: bool) -> str:
        """One content block on its own line; only the last line of a message carries the whole output count."""
        stamp = self.clock.wait(0.6, 4.5)
        usage = message.usage if last else {**message.usage, "output_tokens": min(3, message.usage["output_tokens"])}
        body: dict[str, Any] = {"model": self.script.model, "id": message.id, "type": "message", "role": "assistant"}
        body |= {"content": [content], "stop_reason": None, "stop_sequence": None, "usage": usage}
        identifier = self.clock.uuid()
        self._add({"message": body, "requestId": message.request, "type": "assistant"}, identifier, stamp, {})
        return identifier

    def result(self, call_id: str, caller: str, outcome: Outcome, wait: tuple[float, float] = (0.03, 1.4)) -> None:
        """The result of a call, chained to the line that issued it."""
        body: dict[str, Any] = {"tool_use_id": call_id, "type": "tool_result", "content": outcome.text}
        if outcome.error is not None:
            body["is_error"] = outcome.error
        stamp = self.clock.wait(*wait)
        message = {"role": "user", "content": [body]}
        self.parent = caller
        extra = {"toolUseResult": outcome.result, "sourceToolAssistantUUID": caller}
        self._add({"type": "user", "message": message}, self.clock.uuid(), stamp, extra)
        shown = outcome.text if isinstance(outcome.text, str) else "\n".join(part["text"] for part in outcome.text)
        self.held += count_tokens(shown)
        self.tool_uses += 1

    def compact(self, summary: str, trigger: str) -> None:
        """A compaction: the boundary starts a new chain, the summary is all that stays held."""
        stamp = self.clock.wait(18, 40)
        logical, self.parent = self.parent, None
        head = {"logicalParentUuid": logical}
        body = {"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted", "isMeta": False}
        metadata = {"level": "info", "compactMetadata": {"trigger": trigger, "preTokens": self.total}}
        self._add(body, self.clock.uuid(), stamp, metadata, head)
        text = (
            "This session is being continued from a previous conversation that ran out of context. The summary "
            f"below covers the earlier portion of the conversation.\n\n{summary}"
        )
        extra = {"isVisibleInTranscriptOnly": True, "isCompactSummary": True}
        message = {"role": "user", "content": text}
        self._add({"type": "user", "message": message, **extra}, self.clock.uuid(), stamp, {})
        self.held, self.cached = count_tokens(text), self.system

    def finish(self) -> None:
        """The client's closing line: how long the turn took."""
        stamp = self.clock.wait(0.01, 0.05)
        started = datetime.fromisoformat(self.script.started)
        elapsed = round((self.clock.now - started).total_seconds() * 1000)
        body = {"type": "system", "subtype": "turn_duration", "durationMs": elapsed}
        self._add(body, self.clock.uuid(), stamp, {"isMeta": False})

    def text(self) -> str:
        """The file: one JSON object a line."""
        return "".join(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in self.lines)

    def _add(
        self,
        body: Mapping[str, Any],
        identifier: str,
        stamp: str,
        extra: Mapping[str, Any],
        head: Mapping[str, Any] | None = None,
    ) -> None:
        line: dict[str, Any] = {"parentUuid": self.parent, **(head or {}), "isSidechain": bool(self.agent)}
        line |= {"userType": "external", "cwd": f"/home/dev/{self.script.project}", "sessionId": self.session_id}
        line |= {"version": self.script.version, "gitBranch": self.script.branch}
        if self.agent:
            line["agentId"] = self.agent
        if self.parent is not None or self.agent or head:
            line["slug"] = self.script.slug
        marks = {"uuid": identifier, "timestamp": stamp}
        if body["type"] == "system":
            marks = dict(reversed(marks.items()))
        self.lines.append({**line, **body, **marks, **extra})
        self.parent = identifier


@dataclass(frozen=True, slots=True)
class Message:
    """The ids and the usage of one assistant message."""

    id: str
    request: str
    usage: Mapping[str, Any]


def _block_tokens(block: Mapping[str, Any]) -> int:
    if block["type"] == "tool_use":
        return count_tokens(json.dumps(block["input"], ensure_ascii=False))
    return count_tokens(str(block.get("text") or block.get("thinking") or ""))

"""A model that says what a test tells it to, and remembers what it was asked."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Scripted:
    replies: list[str]
    asked: list[str] = field(default_factory=list)
    limits: list[int] = field(default_factory=list)

    def complete(self, prompt: str, max_tokens: int, /) -> str:
        self.asked.append(prompt)
        self.limits.append(max_tokens)
        return self.replies[min(len(self.asked), len(self.replies)) - 1]

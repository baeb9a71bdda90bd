"""What the manager and the model-driven policies ask of a model: one prompt, one reply.

Nothing here talks to a network; who connects a model hands in a ``Client``.
"""

from __future__ import annotations

from typing import Protocol


class Client(Protocol):
    """A model that answers a prompt with text of at most ``max_tokens`` tokens."""

    def complete(self, prompt: str, max_tokens: int, /) -> str: ...

"""Where the symbols of a small graph stand: seeded springs, computed here so that the browser simulates nothing.

Fruchterman-Reingold on at most a few hundred nodes: the same graph always looks the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt


def springs(
    n: int, edges: Sequence[tuple[int, int]], *, seed: int = 7, rounds: int = 120, size: float = 900.0
) -> npt.NDArray[np.float64]:
    """Positions (n, 2) in pixels around the origin; cost rounds * n^2."""
    if n == 0:
        return np.zeros((0, 2))
    rng = np.random.default_rng(seed)
    at = rng.uniform(-0.5, 0.5, (n, 2))
    if n == 1:
        return np.zeros((1, 2))
    pull = np.zeros((n, n))
    for a, b in edges:
        pull[a, b] = pull[b, a] = 1.0
    k = 1.0 / np.sqrt(n)
    heat = 0.12
    for _ in range(rounds):
        delta = at[:, None, :] - at[None, :, :]
        distance = np.maximum(np.linalg.norm(delta, axis=2), 0.01)
        force = k * k / distance - pull * distance * distance / k
        np.fill_diagonal(force, 0.0)
        move = (delta / distance[:, :, None] * force[:, :, None]).sum(axis=1) - at * 0.6 * k
        length = np.maximum(np.linalg.norm(move, axis=1), 1e-9)
        at = at + move / length[:, None] * np.minimum(length, heat)[:, None]
        heat *= 0.975
    at = at - (at.max(axis=0) + at.min(axis=0)) / 2
    spread = np.maximum(at.max(axis=0) - at.min(axis=0), 1e-6)
    placed: npt.NDArray[np.float64] = at / spread * np.array([size, size * 0.62]) * min(1.0, 0.35 + n / 40)
    return placed

"""The numbers of the model-free manager, in one place; ``benchmarks/policies/README.md`` says how they were chosen.

Nothing else in the manager is a number somebody picked, except the bounds the paper gives (METHOD 5).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """Ages are in steps, ``_writes`` in steps that wrote; 0 turns a rule of eviction off.

    ``unasked``: it decides also where nothing is nominated (Departs: the paper calls its manager, a model that costs
    tokens, only on nominations; this one costs none, and before the first write there are none).

    Eviction. ``output_age``: the output of a plain run, a search without content, an agent's report, born this
    long ago. ``test_age``: a test, build or lint result that old gets no stub. ``refresh_age``: a refresh
    becomes a drop when nothing it covers was read, edited or drifted for so long and the last ``near_writes`` writes
    left it alone. ``far_writes`` and ``far_idle``: a read or search that no drifted symbol of the last
    ``near_writes`` writes (0: of any) comes near, with that many writes since its birth, and nothing of it read or
    edited for so long. ``idle``: any view, an edit too, untouched for so long. ``orphan_writes``: a view of symbols
    that lost their last caller so many writes ago. ``superseded``: the share of a view's standing lines that newer
    records show.

    Retrieval. The walk starts from what drifted in the last ``recent_writes`` writes and, with ``focus`` > 0
    (Departs), from what the agent has read since it wrote last, in the last ``focus`` steps. The score of a candidate
    is the sum of what holds of it: an edit site at hop 0 (``site`` where it drifted, ``rest`` where it was read in
    part), else its hop, the rest as ``Candidate`` names it; below ``least`` it stays out, as does one of more than
    ``largest`` tokens.
    """

    unasked: bool = True
    output_age: int = 20
    test_age: int = 5
    refresh_age: int = 5
    near_writes: int = 1
    far_writes: int = 4
    far_idle: int = 0
    idle: int = 20
    orphan_writes: int = 1
    superseded: float = 0.9
    recent_writes: int = 1
    focus: int = 20
    budget: int = 6_000
    largest: int = 6_000
    least: float = 1.0
    site: float = 1.0
    rest: float = 3.0
    late: float = 0.5
    shared: float = 1.0
    first_hop: float = 1.0
    second_hop: float = -1.0
    callee: float = 0.5
    caller: float = 0.0
    signature: float = 1.5
    contract: float = 0.5
    older: float = -1.0
    edited: float = 0.0
    named: float = 1.0
    turned: float = -1.0
    imported: float = -0.5
    module_seed: float = -0.5
    possible: float = -1.0


WEIGHTS = Weights()

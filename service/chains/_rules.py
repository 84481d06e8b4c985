"""What a chain of each type and depth must have (mhgb.md 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from service.domain import Depth, RelationType, TaskType
from service.errors import InputError

__all__ = [
    "DEFAULT_LENGTH_SHARES",
    "MIN_CHARS",
    "SamplingRules",
    "Template",
    "depth_of",
    "template",
]

MIN_CHARS: Final = 100
"""A norm with a shorter text is not usable (mhgb.md 3)."""

_LENGTHS: Final = {Depth.SHALLOW: (1, 2), Depth.MEDIUM: (3, 4), Depth.DEEP: (5, 6, 7, 8, 9, 10)}
_ONE_NORM: Final = frozenset({TaskType.ISSUE_SPOTTING, TaskType.TEMPORAL_VALIDITY})
_FIRST: Final = {
    TaskType.RULE_SELECTION: frozenset(RelationType) - {RelationType.REFERS_TO},
    TaskType.CONFLICT_RESOLUTION: frozenset({RelationType.EXCLUDES, RelationType.PREVAILS_OVER}),
}

DEFAULT_LENGTH_SHARES: Final[Mapping[int, float]] = MappingProxyType(
    {1: 1.0, 2: 1.0, 3: 0.5, 4: 0.5, 5: 0.35, 6: 0.25, 7: 0.15, 8: 0.10, 9: 0.08, 10: 0.07}
)
"""Share of each length within its depth."""


@dataclass(frozen=True, slots=True)
class Template:
    """The conditions of one cell.

    Attributes:
        lengths: Numbers of norms that a chain may have.
        first: Types that the first relation may have.
        dated: How many norms must have a known ``valid_from``, of either basis.
        by_branches: Chains are drawn by whether the start's out-neighbours span two branches of law.
    """

    task_type: TaskType
    depth: Depth
    lengths: tuple[int, ...]
    first: frozenset[RelationType]
    dated: int
    by_branches: bool

    @property
    def query(self) -> str:
        """The template's name below ``cypher/``."""
        return f"chains/{self.task_type.value}_{self.depth.value}"


def template(task_type: TaskType, depth: Depth) -> Template:
    """Return the conditions of a cell."""
    lengths = _LENGTHS[depth]
    if depth is Depth.SHALLOW:
        lengths = (1,) if task_type in _ONE_NORM else (2,)
    temporal = task_type is TaskType.TEMPORAL_VALIDITY
    dated = (1 if depth is Depth.SHALLOW else 2) if temporal else 0
    return Template(
        task_type,
        depth,
        lengths,
        _FIRST.get(task_type, frozenset(RelationType)),
        dated,
        task_type is TaskType.ISSUE_SPOTTING and depth is not Depth.SHALLOW,
    )


def depth_of(norms: int) -> Depth:
    """Return the depth of a chain with so many norms.

    Raises:
        InputError: It has none, or more than ten.
    """
    for depth, lengths in _LENGTHS.items():
        if norms in lengths:
            return depth
    raise InputError(f"a chain of {norms!r} norms has no depth; it needs 1 to 10")


@dataclass(frozen=True)
class SamplingRules:
    """How chains are spread over strata.

    Attributes:
        power: A stratum's weight is its number of eligible chains to this power; 0.5 is the square root.
        length_shares: Share of each length within its depth; only their ratios count.
        branches_share: Share of issue_spotting chains whose start's out-neighbours span two branches of law.

    Raises:
        InputError: A weight is out of its range, or a depth has no length with a share.
    """

    power: float = 0.5
    length_shares: Mapping[int, float] = field(default_factory=lambda: dict(DEFAULT_LENGTH_SHARES))
    branches_share: float = 0.7

    def __post_init__(self) -> None:
        if not 0 <= self.power <= 1:
            raise InputError(f"power {self.power!r} of the strata's weights is not from 0 to 1; 0.5 is the square root")
        if not 0 <= self.branches_share <= 1:
            raise InputError(f"branches_share {self.branches_share!r} is not from 0 to 1; the benchmark's is 0.7")
        for length, share in self.length_shares.items():
            if length not in DEFAULT_LENGTH_SHARES:
                raise InputError(f"length {length!r} has a share, but chains have 1 to 10 norms; leave it out")
            if not 0 <= share < float("inf"):
                raise InputError(f"the share {share!r} of length {length!r} is not a number from 0 up; correct it")
        for depth, lengths in _LENGTHS.items():
            if depth is not Depth.SHALLOW and not any(self.length_shares.get(length, 0) > 0 for length in lengths):
                raise InputError(
                    f"no length of depth {depth.value!r} ({lengths[0]} to {lengths[-1]} norms) has a share above 0; "
                    "give at least one"
                )

    def share(self, length: int) -> float:
        """Return a length's share; of a depth with one length it does not matter."""
        return self.length_shares.get(length, 1.0 if length <= 2 else 0.0)

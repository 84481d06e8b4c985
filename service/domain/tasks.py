"""What kinds of tasks there are."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Depth", "Mode", "TaskType"]


class TaskType(StrEnum):
    """What a task asks for; the members stand in the order in which the public subset is drawn."""

    ISSUE_SPOTTING = "issue_spotting"
    RULE_SELECTION = "rule_selection"
    CONFLICT_RESOLUTION = "conflict_resolution"
    TEMPORAL_VALIDITY = "temporal_validity"


class Depth(StrEnum):
    """How many norms a task's chain has: 1 to 2, 3 to 4, 5 to 10."""

    SHALLOW = "shallow"
    MEDIUM = "medium"
    DEEP = "deep"


class Mode(StrEnum):
    """Whether a task is answered from memory or with context."""

    CLOSED = "closed"
    OPEN = "open"

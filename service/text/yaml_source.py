"""YAML, read by the C library where PyYAML was built with it (its wheels are): the same values, ten times as fast."""

from __future__ import annotations

from typing import Any

import yaml

try:
    from yaml import CSafeLoader as SafeLoader
except ImportError:
    from yaml import SafeLoader  # type: ignore[assignment]

__all__ = ["SafeLoader", "read_yaml"]


def read_yaml(text: str) -> Any:
    """Return what a YAML document says, in plain Python values.

    Raises:
        yaml.YAMLError: It is not YAML, or asks for more than plain values; the message names line and column.
    """
    return yaml.load(text, Loader=SafeLoader)

"""The twelve models of the public release: how their names are written, and the slice each belongs to."""

from __future__ import annotations

from typing import Final, NamedTuple

__all__ = ["MODELS", "ReleasedModel", "display_name"]


class ReleasedModel(NamedTuple):
    """A model of the release.

    Attributes:
        display: Its name as the published tables write it.
        slice: proprietary, russian or open_source (mhgb 8).
    """

    display: str
    slice: str


MODELS: Final[dict[str, ReleasedModel]] = {
    "gemini-3.1-pro-preview": ReleasedModel("Gemini 3.1 Pro", "proprietary"),
    "claude-sonnet-4-6": ReleasedModel("Claude Sonnet 4.6", "proprietary"),
    "deepseek-r1-api": ReleasedModel("DeepSeek-R1 671B", "open_source"),
    "o3": ReleasedModel("o3", "proprietary"),
    "gpt-4o": ReleasedModel("GPT-4o", "proprietary"),
    "gigachat-2-max": ReleasedModel("GigaChat-2 Max", "russian"),
    "yandexgpt-5-pro": ReleasedModel("YandexGPT 5.1 Pro", "russian"),
    "gemma4-26b": ReleasedModel("Gemma-4 26B", "open_source"),
    "gigachat-lite": ReleasedModel("GigaChat-2 Lite", "russian"),
    "mistral-small-3-2": ReleasedModel("Mistral Small 3.2", "open_source"),
    "t-pro-it-2.1": ReleasedModel("T-pro-it-2.1", "russian"),
    "deepseek-r1-32b-ollama": ReleasedModel("DeepSeek-R1 32B", "open_source"),
}
"""By the name in their records."""


def display_name(model: str) -> str:
    """Return how a model's name is written; a model that nobody listed keeps its own."""
    released = MODELS.get(model)
    return released.display if released else model

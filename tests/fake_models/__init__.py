"""A model server on loopback for tests and demos: OpenAI-compatible, with misbehaviour by script."""

from tests.fake_models.server import BEHAVIOURS, FakeModels, Seen

__all__ = ["BEHAVIOURS", "FakeModels", "Seen"]

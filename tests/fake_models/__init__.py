"""A model server on loopback for tests and demos: OpenAI-compatible, with misbehaviour by script."""

from tests.fake_models.server import BEHAVIOURS, FakeModels, Seen
from tests.fake_models.threaded import in_thread

__all__ = ["BEHAVIOURS", "FakeModels", "Seen", "in_thread"]

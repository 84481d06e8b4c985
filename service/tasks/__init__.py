"""Task sets: what is drawn from them and how."""

from service.tasks.subset import TaskKey, public_fabulas, public_subset

__all__ = ["TaskKey", "public_fabulas", "public_subset"]

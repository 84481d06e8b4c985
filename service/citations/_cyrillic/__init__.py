"""The reader of Russian and Ukrainian citations."""

from service.citations._cyrillic.reading import read
from service.citations._cyrillic.writing import write

__all__ = ["read", "write"]

"""Lexhop: a knowledge service on a graph database for legal benchmarks."""

__all__ = ["__version__"]

__version__ = "0.1.0"

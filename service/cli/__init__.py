"""The command line: one module a noun."""

from service.cli.main import NOUNS, build_app, main

__all__ = ["NOUNS", "build_app", "main"]

"""The parts of docs/ that are written from the code, and their writer: ``python -m tests.docs --write``."""

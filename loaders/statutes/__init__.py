"""Statute texts to acts and articles."""

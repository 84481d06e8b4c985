"""Assembles the service from its rooms."""

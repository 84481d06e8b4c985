"""Normalisation, lemmas and offsets; shared by index, query, reader and scorer."""

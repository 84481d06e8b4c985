"""The only door to the graph."""

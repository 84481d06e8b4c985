"""The one citation reader."""

"""The HTTP interface: one router a noun."""

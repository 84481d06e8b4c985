"""The open-book context builder."""

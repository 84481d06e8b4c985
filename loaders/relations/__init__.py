"""Citations to typed relations."""

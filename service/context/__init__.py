"""The open-book context: a pure function of corpus version, seeds, order key, configuration, budgets and as_of."""

from service.context.builder import Context, ContextRequest, build_context
from service.context.order import chunk_order, chunk_tokens
from service.context.rendering import Configuration, render_context

__all__ = [
    "Configuration",
    "Context",
    "ContextRequest",
    "build_context",
    "chunk_order",
    "chunk_tokens",
    "render_context",
]

"""Logging by structlog: coloured text for people, JSON lines for machines, always on standard error."""

from __future__ import annotations

import logging
import sys

import structlog

from service.redaction import redact

__all__ = ["set_up_logs"]


def set_up_logs(*, as_json: bool, level: int = logging.INFO) -> None:
    """Configure structlog, once, by the process that runs."""
    render: structlog.typing.Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if as_json
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), pad_event_to=0)
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info if as_json else _keep,
            _redacted(render),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )


def _redacted(render: structlog.typing.Processor) -> structlog.typing.Processor:
    """Take secrets out of the finished line: whatever was put into it, tracebacks too."""

    def render_and_redact(logger: object, method: str, event: structlog.typing.EventDict) -> str:
        line = render(logger, method, event)
        return redact(line.decode() if isinstance(line, bytes) else str(line))

    return render_and_redact


def _keep(_logger: object, _method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    return event

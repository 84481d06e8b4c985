"""The HTTP interface: one router a noun."""

from service.api.application import create_api
from service.api.state import ServiceState

__all__ = ["ServiceState", "create_api"]

"""One client for models, and the contract by which they are asked and read."""

from service.models._breaker import Breaker
from service.models._client import ModelClient
from service.models._failures import CallError
from service.models._file import ModelsFile, read_models_file
from service.models._limiter import LedgerLimiter, Limiter, LocalLimiter
from service.models._open import open_model, open_provider
from service.models._profile import ModelKind, ModelProfile, ModelRole, ModelSlice, Price, ProviderKind
from service.models._prompts import prompt_sections
from service.models._reading import without_thinking
from service.models._scripted import RecordedProvider, RecordingProvider, ScriptedProvider, ScriptedReply, read_script
from service.models._types import Message, Provider, RawReply, Reply, ReplyStatus, Request, Usage
from service.models.contract import Contract, Field, Outcome, OutcomeStatus, Reading, ask_contract

__all__ = [
    "Breaker",
    "CallError",
    "Contract",
    "Field",
    "LedgerLimiter",
    "Limiter",
    "LocalLimiter",
    "Message",
    "ModelClient",
    "ModelKind",
    "ModelProfile",
    "ModelRole",
    "ModelSlice",
    "ModelsFile",
    "Outcome",
    "OutcomeStatus",
    "Price",
    "Provider",
    "ProviderKind",
    "RawReply",
    "Reading",
    "RecordedProvider",
    "RecordingProvider",
    "Reply",
    "ReplyStatus",
    "Request",
    "ScriptedProvider",
    "ScriptedReply",
    "Usage",
    "ask_contract",
    "open_model",
    "open_provider",
    "prompt_sections",
    "read_models_file",
    "read_script",
    "without_thinking",
]

"""From a text to its citations."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Body
from fastapi.responses import Response
from pydantic import Field

from service.api.answers import json_answer
from service.api.bodies import Body as JsonBody
from service.api.schemas import CitationsView
from service.api.scope import Asked, default_scope
from service.api.state import State
from service.api.views import citation_view
from service.citations import Surrounding, check_citations, read_citations
from service.domain import Jurisdiction, Language
from service.errors import TooLargeError

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["citations"])


class CitationsRequest(JsonBody):
    """A text to read."""

    text: str = Field(description="Any text", examples=["п. 2 ст. 1064 ГК РФ, статьи 151 и 1101"])
    language: Language = Field(default=Language.RU, description="The language it is written in")
    jurisdiction: Jurisdiction | None = Field(default=None, description="Whose acts a name means")
    act: str | None = Field(default=None, description="The act in which the text stands", examples=["ГК"])
    article: str | None = Field(default=None, description="The article in which it stands")
    corpus: str | None = Field(default=None, description="The corpus to check against")
    version: str | None = None


@router.post("/citations", summary="The citations of a text", response_model=CitationsView)
async def citations(state: State, request: Annotated[CitationsRequest, Body()]) -> Response:
    """Every citation with all levels stated, its offsets, and whether the corpus holds the norm.

    `invented`: the article does not exist although the corpus covers that place of the act. `outside_corpus`: the corpus
    does not cover it. Offsets count characters of the text as sent.
    """
    most = state.settings.citations_chars
    if len(request.text) > most:
        raise TooLargeError(f"text has {len(request.text)} characters, the most is {most}; send it in parts")
    version = default_scope(state, Asked(request.corpus, request.version))
    contents = await state.watcher.contents(version) if version else None
    surrounding = Surrounding(jurisdiction=request.jurisdiction, act=request.act, article=request.article)
    found = await asyncio.to_thread(
        read_citations,
        request.text,
        request.language,
        surrounding=surrounding,
        articles=contents.coverage.articles if contents else None,
    )
    if contents is not None:
        found = check_citations(found, contents.coverage)
    views = []
    for one in found:
        held = None
        if contents is not None and one.act and one.article:
            held = contents.ref(contents.key_of(one.act, one.edition), one.article)
        views.append(citation_view(one, held))
    return json_answer(
        {
            "corpus": version.key if version else None,
            "version": version.version if version else None,
            "language": request.language.value,
            "citations": views,
        }
    )

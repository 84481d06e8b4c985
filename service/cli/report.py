"""``lexhop report``: runs as tables, figures and one page."""

from __future__ import annotations

import asyncio
import io
import zipfile
from pathlib import Path
from typing import Annotated, Literal

import typer

from service.cli.output import JsonFlag, console, print_json
from service.cli.remote import KeyOption, UrlOption, api
from service.errors import InputError
from service.settings import Settings

__all__ = ["app"]

app = typer.Typer()


@app.callback()
def report(
    runs: Annotated[list[str], typer.Argument(help="Ids of runs, closed ones.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", help="Folder for the files.", show_default=False)],
    lang: Annotated[Literal["en", "ru"], typer.Option("--lang", help="Language of the figures' labels.")] = "en",
    url: UrlOption = None,
    key: KeyOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Write a report of runs: CSV, Markdown, LaTeX, figures, and report.html with all of it.

    Example: lexhop report 0198c1 0198c2 --out report
    """
    from service.evaluation import api_bytes

    async def ask() -> bytes:
        query = {"format": "zip", "lang": lang, "beside": runs[1:]}
        async with api(Settings(), url, key) as client:
            return await api_bytes(client, "GET", f"/v1/runs/{runs[0]}/report", params=query)

    packed = asyncio.run(ask())
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        names = archive.namelist()
        try:
            archive.extractall(out)
        except OSError as error:
            raise InputError(f"{str(out)!r} cannot be written ({error.strerror}); give another --out") from error
    if as_json:
        print_json({"runs": runs, "folder": str(out), "files": names})
    else:
        console().print(f"{len(names)} files are written; begin with {out / 'report.html'}", markup=False)

"""``lexhop benchmark``: what a benchmark brings along, one word a benchmark."""

from __future__ import annotations

import typer

from service.benchmarks import benchmark_keys, commands_of

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True)

for _key in benchmark_keys():
    app.add_typer(commands_of(_key).app, name=_key)

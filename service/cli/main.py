"""The root command."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING

import typer
from pydantic import ValidationError
from typer.core import TyperGroup

import service
from service.errors import LexhopError, SetupError
from service.logs import set_up_logs
from service.redaction import redact
from service.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic_core import ErrorDetails

__all__ = ["NOUNS", "STOPPED", "build_app", "main"]

NOUNS: dict[str, str] = {
    "demo": "Everything once: a graph of one's own, the sample, a short tour, the service.",
    "serve": "The HTTP service: brings its graph up and needs no other step.",
    "search": "Search articles by words in any form, or by a citation.",
    "article": "Show one article, whole.",
    "path": "How one norm leads to another.",
    "between": "What two norms have to do with each other.",
    "corpus": "Corpora: load, list, drop, export, import.",
    "backup": "Everything that is ours, into one file, also while in use.",
    "restore": "A backup, put back into an empty ledger and the graph.",
    "tasks": "Chains and task sets: plan, write, check, freeze, export, review.",
    "run": "Run a model over a task set, here or against a Lexhop elsewhere; again to go on.",
    "submit": "Send answers that were made offline.",
    "runs": "Runs: list, look at, close, publish, withdraw.",
    "work": "A judge worker: reads answers, asks judges, writes scores; any number of them.",
    "judges": "Judge profiles: add, list, calibrate against people.",
    "report": "Runs as tables, figures and one page.",
    "leaderboard": "Leaderboards in the terminal.",
    "keys": "Keys of the HTTP service: make, list, revoke, grant tiers.",
    "graph": "The Neo4j that holds the graph: start the local one, stop it, look at it.",
    "relations": "What one norm does to another: in the graph, and in single texts.",
    "citations": "Read the statutory citations of a text.",
    "benchmark": "What each benchmark brings along, such as reports of its released results.",
}
"""Each noun with its line of help; its module ``service.cli.<noun>`` has a Typer ``app``: verbs, or a callback alone."""

STOPPED = 130
"""Exit status after Ctrl-C, as shells give it."""


class _Nouns(TyperGroup):
    """Lists the nouns in the order of ``NOUNS``: whoever is new reads from the top."""

    def list_commands(self, ctx: object) -> list[str]:  # noqa: ARG002 - the base class passes it
        return [noun for noun in NOUNS if noun in self.commands]


# typer re-exports BadParameter but not its base, which all usage errors share.
_UsageError: type[Exception] = typer.BadParameter.__mro__[2]


def _version(value: bool) -> None:
    if value:
        typer.echo(f"lexhop {service.__version__}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(  # noqa: ARG001 - its callback has done it
        False, "--version", callback=_version, is_eager=True, help="Print the version."
    ),
) -> None:
    """Statutes as a typed graph: citations, relations, paths, open-book context, tasks and scores."""
    try:
        settings = Settings()
    except ValidationError as error:
        raise SetupError("; ".join(_wrong_setting(one) for one in error.errors(include_url=False))) from error
    set_up_logs(as_json=settings.log_json)


def _wrong_setting(error: ErrorDetails) -> str:
    name = f"LEXHOP_{'_'.join(str(part) for part in error['loc']).upper()}"
    return f"{name} is {redact(repr(error['input']))}: {error['msg']}; correct it, or unset it (docs/settings.md lists all)"


def build_app(nouns: Sequence[str] | None = None) -> typer.Typer:
    """Return the command line with the given nouns (all by default); a noun's module is imported only here."""
    app = typer.Typer(
        name="lexhop",
        cls=_Nouns,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for noun in NOUNS if nouns is None else nouns:
        brought: typer.Typer = importlib.import_module(f"service.cli.{noun}").app
        if brought.registered_commands or brought.registered_groups:
            app.add_typer(brought, name=noun, help=NOUNS[noun], short_help=NOUNS[noun])
        else:
            # A noun without verbs is a command: its docstring is its help, and its usage asks for no COMMAND behind it.
            alone = brought.registered_callback
            if alone is None or alone.callback is None:
                raise TypeError(f"service.cli.{noun} brings neither a verb nor a callback; give its app one of them")
            app.command(noun, short_help=NOUNS[noun])(alone.callback)
    return app


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; every error of ours ends as one line on standard error and exit status 1."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    # One noun is imported when one is called, so that a command starts quickly.
    app = build_app([arguments[0]] if arguments and arguments[0] in NOUNS else None)
    try:
        result = app(arguments, standalone_mode=False)
    except LexhopError as error:
        _fail(f"lexhop: {redact(str(error))}", 1)
    except (typer.Abort, KeyboardInterrupt):
        result = STOPPED
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
    except _UsageError as error:
        error.show()  # type: ignore[attr-defined]
        sys.exit(error.exit_code)  # type: ignore[attr-defined]
    # Typer turns Ctrl-C into this status by itself, without a word.
    if result == STOPPED:
        _fail("lexhop: stopped; the same command goes on where it can", STOPPED)
    sys.exit(result if isinstance(result, int) else 0)


def _fail(message: str, status: int) -> None:
    sys.stderr.write(message + "\n")
    sys.exit(status)

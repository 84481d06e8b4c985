"""Lists of settings, routes and commands as Markdown, from the code itself."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import typer
from pydantic_core import PydanticUndefined

from service.cli import build_app
from service.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
_COMMON = ("help", "install_completion", "show_completion")
_BEGIN, _END = "<!-- generated: {} -->", "<!-- /generated -->"


def settings() -> str:
    """Every setting with its default and its line of help."""
    lines = ["| variable | default | what it sets |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        default: Any = field.default
        if field.default_factory is not None:
            default = "the user's data folder"
        elif default is PydanticUndefined:
            default = "none"
        elif default is None or str(default) in ("", "**********"):
            default = "unset"
        lines.append(f"| `LEXHOP_{name.upper()}` | {default} | {field.description} |")
    return "\n".join(lines)


def routes() -> str:
    """Every route with its parameters, from the OpenAPI document."""
    from service.app import create_app

    document = create_app(Settings.model_validate({"graph_url": "bolt://127.0.0.1:1"})).openapi()
    lines = ["| route | what it answers | parameters |", "|---|---|---|"]
    for path, methods in document["paths"].items():
        for method, route in methods.items():
            names = [
                f"`{one['name']}`" + ("" if one["in"] == "query" else " (path)") for one in route.get("parameters", [])
            ]
            body = route.get("requestBody")
            if body:
                schema = next(iter(body["content"].values()))["schema"].get("$ref", "").rpartition("/")[2]
                fields = document["components"]["schemas"].get(schema, {}).get("properties", {})
                names += [f"`{name}` (body)" for name in fields]
            lines.append(f"| `{method.upper()} {path}` | {route['summary']} | {', '.join(names) or 'none'} |")
    return "\n".join(lines)


def commands() -> str:
    """Every command with its help."""
    root = typer.main.get_command(build_app())
    blocks: list[str] = []
    for path, command in _walk(root, ("lexhop",)):
        help_text = (command.help or "").strip()
        parameters = [_parameter(one) for one in command.params if one.name not in _COMMON]
        block = [f"### `{' '.join(path)}`", "", help_text]
        if parameters:
            block += ["", *parameters]
        blocks.append("\n".join(block))
    return "\n\n".join(blocks)


def _walk(command: Any, path: tuple[str, ...]) -> list[tuple[tuple[str, ...], Any]]:
    children = getattr(command, "commands", None)
    if not children:
        return [(path, command)]
    found = [(path, command)] if len(path) > 1 and getattr(command, "invoke_without_command", False) else []
    return found + [one for name, child in children.items() for one in _walk(child, (*path, name))]


def _parameter(parameter: Any) -> str:
    option = parameter.param_type_name == "option"
    names = ", ".join(f"`{name}`" for name in parameter.opts) if option else f"`{parameter.name.upper()}`"
    said = getattr(parameter, "help", None) or ""
    return f"- {names}: {said}".rstrip(": ")


GENERATED = {
    "docs/settings.md": ("settings", settings),
    "docs/http.md": ("routes", routes),
    "docs/cli.md": ("commands", commands),
}


def renewed(path: str) -> str:
    """A page with its generated part as it should be."""
    name, write = GENERATED[path]
    text = (ROOT / path).read_text(encoding="utf-8")
    begin, end = re.escape(_BEGIN.format(name)), re.escape(_END)
    body = f"{_BEGIN.format(name)}\n\n{write()}\n\n{_END}"
    new, count = re.subn(f"{begin}.*?{end}", lambda _: body, text, flags=re.DOTALL)
    assert count == 1, f"{path} has no part {name!r}"
    return new


def write_all() -> None:
    """Renew every page."""
    for path in GENERATED:
        (ROOT / path).write_text(renewed(path), encoding="utf-8")

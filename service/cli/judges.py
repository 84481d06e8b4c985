"""``lexhop judges``: judge profiles."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import ValidationError

from service.cli.output import JsonFlag, console, notes, print_json, table
from service.errors import ConflictError, InputError
from service.settings import Settings

if TYPE_CHECKING:
    from service.db import StoredProfile
    from service.judging import Calibration, JudgeProfile, Wording

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True)


@app.command()
def add(
    name: Annotated[str, typer.Argument(help="Name of the profile; it never changes its meaning.")],
    model: Annotated[str | None, typer.Option(help="Name of a model in the models file.")] = None,
    models: Annotated[Path | None, typer.Option(help="The models file. Default: LEXHOP_MODELS_FILE.")] = None,
    external: Annotated[bool, typer.Option("--external", help="A judge that works elsewhere and speaks HTTP.")] = False,
    model_id: Annotated[
        str, typer.Option(help="Of an external judge: its model's id, so that its kin is not ranked.")
    ] = "",
    temperature: Annotated[float, typer.Option(min=0, max=2)] = 0.0,
    repeats: Annotated[int, typer.Option(min=1, max=25, help="How often each question is asked.")] = 1,
    aggregation: Annotated[str, typer.Option(help="mean, median or majority.")] = "mean",
    min_valid: Annotated[int, typer.Option(min=1, help="Verdicts without which there is no value.")] = 1,
    prompts: Annotated[
        Path | None,
        typer.Option(help="Folder of judge-<level>.md with your own wording; its words are kept in the profile."),
    ] = None,
    benchmark: Annotated[str, typer.Option(help="The benchmark that --prompts is for.")] = "mhgb",
    prompt_version: Annotated[
        str | None, typer.Option(help="Name of the prompts. Default: built-in, or the folder's name.")
    ] = None,
    as_json: JsonFlag = False,
) -> None:
    """Add a judge profile: model, prompts, temperature, repeats, aggregation.

    With --prompts the instructions are yours; fence and form of the reply stay Lexhop's. The fingerprint holds their digest.
    Examples: lexhop judges add main --model judge-1 --repeats 3 --aggregation median --min-valid 2; lexhop judges add
    official --model judge-1 --prompts ./official
    """
    from service.judging import Aggregation, JudgeKind, JudgeProfile
    from service.models import read_models_file

    settings = Settings()
    facts: dict[str, Any] = {"kind": JudgeKind.EXTERNAL, "model": model or name, "model_id": model_id}
    if not external:
        if model is None:
            raise InputError("a judge needs --model, or --external for one that works elsewhere; give one of the two")
        found = read_models_file(models or settings.models_file or settings.home / "models.yaml").get(model)
        facts = {
            "kind": JudgeKind.MODEL,
            "model": model,
            "model_id": found.model or found.name,
            "conditions": found.conditions(),
        }
    if prompts is not None:
        facts |= {"wording": _wording(prompts, benchmark), "wording_of": benchmark}
    try:
        profile = JudgeProfile(
            name=name,
            **facts,
            temperature=temperature,
            repeats=repeats,
            aggregation=Aggregation(aggregation),
            min_valid=min_valid,
            prompt_version=prompt_version or (prompts.resolve().name if prompts else "built-in"),
        )
    except (ValidationError, ValueError) as error:
        said = error.errors()[0]["msg"] if isinstance(error, ValidationError) else str(error)
        raise InputError(f"judge profile {name!r} cannot be: {said}; see lexhop judges add --help") from None
    asyncio.run(_add(settings, profile))
    shown = {"name": profile.name, "fingerprint": profile.fingerprint, "wording": profile.wording_digest}
    print_json(shown) if as_json else console().print(f"{profile.name}: {profile.fingerprint}", markup=False)


def _wording(folder: Path, benchmark: str) -> dict[str, Wording]:
    from service.benchmarks import evaluation_of
    from service.judging import prompt_sections, read_wording

    levels = evaluation_of(benchmark).values
    ours = {level: prompt_sections(f"data/prompts/{benchmark}/judge-{level}.md", frozenset()) for level in levels}
    return read_wording(folder, ours)


async def _add(settings: Settings, profile: JudgeProfile) -> None:
    from service.db import COMMAND_LINE, add_judge_profile, open_ledger

    async with open_ledger(settings) as ledger, ledger.write() as session:
        await add_judge_profile(
            session,
            name=profile.name,
            fingerprint=profile.fingerprint,
            body=profile.model_dump(mode="json"),
            actor=COMMAND_LINE,
        )


def _shown(stored: StoredProfile) -> dict[str, Any]:
    from service.judging import JudgeProfile

    profile = JudgeProfile.model_validate(stored.body)
    body = profile.model_dump(mode="json") | {"wording": profile.wording_digest}
    return {**body, "fingerprint": stored.fingerprint}


@app.command("list")
def list_all(as_json: JsonFlag = False) -> None:
    """List the judge profiles.

    Example: lexhop judges list
    """

    async def read() -> list[dict[str, Any]]:
        from service.db import list_judge_profiles, open_ledger

        async with open_ledger(Settings()) as ledger, ledger.read() as session:
            return [_shown(one) for one in await list_judge_profiles(session)]

    found = asyncio.run(read())
    if as_json:
        print_json({"items": found})
        return
    if not found:
        notes().print("no judge profile yet; `lexhop judges add --help` says how to make one")
        return
    rows = table("name", "kind", "model", "prompts", "repeats", "aggregation", "min valid", "fingerprint")
    for one in found:
        numbers = [str(one["repeats"]), one["aggregation"], str(one["min_valid"])]
        rows.add_row(one["name"], one["kind"], one["model"], one["prompt_version"], *numbers, one["fingerprint"][:16])
    console().print(rows)


@app.command()
def calibrate(
    name: Annotated[str, typer.Argument(help="Name of the profile.")],
    labels: Annotated[
        Path, typer.Option(help="JSON lines of people's values: submission, key (step:2, answer), value.")
    ],
    as_json: JsonFlag = False,
) -> None:
    """Compare a judge's verdicts with people's: κ per level with its interval, mean bias, bias by the answer's length.

    Example: lexhop judges calibrate main --labels people.jsonl
    """
    found = asyncio.run(_calibrate(Settings(), name, labels))
    if as_json:
        print_json({"profile": name, "levels": [asdict(one) for one in found]})
        return
    rows = table("level", "labelled", "judged", "kappa", "bias", "by length")
    for one in found:
        kappa = one.kappa.reason or f"{one.kappa.value:.3f} [{one.kappa.low:.3f}, {one.kappa.high:.3f}]"
        bias = "—" if one.bias is None else f"{one.bias.value:+.3f} [{one.bias.low:+.3f}, {one.bias.high:+.3f}]"
        lengths = [f"{part.low}+: {part.bias:+.3f} ({part.n})" for part in one.by_length if part.bias is not None]
        rows.add_row(one.level, str(one.labelled), str(one.judged), kappa, bias, ", ".join(lengths))
    console().print(rows)


async def _calibrate(settings: Settings, name: str, path: Path) -> Sequence[Calibration]:
    from service.benchmarks import evaluation_of
    from service.db import find_judge_profile, judgement_values, open_ledger, read_run, read_submission
    from service.evaluation import verdicts_of
    from service.judging import JudgeProfile, calibrate, read_labels

    labels = read_labels(path)
    for label in labels:
        if not label.submission.isdigit():
            raise InputError(f"submission {label.submission!r} is no id of one; label by the ids that Lexhop gave")
    ids = sorted({int(label.submission) for label in labels})
    async with open_ledger(settings) as ledger, ledger.read() as session:
        stored = await find_judge_profile(session, name)
        submissions = [await read_submission(session, one) for one in ids]
        runs = [await read_run(session, one) for one in sorted({one.run_id for one in submissions})]
        values = await judgement_values(session, profile_id=stored.id, submissions=ids)
    benchmarks = {run.benchmark for run in runs}
    if len(benchmarks) != 1:
        raise ConflictError(
            f"the labels are of several benchmarks ({', '.join(sorted(benchmarks))}); calibrate one at a time"
        )
    found = verdicts_of(values, JudgeProfile.model_validate(stored.body))
    verdicts = {(str(one), key): value for one, keys in found.items() for key, (value, _) in keys.items()}
    lengths = {str(one.id): len(one.text) for one in submissions}
    return calibrate(labels, verdicts, lengths, evaluation_of(benchmarks.pop()).values)

"""``lexhop tasks chains``: how many chains there are, which are drawn, which begin at a norm."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from service.cli.output import JsonFlag, console, notes, print_json, table
from service.cli.progress import bars
from service.domain import Depth, NormId, TaskType
from service.errors import InputError
from service.settings import Settings

if TYPE_CHECKING:
    from service.chains import CellPlan, Chain, FoundChain, Plan, SamplingRules, Share
    from service.graph.catalog import CorpusVersion

__all__ = ["chain_record", "draw_plan", "register", "rules_of"]

SeedOption = Annotated[int, typer.Option(help="Decides everything that is drawn.")]
WantedOption = Annotated[int, typer.Option(help="Chains of all cells together.")]
CorpusOption = Annotated[str | None, typer.Option(help="The corpus's key; by default as the service takes it.")]
VersionOption = Annotated[str | None, typer.Option("--version", help="A version of it, or its first digits.")]
ActsOption = Annotated[list[str] | None, typer.Option("--act", help="Only norms of this act; may be repeated.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(chains)


def chains(
    plan: Annotated[bool, typer.Option("--plan", help="Count every cell and draw the chains wanted.")] = False,
    seed: SeedOption = 42,
    wanted: WantedOption = 300,
    corpus: CorpusOption = None,
    version: VersionOption = None,
    act: ActsOption = None,
    out: Annotated[Path | None, typer.Option(help="Write the chains drawn here, as JSON lines.")] = None,
    start: Annotated[str | None, typer.Option("--from", help="List chains that begin at this norm instead.")] = None,
    of_type: Annotated[TaskType, typer.Option("--type", help="With --from: type of the template.")] = (
        TaskType.ISSUE_SPOTTING
    ),
    depth: Annotated[Depth, typer.Option(help="With --from: depth of the template.")] = Depth.MEDIUM,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="With --from: most chains of each length.")] = 20,
    as_json: JsonFlag = False,
) -> None:
    """Count and draw chains by type and depth (--plan), or list those that begin at a norm (--from).

    Examples: lexhop tasks chains --plan --seed 42 --json; lexhop tasks chains --from ГК_1064 --type rule_selection
    """
    if plan == (start is not None):
        raise InputError("chains are asked for neither by --plan nor by --from, or by both; give one of them")
    acts = frozenset(act) if act else None
    if start is not None:
        found, where = asyncio.run(_list(Settings(), corpus, version, start, of_type, depth, act, limit))
        _tell_list(found, where, as_json)
        return
    drawn, where = asyncio.run(draw_plan(Settings(), corpus, version, seed, wanted, acts, quiet=as_json))
    if out is not None:
        out.write_bytes(b"".join(orjson.dumps(chain_record(one)) + b"\n" for one in drawn.chains))
    if as_json:
        print_json(_plan_record(drawn, where))
    else:
        _tell_plan(drawn, where)


def rules_of(settings: Settings) -> SamplingRules:
    """Return how chains are spread, as the settings say."""
    from service.chains import DEFAULT_LENGTH_SHARES, SamplingRules

    return SamplingRules(
        power=settings.chains_power,
        length_shares=settings.chains_length_shares or dict(DEFAULT_LENGTH_SHARES),
        branches_share=settings.chains_branches_share,
    )


async def draw_plan(
    settings: Settings,
    corpus: str | None,
    version: str | None,
    seed: int,
    wanted: int,
    acts: frozenset[str] | None,
    *,
    quiet: bool = False,
) -> tuple[Plan, CorpusVersion]:
    """Draw a plan from the graph and hold its chains against their templates there."""
    from service.chains import chain_faults, make_plan, read_chain_graph, template
    from service.errors import LexhopError
    from service.graph.opening import open_graph

    rules = rules_of(settings)
    async with open_graph(settings) as store:
        found = await _version(store, settings, corpus, version)
        graph = await read_chain_graph(store, found, acts=acts)
        with bars(quiet=quiet) as show:
            drawn = await asyncio.to_thread(make_plan, graph, seed=seed, wanted=wanted, rules=rules, progress=show)
        asked = [(template(one.task_type, one.depth), one.norms) for one in drawn.chains]
        for chain, faults in zip(drawn.chains, await chain_faults(store, found.uid, asked), strict=True):
            if faults:
                raise LexhopError(f"chain {chain.norms!r} was drawn but is none of the graph: {faults[0]}; report this")
        return drawn, found


async def _list(
    settings: Settings,
    corpus: str | None,
    version: str | None,
    start: NormId,
    of_type: TaskType,
    depth: Depth,
    acts: list[str] | None,
    limit: int,
) -> tuple[list[FoundChain], CorpusVersion]:
    from service.chains import chains_of, template
    from service.graph.opening import open_graph

    asked = template(of_type, depth)
    async with open_graph(settings) as store:
        found = await _version(store, settings, corpus, version)
        listed: list[FoundChain] = []
        for length in asked.lengths:
            listed += await chains_of(store, found.uid, asked, length, [start], acts=acts, limit=limit)
        return listed, found


async def _version(store: Any, settings: Settings, corpus: str | None, version: str | None) -> CorpusVersion:
    from service.errors import ConflictError
    from service.graph.catalog import read_catalog

    catalog = await read_catalog(store)
    if corpus is not None:
        return catalog.find(corpus, version)
    candidates = catalog.default(settings.corpus)
    if len(candidates) > 1:
        keys = tuple(one.key for one in candidates)
        raise ConflictError(f"several corpora are loaded ({', '.join(keys)}); name one by --corpus", choices=keys)
    return catalog.find(candidates[0].key, version)


def chain_record(chain: Chain) -> dict[str, Any]:
    """Return a chain as a record."""
    return {
        "chain": chain.key,
        "type": chain.task_type.value,
        "depth": chain.depth.value,
        "norm_ids": list(chain.norms),
        "relations": [kind.value for kind in chain.relations],
        "two_branches": chain.wide,
        "dates": [{"norm_id": ref, "valid_from": date, "basis": basis} for ref, date, basis in chain.dates],
    }


def _plan_record(plan: Plan, where: CorpusVersion) -> dict[str, Any]:
    return {
        "corpus": where.key,
        "version": where.version,
        "notice": where.notice,
        "seed": plan.seed,
        "wanted": plan.wanted,
        "drawn": len(plan.chains),
        "digest": plan.digest,
        "cells": [_cell_record(cell) for cell in plan.cells],
    }


def _cell_record(cell: CellPlan) -> dict[str, Any]:
    return {
        "type": cell.task_type.value,
        "depth": cell.depth.value,
        "available": cell.available.count,
        "exact": cell.available.exact,
        "interval": [cell.available.low, cell.available.high],
        "wanted": cell.wanted,
        "drawn": len(cell.chains),
        "missing": cell.missing,
        "acts": [_share_record(share) for share in cell.acts],
        "relations": [_share_record(share) for share in cell.relations],
        "lengths": [_share_record(share) for share in cell.lengths],
        "two_branches": _share_record(cell.wide) if cell.wide else None,
        "pairs": [
            {"from": pair[0], "to": pair[1], "available": figure.count, "interval": [figure.low, figure.high]}
            for pair, figure in cell.pairs.items()
        ],
    }


def _share_record(share: Share) -> dict[str, Any]:
    figure = asdict(share.available)
    return {
        "name": share.name,
        "available": figure["count"],
        "exact": figure["exact"],
        "interval": [figure["low"], figure["high"]],
        "target": share.target,
        "drawn": share.drawn,
    }


def _tell_plan(plan: Plan, where: CorpusVersion) -> None:
    columns = ("type", "depth", "chains", "95 %", "wanted", "drawn", "acts of first norms")
    rows = table(*columns, whole=3, title=where.uid)
    for cell in plan.cells:
        figure = cell.available
        rows.add_row(
            cell.task_type.value,
            cell.depth.value,
            f"{figure.count:,}",
            "exact" if figure.exact else f"{figure.low:,} – {figure.high:,}",
            str(cell.wanted),
            str(len(cell.chains)),
            " ".join(f"{share.name} {share.drawn}" for share in cell.acts if share.drawn),
        )
    console().print(rows)
    for cell in plan.cells:
        if cell.missing:
            notes().print(
                f"cell {cell.task_type.value}/{cell.depth.value} lacks {cell.missing} of {cell.wanted}: "
                f"the graph has no more chains of this kind; want fewer, or take a larger corpus"
            )
    console().print(f"{len(plan.chains)} chains at seed {plan.seed}, digest {plan.digest[:16]}")
    if where.notice:
        console().print(where.notice)


def _tell_list(found: list[FoundChain], where: CorpusVersion, as_json: bool) -> None:
    if as_json:
        items = [{"norm_ids": one.norms, "relations": one.relations} for one in found]
        print_json({"corpus": where.key, "version": where.version, "notice": where.notice, "chains": items})
        return
    for one in found:
        line = one.norms[0]
        for kind, norm in zip(one.relations, one.norms[1:], strict=True):
            line += f" —{kind}→ {norm}"
        console().print(line, markup=False)
    if not found:
        notes().print("no chain of this kind begins there; try another type or depth")

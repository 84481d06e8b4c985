"""Articles, relations and contexts as people read them in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text
from rich.tree import Tree

__all__ = [
    "article_block",
    "between_block",
    "demo_parts",
    "diff_block",
    "paths_block",
    "relation_tree",
    "relations_end",
    "search_block",
    "show_demo",
    "task_block",
]

_COLOURS = {
    "REFERS_TO": "white",
    "APPLIES_TO": "cyan",
    "EXCLUDES": "red",
    "SUPPLEMENTS": "green",
    "PREVAILS_OVER": "yellow",
}
_CONTEXT_LINES = 40


def article_block(article: dict[str, Any]) -> Group:
    """Return an article with its heading, its dates and its text."""
    head = Text.assemble((f"{article['norm_id']}  ", "bold"), (article["title"], "bold"))
    facts = [article["act_title"]]
    if article["valid_from"]:
        stated = article["valid_from_basis"] == "stated"
        facts.append(f"{'in force since' if stated else 'wording of'} {article['valid_from']}")
    if article["repealed"]:
        facts.append(f"repealed ({article['repealed_by'] or 'by whom is not noted'})")
    if article["notice"]:
        facts.append(article["notice"])
    return Group(head, Text("; ".join(facts), "dim"), Padding(Text(article["text"]), (0, 0, 0, 2), expand=False))


def relation_tree(norm_id: str, relations: Sequence[dict[str, Any]]) -> Tree:
    """Return relations as a tree, each told in words."""
    tree = Tree(Text(norm_id, "bold"))
    for relation in relations:
        outgoing = relation["source"]["norm_id"] == norm_id
        other = relation["target" if outgoing else "source"]
        kind = relation["type"]
        branch = tree.add(
            Text.assemble(
                ("→ " if outgoing else "← ", "dim"),
                (kind, _COLOURS[kind]),
                f" {other['norm_id']} ",
                (other["title"], "dim"),
            )
        )
        branch.add(Text(relation["explanation"]))
    return tree


def relations_end(answer: dict[str, Any]) -> Text:
    """Return the line below the relations of an article: how many, whether that is all, of which version."""
    count = len(answer["items"])
    more = "; there are more: raise --limit" if answer["truncated"] else ""
    return Text(f"{count} relation{'' if count == 1 else 's'}{more}; {version_line(answer)}", "dim")


def version_line(answer: dict[str, Any]) -> str:
    """Return which version an answer is of, and what its corpus demands to be said."""
    said = f"{answer['corpus']}@{answer['version']}"
    return f"{said}; {answer['notice']}" if answer["notice"] else said


def search_block(answer: dict[str, Any]) -> Group:
    """Return what a search found, with the words found set off."""
    lines: list[Any] = []
    for hit in answer["items"]:
        named = {one["field"]: one for one in hit["highlights"]}
        title = _marked(named["title"]) if "title" in named else Text(hit["title"])
        lines.append(Text.assemble((f"{hit['rank']:3}. ", "dim"), (hit["norm_id"], "bold cyan"), "  ", title))
        if hit["by"] == "citation":
            lines.append(Text("     named in the query", "green"))
        if hit["repealed"]:
            lines.append(Text("     repealed", "red"))
        texts = [one for one in hit["highlights"] if one["field"] == "text"]
        lines.extend(Padding(_marked(one), (0, 0, 0, 5), expand=False) for one in texts[:2])
    count = f"{answer['found']}{'+' if answer['truncated'] else ''} found" if answer["items"] else _nothing(answer)
    lines.append(Text(f"{count}; {version_line(answer)}", "dim"))
    return Group(*lines)


def _nothing(answer: dict[str, Any]) -> str:
    return "nothing found" if answer["terms"] else "nothing found: the query has no word that says something"


def _marked(highlight: dict[str, Any]) -> Text:
    text = Text(highlight["text"].replace("\n", " "))
    for start, end in highlight["marks"]:
        text.stylize("bold yellow", start - highlight["start"], end - highlight["start"])
    return text


def paths_block(answer: dict[str, Any]) -> Group:
    """Return paths as trees, each step with its relations in words."""
    ends = f"{answer['from']['norm_id']} to {answer['to']['norm_id']}"
    lines: list[Any] = [path_tree(path) for path in answer["items"]]
    if not lines:
        how = "along the relations" if answer["directed"] else "either way"
        lines.append(Text(f"no path from {ends} of up to {answer['complete_to']} hops, {how}"))
    count = len(answer["items"])
    said = f"{count} path{'' if count == 1 else 's'}, {answer['order']}"
    if answer["truncated"]:
        ended = {"limit": "--limit", "relations": "LEXHOP_WALK_RELATIONS", "steps": "LEXHOP_WALK_STEPS"}
        said += (
            f"; {ended[answer['truncated_by']]} ended the search: "
            f"complete to {answer['complete_to']} of {answer['max_hops']} hops"
        )
    lines.append(Text(f"{said}; {version_line(answer)}", "dim"))
    return Group(*lines)


def path_tree(path: dict[str, Any]) -> Tree:
    """Return one path, a branch a step."""
    first, *rest = path["norms"]
    tree = Tree(Text.assemble((first["norm_id"], "bold"), " ", (first["title"], "dim")))
    for norm, step in zip(rest, path["steps"], strict=True):
        branch = tree.add(Text.assemble((norm["norm_id"], "bold"), " ", (norm["title"], "dim")))
        for relation in step["relations"]:
            branch.add(_told(relation))
    return tree


def between_block(answer: dict[str, Any]) -> Group:
    """Return what two norms have to do with each other as a tree."""
    one, other = answer["a"], answer["b"]
    tree = Tree(Text(f"{one['norm_id']} and {other['norm_id']}", "bold"))
    direct = tree.add(Text("relations" if answer["relations"] else "no relation of their own"))
    for relation in answer["relations"]:
        direct.add(_told(relation))
    shared = tree.add(Text(f"related to both: {answer['shared_found']}"))
    for norm in answer["shared"]:
        branch = shared.add(Text.assemble((norm["norm_id"], "bold"), " ", (norm["title"], "dim")))
        for relation in (*norm["with_a"], *norm["with_b"]):
            branch.add(_told(relation))
    if answer["truncated"]:
        shared.add(Text(f"… and {answer['shared_found'] - len(answer['shared'])} more: raise --limit", "dim"))
    if answer["path"] is None:
        tree.add(Text(f"no path of up to {answer['path_searched_to']} hops"))
    elif answer["path"]["hops"] > 1:
        tree.add(Text("a shortest path")).add(path_tree(answer["path"]))
    return Group(tree, Text(version_line(answer), "dim"))


def diff_block(answer: dict[str, Any]) -> Group:
    """Return what changed between two versions."""
    articles, relations = answer["articles"], answer["relations"]
    lines: list[Any] = []
    for mark, colour, rows in (("+", "green", articles["added"]), ("-", "red", articles["removed"])):
        lines.extend(Text(f"{mark} {row['norm_id']}  {row['title']}", colour) for row in rows)
    for row in articles["changed"]:
        lines.append(Text.assemble(("~ ", "yellow"), (row["norm_id"], "bold"), f"  {row['title']}"))
        lines.append(Text(f"  {', '.join(row['fields'])}", "dim"))
        for line in row["diff"].splitlines()[2:]:
            lines.append(Text(f"    {line}", {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")))
    for mark, colour, rows in (("+", "green", relations["gained"]), ("-", "red", relations["lost"])):
        lines.extend(Text(f"{mark} {row['source']} {row['type']} {row['target']}", colour) for row in rows)
    lines.extend(
        Text(f"~ {row['source']} → {row['target']}: {row['from']} became {row['to']}", "yellow")
        for row in relations["retyped"]
    )
    said = ", ".join(f"{name} {count:,}" for name, count in answer["counts"].items())
    more = "; there are more: raise --limit" if answer["truncated"] else ""
    lines.append(Text(f"{answer['corpus']}: {answer['from']} to {answer['to']}: {said}{more}", "dim"))
    return Group(*lines)


def _told(relation: dict[str, Any]) -> Text:
    kind = relation["type"]
    ends = f"{relation['source']['norm_id']} → {relation['target']['norm_id']}"
    return Text.assemble((kind, _COLOURS[kind]), (f"  {ends}\n", "dim"), relation["explanation"])


def show_demo(out: Console, shown: dict[str, Any]) -> None:
    """Print the guided tour."""
    for place, (title, content) in enumerate(demo_parts(shown).values()):
        if place:
            out.print()
        out.rule(Text(title))
        out.print(content)


def demo_parts(shown: dict[str, Any]) -> dict[str, tuple[str, RenderableType]]:
    """Return the parts of the guided tour by name, each with its title, in order; without a task there is no part of it."""
    article, ends, context = shown["article"], shown["paths"], shown["context"]
    pair = " and ".join(shown["chain"])
    parts: dict[str, tuple[str, RenderableType]] = {
        "article": (f"An article of {shown['corpus']}@{shown['version']}", article_block(article)),
        "relations": ("How it relates, in words", relation_tree(article["norm_id"], shown["relations"])),
        "search": (f"Found by the words of its title: {article['title']}", search_block(shown["search"])),
        "paths": (f"How {ends['from']['norm_id']} leads to {ends['to']['norm_id']}", paths_block(ends)),
        "between": (f"What stands between {pair}", between_block(shown["between"])),
        "context": (f"Open-book context of {pair}: {len(context['chunks'])} chunks", context_block(context)),
    }
    if shown["task"]:
        parts["task"] = ("A task made from a chain of the graph, with its answer key", task_block(shown["task"]))
    return parts


def context_block(context: dict[str, Any]) -> Text:
    """Return the first lines of a context, long ones cut short."""
    lines = context["text"].splitlines()
    text = Text("\n".join(line if len(line) <= 150 else line[:149] + "…" for line in lines[:_CONTEXT_LINES]))
    if len(lines) > _CONTEXT_LINES:
        text.append(f"\n… and {len(lines) - _CONTEXT_LINES} lines more", "dim")
    return text


def task_block(task: dict[str, Any]) -> Group:
    """Return a task with its gold chain and the size of its context."""
    gold, context = task["gold"], task["context"]
    head = Text.assemble((task["id"], "bold"), (f"  {task['type']}, {task['depth']}, {task['mode']}", "dim"))
    chain = Text("chain: " + " → ".join(gold["norm_ids"]), "cyan")
    steps = [Text(f"{step['step']}. {step['norm_id'] or 'conclusion'}: {step['text']}") for step in gold["gold_chain"]]
    size = f"its context: {context['tokens']:,} tokens in {context['text'].count(chr(10) * 2) + 1} blocks"
    return Group(
        head,
        Padding(Text(task["fabula"]), (0, 0, 0, 2), expand=False),
        Padding(Text(task["question"], "bold"), (0, 0, 0, 2), expand=False),
        chain,
        *(Padding(step, (0, 0, 0, 2), expand=False) for step in steps),
        Text(f"{size}; {context['corpus']}@{context['version']}", "dim"),
    )

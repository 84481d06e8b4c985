"""MHGB's corpus and graph as a corpus. No real file is at hand: these are written from mhgb.md 1 and 2, in our own words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from service.benchmarks.mhgb.corpus_files import fold, read_corpus_files
from service.domain import RelationSource, RelationType
from service.errors import SourceError

RECORDS: list[dict[str, Any]] = [
    {
        "id": "ГК_10", "law": "Гражданский кодекс", "law_short": "ГК", "article": "10", "title": "О вреде",
        "paragraphs": ["1. Вред возмещают.", "2. Кто возместил, прав."],
        "text": "1. Вред возмещают.\n2. Кто возместил, прав.",
        "valid_from": "2012-12-30", "valid_to": None, "is_repealed": False, "has_repealed_parts": False, "version": "1",
        "branch_of_law": "гражданское",
    },
    {"id": "ГК_11", "law_short": "ГК", "article": "11", "title": "Утратила силу", "text": "",
     "is_repealed": True, "valid_from": None},
    {"id": "НК_25.13", "law_short": "НК", "article": "25.13", "title": "О лицах", "text": "Лицо платит."},
    {"id": "НК_25.13-1", "law_short": "НК", "article": "25.13-1", "title": "Ещё о лицах", "text": "Лицо ждёт."},
    {"id": "НК_30-1", "law_short": "НК", "article": "30-1", "title": "Без основы", "text": "Основы нет."},
]  # fmt: skip
NODES = [
    {"id": name, "law": name.split("_")[0], "title": "", "text_preview": ""} for name in ("ГК_10", "ГК_11", "НК_25.13")
]
EDGES = [("НК_25.13", "ГК_10", "дополняет", "llm", "НК уточняет ГК"), ("ГК_10", "ГК_11", "ссылается_на", "regex", "")]


def files(folder: Path, graph: Any, records: list[Any] | None = None) -> tuple[Path, Path]:
    corpus, file = folder / "corpus.jsonl", folder / "graph.json"
    lines = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in records or RECORDS]
    corpus.write_text("\n".join(lines), encoding="utf-8")
    file.write_text(graph if isinstance(graph, str) else json.dumps(graph, ensure_ascii=False), encoding="utf-8")
    return corpus, file


def renamed_ends(edge: tuple[str, ...]) -> dict[str, str]:
    return {"from": edge[0], "to": edge[1], "edge_type": edge[2], "source": edge[3], "explanation": edge[4]}


def lost_attribute(edge: tuple[str, ...]) -> dict[str, str]:
    return {"source": edge[0], "target": edge[1], "edge_type": edge[2], "explanation": edge[4]}


def twice(edge: tuple[str, ...], *, attribute_first: bool) -> str:
    first, second = (edge[3], edge[0]) if attribute_first else (edge[0], edge[3])
    return (
        f'{{"source": "{first}", "target": "{edge[1]}", "edge_type": "{edge[2]}", "source": "{second}", '
        f'"explanation": "{edge[4]}"}}'
    )


def whole(edges_key: str, edges: str) -> str:
    return f'{{"directed": true, "nodes": {json.dumps(NODES, ensure_ascii=False)}, "{edges_key}": [{edges}]}}'


LAYOUTS = {
    "links, renamed ends": {"nodes": NODES, "links": [renamed_ends(edge) for edge in EDGES]},
    "edges, renamed ends": {"nodes": NODES, "edges": [renamed_ends(edge) for edge in EDGES]},
    "links, attribute lost": {"nodes": NODES, "links": [lost_attribute(edge) for edge in EDGES]},
    "edges, key twice": whole("edges", ",".join(twice(edge, attribute_first=True) for edge in EDGES)),
    "links, key twice the other way": whole("links", ",".join(twice(edge, attribute_first=False) for edge in EDGES)),
    "links, ends by place": {
        "nodes": NODES,
        "links": [
            {"source": 2, "target": 0, "edge_type": "SUPPLEMENTS", "explanation": "НК уточняет ГК"},
            {"source": 0, "target": 1, "edge_type": "REFERS_TO"},
        ],
    },
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_the_same_relations_in_the_order_of_the_file(tmp_path: Path, layout: str) -> None:
    imported = read_corpus_files(*files(tmp_path, LAYOUTS[layout]))
    relations = imported.content.relations
    assert [(one.source_id, one.target_id, one.type, one.ordinal) for one in relations] == [
        ("НК_25.13", "ГК_10", RelationType.SUPPLEMENTS, 0),
        ("ГК_10", "ГК_11", RelationType.REFERS_TO, 1),
    ]
    assert {one.source for one in relations} == {RelationSource.IMPORT}
    assert relations[0].explanation == "НК уточняет ГК"
    assert relations[1].explanation
    known = {"regex": 1, "llm": 1} if "lost" not in layout and "place" not in layout else {"unknown": 2}
    assert imported.made_by == known


def test_articles_keep_what_the_records_say(tmp_path: Path) -> None:
    content = read_corpus_files(*files(tmp_path, LAYOUTS["links, renamed ends"])).content
    articles = {one.norm_id: one for one in content.articles}
    assert list(articles) == ["ГК_10", "ГК_11", "НК_25.13", "НК_30"]
    ten = articles["ГК_10"]
    assert [ten.text[one.start : one.end] for one in ten.paragraphs] == RECORDS[0]["paragraphs"]
    assert (ten.valid_from, ten.valid_from_basis, ten.amended_on) == ("2012-12-30", "amendment", "2012-12-30")
    assert (articles["ГК_11"].repealed, articles["ГК_11"].valid_from_basis) == (True, None)
    assert content.info.fold_inserted
    assert not content.info.official
    assert {act.key: (act.branch, act.gone) for act in content.acts} == {
        "ГК": ("civil", ()),
        "НК": ("tax", ("25.13-1",)),
    }


def test_insertions_are_folded_only_where_there_is_a_base(tmp_path: Path) -> None:
    graph = {
        "nodes": NODES,
        "links": [{"from": "НК_25.13-1", "to": "НК_30-1", "edge_type": "исключает", "source": "llm"}],
    }
    imported = read_corpus_files(*files(tmp_path, graph))
    assert [(one.source_id, one.target_id) for one in imported.content.relations] == [("НК_25.13", "НК_30")]
    assert imported.left_out == {"folded": 1}
    assert (fold("НК_25.13-1"), fold("КоАП_12.1")) == ("НК_25.13", "КоАП_12.1")


def test_what_cannot_be_an_edge_is_counted(tmp_path: Path) -> None:
    pairs = [("ГК_10", "ГК_10"), ("ГК_10", "ГК_11"), ("ГК_10", "ГК_11"), ("НК_25.13", "НК_25.13-1")]
    graph = {
        "nodes": NODES,
        "links": [{"from": a, "to": b, "edge_type": "исключает", "source": "llm"} for a, b in pairs],
    }
    imported = read_corpus_files(*files(tmp_path, graph))
    assert len(imported.content.relations) == 1
    assert imported.left_out == {"folded": 1, "edges_to_themselves": 2, "edges_repeated": 1}


def test_a_node_without_a_record_is_refused_or_left_out(tmp_path: Path) -> None:
    graph = {"nodes": [*NODES, {"id": "УК_1"}], "links": [{"from": "УК_1", "to": "ГК_10", "edge_type": "исключает"}]}
    given = files(tmp_path, graph)
    with pytest.raises(SourceError, match=r"1 nodes .*УК_1.*--leave-out-missing"):
        read_corpus_files(*given)
    imported = read_corpus_files(*given, leave_out_missing=True)
    assert imported.left_out == {"folded": 1, "nodes_without_record": 1, "edges_without_record": 1}


@pytest.mark.parametrize(
    ("graph", "records", "said"),
    [
        ("[1", None, "graph.json' is no UTF-8 JSON"),
        ({"links": []}, None, "no list 'nodes'"),
        ({"nodes": []}, None, "neither a list 'links' nor 'edges'"),
        ({"nodes": [{"id": 7}], "links": []}, None, "node 0 has the id 7"),
        ({"nodes": NODES, "links": [{"source": "llm", "target": "ГК_10"}]}, None, "edge 0 names no two ends"),
        ({"nodes": NODES, "links": [{"source": 9, "target": 0}]}, None, "edge 0 has the end 9"),
        (
            {"nodes": NODES, "links": [{"source": 0, "target": 1, "edge_type": "любит"}]},
            None,
            "edge 0 has the type 'любит'",
        ),
        ({"nodes": [], "links": []}, ["{"], "corpus.jsonl', line 1: no record of an article"),
        ({"nodes": [], "links": []}, [RECORDS[0], RECORDS[0]], "line 2: id 'ГК_10' stands twice"),
        ({"nodes": [], "links": []}, [{"id": "ГК_10", "article": "11"}], "id 'ГК_10' is not of law"),
        ({"nodes": [], "links": []}, [" "], "has no record"),
    ],
)
def test_a_bad_file_is_told_by_name(tmp_path: Path, graph: Any, records: list[Any] | None, said: str) -> None:
    with pytest.raises(SourceError, match=None) as raised:
        read_corpus_files(*files(tmp_path, graph, records))
    assert said in str(raised.value)


def test_a_missing_file_is_told_by_name(tmp_path: Path) -> None:
    corpus, graph = files(tmp_path, LAYOUTS["links, renamed ends"])
    graph.unlink()
    with pytest.raises(SourceError, match=r"graph\.json"):
        read_corpus_files(corpus, graph)

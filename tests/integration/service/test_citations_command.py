"""``lexhop citations --corpus``: the ordered articles of a corpus in a real graph."""

from __future__ import annotations

import os
import subprocess
import sys

import orjson

from loaders.corpus import BuiltCorpus
from service.graph.address import GraphAddress
from tests.integration.service.conftest import environment_for


def test_a_range_takes_the_articles_of_a_loaded_corpus(graph_address: GraphAddress, loaded: BuiltCorpus) -> None:
    numbers = [article.number for article in loaded.content.articles if article.act == "ГК"]
    first, last = numbers[0], numbers[-1]
    done = subprocess.run(
        [sys.executable, "-m", "service", "citations", "--corpus", "sample"],
        input=f"статьями {first} - {last} ГК".encode(),
        env=os.environ | environment_for(graph_address),
        capture_output=True,
        check=True,
        timeout=240,
    )
    found = [orjson.loads(line)["article"] for line in done.stdout.splitlines()]
    assert found == numbers
    assert len(found) > 2


def test_a_corpus_that_is_not_loaded_is_named(graph_address: GraphAddress, loaded: BuiltCorpus) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "service", "citations", "--corpus", "nowhere"],
        input=b"",
        env=os.environ | environment_for(graph_address),
        capture_output=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 1
    assert "no corpus 'nowhere' is loaded" in done.stderr.decode()

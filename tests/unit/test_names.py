from __future__ import annotations

import pytest

from service.domain import article_sort_key, norm_id_of, split_norm_id
from service.errors import InputError


def test_articles_sort_in_the_codes_own_order() -> None:
    ordered = ["12", "12.1", "12.1-1", "12.1.1", "12.2", "12.10", "12-1", "13", "100", "120-1", "121"]
    shuffled = sorted(ordered)
    assert sorted(shuffled, key=article_sort_key) == [
        "12", "12-1", "12.1", "12.1-1", "12.1.1", "12.2", "12.10", "13", "100", "120-1", "121",
    ]  # fmt: skip


def test_norm_ids_split_into_act_and_number() -> None:
    assert split_norm_id(norm_id_of("КоАП", "19.7.10-1")) == ("КоАП", "19.7.10-1")


@pytest.mark.parametrize("bad", ["ГК", "ГК_", "_12", ""])
def test_a_norm_id_without_both_halves_is_refused_by_name(bad: str) -> None:
    with pytest.raises(InputError, match=repr(bad)):
        split_norm_id(bad)

"""How acts, articles and norms are named."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache

from service.errors import InputError

__all__ = ["Jurisdiction", "Language", "NormId", "article_sort_key", "norm_id_of", "norm_ref", "split_norm_id"]

NormId = str
"""A norm's name as MHGB writes it: the act's key, ``_``, the article's number (``ГК_1064``, ``КоАП_12.1``)."""

_COUNTRY = re.compile("[a-z]{2}")
_NUMBER_STEP = re.compile(r"(\d+)|([^\W\d_]+)|([.-])")


class Jurisdiction(StrEnum):
    """Whose law it is: two letters as in ISO 3166.

    Those with a name here are at home in the code; any other two letters become a member when they are first asked
    for, because a registry file alone adds a jurisdiction.
    """

    RU = "ru"
    KZ = "kz"
    UA = "ua"
    CN = "cn"

    @classmethod
    def _missing_(cls, value: object) -> Jurisdiction | None:
        if not isinstance(value, str) or _COUNTRY.fullmatch(value) is None:
            return None
        member = str.__new__(cls, value)
        member._name_ = value.upper()
        member._value_ = value
        return cls._value2member_map_.setdefault(value, member)  # type: ignore[return-value]


class Language(StrEnum):
    """The language a text is written in."""

    RU = "ru"
    UK = "uk"
    ZH = "zh"


def norm_id_of(act: str, number: str) -> NormId:
    """Return the norm id of an article: ``norm_id_of("ГК", "1064")`` is ``ГК_1064``."""
    return f"{act}_{number}"


def norm_ref(act: str, edition: str | None, number: str) -> NormId:
    """Return a norm's name within its corpus, with the edition where there is one: ``公司法@2018_25``."""
    return norm_id_of(f"{act}@{edition}" if edition else act, number)


def split_norm_id(norm_id: NormId) -> tuple[str, str]:
    """Return (act's key, article's number).

    Raises:
        InputError: ``norm_id`` has no ``_`` with something on either side.
    """
    act, mark, number = norm_id.rpartition("_")
    if not mark or not act or not number:
        raise InputError(f"norm id {norm_id!r} is not of the form ACT_NUMBER, such as ГК_1064; write it so")
    return act, number


@lru_cache(maxsize=65536)
def article_sort_key(number: str) -> str:
    """Return a string that sorts article numbers in a code's own order.

    An inserted article stands behind the one it was inserted after: 12, 12.1, 12.1-1, 12.2, 12.10, 13.
    At the same place a hyphen sorts before a dot, so that 15.1, its insertion 15.1-1 and 15.2 stay in this order.
    """
    parts = []
    for digits, letters, mark in _NUMBER_STEP.findall(number):
        if digits:
            parts.append(f"{int(digits):06d}")
        elif letters:
            parts.append(letters)
        else:
            parts.append("!" if mark == "-" else '"')
    return "".join(parts)

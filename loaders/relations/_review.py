"""Expert review of relations: a blind package to fill in, and what the answers say."""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import orjson
from openpyxl import Workbook, load_workbook
from openpyxl.styles import Alignment, Font
from openpyxl.utils.exceptions import InvalidFileException
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet

from loaders.relations._explain import norm_in_words
from service.analysis import Agreement, Interval, label_agreement, wilson
from service.domain import RELATION_TYPES, Article, Family, Language, NormId, Relation
from service.errors import InputError, SourceError

__all__ = ["Review", "ReviewItem", "draw_review", "read_review", "review_figures", "write_review"]

NONE: Final = "NONE"
DIRECTIONS: Final = ("A_TO_B", "B_TO_A")
LABELS: Final = (NONE, *(f"{kind.value} {way}" for kind in RELATION_TYPES for way in DIRECTIONS))
_COLUMNS: Final = ("item", "A", "text of A", "B", "text of B", "where one cites the other", "relation", "note")
_WIDTHS: Final = (7, 18, 60, 18, 60, 45, 26, 30)
_LONGEST_TEXT: Final = 6000
_ABOUT: Final = (
    "For each row: what does one norm do to the other? Choose the relation from the list, from the texts alone.",
    "REFERS_TO A_TO_B: A cites B as an existing rule.",
    "APPLIES_TO A_TO_B: A fixes where or to whom B applies.",
    "EXCLUDES A_TO_B: A displaces B in a conflict, or takes it out.",
    "SUPPLEMENTS A_TO_B: A extends or specifies B.",
    "PREVAILS_OVER A_TO_B: A takes precedence over B.",
    "B_TO_A is the same with the roles exchanged. NONE: there is no relation.",
    "Fill in the column «relation» of every row, add a note where you hesitate, and work alone.",
)


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """One relation to judge. Which norm is A is drawn, so that the order says nothing.

    Attributes:
        label: What the corpus says, as an annotator would answer; it goes to the key alone.
    """

    item: int
    a: NormId
    b: NormId
    family: Family
    label: str
    passages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Review:
    """What the answers say.

    Attributes:
        precision: By family, and ``all``: share of items whose majority answer is what the corpus says.
        undecided: Items without a majority; they count as not confirmed.
        agreement: None with a single annotator.
    """

    items: int
    annotators: int
    precision: Mapping[str, Interval]
    undecided: int
    agreement: Agreement | None
    differences: tuple[Mapping[str, Any], ...]


def draw_review(
    relations: Sequence[Relation], articles: Mapping[NormId, Article], *, doctrinal: int, structural: int, seed: int
) -> list[ReviewItem]:
    """Draw a simple random sample of each family, mixed, the same for the same corpus and seed.

    Raises:
        InputError: A family has fewer relations than asked for, or nothing is asked for.
    """
    if doctrinal < 0 or structural < 0 or doctrinal + structural == 0:
        raise InputError(f"a sample of {doctrinal!r} doctrinal and {structural!r} structural is empty; ask for some")
    generator = random.Random(seed)
    drawn: list[Relation] = []
    for family, count in ((Family.DOCTRINAL, doctrinal), (Family.STRUCTURAL, structural)):
        known = sorted((r for r in relations if r.type.family is family), key=lambda r: (r.source_id, r.target_id))
        if len(known) < count:
            raise InputError(f"there are {len(known)} {family} relations and {count!r} were asked for; ask for fewer")
        drawn += generator.sample(known, count)
    generator.shuffle(drawn)
    return [_item(number, relation, articles, generator) for number, relation in enumerate(drawn, 1)]


def _item(number: int, relation: Relation, articles: Mapping[NormId, Article], generator: random.Random) -> ReviewItem:
    forward = generator.random() < 0.5
    ends = (relation.source_id, relation.target_id)
    a, b = ends if forward else ends[::-1]
    passages = []
    for place in relation.citations[:3]:
        citing = relation.target_id if place.in_target else relation.source_id
        text = articles[citing].text
        passages.append(f"{citing}: …{text[max(0, place.start - 200) : place.end + 100]}…")
    label = f"{relation.type.value} {DIRECTIONS[0] if forward else DIRECTIONS[1]}"
    return ReviewItem(number, a, b, relation.type.family, label, tuple(passages))


def write_review(
    items: Sequence[ReviewItem], articles: Mapping[NormId, Article], folder: Path, *, language: Language
) -> tuple[Path, Path]:
    """Write ``review.xlsx`` for the annotators and ``key.json``, which they must not see.

    Returns:
        The two paths.

    Raises:
        SourceError: The folder cannot be written to.
    """
    book = Workbook()
    about = book.active
    assert isinstance(about, Worksheet)  # noqa: S101 - a new workbook has a sheet
    about.title = "about"
    for row in _ABOUT:
        about.append([row])
    sheet = book.create_sheet("review")
    sheet.append(list(_COLUMNS))
    for item in items:
        texts = [articles[norm].text[:_LONGEST_TEXT] for norm in (item.a, item.b)]
        names = [norm_in_words(norm, language) for norm in (item.a, item.b)]
        sheet.append([item.item, names[0], texts[0], names[1], texts[1], "\n\n".join(item.passages), None, None])
    _format(sheet, book.create_sheet("labels"), len(items))
    key = {"digest": _digest(items), "items": [asdict(item) | {"passages": len(item.passages)} for item in items]}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        book.save(folder / "review.xlsx")
        (folder / "key.json").write_bytes(orjson.dumps(key, option=orjson.OPT_INDENT_2))
    except OSError as error:
        raise SourceError(f"review {str(folder)!r} cannot be written: {error.strerror}; name another folder") from error
    return folder / "review.xlsx", folder / "key.json"


def _format(sheet: Worksheet, labels: Worksheet, rows: int) -> None:
    choice = DataValidation(type="list", formula1="labels!$A$1:$A$" + str(len(LABELS)), allow_blank=True)
    for label in LABELS:
        labels.append([label])
    labels.sheet_state = "hidden"
    sheet.add_data_validation(choice)
    choice.add(f"G2:G{rows + 1}")
    sheet.freeze_panes = "A2"
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    for letter, width in zip("ABCDEFGH", _WIDTHS, strict=True):
        sheet.column_dimensions[letter].width = width
    for row in sheet.iter_rows(min_row=2):
        for cell in row:
            cell.alignment = Alignment(wrap_text=True, vertical="top")


def _digest(items: Sequence[ReviewItem]) -> str:
    named = "\n".join(f"{item.item} {item.a} {item.b}" for item in items)
    return hashlib.sha256(named.encode()).hexdigest()


def read_review(key: Path, sheets: Sequence[Path]) -> Review:
    """Read the key and the filled-in sheets, one an annotator.

    Raises:
        InputError: No sheet is given.
        SourceError: A file is not what it should be; the message names file, row and value.
    """
    if not sheets:
        raise InputError("no filled-in review is given; name one XLSX file an annotator")
    items = _read_key(key)
    answers = [_read_sheet(path, items) for path in sheets]
    return review_figures(items, answers)


def _read_key(path: Path) -> list[ReviewItem]:
    try:
        content = orjson.loads(path.read_bytes())
        items = [
            ReviewItem(row["item"], row["a"], row["b"], Family(row["family"]), row["label"], ())
            for row in content["items"]
        ]
        digest = content["digest"]
    except OSError as error:
        raise SourceError(f"key {str(path)!r} cannot be read: {error.strerror}; name the key.json") from error
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise SourceError(f"key {str(path)!r} is no key of a review: {error}; name the key.json") from error
    if not items or digest != _digest(items):
        raise SourceError(f"key {str(path)!r} was changed: its digest is not that of its items; draw the sample again")
    return items


def _read_sheet(path: Path, items: Sequence[ReviewItem]) -> list[str]:
    try:
        book = load_workbook(path, read_only=True)
        rows = list(book["review"].iter_rows(min_row=2, max_col=len(_COLUMNS), values_only=True))
        book.close()
    except (OSError, InvalidFileException, KeyError, ValueError) as error:
        raise SourceError(f"review {str(path)!r} is no filled-in review.xlsx: {error}; name that file") from error
    answers: dict[int, str] = {}
    for number, row in enumerate(rows, 2):
        if row[0] is None:
            continue
        label = str(row[6] or "").strip()
        if label not in LABELS:
            raise SourceError(
                f"review {str(path)!r}, row {number}: the relation is {label!r}; choose one of {', '.join(LABELS)}"
            )
        answers[int(str(row[0]))] = label
    missing = [item.item for item in items if item.item not in answers]
    if missing or len(answers) != len(items):
        raise SourceError(
            f"review {str(path)!r} has {len(answers)} items where the key has {len(items)}; "
            f"fill in the file that belongs to the key (missing: {missing[:5]})"
        )
    return [answers[item.item] for item in items]


def review_figures(items: Sequence[ReviewItem], answers: Sequence[Sequence[str]]) -> Review:
    """Return precision by family with Wilson intervals, agreement, and the items that were not confirmed.

    Args:
        items: The sample.
        answers: One sequence an annotator, in the order of ``items``.
    """
    confirmed: dict[str, list[bool]] = {}
    differences: list[Mapping[str, Any]] = []
    undecided = 0
    for item, given in zip(items, zip(*answers, strict=True), strict=True):
        ranked = Counter(given).most_common()
        tied = any(first[1] == second[1] for first, second in pairwise(ranked[:2]))
        undecided += tied
        right = not tied and ranked[0][0] == item.label
        for name in (item.family.value, "all"):
            confirmed.setdefault(name, []).append(right)
        if not right:
            differences.append({"item": item.item, "a": item.a, "b": item.b, "corpus": item.label, "answers": given})
    precision = {name: wilson(sum(hits), len(hits)) for name, hits in sorted(confirmed.items())}
    agreement = None
    if len(answers) > 1:
        agreement = label_agreement([list(given) for given in zip(*answers, strict=True)], list(LABELS))
    return Review(len(items), len(answers), precision, undecided, agreement, tuple(differences))

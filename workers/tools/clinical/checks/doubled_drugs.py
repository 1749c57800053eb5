"""Checks of one drug, or one class of drugs, that a chart gives twice."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

from shared.models.case import LensPoint
from shared.models.findings import Severity
from shared.models.notices import notice
from shared.patterns import regex
from workers.tools.clinical.checks.view import DrugUse, LensView
from workers.tools.clinical.drug_tables_classes import (
    BLEEDING_CLASSES,
    DUPLICATION_SOURCE,
    SINGLE_CLASSES,
)
from workers.tools.clinical.drugs import DrugStatus
from workers.tools.clinical.points import first_of_each, point

CATEGORY = "drugs"
_APART = 600
"""Characters between two entries of one list of drugs, at most."""
_SAME_DRUG = regex(
    r"\s*(?:[(/\[=]|,? ?(?:or|aka|also known as|brand name|which is|i\.e\.,?|generic)\b|-)[^.\n]{0,12}\Z",
    2,
)
_JOINED = regex(r"\A[^.;\n]{0,60}(?:\band\b|\bplus\b|\bas well as\b|\n| 및 |[와과] )", 2)
_LIST_HEADING = regex(r"medication|meds\b|drugs|prescription|약물|투약|복용|처방", 2)
_NEW = regex(r"\b(?:start|begin|initiate|add)(?:ed|ing)?\b|새로|추가|시작", 2)
_SWITCH = regex(
    r"\bswitch|\bchang|\binstead\b|\breplac|\bstop|\bdiscontinu|\btransition|\bor\b|\bversus\b|\bbridge|\balternat"
    r"|변경|교체|중단|대신|또는",
    2,
)
_TOGETHER = 8
_ENDED = (DrugStatus.STOPPED, DrugStatus.PAST)


def drug_named_twice(view: LensView) -> list[LensPoint]:
    """The same ingredient twice in one list, by one name or by two, or begun although it is taken already."""
    uses: dict[str, list[DrugUse]] = defaultdict(list)
    for use in view.named_drugs:
        if use.status in _ENDED:
            continue
        for ingredient in use.name.split("/"):
            uses[ingredient].append(use)
    return first_of_each(
        (ingredient, _doubled(view, ingredient, first, second))
        for ingredient, entries in uses.items()
        for first, second in combinations(entries[:_TOGETHER], 2)
        if _listed_twice(view, first, second) or _begun_again(view, first, second)
    )


def class_twice(view: LensView) -> list[LensPoint]:
    """Two different drugs of a class of which one is enough, without a word of a change."""
    by_class: dict[str, dict[str, DrugUse]] = defaultdict(dict)
    for use in view.drugs:
        for name in use.classes & SINGLE_CLASSES:
            if not (name == "nsaid" and use.name == "aspirin"):
                by_class[name].setdefault(use.name, use)
    return first_of_each(
        (
            name,
            point(
                "class_twice",
                Severity.MAJOR if name in BLEEDING_CLASSES else Severity.MINOR,
                notice("lens_class_twice", first=first.name, second=second.name, group=name),
                (first.mention.span, second.mention.span),
                category=CATEGORY,
                citation=DUPLICATION_SOURCE,
            ),
        )
        for name, uses in by_class.items()
        for first, second in combinations(list(uses.values())[:_TOGETHER], 2)
        if _both_taken(view, first, second)
    )


def _doubled(view: LensView, ingredient: str, first: DrugUse, second: DrugUse) -> LensPoint:
    spans = (view.prescription(first), view.prescription(second))
    return point(
        "drug_twice",
        Severity.MAJOR if _written(first) != _written(second) else Severity.MINOR,
        notice("lens_drug_twice", drug=ingredient, first=spans[0].text, second=spans[1].text),
        spans,
        category=CATEGORY,
        citation=DUPLICATION_SOURCE,
    )


def _written(use: DrugUse) -> str:
    return use.mention.span.text


def _listed_twice(view: LensView, first: DrugUse, second: DrugUse) -> bool:
    start, end = first.mention.span.end, second.mention.span.start
    between = view.chart.text[start : min(end, start + _APART)]
    if not 0 < end - start <= _APART or _SAME_DRUG.match(between):
        return False
    if not _same_section(view, first, second):
        return False
    if _SWITCH.search(between) or _SWITCH.search(view.sentence(second.mention.span)):
        return False
    same_names = _written(first).lower() == _written(second).lower()
    if _in_list(view, first) and _in_list(view, second):
        return True
    return not same_names and (_JOINED.search(between) is not None or _dosed_alike(first, second))


def _dosed_alike(first: DrugUse, second: DrugUse) -> bool:
    if first.mention.dose is None or second.mention.dose is None:
        return False
    return first.status is second.status


def _same_section(view: LensView, first: DrugUse, second: DrugUse) -> bool:
    sections = {view.chart.section_at(use.mention.span.start) for use in (first, second)}
    return len(sections) == 1


def _begun_again(view: LensView, first: DrugUse, second: DrugUse) -> bool:
    """A drug is begun that an earlier part of the chart tells as taken with its dose."""
    taken = first.mention.dose is not None and first.status in (
        DrugStatus.GIVEN,
        DrugStatus.CONTINUED,
    )
    if not (taken and second.status is DrugStatus.STARTED):
        return False
    if first.mention.division is second.mention.division:
        return False
    return _NEW.search(view.sentence(second.mention.span)) is not None


def _both_taken(view: LensView, first: DrugUse, second: DrugUse) -> bool:
    if first.dose.as_needed or second.dose.as_needed or first.name in second.name.split("/"):
        return False
    names = {first.name, second.name}
    return not any(
        use.name in names
        and (not use.current or _SWITCH.search(view.sentence(use.mention.span)) is not None)
        for use in view.named_drugs
    )


def _in_list(view: LensView, use: DrugUse) -> bool:
    """Whether the mention is an entry of a list: under a heading of drugs, or one of three in its sentence."""
    section = view.chart.section_at(use.mention.span.start)
    if section is not None and _LIST_HEADING.search(section.heading):
        return True
    start, end = view.chart.sentence_at(use.mention.span.start)
    others = {
        other.mention.span.start for other in view.drugs if start <= other.mention.span.start < end
    }
    return len(others) > 2

"""Checks of drugs against allergies and pregnancy, and against drugs that are not taken together."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shared.clinical.drug_tables import classes_of
from shared.models.case import LensPoint, Mention, Sex
from shared.models.findings import Severity
from shared.models.notices import Notice, notice
from shared.patterns import regex
from workers.tools.clinical.allergies import severe
from workers.tools.clinical.checks.persons import about_patient
from workers.tools.clinical.checks.view import DrugUse, LensView
from workers.tools.clinical.drug_tables_classes import (
    ALLERGY_CLASSES,
    ALLERGY_SOURCE,
    CONTRAINDICATED_IN_PREGNANCY,
    CROSS_REACTIONS,
    PREGNANCY_SOURCE,
)
from workers.tools.clinical.drug_tables_pairs import PAIRS
from workers.tools.clinical.drugs import DrugStatus
from workers.tools.clinical.mentions import context_at
from workers.tools.clinical.points import first_of_each, point

CATEGORY = "drugs"
_ALLERGY_WORDS = regex(r"allerg|anaphyla|reaction|rash|hives|알레르기|알러지|과민|발진", 2)
_PREGNANT = regex(
    r"\b(?:pregnant(?! women)|gravid\b|primigravid\w{0,2}|multigravid\w{0,2}|weeks'? (?:of )?gestation"
    r"|weeks'? pregnant"
    r"|(?:IUP|EGA|G\d{1,2} ?P\d{1,4},?)(?: of| is| at|:)? ?\d{1,2} ?w(?:(?:ee)?ks?)?\b"
    r"|(?:[4-9]|[1-3]\d|4[0-2]) ?(?:w ?[0-6] ?d\b|\+ ?[0-6] ?(?:weeks|wks|/ ?40))"
    r"|(?:first|second|third) trimester|gestational age)|임신 ?(?:제 ?)?\d{1,2} ?주|임신 ?중"
    r"|(?:재태|임신) ?(?:주수|기간)|임산부|임부(?=[가는로])",
    2,
)
_EARLIER = regex(
    r"(?:\b(?:history|previous\w{0,2}|prior|last|earlier|was|were|when)\b|지난|이전|과거|첫째|둘째)[^.\n]{0,30}\Z",
    2,
)
_ENDED_AFTER = regex(r"[^.\n]{0,12}(?:유산|출산|분만|조산|사산|제왕|miscarr|abort|loss|deliver)", 2)
_GRAVIDITY = regex(
    r"\bG(?P<times>\d{1,2}) ?P ?(?P<term>\d)-?(?P<preterm>\d)-?(?P<lost>\d)-?\d\b", 2
)
"""Pregnancies, and how they ended: term, preterm, lost; the fourth figure counts the living children."""
_NEWBORN = regex(
    r"\b(?:born|birth|deliver\w{0,3}|ex[- ]|newborn|neonate|infant)|출생|신생아|분만", 2
)
_CHANGED = regex(
    r"\bswitch|\bchang|\binstead\b|\breplac|\bstop|\bdiscontinu|\btransition|\bor\b|\bversus\b|\bbridg"
    r"|\balternat|\bheld\b|\bhold\b|\bavoid|변경|교체|중단|대신|또는|보류|금기",
    2,
)


def drug_against_allergy(view: LensView) -> list[LensPoint]:
    """A drug is given to somebody who is allergic to it or to its class; related classes are worth a word."""
    allergies: dict[str, Mention] = {}
    for allergy in view.allergies:
        if allergy.concept not in allergies or severe(view.chart, allergy):
            allergies[allergy.concept] = allergy
    given: dict[str, DrugUse] = {}
    for use in view.named_drugs:
        if use.name not in given and _is_given(view, use):
            given[use.name] = use
    return [
        raised
        for allergy in allergies.values()
        for use in given.values()
        for raised in _allergy_points(view, allergy, use)
    ]


def drug_in_pregnancy(view: LensView) -> list[LensPoint]:
    """A drug that its label forbids in pregnancy, for a patient who is pregnant."""
    uses = [use for use in view.drugs if use.is_one_of(CONTRAINDICATED_IN_PREGNANCY)]
    pregnancy = next(
        (
            match
            for match in (*_PREGNANT.finditer(view.chart.text), *_gravid(view.chart.text))
            if uses and _is_now(view, match.start(), match.end())
        ),
        None,
    )
    if pregnancy is None:
        return []
    span = view.chart.span(pregnancy.start(), pregnancy.end())
    return first_of_each(
        (
            use.name,
            point(
                "drug_in_pregnancy",
                Severity.MAJOR,
                notice("lens_drug_in_pregnancy", drug=use.name),
                (use.mention.span, span),
                category=CATEGORY,
                citation=PREGNANCY_SOURCE,
            ),
        )
        for use in uses
    )


def drugs_not_together(view: LensView) -> list[LensPoint]:
    """Two drugs of classes that are not taken together."""
    return first_of_each(_pairs(view))


def _is_now(view: LensView, start: int, end: int) -> bool:
    """Whether a word of pregnancy tells of the patient's own one, and of no earlier one."""
    if view.patient.sex is Sex.MALE and not about_patient(view.chart, start):
        return False
    context = context_at(view.chart, start, end)
    if context.negated or context.uncertain or context.family:
        return False
    if _ENDED_AFTER.match(view.chart.text, end):
        return False
    around = view.chart.text[max(0, start - 40) : start]
    return not (_EARLIER.search(around) or _NEWBORN.search(around))


def _gravid(text: str) -> Iterator[re.Match[str]]:
    """Where more pregnancies are counted than have ended: the last one goes on."""
    for match in _GRAVIDITY.finditer(text):
        if int(match["times"]) > sum(int(match[name]) for name in ("term", "preterm", "lost")):
            yield match


def _pairs(view: LensView) -> Iterator[tuple[object, LensPoint]]:
    for pair in PAIRS:
        first = next((use for use in view.drugs if use.is_one_of(pair.first)), None)
        second = next((use for use in view.drugs if use.is_one_of(pair.second)), None)
        if first and second and first.name != second.name and not _changed(view, first, second):
            yield (
                frozenset((first.name, second.name)),
                point(
                    "drugs_not_together",
                    pair.severity,
                    notice("lens_drugs_not_together", first=first.name, second=second.name),
                    (first.mention.span, second.mention.span),
                    category=CATEGORY,
                    citation=pair.source,
                ),
            )


def _changed(view: LensView, first: DrugUse, second: DrugUse) -> bool:
    """Whether a mention of either tells that it ended, or that the one replaces the other."""
    names = {first.name, second.name}
    return any(
        use.name in names
        and (not use.current or _CHANGED.search(view.sentence(use.mention.span)) is not None)
        for use in view.named_drugs
    )


def _is_given(view: LensView, use: DrugUse) -> bool:
    """Whether a mention beside an allergy is one of a drug that is given, and not part of the allergy's story."""
    if not (use.current or use.status is DrugStatus.RECEIVED):
        return False
    if use.status is not DrugStatus.GIVEN or use.mention.dose:
        return True
    return not _ALLERGY_WORDS.search(view.sentence(use.mention.span))


def _allergy_points(view: LensView, allergy: Mention, use: DrugUse) -> Iterator[LensPoint]:
    grave = severe(view.chart, allergy)
    message = _reaction(allergy, use)
    if message is None:
        return
    contraindicated = message.code == "lens_drug_against_allergy"
    if contraindicated:
        severity = Severity.CRITICAL if grave else Severity.MAJOR
    else:
        severity = Severity.MINOR if grave else Severity.INFO
    yield point(
        "drug_against_allergy" if contraindicated else "drug_near_allergy",
        severity,
        message,
        (allergy.span, use.mention.span),
        category=CATEGORY,
        advice=notice("lens_check_allergy") if contraindicated else None,
        citation=ALLERGY_SOURCE,
    )


def _reaction(allergy: Mention, use: DrugUse) -> Notice | None:
    allergen = allergy.concept
    allergen_classes = classes_of(allergen) | {allergen}
    shared_classes = allergen_classes & use.classes & ALLERGY_CLASSES
    ingredients = set(allergen.split("/")) & set(use.name.split("/"))
    same_group = allergen in use.classes
    parameters = {"allergen": allergen, "drug": use.name}
    if shared_classes or ingredients or same_group:
        return notice("lens_drug_against_allergy", **parameters)
    related: set[str] = set()
    for name in allergen_classes:
        related |= CROSS_REACTIONS.get(name, frozenset())
    if related & (use.classes | {use.name}):
        return notice("lens_drug_near_allergy", **parameters)
    return None

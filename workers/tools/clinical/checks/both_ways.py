"""Checks of habits and allergies that a chart tells in one place and denies in another."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from shared.models.case import ChartSpan, LensPoint
from shared.models.findings import Severity
from shared.models.notices import notice
from shared.patterns import regex
from workers.tools.clinical.allergies import NONE_KNOWN, is_of_drug
from workers.tools.clinical.checks.persons import about_patient
from workers.tools.clinical.checks.view import LensView
from workers.tools.clinical.points import point

CATEGORY = "consistency"
_A_DAY = r"(?: ?(?:/|(?:per|a|each|every) ?) ?)?(?:day|d|daily|wk|week|weekly)\b"
_HABITS = (
    (
        rf"\bsmokes\b(?! (?:detector|alarm))|\b(?:current|active)(?: (?:every ?day|daily|heavy))? smoker"
        rf"|\b(?:half|one|two|\d(?:\.\d)?)(?: a)? ?(?:packs?|ppd)(?: of cigarettes)?{_A_DAY}|흡연 ?중|현재 ?흡연"
        r"|하루 ?(?:한|반|두|\d) ?갑",
        r"\bnever[- ]smoke[rd]?\b|\bnon-?smoker\b|\bdoes(?: not|n't) smoke\b"
        r"|\b(?:denies|no)(?: any)? (?:tobacco|smoking)\b"
        r"|\bhas never smoked\b|흡연력? ?(?:없|부인|\(-\)|:? ?무)|비흡연|담배는? ?피우지",
    ),
    (
        rf"\bdrinks? (?:\w{{1,12}} ){{0,4}}(?:beers?|wine|liquor|vodka|whiskey|alcohol)\b"
        rf"|\b\d{{1,2}} (?:drinks|beers){_A_DAY}"
        r"|\bheavy (?:drinker|alcohol use)\b|음주 ?(?:중|주 ?\d)|소주 ?(?:\d|한|두)",
        r"\bdoes(?: not|n't) drink(?: any)?(?: alcohol)?(?= ?[.,;\n]|$)|\b(?:denies|no)(?: any)? (?:alcohol|etoh)\b"
        r"|\bnon-?drinker\b|\bnever drinks?\b|음주력? ?(?:없|부인|\(-\))|비음주|술은? ?마시지",
    ),
)
_PATTERNS = tuple((regex(asserted, re.I), regex(denied, re.I)) for asserted, denied in _HABITS)
_NOT_NOW = regex(
    r"\b(?:quit|former\w{0,2}|ex-?|used to|stopped|until|ago|previous\w{0,2}|past|history|since|pregnan\w{2,3}|if|when"
    r"|cessation|risk|second-?hand|during|other than|except)\b|금연|끊|과거|이전|금주",
    re.I,
)
_BUT = regex(r"\b(?:other than|except|besides|apart from|aside from|only)\b|외에|제외", re.I)
_SOMEBODY = regex(r"(?:anyone|someone|who|that|whom) \Z", re.I)
_NOT_ALL = regex(r"(?i)food|environment|seasonal|latex")
_MOST = 100


def habits_and_allergy_denied(view: LensView) -> list[LensPoint]:
    """A smoker who never smoked, a drinker who does not drink, and a drug allergy of somebody who has none."""
    pairs = (_habit(view, asserted, denied) for asserted, denied in _PATTERNS)
    habits = [_raised(pair, Severity.MINOR) for pair in pairs if pair]
    allergy = _allergy(view)
    return [*habits, _raised(allergy, Severity.MAJOR)] if allergy else habits


def _habit(
    view: LensView, asserted: re.Pattern[str], denied: re.Pattern[str]
) -> tuple[ChartSpan, ChartSpan] | None:
    second = next(_plain(view, denied), None)
    if second is None:
        return None
    first = next((span for span in _plain(view, asserted) if _is_asserted(view, span)), None)
    return (first, second) if first else None


def _is_asserted(view: LensView, span: ChartSpan) -> bool:
    return view.asserted(span.start, span.end) and not _SOMEBODY.search(
        view.chart.text, max(0, span.start - 20), span.start
    )


def _plain(view: LensView, pattern: re.Pattern[str]) -> Iterator[ChartSpan]:
    """Where it is said of the patient, and of now."""
    for match in islice(pattern.finditer(view.chart.text), _MOST):
        span = view.chart.span(match.start(), match.end())
        if not _NOT_NOW.search(view.sentence(span)) and about_patient(
            view.chart, span.start, sentences=1
        ):
            yield span


def _allergy(view: LensView) -> tuple[ChartSpan, ChartSpan] | None:
    none_known = next(
        (
            mention.span
            for mention in view.inputs.chart.mentions
            if mention.concept == NONE_KNOWN
            and not _NOT_ALL.search(mention.span.text)
            and not _BUT.search(view.sentence(mention.span))
        ),
        None,
    )
    if none_known is None:
        return None
    for mention in view.allergies:
        if is_of_drug(mention.concept) and not _same_sentence(view, mention.span, none_known):
            return mention.span, none_known
    return None


def _same_sentence(view: LensView, first: ChartSpan, second: ChartSpan) -> bool:
    return view.chart.sentence_at(first.start) == view.chart.sentence_at(second.start)


def _raised(pair: tuple[ChartSpan, ChartSpan], severity: Severity) -> LensPoint:
    asserted, denied = pair
    message = notice("lens_told_and_denied", told=asserted.text, denied=denied.text)
    return point("asserted_and_denied", severity, message, pair, category=CATEGORY)

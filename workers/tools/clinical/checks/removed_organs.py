"""Checks of organs that were taken out long ago and are there all the same."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from shared.models.case import ChartSpan, LensPoint, Mention
from shared.models.findings import Severity
from shared.models.mentions import MentionKind
from shared.models.notices import notice
from shared.patterns import regex
from workers.tools.clinical.checks.persons import about_patient
from workers.tools.clinical.checks.view import LensView
from workers.tools.clinical.mentions import context_at, is_in_history
from workers.tools.clinical.points import point

CATEGORY = "consistency"
_ORGANS = {
    "cholecystectomy": r"gall ?bladder|cholecystitis|murphy'?s? sign|담낭(?! ?(?:절제|적출))",
    "appendectomy": r"append(?:ix|iceal|icitis)|충수(?! ?(?:절제|돌기 ?절제))|맹장염",
    "thyroidectomy": r"thyroid(?: gland)?(?= (?:is|was|nodules?|enlarge\w{1,4}|tender\w{0,4}))|thyromegaly|goiter"
    r"|갑상선 ?(?:종대|비대|결절|종)(?!양)",
    "splenectomy": r"spleen|splenomegaly|비장(?! ?(?:절제|적출))",
    "hysterectomy": r"uterus|uterine|endometri\w{2,6}|자궁(?! ?(?:절제|적출|경부|내막암))",
}
_PATTERNS = {
    name: regex(rf"(?<![A-Za-z가-힣])(?:{words})", re.I) for name, words in _ORGANS.items()
}
_IN_PART = regex(
    r"partial|hemi|sub-?total|lobectomy|supracervical|부분|아전|일측|엽절제|예정|scheduled|planned|consider",
    re.I,
)
_LONG_AGO = regex(
    r"(?<!\d)(?:19|20)\d\d(?!\d)|\b(?:years?|decades) (?:ago|earlier)|as a child|childhood|remote"
    r"|in (?:his|her) (?:teens|twenties)"
    r"|\d{1,2} ?년 ?전|어릴|과거",
    re.I,
)
_JUST_NOW = regex(r"\bPOD\b|post-?op(?:erative)? day|수술 ?후 ?\d|this admission|today|금일", re.I)
_SEEN = regex(
    r"\b(?:shows?|showed|reveal\w{0,2}|demonstrat\w{1,3}|ultrasound|CT|MRI|palpa\w{2,4}|enlarged|tender\w{0,4}"
    r"|distended|thickened|inflamed|acute|stones?|nodules?|normal|unremarkable|positive)\b"
    r"|소견|압통|촉지|비대|종대|결절|급성|초음파|촬영|담석|양성|\(\+\)",
    re.I,
)
"""What is said of an organ that somebody looked at."""
_GONE = regex(
    r"surgically|absent|remov|bed\b|fossa|stump|ectomy|status[- ]post|s/p|post-?op|절제|적출|수술",
    re.I,
)
_MOST = 200


def removed_and_present(view: LensView) -> list[LensPoint]:
    """An operation of long ago took an organ out, and an examination, a picture or a diagnosis finds it."""
    return [raised for name in _ORGANS for raised in islice(_found_again(view, name), 1)]


def _found_again(view: LensView, name: str) -> Iterator[LensPoint]:
    operations = [
        mention
        for mention in view.inputs.chart.mentions
        if mention.concept == name and mention.kind is MentionKind.PROCEDURE
    ]
    if not operations or not all(_was_long_ago(view, mention) for mention in operations):
        return
    for match in islice(_PATTERNS[name].finditer(view.chart.text), _MOST):
        span = view.chart.span(match.start(), match.end())
        if _is_there(view, span):
            yield point(
                "removed_and_present",
                Severity.MAJOR,
                notice(
                    "lens_removed_and_present", operation=operations[0].span.text, organ=span.text
                ),
                (operations[0].span, span),
                category=CATEGORY,
            )


def _is_there(view: LensView, span: ChartSpan) -> bool:
    """Whether its own sentence tells that somebody saw it: the heading above says nothing of what was looked at."""
    sentence = view.sentence(span)
    if not _SEEN.search(sentence) or _GONE.search(sentence):
        return False
    if not about_patient(view.chart, span.start, sentences=1):
        return False
    context = context_at(view.chart, span.start, span.end, headed=False)
    return not (context.negated or context.uncertain or context.family or context.past)


def _was_long_ago(view: LensView, mention: Mention) -> bool:
    """Whether it was done, as a whole, and not on this occasion."""
    sentence = view.sentence(mention.span)
    if mention.negated or mention.family or mention.planned or _IN_PART.search(sentence):
        return False
    if _JUST_NOW.search(sentence):
        return False
    return bool(_LONG_AGO.search(sentence)) or is_in_history(view.chart, mention.span.start)

"""Check of blood groups: a patient has one, of the ABO system and of the Rh factor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from shared.models.case import ChartSpan, LensPoint
from shared.models.findings import Severity
from shared.models.notices import notice
from shared.patterns import regex
from workers.tools.clinical.checks.persons import about_patient
from workers.tools.clinical.checks.view import LensView
from workers.tools.clinical.points import point

CATEGORY = "identity"
_SIGN = r"(?:pos(?:itive)?|neg(?:ative)?|\+|[-−–](?![A-Za-z0-9])|양성|음성)"
_GROUP = regex(
    rf"(?:blood (?:type|group)(?:ing)?|ABO(?: group)?|혈액형)(?: is| was|은|:)? ?[:]? ?"
    rf"(?P<abo>(?-i:AB|[ABO]))(?![A-Za-z])(?:형)?,? ?\(?(?:(?:RhD?|D)[ (]{{0,2}})?(?P<sign>{_SIGN})?"
    rf"|(?<![A-Za-z])(?P<plain>(?-i:AB|O))[ -]?(?P<after>(?:pos|neg)(?:itive|ative)?)\b"
    rf"|(?<![A-Za-z])Rh(?: ?\(?D\)?)?(?: factor| type)?[ :(]{{0,2}}(?P<rhesus>{_SIGN})",
    re.I,
)
_NOT_OWN = regex(
    r"\b(?:cord|units?|packed|transfus\w{1,4}|PRBC|donors?|paternal|maternal|mother\w{0,2}|father\w{0,2}|baby\w{0,2}"
    r"|fetal|recipient|compatible|if)\b|제대|태아|수혈 ?(?:받|시작|혈액)|공여",
    2,
)
_MOST = 200
_REACH = 120


def blood_groups_contradict(view: LensView) -> list[LensPoint]:
    """Two groups of the ABO system, or Rh positive and Rh negative, are told of the patient."""
    first: dict[str, tuple[str, ChartSpan]] = {}
    for match in islice(_GROUP.finditer(view.chart.text), _MOST):
        if not _is_own(view, match.start()):
            continue
        span = view.chart.span(match.start(), match.end())
        for system, value in _stated_groups(match):
            earlier, place = first.setdefault(system, (value, span))
            if earlier != value:
                return [_point(place, span)]
    return []


def _stated_groups(match: re.Match[str]) -> Iterator[tuple[str, str]]:
    group = match["abo"] or match["plain"]
    if group:
        yield "abo", group
    sign = match["sign"] or match["after"] or match["rhesus"]
    if sign:
        yield "rh", "positive" if sign.lower()[0] in "p+양" else "negative"


def _is_own(view: LensView, start: int) -> bool:
    first, last = view.chart.sentence_at(start)
    sentence = view.chart.text[max(first, start - _REACH) : min(last, start + _REACH)]
    return _NOT_OWN.search(sentence) is None and about_patient(view.chart, start, sentences=1)


def _point(first: ChartSpan, second: ChartSpan) -> LensPoint:
    return point(
        "blood_groups_contradict",
        Severity.MAJOR,
        notice("lens_blood_groups_contradict", first=first.text, second=second.text),
        (first, second),
        category=CATEGORY,
    )

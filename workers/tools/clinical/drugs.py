"""Drugs that a chart mentions, with their doses, and what is done with them: given, started, changed, stopped."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from enum import StrEnum

from shared.models.case import Mention
from shared.models.mentions import MentionKind
from shared.patterns import regex
from workers.tools.clinical.allergies import find_allergens, find_allergies
from workers.tools.clinical.chart import Chart
from workers.tools.clinical.doses import FREQUENCY, STRENGTH
from workers.tools.clinical.drug_names import DrugName, find_names
from workers.tools.clinical.mentions import context_at

_REACH = 90
_LINE = 1000
_AMOUNT = rf"{STRENGTH}(?: (?:of|tablets?|capsules?|정|캡슐|씩))?"
_DOSE_AFTER = regex(
    rf"(?P<gap>[^.;\n\d]{{0,24}}?)(?P<dose>{_AMOUNT}"
    rf"(?:[^.;\n\d]{{0,24}}?(?:\d{{1,2}} ?(?:정|캡슐|알|tablets?|tabs?)씩? ?)?"
    rf"(?<![A-Za-z])(?:{FREQUENCY})(?![A-Za-z]))?"
    rf"(?:[ ,]{{1,2}}(?:prn|as needed|필요 ?시))?)",
    re.I,
)
_FREQUENCY_AFTER = regex(rf"[ ,(]{{1,3}}(?P<dose>(?:{FREQUENCY}))(?![A-Za-z])", re.I)
_DOSE_BEFORE = regex(rf"(?P<dose>{STRENGTH})(?: of| tablets? of)?(?: oral| daily)? ?$", re.I)
_NEW_DOSE = regex(
    rf"[^.;\n]{{0,50}}?(?:\bto\b|에서|->|→) ?(?P<dose>{STRENGTH}(?:[^.;\n\d]{{0,12}}?(?:{FREQUENCY})(?![A-Za-z]))?)",
    re.I,
)


class DrugStatus(StrEnum):
    """What a chart says is done with a drug at the place of a mention."""

    GIVEN = "given"
    STARTED = "started"
    CHANGED = "changed"
    CONTINUED = "continued"
    STOPPED = "stopped"
    RECEIVED = "received"
    PAST = "past"


_ACTIONS: tuple[tuple[DrugStatus, str], ...] = (
    (
        DrugStatus.STOPPED,
        r"discontinu\w{0,4}|stop(?:ped|ping|s)?|hold(?:ing)?|held|d/c'?d?|ceased?|wean\w{0,3}|avoid(?:ing|ed)?"
        r"|switch(?:ed|ing)? from|instead of|no longer|off of|come off|never|not (?:take|taking|want|use"
        r"|start)\w{0,3}"
        r"|declin\w{1,3}|refus\w{1,3}|replac(?:e|ed|ing)|contraindicat\w{1,4}|ran out of|unable to",
    ),
    (
        DrugStatus.PAST,
        r"tried|failed|previous(?:ly)?|used to|in the past|formerly|last year|history of|prior(?:ly)?|was on"
        r"|had been(?: on)?|completed|finished|once took|recent course",
    ),
    (
        DrugStatus.RECEIVED,
        r"(?:was|were|is|been) (?:given|treated|started|prescribed|administered)|receiv\w{1,3}",
    ),
    (
        DrugStatus.CHANGED,
        r"increas\w{1,3}|decreas\w{1,3}|reduc\w{1,3}|titrat\w{1,3}|chang\w{1,3}|adjust\w{0,3}|doubl(?:e|ed|ing)"
        r"|lower(?:ed|ing)?|uptitrat\w{1,3}|bump\w{0,3}|switch(?:ed|ing)? to|taper\w{0,3}",
    ),
    (
        DrugStatus.STARTED,
        r"start(?:ed|ing|s)?|begin(?:ning)?|initiat\w{1,3}|add(?:ed|ing)?|prescrib\w{1,3}|order(?:ed)?"
        r"|recommend\w{0,3}|consider\w{0,3}|trial of|place (?:him|her|the patient|you)? ?on|put (?:him|her|you) on"
        r"|prescription for|treat \w{1,12} with|give(?:n)?|try|administer\w{0,3}|will (?:take|use)",
    ),
    (
        DrugStatus.CONTINUED,
        r"continu\w{1,3}|refill\w{0,3}|remain\w{0,3} on|maintain\w{0,3}|keep\w{0,3}|taking|takes|on|uses"
        r"|current(?:ly)?",
    ),
)
_ACTION = regex(
    r"(?<![A-Za-z])(?:"
    + "|".join(f"(?P<{status.name}>{words})" for status, words in _ACTIONS)
    + r")(?![A-Za-z])",
    re.I,
)
_ACTION_AFTER = regex(
    r"[^.;\n]{0,40}?\b(?:was|were|has been|is|be|been) (?P<verb>stopped|discontinued|held|ceased|increased"
    r"|decreased"
    r"|reduced|changed|started|added|initiated|continued)\b"
    r"|[^.;\n]{0,12}?\b(?P<reaction>caus(?:es|ed)|gave|gives|makes|made)\b",
    re.I,
)
_AFTER_BARE = regex(
    r"[ ,(]{1,3}(?P<verb>stopped|discontinued|held|ceased|increased|decreased|reduced|changed|started|added"
    r"|initiated|continued)\b",
    re.I,
)
"""A participle without "was" right after the drug, or after its dose: "X was stopped, Y 50 mg started"."""
_SINGULAR = regex(r"\b(?:was|has been|is)\b", re.I)
_OF_ANOTHER = regex(
    r"(?:\bwith|\bw/|\bwhile on|\bbecause of|\bdue to|\bon top of)(?![A-Za-z])", re.I
)
"""Between "avoid" and a drug: it is another one that is avoided ("avoid NSAIDs with apixaban")."""
_LABEL = regex(r"(?P<label>[A-Za-z가-힣 ]{1,40})[:：]")
_LIST_LABEL = regex(
    r"medications?\b|\bmeds\b|\bdrugs?\b|\brx\b|약물|복용|투약|(?<![가-힣])약(?![가-힣])", re.I
)
"""What is called so in front of a colon is a list of what is taken, wherever it stands."""
_PAST_LABEL = regex(r"past|previous|prior|former|stopped|discontinued|과거|이전|중단", re.I)
_KOREAN_AFTER = regex(
    r"[^.\n]{0,30}?(?:(?P<STOPPED>중단|중지|끊|보류|금기|피하|끝)|(?P<CHANGED>증량|감량|변경|조절)"
    r"|(?P<STARTED>시작|추가|처방|투여 ?예정|투여하기)|(?P<CONTINUED>유지|계속|복용|투여))"
)
_VERBS = {
    **dict.fromkeys(("stopped", "discontinued", "held", "ceased"), DrugStatus.STOPPED),
    **dict.fromkeys(("increased", "decreased", "reduced", "changed"), DrugStatus.CHANGED),
    **dict.fromkeys(("started", "added", "initiated"), DrugStatus.STARTED),
    "continued": DrugStatus.CONTINUED,
}
_CLAUSE = regex(r"[.;\n]|, (?:and|but|which|who)\b|\bbut\b|\bthen\b", re.I)


def find_drugs(chart: Chart) -> tuple[Mention, ...]:
    """The drugs that are taken, stopped or planned, and the allergies, in the order of the chart.

    `dose` is written as in the chart, without the name. A drug that is named as an allergen is no drug that is taken.
    """
    allergens = {item.start for item in find_allergens(chart)}
    names = [name for name in find_names(chart.text) if name.start not in allergens]
    names.sort(key=lambda name: name.start)
    mentions = [_mention(chart, name, _next_start(names, name)) for name in names]
    return tuple(
        sorted((*mentions, *find_allergies(chart)), key=lambda mention: mention.span.start)
    )


def drug_status(chart: Chart, mention: Mention) -> DrugStatus:
    """What is done with the drug at this place: by the nearest verb before it in its clause, or after it."""
    start, end = mention.span.start, mention.span.end
    after = _status_after(chart, mention)
    if after:
        return after
    korean = _KOREAN_AFTER.match(chart.text, end) if chart.language == "ko" else None
    if korean:
        return DrugStatus[str(korean.lastgroup)]
    clause = chart.text[_clause_start(chart, start) : start]
    actions = list(_ACTION.finditer(clause))
    if not actions:
        past = mention.past and not _is_listed(chart, start)
        return DrugStatus.PAST if past else DrugStatus.GIVEN
    status = DrugStatus[str(actions[-1].lastgroup)]
    if status is DrugStatus.STOPPED and _OF_ANOTHER.search(clause, actions[-1].end()):
        return DrugStatus.GIVEN
    return status


def _status_after(chart: Chart, mention: Mention) -> DrugStatus | None:
    """By the verb that follows, unless that of another drug in between: "X daily, Y was stopped"."""
    end = mention.span.end
    dose = mention.dose or ""
    place = chart.text.find(dose, end, end + _REACH) if dose else -1
    bare = _AFTER_BARE.match(chart.text, end if place < 0 else place + len(dose))
    if bare:
        return _VERBS[bare["verb"].lower()]
    after = _ACTION_AFTER.match(chart.text, end)
    if after is None:
        return None
    if after["reaction"]:
        return DrugStatus.PAST
    between = chart.text[end : after.start("verb")]
    if _SINGULAR.search(between) and next(find_names(between), None):
        return None
    return _VERBS[after["verb"].lower()]


def _is_listed(chart: Chart, start: int) -> bool:
    """Whether the label before it in its line is that of what is taken, though the heading above is of the past."""
    line = max(chart.text.rfind("\n", 0, start) + 1, start - _LINE)
    labels = [match["label"] for match in _LABEL.finditer(chart.text, line, start)]
    if not labels:
        return False
    return bool(_LIST_LABEL.search(labels[-1])) and not _PAST_LABEL.search(labels[-1])


def is_taken(chart: Chart, mention: Mention) -> bool:
    """Whether the patient takes the drug, or is to take it: what is stopped, denied or somebody else's is not."""
    if mention.kind is not MentionKind.DRUG or mention.negated or mention.family:
        return False
    return drug_status(chart, mention) not in (DrugStatus.STOPPED, DrugStatus.PAST)


def _clause_start(chart: Chart, start: int) -> int:
    first = max(chart.sentence_at(start)[0], start - _REACH)
    ends = [match.end() for match in _CLAUSE.finditer(chart.text, first, start)]
    return ends[-1] if ends else first


def _mention(chart: Chart, name: DrugName, limit: int) -> Mention:
    context = context_at(chart, name.start, name.end)
    return Mention(
        span=chart.span(name.start, name.end),
        kind=MentionKind.DRUG,
        concept=name.concept,
        division=chart.division_at(name.start),
        negated=context.negated,
        uncertain=context.uncertain,
        family=context.family,
        past=context.past,
        planned=context.planned,
        dose=_dose(chart.text, name, limit),
    )


def _dose(text: str, name: DrugName, limit: int) -> str | None:
    """What stands after the name, up to the next drug; else what stands before it. Of a change, the new dose."""
    end = min(limit, name.end + _REACH)
    after = _DOSE_AFTER.match(text, name.end, end)
    if after:
        new = _NEW_DOSE.match(text, after.start("dose"), end)
        return (new or after)["dose"].strip(" .")
    before = _DOSE_BEFORE.search(text, max(0, name.start - 30), name.start)
    frequency = _FREQUENCY_AFTER.match(text, name.end, end)
    parts = (before["dose"] if before else "", frequency["dose"] if frequency else "")
    return " ".join(part.strip(" .") for part in parts if part) or None


def _next_start(names: Sequence[DrugName], name: DrugName) -> int:
    position = bisect_left(names, name.end, key=lambda other: other.start)
    return names[position].start if position < len(names) else name.end + _REACH

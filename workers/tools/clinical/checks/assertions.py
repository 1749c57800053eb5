"""Checks of what a chart asserts in one place and denies in another."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice

from shared.models.case import ChartSpan, Division, LensPoint, Mention
from shared.models.findings import Severity
from shared.models.mentions import MentionKind
from shared.models.notices import notice
from shared.patterns import regex
from workers.tools.clinical.checks.persons import about_patient
from workers.tools.clinical.checks.view import LensView
from workers.tools.clinical.points import point

CATEGORY = "consistency"
_KINDS = frozenset({MentionKind.PROBLEM, MentionKind.SYMPTOM})
_OTHER_TIME = regex(
    r"\b(?:initially|now|currently|today|any ?more|other than|except|besides|aside from|resolv\w{1,4}|improv\w{1,4}"
    r"|since|when|while|with|at rest|recent\w{0,2}|prior|before|after|during|until|further|additional|new|worsening"
    r"|recurren\w{1,2}|intermittent\w{0,2}|occasional\w{0,2}|sometimes|at times|yet|still|again"
    r"|at (?:this|that) time|ago|last|yesterday|history|if|should|monitor|risk|seasonal|associated|significant"
    r"|severe|acute|chronic|unless|only|but|although|other|significantly)\b|현재|이전|당시|호전|악화|가끔|간헐",
    2,
)
"""Words that place a denial in another time, condition or degree than a plain one."""
_NOT_NOW = regex(
    r"\b(?:initially|resolv\w{1,4}|improv\w{1,4}|previous\w{0,2}|prior|yesterday|ago|last|intermittent\w{0,2}"
    r"|occasional\w{0,2}|sometimes|at times|when|with|if|should|monitor|risk|until|before|after|but|vaccin\w{1,6}"
    r"|immuni\w{2,8}|exam\w{0,8}|palpation|only|at rest|exertion)\b|이전|당시|호전|가끔|간헐|예방",
    2,
)
"""Words that keep an assertion from being a plain one of now."""
_COMPLAINT = regex(
    r"because of|\bpresents? (?:to|with|for)|\bpresenting with|\bcomplain|\bchief complaint|때문에|호소|주소",
    2,
)
_OVER = regex(r"resolv|improv|follow-?up|yesterday|\bago\b|previous|호전|과거|추적", 2)
_GENERAL = frozenset({"pain", "tenderness", "swelling", "mass", "pregnancy", "infection", "injury"})
"""Concepts that are told of many places of the body or of many times."""
_NEVER_BEFORE = regex(
    r"\b(?:no|denie[sd](?: any)?|without(?: any)?|never had(?: an?)?)"
    r" (?:(?:known|past|personal|prior|previous|medical) ){0,2}"
    r"(?:(?:history of|prior|previous|past)(?: (?:an?|any))?|(?<=had )|(?<=had an )|(?<=had a )) ?"
    r"(?:[a-z]{3,14},? (?:or )?){0,2}\Z",
    2,
)
_NO_HISTORY = regex(
    r"\b(?:no|denies(?: any)?|without(?: a)?) (?:known |past |prior |previous )?history of ", 2
)
"""Whoever has no history of a disease does not have it."""
_NEVER_AFTER = regex(r" ?(?:의|에 대한)? ?(?:과거력|기왕력|병력|기왕증)[은이도]? ?(?:없|부인)", 2)
_HAPPENED_AFTER = regex(
    r"[^.;\n]{0,30}?\b(?:in (?:19|20)\d\d|\d{1,2} years? ago)\b|[^.\n]{0,12}?\d{1,2} ?년 ?전", 2
)
_HAPPENED_BEFORE = regex(r"(?:19|20)\d\d ?년(?: ?\d{1,2} ?월)?(?:에)? ?(?:[가-힣]{1,6} )?\Z", 2)
"""An event of a known year, and the denial that it ever happened."""
_NEAR = 60
_MOST_POINTS = 3
_TOGETHER = 50


def asserted_and_denied(view: LensView) -> list[LensPoint]:
    """The same symptom or problem, plainly told and plainly denied in what the patient says; or anywhere an event of a
    known year, and the denial that it ever happened."""
    by_concept: dict[str, list[Mention]] = defaultdict(list)
    for mention in view.inputs.chart.mentions:
        if mention.kind in _KINDS and mention.concept not in _GENERAL:
            by_concept[mention.concept].append(mention)
    raised = (
        point(
            "asserted_and_denied",
            Severity.MINOR,
            notice("lens_asserted_and_denied", concept=concept),
            pair,
            category=CATEGORY,
        )
        for concept, mentions in by_concept.items()
        if (pair := _happened_and_never(view, mentions) or _both_ways(view, mentions))
    )
    return list(islice(raised, _MOST_POINTS))


def _happened_and_never(view: LensView, mentions: list[Mention]) -> tuple[ChartSpan, ...]:
    """An event with its year and the denial of it for all of the past; nothing where one of them is missing."""
    if len({mention.negated for mention in mentions}) < 2:
        return ()
    ever = {
        mention.negated: mention.span for mention in mentions[:_TOGETHER] if _ever(view, mention)
    }
    return (ever[False], ever[True]) if len(ever) > 1 else ()


def _both_ways(view: LensView, mentions: list[Mention]) -> tuple[ChartSpan, ...]:
    """The first plain assertion and the first plain denial; nothing where one of them is missing."""
    polarities = {mention.negated for mention in mentions}
    if len(polarities) < 2:
        return ()
    plain = [mention for mention in mentions[:_TOGETHER] if _plain(view, mention)]
    first = {mention.negated: mention.span for mention in reversed(plain)}
    if len(first) < len((True, False)) or _word(first[True]) != _word(first[False]):
        return ()
    return first[False], first[True]


def _ever(view: LensView, mention: Mention) -> bool:
    """Whether a problem is told with the time it happened, or denied for all of the past."""
    if mention.kind is not MentionKind.PROBLEM or mention.uncertain or mention.family:
        return False
    start, end = mention.span.start, mention.span.end
    first, last = view.chart.sentence_at(start)
    before = view.chart.text[max(first, start - _NEAR) : start]
    after = view.chart.text[end : min(last, end + _NEAR)]
    if mention.negated:
        match = _NEVER_BEFORE.search(before) or _NEVER_AFTER.match(after)
    else:
        match = _HAPPENED_AFTER.match(after) or _HAPPENED_BEFORE.search(before)
    return match is not None and _alone(view, mention, 1)


def _word(span: ChartSpan) -> str:
    return span.text.lower().removesuffix("s")


def _is_unsure(mention: Mention) -> bool:
    return mention.uncertain or mention.family or mention.planned


def _plain(view: LensView, mention: Mention) -> bool:
    """Whether it stands in what the patient says, of now and without a condition."""
    subjective = mention.division is Division.SUBJECTIVE
    if not subjective or _is_unsure(mention):
        return False
    sentence = view.sentence(mention.span)
    if mention.negated:
        now = _OTHER_TIME.search(_NO_HISTORY.sub("no ", sentence)) is None
        return (
            now
            and not (mention.past and not _NO_HISTORY.search(sentence))
            and _alone(view, mention, 1)
        )
    # What somebody comes with is theirs, whoever brings them, and a "3-day history" is of now.
    if _COMPLAINT.search(sentence):
        return _OVER.search(sentence) is None
    if mention.past or _NOT_NOW.search(sentence):
        return False
    return _alone(view, mention, 2)


def _alone(view: LensView, mention: Mention, sentences: int) -> bool:
    return about_patient(view.chart, mention.span.start, sentences=sentences)

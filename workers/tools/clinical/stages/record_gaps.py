"""What a chart of this kind has and this one has not (docs/design/case-numbers.md).

A text counts as a note when at least three headings divide it and one of them is that of the assessment and plan. Of a
vignette in one paragraph only the patient's age and sex are asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from shared.models.case import ChartSection, ChartSpan, Division, Mention, RecordGap, RecordGaps
from shared.models.mentions import MentionKind
from shared.models.notices import notice
from shared.patterns import regex
from shared.tools.case_inputs import ChartInput
from workers.tools.clinical.chart import Chart, load_chart
from workers.tools.clinical.languages import LANGUAGES
from workers.tools.clinical.mentions import context_at
from workers.tools.clinical.quantities import QUANTITIES
from workers.tools.registry import ToolContext

_LEAST_HEADINGS = 3
_LEAST_PLAN = 60
"""Characters of an assessment and plan below which it is a line and no plan."""
_LEAST_TEXT = 80
_LONGEST_QUOTE = 200
_MOST_PLACES = 200
_ACUTE = regex(
    r"(?i)\b(?:chest pain|short(?:ness)? of breath|dyspnea|syncope|passed out|palpitations|fever(?:s|ish)?"
    r"|vomiting|seizure|abdominal pain|hemoptysis|hematemesis|melena|sepsis|overdose|confusion)\b"
    r"|흉통|가슴 ?통증|호흡 ?곤란|실신|두근거림|심계항진|발열|구토|경련|복통|객혈|토혈|흑변|의식 ?저하"
)
_VITAL_WORDS = regex(
    r"(?i)\bvitals?\b|blood pressure|\bBP\b|heart rate|\bpulse\b|temperature|afebrile|saturation"
    r"|활력 ?징후|(?<![고저])혈압|맥박|체온|V/S"
)
_ALLERGY_WORDS = regex(r"(?i)allerg|\bNKD?A\b|anaphyla|알레르기|알러지|과민")
_FOLLOW_UP = regex(
    r"(?i)follow[- ]?(?:ing )?(?:up|appointment)|\bf/?u\b|return|recheck|re-?evaluat|re-?assess|repeat"
    r"|\bsee (?:him|her|them|you)\b"
    r"|next (?:visit|appointment|week|month)|\bin \w{1,6} (?:days?|weeks?|months?)|schedul"
    r"|appointment|contact (?:me|us|the)|\bcall\b|monitor|refer|consult|admi(?:t|ssion)|discharge|transfer|surger"
    r"|procedure|hospice|추적|재진|외래|재방문|예약"
    r"|의뢰|입원|퇴원|전원|협진|경과 ?관찰|모니터"
)
_STARTS = regex(r"(?i)\b(?:start|initiat|prescrib|begin|add)\w{0,4}\b|처방|시작|투여|추가")
_PRONOUNS = regex(
    r"(?i)\b(?:he|she|his|her|him|mr|mrs|ms|miss|woman|man|male|female|boy|girl)\b"
    r"|남성|여성|남자|여자|남환|여환"
)
_MEDICATION_HEADING = regex(
    r"(?i)medication|\bmeds\b|past medical|history|allerg|약물|복용|과거력|병력"
)
_VITAL_SIGNS = {quantity.name for quantity in QUANTITIES if quantity.vital} - {"weight", "height"}


@dataclass(frozen=True)
class GapView:
    """A chart as the checks of gaps see it."""

    chart: Chart
    inputs: ChartInput

    @property
    def sections(self) -> tuple[ChartSection, ...]:
        """Those with headings."""
        return tuple(section for section in self.inputs.chart.sections if section.heading)

    @cached_property
    def lines(self) -> tuple[tuple[int, int], ...]:
        """The ranges of the lines, without their ends."""
        ranges, start = [], 0
        for line in self.chart.text.split("\n"):
            ranges.append((start, start + len(line)))
            start += len(line) + 1
        return tuple(ranges)

    @cached_property
    def plan(self) -> tuple[int, int] | None:
        """Where the first assessment and plan with a heading begins and where the last ends."""
        parts = [section for section in self.sections if section.division is Division.PLAN]
        if not parts:
            return None
        first = min(section.first_line for section in parts)
        last = max(section.last_line for section in parts)
        return self.lines[first - 1][0], self.lines[min(last, len(self.lines)) - 1][1]

    @property
    def is_note(self) -> bool:
        """Whether headings divide it, as in a full note."""
        return len(self.sections) >= _LEAST_HEADINGS and self.plan is not None

    def has(self, division: Division) -> bool:
        """Whether any of its sections is of that division."""
        return any(section.division is division for section in self.inputs.chart.sections)

    def heading_span(self, at: int) -> ChartSpan:
        """The line at that place, where something is missing."""
        line = next(((a, b) for a, b in reversed(self.lines) if a <= at), self.lines[0])
        return self.chart.span(line[0], min(line[1], line[0] + _LONGEST_QUOTE))


Gap = tuple[str, tuple[ChartSpan, ...]] | None


def run(inputs: ChartInput, context: ToolContext) -> RecordGaps:
    """What is missing, in the order of the checks; nothing for a text that is shorter than a sentence or two.

    In another language than English and Korean nobody here knows what is missing.
    """
    view = GapView(load_chart(context, inputs.subject), inputs)
    if inputs.chart.language not in LANGUAGES:
        return RecordGaps(abstains=(notice("gaps_other_language", language=inputs.chart.language),))
    if len(view.chart.text.strip()) < _LEAST_TEXT:
        return RecordGaps()
    checks = (*_OF_ANY_TEXT, *(_OF_NOTES if view.is_note else ()))
    found = (check(view) for check in checks)
    return RecordGaps(
        gaps=tuple(
            RecordGap(what=gap[0], message=notice(f"gap_{gap[0]}"), spans=gap[1])
            for gap in found
            if gap
        )
    )


def no_age(view: GapView) -> Gap:
    """The chart says nowhere how old the patient is, and has no date of birth."""
    patient = view.inputs.chart.patient
    return None if patient.age_years is not None or patient.birth_date else ("age", ())


def no_sex(view: GapView) -> Gap:
    """Neither is it stated nor does a pronoun or a title tell it."""
    stated = view.inputs.chart.patient.sex is not None or _PRONOUNS.search(view.chart.text)
    return None if stated else ("sex", ())


def no_vital_signs(view: GapView) -> Gap:
    """An acute complaint of today, and no word of any vital sign."""
    measured = {value.name for value in view.inputs.chart.measurements}
    if _VITAL_WORDS.search(view.chart.text) or measured & _VITAL_SIGNS:
        return None
    for match in islice(_ACUTE.finditer(view.chart.text), _MOST_PLACES):
        if _complained_of(view, match.start(), match.end()):
            return "vital_signs", (view.chart.span(match.start(), match.end()),)
    return None


def _complained_of(view: GapView, start: int, end: int) -> bool:
    """Whether the patient has it now, by the subjective part of the chart."""
    assertion = context_at(view.chart, start, end)
    subjective = view.chart.division_at(start) is Division.SUBJECTIVE
    return subjective and not (
        assertion.negated or assertion.past or assertion.family or assertion.planned
    )


def no_examination(view: GapView) -> Gap:
    """A plan without an examination and without results."""
    if view.has(Division.EXAM) or view.has(Division.RESULTS) or view.plan is None:
        return None
    return "examination", (view.heading_span(view.plan[0]),)


def no_allergies(view: GapView) -> Gap:
    """A drug is begun, the history is recorded, and nothing is said of allergies, not even that there are none."""
    if _ALLERGY_WORDS.search(view.chart.text):
        return None
    recorded = any(_MEDICATION_HEADING.search(section.heading) for section in view.sections)
    begun = _begun(view)
    return ("allergies", (begun[0].span,)) if recorded and begun else None


def no_dose(view: GapView) -> Gap:
    """Drugs are begun, and the chart has no dose for one of them anywhere."""
    dosed = {mention.concept for mention in _drugs(view) if mention.dose}
    without = [mention for mention in _begun(view) if mention.concept not in dosed]
    return ("doses", tuple(mention.span for mention in without[:5])) if without else None


def no_follow_up(view: GapView) -> Gap:
    """A plan that says neither when nor by whom the patient is seen again."""
    if view.plan is None or view.plan[1] - view.plan[0] < _LEAST_PLAN:
        return None
    if _FOLLOW_UP.search(view.chart.text, view.plan[0]):
        return None
    return "follow_up", (view.heading_span(view.plan[0]),)


def _drugs(view: GapView) -> list[Mention]:
    return [mention for mention in view.inputs.chart.mentions if mention.kind is MentionKind.DRUG]


def _begun(view: GapView) -> list[Mention]:
    """Drugs of the plan in a sentence that says they are begun."""
    begun = []
    for mention in _drugs(view):
        if mention.division is Division.PLAN and not mention.negated and not mention.family:
            start, end = view.chart.sentence_at(mention.span.start)
            start = max(start, mention.span.start - _LONGEST_QUOTE)
            # A Korean verb comes last.
            korean = view.inputs.chart.language == "ko"
            last = min(end, mention.span.end + _LONGEST_QUOTE) if korean else mention.span.start
            if _STARTS.search(view.chart.text, start, last):
                begun.append(mention)
    return begun


_OF_ANY_TEXT: tuple[Callable[[GapView], Gap], ...] = (no_age, no_sex)
_OF_NOTES: tuple[Callable[[GapView], Gap], ...] = (
    no_vital_signs,
    no_examination,
    no_allergies,
    no_dose,
    no_follow_up,
)

"""`interventions.check`: the problems of a chart beside what is done about them.

A problem is `covered` where the plan acts: in the paragraph under the problem's heading, in a sentence that names it,
or by a drug that is given for it. It is `open` otherwise. A drug whose reason the chart never names is `unfounded`.
A chart without a plan has no open problems: nothing says that its plan is not elsewhere. In another language than
English and Korean its words are not known, so nothing is told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from shared.clinical.drug_tables import classes_of
from shared.models.case import ChartSpan, CoverageItem, Division, InterventionCoverage, Mention
from shared.models.mentions import MentionKind
from shared.patterns import regex
from shared.tools.case_inputs import InterventionInput
from workers.tools.clinical.chart import Chart, load_chart
from workers.tools.clinical.drugs import is_taken
from workers.tools.clinical.indications import INDICATIONS, indication_words
from workers.tools.clinical.languages import LANGUAGES
from workers.tools.registry import ToolContext

COVERED, OPEN, UNFOUNDED = "covered", "open", "unfounded"
_ACTION = regex(
    r"\b(?:continu\w{1,3}|start\w{0,3}|initiat\w{1,3}|stop\w{0,4}|discontinu\w{1,3}|increas\w{1,3}|decreas\w{1,3}"
    r"|refer\w{0,5}|recommend\w{0,4}|advis\w{1,3}|order\w{0,3}|prescri\w{1,7}|monitor\w{0,3}"
    r"|follow\w{0,3}[ -]?up|repeat\w{0,3}"
    r"|check\w{0,3}|schedul\w{1,3}|counsel\w{0,5}|encourag\w{1,3}|discuss\w{0,3}|treat\w{0,5}|refill\w{0,3}"
    r"|obtain\w{0,3}|consult\w{0,6}"
    r"|will|would like|plan\w{0,4}|educat\w{1,4}|stable|well[- ]controlled|controlled|surg\w{1,5}|therapy"
    r"|observ\w{1,3}"
    r"|instruct\w{0,4}|provid\w{1,3}|consider\w{0,3}|resum\w{1,3}|add\w{0,3}|giv\w{1,3}|proceed\w{0,3}"
    r"|evaluat\w{1,4})\b"
    r"|처방|투여|복용|유지|시작|중단|증량|감량|의뢰|추적|검사|예정|권고|교육|상담|수술|시행|관찰|치료|계획",
    2,
)
_REACTION = regex(
    r"[\s(\[:,=→>–-]{1,6}(?:(?:severe|mild|with|caus(?:es|ed|ing)|reaction|history of|which|소견|심한)[\s:]{1,2}){0,3}",
    2,
)
"""Between an allergen and what it did: "penicillin (anaphylaxis)"."""
_LONGEST_BLOCK = 3000
_MOST_PROBLEMS = 500


def run(inputs: InterventionInput, context: ToolContext) -> InterventionCoverage:
    """The items in the order of the chart: problems first, then drugs without a reason."""
    chart = load_chart(context, inputs.subject)
    problems = _problems(chart, inputs.chart.mentions)
    drugs = [mention for mention in inputs.chart.mentions if is_taken(chart, mention)]
    planned = any(section.division is Division.PLAN for section in inputs.chart.sections)
    items = [
        _item(chart, concept, named, drugs)
        for concept, named in list(problems.items())[:_MOST_PROBLEMS]
    ]
    kept = [item for item in items if planned or item.status == COVERED]
    read = inputs.chart.language in LANGUAGES
    return InterventionCoverage(items=(*kept, *_unfounded(chart, drugs)) if read else ())


def _problems(chart: Chart, mentions: Sequence[Mention]) -> dict[str, list[Mention]]:
    """What the patient has, each by its mentions; what an allergy did is no problem of its own."""
    problems: dict[str, list[Mention]] = defaultdict(list)
    allergen_end = 0
    for mention in mentions:
        if mention.kind is MentionKind.ALLERGY:
            allergen_end = mention.span.end
        elif mention.kind is MentionKind.PROBLEM and mention.asserted:
            between = chart.text[allergen_end : mention.span.start]
            if not allergen_end or not _REACTION.fullmatch(between):
                problems[mention.concept].append(mention)
    return problems


def _item(
    chart: Chart, concept: str, named: Sequence[Mention], drugs: Sequence[Mention]
) -> CoverageItem:
    interventions = (*_in_plan(chart, named), *_given_for(concept, drugs))
    return CoverageItem(
        concept=concept,
        status=COVERED if interventions else OPEN,
        problem=(named[0].span,),
        interventions=interventions[:3],
    )


def _in_plan(chart: Chart, named: Sequence[Mention]) -> Iterator[ChartSpan]:
    """The first words of action in the block of the plan that a problem is named in."""
    for mention in named:
        if mention.division is Division.PLAN:
            start, end = _block(chart, mention.span.start)
            match = _ACTION.search(chart.text, start, end)
            if match:
                yield chart.span(match.start(), match.end())
                return


def _block(chart: Chart, start: int) -> tuple[int, int]:
    """From the line of a place to the empty line after it; a heading's paragraph belongs to its heading."""
    text = chart.text
    first = text.rfind("\n", 0, start) + 1
    end = text.find("\n\n", start)
    end = len(text) if end < 0 else end
    line_end = text.find("\n", start)
    if line_end == end and not _ACTION.search(text, first, min(end, first + _LONGEST_BLOCK)):
        following = text.find("\n\n", end + 2)
        end = len(text) if following < 0 else following
    return first, min(end, first + _LONGEST_BLOCK)


def _given_for(concept: str, drugs: Sequence[Mention]) -> Iterator[ChartSpan]:
    for drug in drugs:
        for name in classes_of(drug.concept) & INDICATIONS.keys():
            if indication_words(name).search(concept):
                yield drug.span
                return


def _unfounded(chart: Chart, drugs: Sequence[Mention]) -> Iterator[CoverageItem]:
    seen: set[str] = set()
    for drug in drugs:
        classes = classes_of(drug.concept) & INDICATIONS.keys()
        if not classes or drug.concept in seen:
            continue
        seen.add(drug.concept)
        if not any(indication_words(name).search(chart.text) for name in classes):
            yield CoverageItem(concept=drug.concept, status=UNFOUNDED, interventions=(drug.span,))

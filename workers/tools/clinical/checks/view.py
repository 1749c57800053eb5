"""What a check looks at: the chart, what was read out of it, and the drugs that the patient takes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from shared.clinical.drug_tables import classes_of
from shared.models.case import ChartSpan, LensPoint, LensResult, Mention, PatientFacts
from shared.models.mentions import MentionKind
from shared.models.notices import Notice, notice
from shared.tools.case_inputs import LensInput
from workers.tools.clinical.chart import Chart, load_chart
from workers.tools.clinical.doses import Dose, read_dose
from workers.tools.clinical.drugs import DrugStatus, drug_status
from workers.tools.clinical.languages import LANGUAGES
from workers.tools.clinical.mentions import context_at
from workers.tools.clinical.points import once_each
from workers.tools.registry import ToolContext

_SAME_PLACES = 2
"""A drug may lack its monitoring and have too high a dose: points about one defect share more than its name."""
_DOSE_WITHIN = 120
REACH = 400
"""Characters of a sentence that are looked at on each side: a text need not have sentences."""
MOST_MENTIONS = 2000
"""Of a text that names more drugs, the first are looked at: pairs of them are compared."""


@dataclass(frozen=True)
class DrugUse:
    """A drug where the chart tells that it is taken, was given or is to be taken."""

    mention: Mention
    status: DrugStatus
    classes: frozenset[str]
    dose: Dose

    @property
    def name(self) -> str:
        """Its generic name."""
        return self.mention.concept

    def is_one_of(self, names: frozenset[str]) -> bool:
        """Whether its name, or one of its classes, is among `names`."""
        return bool(names & self.classes) or self.name in names

    @property
    def current(self) -> bool:
        """Whether it is part of what the patient takes, or will from now on."""
        return self.status not in (DrugStatus.STOPPED, DrugStatus.PAST, DrugStatus.RECEIVED)


@dataclass(frozen=True)
class LensView:
    """The inputs of a lens with the chart they belong to."""

    chart: Chart
    inputs: LensInput

    @property
    def patient(self) -> PatientFacts:
        """Who the chart says the patient is."""
        return self.inputs.chart.patient

    @cached_property
    def named_drugs(self) -> tuple[DrugUse, ...]:
        """Every drug that is named for the patient, the stopped ones too."""
        mentions = [
            mention
            for mention in self.inputs.chart.mentions
            if mention.kind is MentionKind.DRUG and not (mention.negated or mention.family)
        ]
        return tuple(
            DrugUse(
                mention,
                drug_status(self.chart, mention),
                classes_of(mention.concept),
                read_dose(mention.dose or ""),
            )
            for mention in mentions[:MOST_MENTIONS]
        )

    @cached_property
    def drugs(self) -> tuple[DrugUse, ...]:
        """Those that are taken or are to be taken."""
        return tuple(use for use in self.named_drugs if use.current)

    @cached_property
    def allergies(self) -> tuple[Mention, ...]:
        """Those that the patient has."""
        return tuple(
            mention
            for mention in self.inputs.chart.mentions
            if mention.kind is MentionKind.ALLERGY and not (mention.negated or mention.family)
        )[:MOST_MENTIONS]

    def sentence(self, span: ChartSpan) -> str:
        """The sentence that a span stands in."""
        start, end = self.chart.sentence_at(span.start)
        return self.chart.text[max(start, span.start - REACH) : min(end, span.end + REACH)]

    def prescription(self, use: DrugUse) -> ChartSpan:
        """A drug from its name to its dose; the name alone where the dose stands elsewhere."""
        span, dose = use.mention.span, use.mention.dose or ""
        start = self.chart.text.find(dose, span.end, span.end + _DOSE_WITHIN)
        return self.chart.span(span.start, start + len(dose)) if dose and start >= 0 else span

    def asserted(self, start: int, end: int) -> bool:
        """Whether what stands there is told of the patient as a fact of now."""
        context = context_at(self.chart, start, end)
        return not (context.negated or context.uncertain or context.family or context.past)


def run_checks(
    inputs: LensInput,
    context: ToolContext,
    checks: Iterable[Callable[[LensView], list[LensPoint]]],
    abstains: Callable[[LensView], tuple[Notice, ...]],
) -> LensResult:
    """Every check of a lens once; a chart in a language without words here is left alone, and told so."""
    if inputs.chart.language not in LANGUAGES:
        message = notice("lens_consistency_other_language", language=inputs.chart.language)
        return LensResult(abstains=(message,), looked=False)
    view = LensView(load_chart(context, inputs.subject), inputs)
    raised = sorted((r for check in checks for r in check(view)), key=lambda r: r.severity.rank)
    return LensResult(points=tuple(once_each(raised, _SAME_PLACES)), abstains=abstains(view))

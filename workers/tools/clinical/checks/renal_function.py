"""Check of drugs against the kidneys' function that the chart tells or lets compute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from shared.models.case import ChartSpan, Division, LensPoint
from shared.models.findings import Severity
from shared.models.notices import notice
from shared.patterns import regex
from workers.tools.clinical import scores
from workers.tools.clinical.checks.view import DrugUse, LensView
from workers.tools.clinical.drugs import DrugStatus
from workers.tools.clinical.points import first_of_each, point

CATEGORY = "drugs"
SOURCE = "FDA labels, contraindications: renal impairment"
CONTRAINDICATED_BELOW = {
    "metformin": 30.0,
    "eplerenone": 30.0,
    "fenofibrate": 30.0,
    "nitrofurantoin": 30.0,
    "zoledronic acid": 35.0,
    "dofetilide": 20.0,
}
"""mL/min. Labels give some limits as creatinine clearance; the estimated rate is near it in adults of usual size. The
label of nitrofurantoin says 60; the Beers criteria of 2023 (AGS, J Am Geriatr Soc 2023;71:2052) allow it down to 30."""
_RATE = regex(
    r"(?:(?<![A-Za-z])e?GFR(?![A-Za-z])|glomerular filtration rate|사구체 ?여과율)[^.;\n\d<>]{0,24}"
    r"(?P<rate>\d{1,3}(?:\.\d{1,2})?)(?![\d/-]| ?(?:년|월|%))",
    2,
)
_LIMIT_BEFORE = regex(r"\b(?:if|when|until|unless|below|above|less than|over)\b[^.\n]{0,20}\Z", 2)
_NEAR = 40


@dataclass(frozen=True)
class RenalFunction:
    """The estimated filtration rate in mL/min/1.73 m2, and the words it comes from."""

    rate: float
    span: ChartSpan


def drug_against_renal_function(view: LensView) -> list[LensPoint]:
    """A drug is taken that its label forbids at the patient's last filtration rate."""
    taken = [
        (use, limit)
        for use in view.drugs
        for ingredient in use.name.split("/")
        if (limit := CONTRAINDICATED_BELOW.get(ingredient))
    ]
    function = _last(view) if taken else None
    if function is None:
        return []
    return first_of_each(
        (
            use.name,
            point(
                "drug_against_renal_function",
                _severity(view, use),
                notice(
                    "lens_drug_against_renal_function",
                    drug=use.name,
                    rate=round(function.rate),
                    limit=round(limit),
                ),
                (use.mention.span, function.span),
                category=CATEGORY,
                citation=f"{SOURCE}; {scores.EGFR}",
            ),
        )
        for use, limit in taken
        if function.rate < limit and not _is_ended(view, use.name)
    )


def _severity(view: LensView, use: DrugUse) -> Severity:
    """What a chart without a plan lists was taken before: whether it goes on is not told."""
    planned = any(section.division is Division.PLAN for section in view.chart.sections)
    return Severity.MAJOR if planned or use.status is not DrugStatus.GIVEN else Severity.INFO


def _is_ended(view: LensView, name: str) -> bool:
    return any(use.name == name and not use.current for use in view.named_drugs)


def _last(view: LensView) -> RenalFunction | None:
    """The last that the chart tells: a rate, else that of the last creatinine of a known adult."""
    rates = list(_stated_rates(view))
    return rates[-1] if rates else _computed(view)


def _stated_rates(view: LensView) -> Iterator[RenalFunction]:
    text = view.chart.text
    for match in _RATE.finditer(text):
        if not _LIMIT_BEFORE.search(text, max(0, match.start() - _NEAR), match.start("rate")):
            span = view.chart.span(match.start(), match.end())
            yield RenalFunction(float(match["rate"]), span)


def _computed(view: LensView) -> RenalFunction | None:
    values = [
        value
        for value in view.inputs.chart.measurements
        if value.name == "creatinine" and value.value
    ]
    if not values:
        return None
    last = max(enumerate(values), key=lambda item: (item[1].date or "", item[0]))[1]
    derived = scores.egfr(scores.Inputs({"creatinine": last.value or 0.0}, view.patient))
    return None if derived.value is None else RenalFunction(derived.value, last.span)

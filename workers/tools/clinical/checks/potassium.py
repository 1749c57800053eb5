"""Check of drugs that raise potassium where it is too high already."""

from __future__ import annotations

from shared.models.case import LensPoint, Measurement
from shared.models.findings import Severity
from shared.models.notices import notice
from workers.tools.clinical.checks.view import LensView
from workers.tools.clinical.points import first_of_each, point

CATEGORY = "drugs"
SOURCE = "FDA labels, contraindications: hyperkalemia (eplerenone: above 5.5 mEq/L)"
RAISING = frozenset(
    {"spironolactone", "eplerenone", "amiloride", "triamterene", "potassium supplement"}
)
"""Drugs and classes whose label forbids them in hyperkalemia."""
_HIGHEST = 5.5


def drug_against_potassium(view: LensView) -> list[LensPoint]:
    """One of them is taken, and the last potassium of the chart is above 5.5 mmol/L."""
    last = _last_potassium(view)
    if last is None or last.value is None or last.value <= _HIGHEST:
        return []
    ended = {use.name for use in view.named_drugs if not use.current}
    return first_of_each(
        (
            use.name,
            point(
                "drug_against_potassium",
                Severity.MAJOR,
                notice("lens_drug_against_potassium", drug=use.name, value=f"{last.value:g}"),
                (use.mention.span, last.span),
                category=CATEGORY,
                citation=SOURCE,
            ),
        )
        for use in view.drugs
        if use.is_one_of(RAISING) | bool(RAISING & set(use.name.split("/")))
        if use.name not in ended
    )


def _last_potassium(view: LensView) -> Measurement | None:
    values = [value for value in view.inputs.chart.measurements if value.name == "potassium"]
    dated = sorted(enumerate(values), key=lambda item: (item[1].date or "", item[0]))
    return dated[-1][1] if dated else None

"""`lens_monitoring_response`: drugs against allergies and one another, doses, monitoring, problems without plans.

Each check is a function of its own in `workers/tools/clinical/checks/`, its tables are `drug_tables*`; the page
docs/design/case-consistency.md says what each raises and what keeps it silent.
"""

from __future__ import annotations

from collections.abc import Callable

from shared.models.case import LensPoint, LensResult
from shared.models.notices import Notice, notice
from shared.tools.case_inputs import LensInput
from workers.tools.clinical.chart import load_chart
from workers.tools.clinical.checks.dosing import (
    dose_changed_silently,
    dose_over_maximum,
    weekly_drug_daily,
)
from workers.tools.clinical.checks.doubled_drugs import class_twice, drug_named_twice
from workers.tools.clinical.checks.drug_safety import (
    drug_against_allergy,
    drug_in_pregnancy,
    drugs_not_together,
)
from workers.tools.clinical.checks.monitoring import monitoring_missing, problems_and_plans
from workers.tools.clinical.checks.renal_function import drug_against_renal_function
from workers.tools.clinical.checks.view import LensView
from workers.tools.registry import ToolContext

LANGUAGES = frozenset({"en", "ko"})
CHECKS: tuple[Callable[[LensView], list[LensPoint]], ...] = (
    drug_against_allergy,
    drug_in_pregnancy,
    drugs_not_together,
    drug_against_renal_function,
    drug_named_twice,
    class_twice,
    dose_over_maximum,
    weekly_drug_daily,
    dose_changed_silently,
    monitoring_missing,
    problems_and_plans,
)


def run(inputs: LensInput, context: ToolContext) -> LensResult:
    """Run every check; a chart in a language without words here is left alone, and told so."""
    if inputs.chart.language not in LANGUAGES:
        told = notice("lens_consistency_other_language", language=inputs.chart.language)
        return LensResult(abstains=(told,), looked=False)
    view = LensView(load_chart(context, inputs.subject), inputs)
    points = tuple(raised for check in CHECKS for raised in check(view))
    return LensResult(points=points, abstains=_abstains(view))


def _abstains(view: LensView) -> tuple[Notice, ...]:
    """What the chart gives nothing to look at for."""
    return () if view.named_drugs else (notice("lens_no_drugs"),)

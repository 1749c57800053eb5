"""`lens_monitoring_response`: drugs against allergies and one another, doses, monitoring, problems without plans.

Each check is a function of its own in `workers/tools/clinical/checks/`, its tables are `drug_tables*`; the page
docs/design/case-consistency.md says what each raises and what keeps it silent.
"""

from __future__ import annotations

from collections.abc import Callable

from shared.models.case import LensPoint, LensResult
from shared.models.notices import Notice, notice
from shared.tools.case_inputs import LensInput
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
from workers.tools.clinical.checks.potassium import drug_against_potassium
from workers.tools.clinical.checks.renal_function import drug_against_renal_function
from workers.tools.clinical.checks.view import LensView, run_checks
from workers.tools.registry import ToolContext

CHECKS: tuple[Callable[[LensView], list[LensPoint]], ...] = (
    drug_against_allergy,
    drug_in_pregnancy,
    drugs_not_together,
    drug_against_renal_function,
    drug_against_potassium,
    dose_over_maximum,
    weekly_drug_daily,
    dose_changed_silently,
    drug_named_twice,
    class_twice,
    monitoring_missing,
    problems_and_plans,
)


def run(inputs: LensInput, context: ToolContext) -> LensResult:
    """Run every check."""
    return run_checks(inputs, context, CHECKS, _abstains)


def _abstains(view: LensView) -> tuple[Notice, ...]:
    """What the chart gives nothing to look at for."""
    return () if view.named_drugs else (notice("lens_no_drugs"),)

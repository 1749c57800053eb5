"""`lens_diagnostic_consistency`: what in a chart contradicts something else in it.

Each check is a function of its own in `workers/tools/clinical/checks/`; the page docs/design/case-consistency.md says
what each raises and what keeps it silent. Whether a diagnosis follows from the findings is for a reader to say.
"""

from __future__ import annotations

from collections.abc import Callable

from shared.models.case import LensPoint, LensResult
from shared.models.notices import notice
from shared.tools.case_inputs import LensInput
from workers.tools.clinical.checks.age import age_against_facts, age_contradicts
from workers.tools.clinical.checks.assertions import asserted_and_denied
from workers.tools.clinical.checks.blood_groups import blood_groups_contradict
from workers.tools.clinical.checks.both_ways import habits_and_allergy_denied
from workers.tools.clinical.checks.removed_organs import removed_and_present
from workers.tools.clinical.checks.sex import organ_of_other_sex, sex_contradicts
from workers.tools.clinical.checks.sides import side_contradicts
from workers.tools.clinical.checks.times import (
    after_the_stay,
    after_the_visit,
    date_impossible,
    dates_contradict,
    follow_up_before_the_visit,
)
from workers.tools.clinical.checks.view import LensView, run_checks
from workers.tools.registry import ToolContext

CHECKS: tuple[Callable[[LensView], list[LensPoint]], ...] = (
    sex_contradicts,
    organ_of_other_sex,
    blood_groups_contradict,
    age_contradicts,
    age_against_facts,
    side_contradicts,
    dates_contradict,
    after_the_visit,
    after_the_stay,
    follow_up_before_the_visit,
    date_impossible,
    asserted_and_denied,
    habits_and_allergy_denied,
    removed_and_present,
)


def run(inputs: LensInput, context: ToolContext) -> LensResult:
    """Run every check."""
    return run_checks(inputs, context, CHECKS, lambda _: (notice("lens_support_not_judged"),))

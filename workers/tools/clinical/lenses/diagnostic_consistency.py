"""`lens_diagnostic_consistency`: what in a chart contradicts something else in it.

Each check is a function of its own in `workers/tools/clinical/checks/`; the page docs/design/case-consistency.md says
what each raises and what keeps it silent. Whether a diagnosis follows from the findings is for a reader to say.
"""

from __future__ import annotations

from collections.abc import Callable

from shared.models.case import LensPoint, LensResult
from shared.models.notices import notice
from shared.tools.case_inputs import LensInput
from workers.tools.clinical.chart import load_chart
from workers.tools.clinical.checks.age import age_against_facts, age_contradicts
from workers.tools.clinical.checks.assertions import asserted_and_denied
from workers.tools.clinical.checks.blood_groups import blood_groups_contradict
from workers.tools.clinical.checks.sex import organ_of_other_sex, sex_contradicts
from workers.tools.clinical.checks.sides import side_contradicts
from workers.tools.clinical.checks.times import after_the_visit, date_impossible, dates_contradict
from workers.tools.clinical.checks.view import LensView
from workers.tools.registry import ToolContext

LANGUAGES = frozenset({"en", "ko"})
CHECKS: tuple[Callable[[LensView], list[LensPoint]], ...] = (
    sex_contradicts,
    organ_of_other_sex,
    blood_groups_contradict,
    age_contradicts,
    age_against_facts,
    side_contradicts,
    dates_contradict,
    after_the_visit,
    date_impossible,
    asserted_and_denied,
)


def run(inputs: LensInput, context: ToolContext) -> LensResult:
    """Run every check; a chart in a language without words here is left alone, and told so."""
    if inputs.chart.language not in LANGUAGES:
        told = notice("lens_consistency_other_language", language=inputs.chart.language)
        return LensResult(abstains=(told,), looked=False)
    view = LensView(load_chart(context, inputs.subject), inputs)
    return LensResult(
        points=tuple(raised for check in CHECKS for raised in check(view)),
        abstains=(notice("lens_support_not_judged"),),
    )

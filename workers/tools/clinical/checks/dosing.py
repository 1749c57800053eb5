"""Checks of doses: over the label's maximum, weekly drugs taken daily, doses that change without a word."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations

from shared.clinical.drug_tables import MAXIMUM_SOURCE, drugs
from shared.models.case import LensPoint
from shared.models.findings import Severity
from shared.models.notices import notice
from shared.patterns import regex
from workers.tools.clinical.checks.view import DrugUse, LensView
from workers.tools.clinical.doses import FREQUENCY, STRENGTH, Dose, read_dose
from workers.tools.clinical.drug_names import find_names
from workers.tools.clinical.drug_tables_classes import WEEKLY, WEEKLY_SOURCE
from workers.tools.clinical.drugs import DrugStatus
from workers.tools.clinical.points import first_of_each, point

CATEGORY = "drugs"
_GRAVE_FACTOR = 2.0
_ADULT_YEARS = 18.0
_TOLERANCE = 1.01
_TOGETHER = 8
_REACH = 160
_DOSED = regex(rf"{STRENGTH}[^.;\n]{{0,60}}?(?<![A-Za-z])(?:{FREQUENCY})(?![A-Za-z])", 2)
_OTHER_ROUTE = regex(
    r"\bIV\b|intravenous|\binfus|\bbolus\b|\bload|\binject|\bintramuscular|\bIM\b|\btopical|\bgel\b|\bcream\b"
    r"|\bpatch\b"
    r"|\btotal\b|overdose|\bingest|정맥|주사|과량|도포",
    2,
)
_CHANGE = regex(
    r"increas|decreas|reduc|titrat|chang|adjust|doubl|lower|raise|switch|taper|instead|bump|wean|previous|\bformer"
    r"|\bfrom\b|\badditional\b|\bload|\bthen\b|증량|감량|변경|조절|줄|늘|올",
    2,
)


def dose_over_maximum(view: LensView) -> list[LensPoint]:
    """A daily dose over the largest of the label, for adults."""
    age = view.patient.age_years
    if age is not None and age < _ADULT_YEARS:
        return []
    return first_of_each(_over_maximum(view))


def weekly_drug_daily(view: LensView) -> list[LensPoint]:
    """A drug that is taken once a week, with a frequency of once a day or more."""
    return first_of_each(
        (
            use.name,
            point(
                "weekly_drug_daily",
                Severity.MAJOR,
                notice("lens_weekly_drug_daily", drug=use.name, dose=_written_dose(view, use)),
                (view.prescription(use),),
                category=CATEGORY,
                citation=WEEKLY_SOURCE,
            ),
        )
        for use in view.drugs
        if use.name in WEEKLY
        and _is_daily(read_dose(_written_dose(view, use)), WEEKLY[use.name])
        and not _OTHER_ROUTE.search(view.sentence(use.mention.span))
    )


def _is_daily(dose: Dose, weekly_mg: float) -> bool:
    return (dose.mg or 0.0) > weekly_mg and (dose.per_day or 0.0) >= 1.0


def _written_dose(view: LensView, use: DrugUse) -> str:
    """The dose beside the name; where that tells no frequency, what its sentence says up to the next drug."""
    if use.mention.dose and use.dose.per_day is not None:
        return use.mention.dose
    start = use.mention.span.end
    end = min(view.chart.sentence_at(use.mention.span.start)[1], start + _REACH)
    following = next(find_names(view.chart.text, start, end), None)
    dosed = _DOSED.search(view.chart.text, start, following.start if following else end)
    return dosed[0] if dosed else ""


def dose_changed_silently(view: LensView) -> list[LensPoint]:
    """Two doses of one drug, of which the chart does not say that one follows the other."""
    uses: dict[str, list[DrugUse]] = defaultdict(list)
    for use in view.named_drugs:
        uses[use.name].append(use)
    return first_of_each(
        (name, _two_doses(view, first, second))
        for name, entries in uses.items()
        if not any(_tells_change(view, use) for use in entries)
        for first, second in combinations(_dosed(entries), 2)
        if _differ(first, second)
    )


def _over_maximum(view: LensView) -> Iterator[tuple[object, LensPoint]]:
    for use in view.drugs:
        drug, daily = drugs().get(use.name), use.dose.daily_mg
        if drug is None or drug.highest_mg is None or daily is None:
            continue
        over = daily / drug.highest_mg
        if over > _TOLERANCE and not _OTHER_ROUTE.search(view.sentence(use.mention.span)):
            yield (
                use.name,
                point(
                    "dose_over_maximum",
                    Severity.MAJOR if over >= _GRAVE_FACTOR else Severity.MINOR,
                    notice(
                        "lens_dose_over_maximum",
                        drug=use.name,
                        dose=use.mention.dose or "",
                        daily=round(daily, 3),
                        highest=drug.highest_mg,
                    ),
                    (view.prescription(use),),
                    category=CATEGORY,
                    citation=MAXIMUM_SOURCE,
                ),
            )


def _two_doses(view: LensView, first: DrugUse, second: DrugUse) -> LensPoint:
    amounts = sorted(use.dose.mg or 0.0 for use in (first, second))
    grave = amounts[1] >= 5 * amounts[0]
    return point(
        "dose_changed_silently",
        Severity.MAJOR if grave else Severity.MINOR,
        notice(
            "lens_dose_changed_silently",
            drug=first.name,
            first=first.mention.dose or "",
            second=second.mention.dose or "",
        ),
        (view.prescription(first), view.prescription(second)),
        category=CATEGORY,
    )


def _dosed(uses: list[DrugUse]) -> list[DrugUse]:
    return [use for use in uses if use.dose.mg is not None and use.current][:_TOGETHER]


def _tells_change(view: LensView, use: DrugUse) -> bool:
    if use.status in (DrugStatus.CHANGED, DrugStatus.STOPPED, DrugStatus.PAST):
        return True
    return _CHANGE.search(view.sentence(use.mention.span)) is not None


def _differ(first: DrugUse, second: DrugUse) -> bool:
    """Whether two doses cannot both be right; 500 mg twice a day is 1000 mg a day."""
    if first.dose.as_needed != second.dose.as_needed:
        return False
    return not (_daily_amounts(first.dose, second.dose) & _daily_amounts(second.dose, first.dose))


def _daily_amounts(dose: Dose, other: Dose) -> set[float]:
    """What a dose may come to in a day: with its own frequency, else once, or as often as the other one."""
    rates = {dose.per_day} if dose.per_day is not None else {1.0, other.per_day or 1.0}
    return {round((dose.mg or 0.0) * rate, 6) for rate in rates}

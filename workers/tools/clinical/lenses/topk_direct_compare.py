"""Comparison with the nearest similar cases: what most of them have that this one has not, and the other way round.

Only cases with a problem of this one count, and there have to be two at least. What they did for another problem, what
this chart names in whatever way (denied, considered, planned), and what is not shared by most of them is no remark.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from shared.clinical.drug_tables import classes_of
from shared.models.case import CHART, ChartSpan, LensPoint, LensResult
from shared.models.findings import Severity
from shared.models.mentions import MentionKind
from shared.models.notices import Notice, notice
from shared.tools.case_inputs import LensInput
from workers.tools.clinical.chart import load_case
from workers.tools.clinical.similarity import CaseFeatures, Feature, by_nearness, features_of
from workers.tools.registry import ToolContext

LEAST = 2
"""So many comparable cases are needed to compare with."""
MOST_OF_THEM = 2 / 3
"""What this share of four or more comparable cases has is what most have; of fewer all have to have it."""
FEW = 3
BACKGROUND = 3
"""From so many cases without the problem on, what they have as well is not what is done for it."""
NOT_FOR_IT = 0.5
"""A share among them of this much of the neighbours' own."""
MOST_POINTS = 6
_KINDS = {
    "drug": ("neighbours_treat", "treatment"),
    "procedure": ("neighbours_treat", "treatment"),
    "test": ("neighbours_examine", "work-up"),
    "problem": ("neighbours_diagnose", "diagnosis"),
}


@dataclass(frozen=True)
class _Shared:
    """What several neighbours have: under which kind and group, and where each of them first names it."""

    kind: str
    group: str
    places: tuple[Feature, ...]

    @property
    def name(self) -> str:
        """What all of them have in common: the drug, or its class where the drugs differ."""
        names = {place.name for place in self.places}
        return names.pop() if len(names) == 1 else self.group


def run(inputs: LensInput, context: ToolContext) -> LensResult:
    """Points with spans of both sides; abstains where there is nothing to compare with. Raises ToolError."""
    case = load_case(context, inputs.subject)
    if not case.similar:
        return LensResult(abstains=(notice("topk_no_similar_cases"),), looked=False)
    text = _text(context, case.chart)
    own = features_of(text, CHART)
    others = [(other, _text(context, other.text)) for other in case.similar]
    ranked = by_nearness(own, text, others)
    neighbours = ranked[: inputs.neighbours]
    comparable = [row for row in neighbours if row.problems.keys() & own.problems.keys()]
    if len(comparable) < LEAST:
        why = notice("topk_too_few", n=len(comparable), least=LEAST, looked_at=len(neighbours))
        return LensResult(abstains=(why,), looked=False)
    known = own.groups | _mentioned(inputs)
    missing = list(_missing(own, known, comparable, ranked))
    alone = _alone(
        own, comparable, [point for point in missing if point.kind == "neighbours_treat"]
    )
    return LensResult(points=(*missing, *alone)[:MOST_POINTS])


def _mentioned(inputs: LensInput) -> frozenset[tuple[str, str]]:
    """What the structured chart names besides, a drug by its classes."""
    return frozenset(
        (mention.kind.value, group)
        for mention in inputs.chart.mentions
        for group in (
            classes_of(mention.concept) if mention.kind is MentionKind.DRUG else (mention.concept,)
        )
    )


# ---- what they have -----------------------------------------------------------------------------


def _missing(
    own: CaseFeatures,
    known: frozenset[tuple[str, str]],
    others: Sequence[CaseFeatures],
    ranked: Sequence[CaseFeatures],
) -> Iterator[LensPoint]:
    """What most of the others have, and this chart does not name."""
    least = len(others) if len(others) <= FEW else math.ceil(MOST_OF_THEM * len(others))
    for shared in _shared(others):
        if len(shared.places) < least or (shared.kind, shared.group) in known:
            continue
        sources = {place.span.source for place in shared.places}
        problem = _reason(own, shared, [row for row in others if row.source in sources])
        if problem is not None and not _is_general(shared, len(others), problem, ranked):
            yield _missing_point(shared, problem, len(others))


def _missing_point(shared: _Shared, problem: Feature, others: int) -> LensPoint:
    kind, category = _KINDS[shared.kind]
    everybody = len(shared.places) == others >= FEW
    return LensPoint(
        kind=kind,
        severity=Severity.MINOR if everybody else Severity.INFO,
        category=category,
        message=_message(kind, shared, problem, others),
        advice=notice(f"topk_{kind}_advice", what=shared.name),
        spans=(problem.span,),
        sources=tuple(place.span for place in shared.places),
    )


def _message(kind: str, shared: _Shared, problem: Feature, others: int) -> Notice:
    return notice(
        f"topk_{kind}",
        what=shared.name,
        problem=problem.name,
        have=len(shared.places),
        others=others,
    )


def _shared(others: Sequence[CaseFeatures]) -> list[_Shared]:
    """Everything that a neighbour has, what most have first; a drug under each of its classes, the same drugs once."""
    places: dict[tuple[str, str], dict[str, Feature]] = {}
    for other in others:
        for feature in other.features:
            # A diagnosis that was excluded was considered.
            if feature.kind in _KINDS and (feature.stands or feature.kind == "problem"):
                for group in sorted(feature.groups):
                    places.setdefault((feature.kind, group), {}).setdefault(other.source, feature)
    rows = [_Shared(*key, tuple(named.values())) for key, named in places.items()]
    rows.sort(key=lambda row: -len(row.places))
    unique: dict[tuple[ChartSpan, ...], _Shared] = {}
    for row in rows:
        unique.setdefault(tuple(place.span for place in row.places), row)
    return list(unique.values())


def _reason(own: CaseFeatures, shared: _Shared, others: Sequence[CaseFeatures]) -> Feature | None:
    """The problem for which all of `others` have what they share, as far as it can be no other one.

    A diagnosis is considered for a symptom. Anything else may be for a problem that all of them have besides, and this
    one has not: then it says nothing about this one.
    """
    problem = _common_problem(own, others)
    if problem is None:
        return None
    if shared.kind == "problem":
        return problem if problem.kind == "symptom" else None
    theirs = set.intersection(*(set(row.problems) for row in others))
    besides = any(
        name not in own.problems and other.problems[name].kind == "problem"
        for other in others[:1]
        for name in theirs
    )
    return None if besides else problem


def _is_general(
    shared: _Shared, others: int, problem: Feature, ranked: Sequence[CaseFeatures]
) -> bool:
    """Whether similar cases without the problem have it about as often, as far as there are any."""
    without = [row for row in ranked if problem.name not in row.problems]
    if len(without) < BACKGROUND:
        return False
    have = sum((shared.kind, shared.group) in row.groups for row in without)
    return have / len(without) > NOT_FOR_IT * len(shared.places) / others


def _common_problem(own: CaseFeatures, others: Sequence[CaseFeatures]) -> Feature | None:
    """The first problem of this chart that all of `others` have; a symptom where there is none."""
    common = [
        problem
        for name, problem in own.problems.items()
        if all(name in other.problems for other in others)
    ]
    common.sort(key=lambda problem: (problem.kind != "problem", problem.span.start))
    return common[0] if common else None


# ---- what this one has alone --------------------------------------------------------------------


def _alone(
    own: CaseFeatures, others: Sequence[CaseFeatures], missing: Sequence[LensPoint]
) -> Iterator[LensPoint]:
    """The one drug of a class that none of the others has, where they are treated in a way that this one is not.

    Several such drugs are for something else that the patient has.
    """
    theirs = frozenset().union(*(row.groups for row in others))
    alone = {
        feature.name: feature
        for feature in reversed(own.features)
        if feature.kind == "drug"
        and feature.stands
        and not {("drug", group) for group in feature.groups} & theirs
    }
    if not missing or len(others) < FEW or len(alone) != 1:
        return
    [drug] = alone.values()
    instead = missing[0].sources
    yield LensPoint(
        kind="treated_alone",
        severity=Severity.INFO,
        category="treatment",
        message=notice(
            "topk_treated_alone",
            what=drug.name,
            instead=str(missing[0].message.params["what"]),
            others=len(others),
        ),
        spans=(drug.span, *missing[0].spans),
        sources=instead,
    )


def _text(context: ToolContext, document: str) -> str:
    return context.documents.get(document).decode("utf-8", "replace")

"""What may be quoted in a debate, and what becomes of a point whose quotation does not exist."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from orchestrator.core.discussion.impact import Sources
from orchestrator.core.findings.evidence import is_unproven, not_counted, not_found
from orchestrator.core.findings.merging import with_caveat
from orchestrator.core.findings.quotations import GivenTexts, too_short
from orchestrator.core.rounds import RoundTaken, ever_absent
from orchestrator.workflows.panel.context import POINT, WEIGHTS, PanelContext, Statement
from orchestrator.workflows.panel.positions import Quoted
from shared.models.findings import Finding, Severity


def sources(
    context: PanelContext,
    statements: Iterable[Statement],
    points: Iterable[Finding],
    rounds: Sequence[RoundTaken],
) -> Sources:
    """Question, files, everybody's arguments and points, and whose are missing."""
    said: dict[str, list[str]] = {}
    for one in statements:
        said.setdefault(one.participant, []).append(f"{one.position}\n{one.argument}")
    for point in points:
        for name in point.raised_by:
            said.setdefault(name, []).append(f"{point.title}\n{point.detail}")
    given = GivenTexts.of(context.prompts.question, context.document)
    return Sources(given.hold, said, ever_absent(rounds))


def checked(
    points: Sequence[Finding],
    known: Sequence[Finding],
    quotes: Mapping[str, Sequence[Quoted]],
    quotable: Sources,
) -> tuple[Finding, ...]:
    """The points of a round, each with a quotation that exists or none.

    One that rests on invented quotations alone has no weight until somebody shows a real one. Nobody takes the weight
    from another's point by repeating it with an invented quotation.
    """
    before = {one.id: one for one in known}
    return tuple(
        _checked(one, before.get(one.id), quotes[one.id], quotable)
        if one.category == POINT and one.id in quotes
        else one
        for one in points
    )


def _checked(
    point: Finding, before: Finding | None, quotes: Sequence[Quoted], quotable: Sources
) -> Finding:
    if point.quote:
        return point
    checked_quotes = [(quote, quotable.found(quote, who)) for who, quote in quotes if quote]
    real = next((quote for quote, there in checked_quotes if there), None)
    if real is not None:
        return point.model_copy(update={"severity": WEIGHTS[POINT], "quote": real})
    invented = [there for quote, there in checked_quotes if not too_short(quote)]
    if not invented or _stands_without(before, len(quotes) - len(invented)):
        return point
    lowered = point.model_copy(update={"severity": Severity.INFO})
    why = not_found(None if None in invented else False)
    return with_caveat(lowered, not_counted(WEIGHTS[POINT], point.raised_by, why))


def _stands_without(before: Finding | None, unquoted: int) -> bool:
    """Whether a point has its weight already, or from somebody who quoted nothing."""
    return unquoted > 0 if before is None else not is_unproven(before)


def newly_weighty(points: Sequence[Finding], known: Sequence[Finding]) -> int:
    """How many points with weight a round brought, those that it proved among them."""
    before = {one.id for one in known if not is_unproven(one)}
    return sum(one.id not in before and not is_unproven(one) for one in points)

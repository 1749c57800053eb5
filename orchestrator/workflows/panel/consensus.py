"""When a debate has reached consensus: the moderator's score is a second opinion, and the code decides."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.workflows.panel.context import POSITION, PanelContext
from shared.models.assessment import Assessment, Recommendation
from shared.models.findings import Finding
from shared.models.notices import notice, sentences
from shared.models.outcomes import Ending
from shared.models.planning import Moderation

# What a high score may turn into consensus: a debate that goes on, or that has no further round.
_MAY_BE_CALLED = frozenset({None, Ending.EXHAUSTED})


def consensus_called(
    context: PanelContext,
    assessment: Assessment,
    points: Sequence[Finding],
    moderation: Moderation | None,
) -> Assessment:
    """`converged` when the score reaches the threshold and no position is contested; else what the figures say.

    A score ends nothing by itself, and neither does `should_continue`: while two debaters differ about a position,
    or somebody who ought to have said is missing (which counts as differing), the debate goes on.
    """
    score = None if moderation is None else moderation.consensus_score
    if score is None or assessment.ending not in _MAY_BE_CALLED:
        return assessment
    threshold = context.options.consensus_threshold
    if score < threshold:
        return assessment
    positions = {one.id for one in points if one.category == POSITION}
    contested = sorted(positions & set(assessment.open_findings))
    if contested:
        but = notice("panel_scored_but_contested", score=score, findings=contested)
        reason = sentences(assessment.reason, but)
        return assessment.model_copy(update={"reason": reason})
    metrics = assessment.metrics.model_copy(update={"recommendation": Recommendation.CONVERGED})
    reason = notice("panel_scored", score=score, threshold=threshold)
    return assessment.model_copy(
        update={"metrics": metrics, "ending": Ending.CONVERGED, "reason": reason}
    )

"""Why the first replies to a change are not enough, and the whole panel is asked (docs/design/depth.md)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from orchestrator.core.discussion.loop import TakenStep, read_round
from shared.models.findings import Severity
from shared.models.notices import Notice, notice
from shared.models.review_replies import Critique

UNSURE_BELOW = 0.6
OBJECTION = Severity.MINOR
"""From this severity on an objection is for the panel."""


def doubts(steps: Sequence[TakenStep]) -> Iterator[Notice]:
    """Why the first replies are not enough: somebody is missing, objects, or is unsure."""
    silent = dict.fromkeys(
        step.speaker.participant.name for step in steps if step.result.failure is not None
    )
    for name in silent:
        yield notice("deeper_silent", who=name)
    for contribution in read_round(1, steps[0].speaker.role.name, steps).contributions:
        if isinstance(contribution.stated, Critique):
            yield from _objections(contribution.participant, contribution.stated)


def _objections(name: str, critique: Critique) -> Iterable[Notice]:
    for finding in critique.raised():
        if finding.severity.rank <= OBJECTION.rank:
            yield notice(
                "deeper_objection", who=name, severity=finding.severity, what=finding.title
            )
        elif finding.confidence is not None and finding.confidence < UNSURE_BELOW:
            yield notice("deeper_unsure", who=name, what=finding.title)

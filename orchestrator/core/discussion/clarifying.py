"""A position against its own reason is asked for once more, before the round is judged.

The turn is a step of the run like any other: paid, recorded and replayed. What it states again replaces what was
stated; what still contradicts itself, or does not come, counts as an abstention (`core/findings/reasons.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from orchestrator.core.discussion.cycles import Cycle
from orchestrator.core.discussion.strategies import DiscussionRole, Speaker
from orchestrator.core.discussion.templates import Templates, data
from orchestrator.core.findings.reasons import contradicts
from orchestrator.core.replay.commands import Prompt, Turn
from orchestrator.core.rounds import Contribution
from orchestrator.core.wording import findings_text
from shared.models.findings import Finding, StatedStance
from shared.models.panel import Participant
from shared.models.review_replies import Clarification

CLARIFICATION = "clarification"


@dataclass(frozen=True)
class Contradicted:
    """Whose positions contradict their own reasons, and on which findings."""

    participant: Participant
    role: DiscussionRole
    stances: tuple[StatedStance, ...]
    findings: tuple[Finding, ...]

    @classmethod
    def by(
        cls, speaker: Speaker, stances: tuple[StatedStance, ...], known: Sequence[Finding]
    ) -> Contradicted:
        """What a speaker has to state again, of the known findings."""
        doubtful = {stance.finding for stance in stances}
        findings = tuple(finding for finding in known if finding.id in doubtful)
        return cls(speaker.participant, speaker.role, stances, findings)


def contradicted(
    contribution: Contribution, findings: Sequence[Finding]
) -> tuple[StatedStance, ...]:
    """The positions of a contribution on known findings whose own reasons say the opposite."""
    titles = {finding.id: finding.title for finding in findings}
    return tuple(
        stance
        for stance in contribution.stances
        if stance.finding in titles
        and contradicts(stance.position, stance.reason, titles[stance.finding])
    )


def clarification(
    asked: Contradicted, number: int, cycle: Cycle, templates: Templates, critics: int
) -> Turn:
    """Asks somebody to state these positions again."""
    positions = "\n".join(
        f"{stance.finding}: {stance.position} — {stance.reason}" for stance in asked.stances
    )

    def prompt() -> Prompt:
        parts = (
            data("findings", text=findings_text(asked.findings, critics)),
            data("positions", text=positions),
            templates.part("clarification"),
        )
        return templates.prompt(templates.part(asked.role.system), asked.participant, parts)

    return Turn(
        key=cycle.key(CLARIFICATION, number, asked.role.name, asked.participant.name),
        participant=asked.participant,
        role=CLARIFICATION,
        round=number,
        reply_model=CLARIFICATION,
        prompt=prompt,
    )


def restated(contribution: Contribution, asked: Contradicted, reply: Clarification) -> Contribution:
    """The contribution with what was stated again; a quotation that was given before stays."""
    again = {stance.finding: stance for stance in reply.stances}
    doubtful = set(asked.stances)
    stances = tuple(
        _again(stance, again.get(stance.finding)) if stance in doubtful else stance
        for stance in contribution.stances
    )
    return replace(contribution, stances=stances)


def _again(before: StatedStance, now: StatedStance | None) -> StatedStance:
    if now is None:
        return before
    return now.model_copy(update={"quote": now.quote or before.quote})

"""The strategies and lenses of a plan's debate."""

from __future__ import annotations

from orchestrator.core.discussion.strategies import DiscussionRole, RoundCast, Strategy, by_name
from orchestrator.workflows.plan.roles import PlanRole

CHALLENGE = DiscussionRole(
    name=PlanRole.CHALLENGE,
    reply="challenge",
    system="critic.debate",
    first="challenge.first",
    later="challenge.later",
)
DEFENSE = DiscussionRole(
    name=PlanRole.DEFENSE, reply="defense", system="planner.defense", first="defense", answers=True
)
CROSS_REVIEW = DiscussionRole(
    name=PlanRole.CROSS_REVIEW,
    reply="cross-review",
    system="critic.cross",
    first="cross-review",
    reads_other_lenses=True,
)


def lens(name: str, system: str, reply: str | None = None) -> DiscussionRole:
    """A row: `name` is its role, its task's prompt and, if it has one of its own, its reply model."""
    return DiscussionRole(name=name, reply=reply or name, system=system, first=name)


LENSES = (
    lens(PlanRole.RISK, system="critic.risk"),
    lens(PlanRole.INNOVATION, system="critic.innovation"),
)

STRATEGIES = by_name(
    Strategy(
        "debate",
        opening=RoundCast.of(CHALLENGE),
        then=(RoundCast.of(DEFENSE), RoundCast.of(CHALLENGE)),
    ),
    # Its first round is two of the design's three turns: a limit of one or two rounds must not cut off the third.
    Strategy(
        "perspectives",
        opening=RoundCast.of(*LENSES),
        then=(RoundCast.of(CROSS_REVIEW),),
        fewest_rounds=2,
        awaited="plan_lens_unreviewed",
    ),
)

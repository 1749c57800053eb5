"""The review's strategies: the critics and the author's side speak by turns, each strategy in its own words."""

from __future__ import annotations

from orchestrator.core.discussion.strategies import DiscussionRole, RoundCast, Strategy, by_name
from orchestrator.workflows.review.roles import ReviewRole


def strategy(name: str, *, replies: str | None = None) -> Strategy:
    """A row: its prompts bear its name, its reply models too, or that of the strategy whose `replies` it takes."""
    replies = replies or name
    critics = RoundCast.of(
        DiscussionRole(
            name=ReviewRole.CRITIQUE,
            reply=f"critique.{replies}",
            system=f"critic.{name}",
            first=f"critique.first.{name}",
            later=f"critique.later.{name}",
        )
    )
    author = RoundCast.of(
        DiscussionRole(
            name=ReviewRole.REBUTTAL,
            reply=f"rebuttal.{replies}",
            system=f"author.{name}",
            first=f"rebuttal.{name}",
            answers=True,
        )
    )
    return Strategy(name, opening=critics, then=(author, critics))


STRATEGIES = by_name(
    strategy("review"),
    strategy("red-team"),
)

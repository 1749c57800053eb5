"""What was said in a discussion of findings, and its sections merged (seed 000: ReviewFeedback, DebateFeedback)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shared.models.panel import Role


@dataclass(frozen=True)
class Said:
    """A contribution: the reply's words and its sections, and a critic's own verdict.

    `proposal` is the plan as a defence would have it.
    """

    participant: str
    role: Role
    round: int
    text: str
    sections: Mapping[str, Any] = field(default_factory=dict)
    verdict: str | None = None
    proposal: str = ""

    def headed(self, called: str) -> str:
        """The text under a line that says whose it is."""
        return f"# {called}, {self.role.value}, round {self.round}\n\n{self.text}"


@dataclass(frozen=True)
class Sections:
    """A workflow's sections: `entries` are lists, all of them merged; of `texts` the latest counts."""

    entries: tuple[str, ...]
    texts: tuple[str, ...]


_CONCERNS = ("security_risks", "edge_cases", "scalability_concerns", "maintenance_burden")
_POINTS = ("points_of_agreement", "points_of_disagreement")
_ANSWERS = ("conceded_points", "defended_points")

# By workflow, all strategies' sections together: every key is always there.
SECTIONS: dict[str, Sections] = {
    "review": Sections(
        (
            *_POINTS,
            *("unexamined_assumptions", "missing_considerations"),
            *_CONCERNS,
            *("missing_requirements", "issue_summary"),
            *_ANSWERS,
            *("accepted_challenges", "rejected_challenges"),
        ),
        ("refined_recommendation", "revised_solution"),
    ),
    "plan": Sections(
        (
            *_CONCERNS,
            *("mitigations", "opportunities", "alternatives", "missed_simplifications"),
            *_POINTS,
            *_ANSWERS,
        ),
        ("revised_plan",),
    ),
}


def feedback(workflow: str, said: Sequence[Said]) -> dict[str, Any]:
    """Every section's entries in the order in which they were said, each once; a text as it was said last, or None."""
    sections = SECTIONS[workflow]
    merged: dict[str, Any] = {name: [] for name in sections.entries}
    for one in said:
        for name, entries in merged.items():
            entries += [entry for entry in one.sections.get(name, ()) if entry not in entries]
    for name in sections.texts:
        texts = (one.sections.get(name) for one in reversed(said))
        merged[name] = next((text for text in texts if text), None)
    return merged

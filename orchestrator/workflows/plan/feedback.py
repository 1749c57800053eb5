"""The structured sections of a debate, merged over its contributions (seed 000: DebateFeedback)."""

from __future__ import annotations

from typing import Any

from orchestrator.workflows.plan.case import History

SECTIONS = (
    "security_risks",
    "edge_cases",
    "scalability_concerns",
    "maintenance_burden",
    "mitigations",
    "opportunities",
    "alternatives",
    "missed_simplifications",
    "points_of_agreement",
    "points_of_disagreement",
    "conceded_points",
    "defended_points",
)


def feedback(history: History) -> dict[str, Any]:
    """Every section's entries in the order in which they were said, each once, and the revised plan."""
    merged: dict[str, Any] = {name: [] for name in SECTIONS}
    for one in history.said:
        for name, entries in one.sections.items():
            if name in merged and isinstance(entries, list):
                merged[name] += [entry for entry in entries if entry not in merged[name]]
    return {**merged, "revised_plan": history.proposal or None}

"""What a person decides of a plan, and what the policy's words mean for it."""

from __future__ import annotations

from orchestrator.workflows.descriptor import Choice, DecisionType

REVISE = "revise"
ACCEPT = "accept"

DECISION = DecisionType(
    kind="plan",
    choices=(Choice(REVISE, "r", asks_why=True), Choice(ACCEPT, "a")),
    on_timeout=ACCEPT,
    # The policy's words are the review's too: to skip leaves things as they are, to apply follows the panel.
    synonyms={"skip": ACCEPT, "apply_fix": REVISE},
)

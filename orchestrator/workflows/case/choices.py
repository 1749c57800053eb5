"""What a person decides of a critique, and what the policy's words mean for it."""

from __future__ import annotations

from orchestrator.workflows.descriptor import Choice, DecisionType

REVISE = "revise"
ACCEPT = "accept"

DECISION = DecisionType(
    kind="case",
    choices=(Choice(ACCEPT, "a"), Choice(REVISE, "r", asks_why=True, picks=True)),
    on_timeout=ACCEPT,
    # The policy's words are the review's too: to skip leaves things as they are, to apply follows the panel.
    synonyms={"skip": ACCEPT, "apply_fix": REVISE},
)

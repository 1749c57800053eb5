"""What a person decides of an agent's work, and what the policy's words mean for it."""

from __future__ import annotations

from orchestrator.workflows.descriptor import Choice, DecisionType

APPROVE, REJECT, HALT = "approve", "reject", "halt"
_REJECT = Choice(REJECT, "r", asks_why=True)
_HALT = Choice(HALT, "h")
_SYNONYMS = {"skip": HALT, "apply_fix": APPROVE, "accept": APPROVE}

# Silence approves nothing: the run ends with what there is.
WORK = DecisionType(
    kind="agent_work",
    choices=(Choice(APPROVE, "a"), _REJECT, _HALT),
    on_timeout=HALT,
    synonyms=_SYNONYMS,
)
"""A patch or, where everything is asked, what else a mode brings."""

COMMAND = DecisionType(
    kind="agent_command",
    choices=(Choice(APPROVE, "a"), _REJECT, _HALT),
    on_timeout=HALT,
    synonyms=_SYNONYMS,
)
"""A command that a rule wants to be asked for before it is run."""

BRANCH = DecisionType(
    kind="agent_commit",
    choices=(Choice(APPROVE, "a", writes=True), _REJECT, _HALT),
    on_timeout=HALT,
    synonyms=_SYNONYMS,
)
"""A commit on the agent's own branch."""

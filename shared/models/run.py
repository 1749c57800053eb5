"""What a run is from the moment of its submission; none of it changes under way."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from pydantic import Field, JsonValue, model_validator

from shared.models.notices import Notice
from shared.models.panel import Panel, Participant
from shared.models.wire import Wire


class RulesVersion(IntEnum):
    """The rules by which code judges a run: agreement, findings, verdict. A run keeps those that it was begun with."""

    ORIGINAL = 1
    EXAMINED = 2


NEWEST_RULES = max(RulesVersion)


class Budget(Wire):
    """Hard limits of a run; None means none. Checked in the claim, before every call."""

    max_calls: int | None = Field(default=None, ge=0)
    max_tokens: int | None = Field(default=None, ge=0)
    max_usd: float | None = Field(default=None, ge=0)
    max_seconds: float | None = Field(default=3600.0, gt=0)

    @property
    def limits_calls(self) -> bool:
        """True when a call has to be paid from it."""
        return (self.max_calls, self.max_tokens, self.max_usd) != (None, None, None)


class Thresholds(Wire):
    """The convergence rule's numbers (the review design's, see docs/design/convergence.md)."""

    agreement: float = Field(default=0.7, ge=0, le=1)
    stability: float = Field(default=0.8, ge=0, le=1)
    stalled_stability: float = Field(default=0.3, ge=0, le=1)
    agreement_weight: float = Field(default=0.6, ge=0, le=1)
    stability_weight: float = Field(default=0.4, ge=0, le=1)


ASK = "ask"
"""The policy that puts a decision to a person."""


class DecisionPolicy(Wire):
    """How the run asks: `ask` opens a decision, another word is taken as the answer at once.

    After `timeout_s` without an answer `on_timeout` is taken.
    """

    mode: str = ASK
    timeout_s: float | None = 7 * 24 * 3600.0
    on_timeout: str = "skip"


_EARLIER_FIELDS = ("review", "ask", "forum", "plan", "panel_options")
"""Where version 0.1.0 stored the options of a run."""


class RunSpec(Wire):
    """Everything captured at submission. `prompts` and `subject` are document hashes.

    `prompts` is a JSON object of template name to text; `workflow_version` pins the generator that replays the
    run, `rules_version` the rules that judge it (a specification without one is older than the second);
    `allow_external` and `allow_models` are promises that workers keep before every call; `seed` feeds everything
    that must not be guessed or must be repeatable (fences, shuffles). With `reuse` a turn that was asked before, word
    for word, is answered from the store. `options` are the workflow's own, as JSON of its options model. `watched`:
    somebody waits at a terminal, its messages go before a batch's. `notices` are told with every result, `cautions`
    were told at the submission: JSON and whole reports have them. `trusted`: what a participant's vote counts in the
    ranking, where people's decisions have shown that it is worth more or less than 1.
    """

    workflow: str
    workflow_version: int
    rules_version: RulesVersion = RulesVersion.ORIGINAL
    language: str = "en"
    subject: str
    prompts: str
    panel: Panel
    options: dict[str, JsonValue] = Field(default_factory=dict)
    budget: Budget = Budget()
    decision: DecisionPolicy = DecisionPolicy()
    allow_external: bool = True
    allow_models: bool = True
    reuse: bool = False
    notices: tuple[Notice, ...] = ()
    cautions: tuple[Notice, ...] = ()
    trusted: dict[str, float] = Field(default_factory=dict)
    watched: bool = False
    seed: str
    labels: dict[str, JsonValue] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _as_options(cls, content: Any) -> Any:
        """Earlier versions stored a field a workflow, of which the run's own was set."""
        if not isinstance(content, dict) or "options" in content:
            return content
        own = (content.get(name) for name in _EARLIER_FIELDS)
        options: Any = next((value for value in own if value is not None), {})
        kept = {key: value for key, value in content.items() if key not in _EARLIER_FIELDS}
        return {**kept, "options": options}

    def with_panel(self, **changes: Participant | tuple[Participant, ...]) -> RunSpec:
        """The same with others in its panel; nothing is checked."""
        return self.model_copy(update={"panel": self.panel.model_copy(update=changes)})

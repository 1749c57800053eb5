"""What a run is from the moment of its submission; none of it changes under way."""

from __future__ import annotations

from pydantic import Field, JsonValue, model_validator

from shared.models.findings import Severity
from shared.models.notices import Notice
from shared.models.panel import Panel, Participant
from shared.models.wire import Wire


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


class DecisionPolicy(Wire):
    """How the run asks: `ask` opens a decision, another word is taken as the answer at once.

    After `timeout_s` without an answer `on_timeout` is taken.
    """

    mode: str = "ask"
    timeout_s: float | None = 7 * 24 * 3600.0
    on_timeout: str = "skip"


class ReviewOptions(Wire):
    """What the review workflow needs beyond the common part."""

    strategy: str = "review"
    rounds: int = Field(default=3, ge=1, le=20)
    detector: str = "stance"
    thresholds: Thresholds = Thresholds()
    quorum: int | None = Field(default=None, ge=1)
    max_reviews: int = Field(default=2, ge=1, le=5)
    apply: str = "branch"
    fail_on: Severity | None = None


class AskOptions(Wire):
    """What the ask workflow needs: everybody in the panel's `critics` answers, its `chair` synthesises.

    `quorum` is how many must answer (None: more than half). See docs/design/ask.md.
    """

    ranking: bool = False
    synthesis: bool = False
    quorum: int | None = Field(default=None, ge=1)


class ForumOptions(Wire):
    """What the forum workflow needs: the panel's `critics` take part, its `chair` is the orchestrator.

    `timeout_s` ends the rounds (the budget's `max_seconds` is the hard limit behind it), `bid_timeout_s` bounds the
    wait for a floor request and for an opening. With `blind_opening` everybody commits to a position that nobody else
    sees before the first round; with `anonymous` the participants know one another by letters only. Who asked
    `patience` rounds in a row in vain is chosen next. With `ballot` the participants vote on the conclusion, which
    needs a support of `consensus`. See docs/design/forum.md.
    """

    max_rounds: int = Field(default=10, ge=1, le=50)
    timeout_s: float | None = Field(default=300.0, gt=0)
    bid_timeout_s: float | None = Field(default=60.0, gt=0)
    patience: int = Field(default=2, ge=1, le=20)
    blind_opening: bool = True
    anonymous: bool = False
    ballot: bool = True
    consensus: float = Field(default=0.7, gt=0.5, le=1)
    quorum: int | None = Field(default=None, ge=1)


class PlanOptions(Wire):
    """What the plan workflow needs: the panel's `author` plans and defends, `critics` challenge, the `chair` merges.

    With `given` the subject's text is the plan itself, else it is the task that the author plans. `max_revisions`
    bounds how often `revise` leads back to planning; with `fail_on` there is a gate, as in a review. See
    docs/design/plan.md.
    """

    strategy: str = "debate"
    given: bool = False
    rounds: int = Field(default=3, ge=1, le=20)
    detector: str = "stance"
    thresholds: Thresholds = Thresholds()
    quorum: int | None = Field(default=None, ge=1)
    max_revisions: int = Field(default=2, ge=0, le=5)
    fail_on: Severity | None = None


class PanelOptions(Wire):
    """What the panel workflow needs: the panel's `critics` debate, its `chair` is the judge.

    Without a `moderator` code alone sees consensus. `opening_vote` asks everybody for a blind position before a
    first round in which they hear one another; `ballot` holds a secret vote before the judge. `consensus_threshold`
    is for the moderator's score and for the ballots alike. With `require_consensus` there is a gate, which passes when
    the debaters agree on the verdict. See docs/design/panel.md.
    """

    strategy: str = "sequential"
    max_rounds: int = Field(default=3, ge=1, le=10)
    consensus_threshold: float = Field(default=0.8, gt=0.5, le=1)
    moderator: Participant | None = None
    opening_vote: bool = True
    ballot: bool = True
    thresholds: Thresholds = Thresholds()
    quorum: int | None = Field(default=None, ge=1)
    require_consensus: bool = False


DEFENDED = frozenset({"review", "plan", "undo"})
"""The workflows in which somebody speaks for what is judged."""
CRITIC = "critic"
"""The part that several hold; author, chair and moderator are one each."""


class RunSpec(Wire):
    """Everything captured at submission. `prompts` and `subject` are document hashes.

    `prompts` is a JSON object of template name to text; `workflow_version` pins the generator that replays the
    run; `allow_external` and `allow_models` are promises that workers keep before every call; `seed` feeds everything
    that must not be guessed or must be repeatable (fences, shuffles). With `reuse` a turn that was asked before, word
    for word, is answered from the store. `watched`: somebody waits at a terminal, its messages go before a batch's.
    """

    workflow: str
    workflow_version: int
    language: str = "en"
    subject: str
    prompts: str
    panel: Panel
    review: ReviewOptions | None = None
    ask: AskOptions | None = None
    forum: ForumOptions | None = None
    plan: PlanOptions | None = None
    panel_options: PanelOptions | None = None
    budget: Budget = Budget()
    decision: DecisionPolicy = DecisionPolicy()
    allow_external: bool = True
    allow_models: bool = True
    reuse: bool = False
    notices: tuple[Notice, ...] = ()
    watched: bool = False
    seed: str
    labels: dict[str, JsonValue] = Field(default_factory=dict)

    @property
    def seats(self) -> tuple[tuple[str, Participant], ...]:
        """Who takes part as what: critics, the author where somebody defends, the chair, the moderator.

        Answers that nobody merges need no chair.
        """
        seats = [(CRITIC, critic) for critic in self.panel.critics]
        if self.workflow in DEFENDED:
            seats.append(("author", self.panel.author))
        if self.workflow != "ask" or (self.ask or AskOptions()).synthesis:
            seats.append(("chair", self.panel.chair))
        if self.panel_options is not None and self.panel_options.moderator is not None:
            seats.append(("moderator", self.panel_options.moderator))
        return tuple(seats)

    @property
    def fail_on(self) -> Severity | None:
        """The severity at which the gate trips, in the workflows that raise findings; None without a gate."""
        options = self.review or self.plan
        return options.fail_on if options is not None else None

    @property
    def requires_consensus(self) -> bool:
        """Whether the gate of a panel wants agreement behind the verdict."""
        return self.panel_options is not None and self.panel_options.require_consensus

    @model_validator(mode="after")
    def _judge_is_no_debater(self) -> RunSpec:
        options = self.panel_options
        if options is None:
            return self
        debaters = {critic.name for critic in self.panel.critics}
        judges = (("judge", self.panel.chair), ("moderator", options.moderator))
        for role, somebody in judges:
            if somebody is not None and somebody.name in debaters:
                raise ValueError(
                    f"{somebody.name} takes part in the debate and cannot be its {role}"
                )
        return self

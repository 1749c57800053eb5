"""What a step asks of a worker, and what comes back."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field, JsonValue, SkipValidation, model_validator

from shared.models.outcomes import FailureKind
from shared.models.panel import Participant, RoleName
from shared.models.wire import Wire


class StepKind(StrEnum):
    """Who works on a step: a provider, a tool process, another run, a person, or the reducer itself."""

    TURN = "turn"
    TOOL = "tool"
    RUN = "run"
    DECISION = "decision"
    RECORD = "record"


class PromptPart(Wire):
    """A piece of a prompt: `text` as it is, or `document` (sha256) to be resolved by the worker.

    With `fence` the piece is data under that label: the worker puts it between unguessable markers. `stable`: the same
    at this place in every turn of its participant, so a provider may keep what it made of it.
    """

    text: str | None = None
    document: str | None = None
    fence: str | None = None
    stable: bool = False

    @model_validator(mode="after")
    def _is_one_of_both(self) -> PromptPart:
        if (self.text is None) == (self.document is None):
            raise ValueError("a prompt part is either a text or a document")
        return self


class TurnRequest(Wire):
    """A participant speaks once. `brief` is the same matter as data, for rule-based participants.

    `marker` is the unguessable part of the fences, one a run; `trap` that of the trap (shared/text/trap.py), one a
    run and participant, so that nobody learns another's from what is said; without it the marker serves.
    `reply_model` names an entry of `REPLY_MODELS`. `reuse`, `budgeted` and `allow_external` are the run's: take an
    earlier answer to the same prompt, reserve before a call, let the text leave this machine.
    """

    participant: Participant
    role: RoleName
    round: int
    reply_model: str
    system: tuple[PromptPart, ...] = ()
    prompt: tuple[PromptPart, ...] = ()
    brief: dict[str, JsonValue] = Field(default_factory=dict)
    marker: str = ""
    trap: str = ""
    temperature: float | None = None
    reuse: bool = False
    budgeted: bool = False
    allow_external: bool = False


class ToolRequest(Wire):
    """A tool runs once. `inputs` are small values and document hashes, never texts."""

    tool: str
    participant: str
    role: str
    round: int
    reply_model: str
    inputs: dict[str, JsonValue] = Field(default_factory=dict)
    timeout_s: float = Field(default=120.0, gt=0)


class Usage(Wire):
    """What one call consumed. None means unknown, which is never the same as zero."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None


class Failure(Wire):
    """A step without a reply: the workflow decides what that means."""

    kind: FailureKind
    message: str


class StepResult(Wire):
    """The recorded end of a step: exactly one of `reply` (fields of its reply model) and `failure`.

    `elapsed_s` counts from the run's start to this end (database clock), `tokens` and `cost_usd` sum the calls
    of the step (None: unknown), `note` says what a reader must know (repaired, adopted, reused).
    """

    # Made from columns of JSON only: a large reply is not looked through for what it cannot hold.
    reply: dict[str, SkipValidation[JsonValue]] | None = None
    failure: Failure | None = None
    elapsed_s: float = 0.0
    tokens: int | None = None
    cost_usd: float | None = None
    note: str = ""

"""The keys of `.quorate.yaml`. docs/configuration.md lists them for people; a test compares the two."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from shared.configuration import Seconds, Section
from shared.models.findings import Severity
from shared.providers.configuration import Provider

INTEGER = 2**31 - 1
"""The largest number of calls that the store's column holds."""
BIG_INTEGER = 2**63 - 1
"""The largest number of tokens that the store's column holds."""

_lower = BeforeValidator(lambda value: value.strip().lower() if isinstance(value, str) else value)
_upper = BeforeValidator(lambda value: value.strip().upper() if isinstance(value, str) else value)


class OrchestratorSection(Section):
    """Who moderates and merges: `ai` is the name of a participant."""

    ai: str | None = None


class ParticipantEntry(Section):
    """One participant of the panel: a name with what is special about it here.

    `label` is how a persona is called in the participant's name, when its own words would be too long for that.
    """

    name: str = Field(min_length=1)
    persona: str | None = None
    label: str | None = Field(default=None, pattern=r"^[\w.-]{1,24}$")
    temperature: float | None = Field(default=None, ge=0, le=2)
    timeout: Seconds | None = None

    @field_validator("label")
    @classmethod
    def _names_a_persona(cls, value: str | None, info: ValidationInfo) -> str | None:
        if value is not None and info.data.get("persona", "") is None:
            raise PydanticCustomError("label", "`label` names a persona, and there is none")
        return value


class SettingsSection(Section):
    """The original settings: `timeout` is for one turn, and for the whole of a forum."""

    max_rounds: int | None = Field(default=None, ge=1, le=20)
    timeout: Seconds | None = None


class PanelSection(Section):
    """Who has which part, when that should not be chosen automatically. The moderator may be `none`."""

    author: str | None = None
    chair: str | None = None
    judge: str | None = None
    moderator: str | None = None


class AskSection(Section):
    """The ask workflow: whether the answers are ranked, and made into one."""

    ranking: bool = False
    synthesis: bool = False
    quorum: int | None = Field(default=None, ge=1)


class ForumSection(Section):
    """The forum workflow. `timeout` is for the whole discussion, `bid_timeout` for one floor request."""

    max_rounds: int | None = Field(default=None, ge=1, le=50)
    timeout: Seconds | None = None
    bid_timeout: Seconds | None = 60.0
    patience: int = Field(default=2, ge=1, le=20)
    blind_opening: bool = True
    anonymous: bool = False
    ballot: bool = True
    consensus: float = Field(default=0.7, gt=0.5, le=1)
    quorum: int | None = Field(default=None, ge=1)


class PlanSection(Section):
    """The plan workflow."""

    strategy: Annotated[Literal["debate", "perspectives"], _lower] = "debate"
    max_rounds: int | None = Field(default=None, ge=1, le=20)
    max_revisions: int = Field(default=2, ge=0, le=5)
    quorum: int | None = Field(default=None, ge=1)


class DebateSection(Section):
    """The panel workflow: how its debate is held."""

    strategy: Annotated[Literal["sequential", "parallel", "quick", "delphi"], _lower] = "sequential"
    max_rounds: int | None = Field(default=None, ge=1, le=10)
    consensus_threshold: float = Field(default=0.8, gt=0.5, le=1)
    opening_vote: bool = True
    ballot: bool = True
    quorum: int | None = Field(default=None, ge=1)
    require_consensus: bool = False


class ReviewSection(Section):
    """The review workflow."""

    strategy: Annotated[Literal["review", "red-team"], _lower] = "review"
    max_rounds: int | None = Field(default=None, ge=1, le=20)
    max_reviews: int = Field(default=2, ge=1, le=5)
    apply: Annotated[Literal["branch", "in-place"], _lower] = "branch"
    exclude: tuple[str, ...] = ()


class ConvergenceSection(Section):
    """When a discussion has converged or stalled. `weights` are for agreement and stability."""

    detector: Annotated[Literal["stance", "text", "lexical"], _lower] = "stance"
    agreement: float = Field(default=0.7, ge=0, le=1)
    stability: float = Field(default=0.8, ge=0, le=1)
    stalled_stability: float = Field(default=0.3, ge=0, le=1)
    weights: tuple[Annotated[float, Field(ge=0, le=1)], Annotated[float, Field(ge=0, le=1)]] = (
        0.6,
        0.4,
    )


class GateSection(Section):
    """What makes a review or a plan fail: a finding as bad as `fail_on`; in a review fewer answers than `quorum`."""

    fail_on: Annotated[Severity | Literal["NONE"], _upper] | None = None
    quorum: int | None = Field(default=None, ge=1)


class DecisionSection(Section):
    """Who decides: `ask` a person, or take the word as the answer at once.

    `skip` and `apply_fix` answer a review, `accept` and `revise` a plan; the other's words ask. Nobody's silence
    applies a fix or spends on another version: `skip` and `accept` leave things as they are.
    """

    mode: Annotated[Literal["ask", "skip", "apply_fix", "accept", "revise"], _lower] = "ask"
    timeout: Seconds | None = 7 * 24 * 3600.0
    on_timeout: Annotated[Literal["skip", "accept"], _lower] = "skip"


class BudgetSection(Section):
    """Hard limits of one run, checked before every call."""

    per_run_usd: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    per_run_calls: int | None = Field(default=None, ge=0, le=INTEGER)
    per_run_tokens: int | None = Field(default=None, ge=0, le=BIG_INTEGER)
    per_run_time: Seconds | None = 3600.0


class PrivacySection(Section):
    """What leaves this machine. `never_send` and `may_send` are globs, added to the built-in ones; without
    `allow_models` analysers, rules and people take part alone."""

    never_send: tuple[str, ...] = ()
    may_send: tuple[str, ...] = ()
    allow_external: bool = True
    allow_models: bool = True


class OutputEntry(Section):
    """One report: its format and where it goes (`-` is standard output)."""

    format: Annotated[Literal["text", "json", "markdown"], _lower] = "text"
    path: str = "-"


def _plain_name(name: str) -> str:
    if not re.fullmatch(r"[\w.-]{1,48}", name):
        raise PydanticCustomError(
            "provider_name",
            "the provider name '{name}' may hold letters, digits, '_', '.' and '-', at most 48",
            {"name": name},
        )
    return name


ProviderName = Annotated[str, AfterValidator(_plain_name)]


def _as_entry(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


class Settings(Section):
    """The whole configuration; every key may be absent."""

    version: Literal[1] = 1
    language: Annotated[Literal["en", "ko"], _lower] | None = None
    preset: str | None = None
    prompts: str | None = Field(default=None, min_length=1)
    orchestrator: OrchestratorSection = OrchestratorSection()
    participants: tuple[Annotated[ParticipantEntry, BeforeValidator(_as_entry)], ...] | None = None
    settings: SettingsSection = SettingsSection()
    providers: dict[ProviderName, Provider] = Field(default_factory=dict)
    panel: PanelSection = PanelSection()
    review: ReviewSection = ReviewSection()
    ask: AskSection = AskSection()
    forum: ForumSection = ForumSection()
    plan: PlanSection = PlanSection()
    debate: DebateSection = DebateSection()
    convergence: ConvergenceSection = ConvergenceSection()
    gate: GateSection = GateSection()
    decision: DecisionSection = DecisionSection()
    budget: BudgetSection = BudgetSection()
    privacy: PrivacySection = PrivacySection()
    output: tuple[OutputEntry, ...] = ()

    @field_validator("participants")
    @classmethod
    def _are_some(cls, value: tuple[ParticipantEntry, ...] | None) -> Any:
        if value is not None and not value:
            raise PydanticCustomError("empty", "name at least one participant, or leave it out")
        return value

"""The keys of `.quorate.yaml`. docs/configuration.md lists them for people; a test compares the two."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationInfo,
    create_model,
    field_validator,
)
from pydantic_core import PydanticCustomError

from orchestrator.core.setting import Setting, settings_of
from orchestrator.workflows.descriptor import WorkflowType
from orchestrator.workflows.registry import WORKFLOWS
from shared.configuration import Seconds, Section
from shared.models.findings import Severity
from shared.models.run import Thresholds
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

    @property
    def thresholds(self) -> Thresholds:
        """The convergence rule's numbers."""
        agreement_weight, stability_weight = self.weights
        return Thresholds(
            agreement=self.agreement,
            stability=self.stability,
            stalled_stability=self.stalled_stability,
            agreement_weight=agreement_weight,
            stability_weight=stability_weight,
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


def _section(workflow: WorkflowType[Any]) -> type[Section]:
    """The section of a workflow: those of its options that are settings of its own."""
    fields: dict[str, Any] = {}
    for name, setting in settings_of(workflow.options):
        if not setting.own:
            continue
        field = workflow.options.model_fields[name]
        facts = [fact for fact in field.metadata if not isinstance(fact, Setting)]
        kind: Any = field.annotation
        if setting.seconds:
            kind, facts = Seconds | None, []
        if setting.words:
            kind, facts = Literal[setting.words], [_lower]
        if setting.falls_back:
            kind = kind | None
        default = None if setting.falls_back else field.default
        fields[str(setting.key)] = (Annotated[(kind, *facts)] if facts else kind, default)
    return create_model(f"{workflow.name.capitalize()}Section", __base__=Section, **fields)


SECTIONS: dict[str, str] = {
    name: workflow.section for name, workflow in WORKFLOWS.items() if workflow.section
}
"""The section of the configuration that holds a workflow's own options."""
_sections: dict[str, Any] = {SECTIONS[name]: _section(WORKFLOWS[name]) for name in SECTIONS}


class _General(Section):
    """What stands above the sections of the workflows."""

    version: Literal[1] = 1
    language: Annotated[Literal["en", "ko"], _lower] | None = None
    preset: str | None = None
    prompts: str | None = Field(default=None, min_length=1)
    orchestrator: OrchestratorSection = OrchestratorSection()
    participants: tuple[Annotated[ParticipantEntry, BeforeValidator(_as_entry)], ...] | None = None
    settings: SettingsSection = SettingsSection()
    providers: dict[ProviderName, Provider] = Field(default_factory=dict)
    panel: PanelSection = PanelSection()

    @field_validator("participants")
    @classmethod
    def _are_some(cls, value: tuple[ParticipantEntry, ...] | None) -> Any:
        if value is not None and not value:
            raise PydanticCustomError("empty", "name at least one participant, or leave it out")
        return value


_fields: dict[str, Any] = {name: (kind, kind()) for name, kind in _sections.items()}
_WithWorkflows: Any = create_model("_WithWorkflows", __base__=_General, **_fields)


class Settings(_WithWorkflows):
    """The whole configuration; every key may be absent."""

    convergence: ConvergenceSection = ConvergenceSection()
    gate: GateSection = GateSection()
    decision: DecisionSection = DecisionSection()
    budget: BudgetSection = BudgetSection()
    privacy: PrivacySection = PrivacySection()
    output: tuple[OutputEntry, ...] = ()

    def section(self, name: str) -> Any:
        """The section of a workflow."""
        return getattr(self, name)

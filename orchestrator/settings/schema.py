"""The keys of `.quorate.yaml`: each one is a field, which says everything about it.

What a workflow's own section holds is made from its options. `python -m orchestrator.settings.tables` writes the keys
into docs/configuration.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    ValidationInfo,
    create_model,
    field_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from orchestrator.core.setting import Setting, Trust, blanks_of, settings_of
from orchestrator.presentation.formats import FORMATS
from orchestrator.workflows.descriptor import ASK, WorkflowType
from orchestrator.workflows.registry import WORKFLOWS
from shared.configuration import Seconds, Section
from shared.models.findings import Severity
from shared.models.run import DecisionPolicy, Thresholds
from shared.providers.configuration import Provider

INTEGER = 2**31 - 1
"""The largest number of calls that the store's column holds."""
BIG_INTEGER = 2**63 - 1
"""The largest number of tokens that the store's column holds."""
THRESHOLDS = Thresholds()
DECISIONS = tuple(decision for workflow in WORKFLOWS.values() for decision in workflow.decisions)
MODES = (ASK, *(word for decision in DECISIONS for word in decision.words))
SILENCES = tuple(decision.on_timeout for decision in DECISIONS)
ANSWERS = ", ".join(
    f"{' or '.join(f'`{word}`' for word in decision.words)} (`{name}`)"
    for name, workflow in WORKFLOWS.items()
    for decision in workflow.decisions
)
FORMAT_NAMES = tuple(row.name for row in FORMATS)

_lower = BeforeValidator(lambda value: value.strip().lower() if isinstance(value, str) else value)
_upper = BeforeValidator(lambda value: value.strip().upper() if isinstance(value, str) else value)
_Share = Annotated[float, Field(ge=0, le=1)]
_Language = Annotated[Literal["en", "ko"], _lower]
_Gate = Annotated[Severity | Literal["NONE"], _upper]


class OrchestratorSection(Section):
    """Who moderates and merges: `ai` is the name of a participant."""

    ai: Annotated[
        str | None,
        Setting(help="who leads a forum, and merges or judges elsewhere", trust=Trust.PART),
    ] = None


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

    max_rounds: Annotated[
        int | None,
        Setting(
            help="rounds, where the workflow has no number of its own; never more than the workflow allows",
            trust=Trust.UNHURRIED,
        ),
    ] = Field(default=None, ge=1, le=20)
    timeout: Annotated[
        Seconds | None,
        Setting(
            help="for one turn, and for the whole of a forum",
            shown="`300`",
            variable="QUORATE_TIMEOUT",
            trust=Trust.UNHURRIED,
        ),
    ] = None


class PanelSection(Section):
    """Who has which part, when that should not be chosen automatically. The moderator may be `none`."""

    author: Annotated[
        str | None,
        Setting(
            help="who speaks for the author, or plans; a name, in a review also `rules`",
            shown="the first model",
            trust=Trust.PART,
        ),
    ] = None
    chair: Annotated[
        str | None,
        Setting(
            help="who writes the synthesis",
            shown="`orchestrator.ai`, else the last model",
            trust=Trust.PART,
        ),
    ] = None
    judge: Annotated[
        str | None,
        Setting(
            help="who judges a panel",
            shown="`panel.chair`, `orchestrator.ai`, else a model that does not debate",
            trust=Trust.PART,
        ),
    ] = None
    moderator: Annotated[
        str | None,
        Setting(
            help="who moderates a panel; `none`: nobody",
            shown="the judge's model, where a preset or `delphi` has one",
            trust=Trust.PART,
        ),
    ] = None


class ConvergenceSection(Section):
    """When a discussion has converged or stalled. `weights` are for agreement and stability."""

    detector: Annotated[Literal["stance", "text", "lexical"], _lower, Setting(help="{words}")] = (
        "stance"
    )
    agreement: Annotated[
        _Share, Setting(help="least agreement for `converged`", trust=Trust.NO_LOWER)
    ] = THRESHOLDS.agreement
    stability: Annotated[
        _Share, Setting(help="least stability for `converged`", trust=Trust.NO_LOWER)
    ] = THRESHOLDS.stability
    stalled_stability: Annotated[
        _Share, Setting(help="a discussion below it that does not improve has stalled")
    ] = THRESHOLDS.stalled_stability
    weights: Annotated[
        tuple[_Share, _Share], Setting(help="of agreement and stability in the overall score")
    ] = (THRESHOLDS.agreement_weight, THRESHOLDS.stability_weight)

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

    fail_on: Annotated[
        _Gate | None,
        Setting(
            help="`critical`, `major`, `minor`, `info` or `none`: findings of a review or a plan that are at least "
            "that bad end with exit code 1",
            variable="QUORATE_FAIL_ON",
            trust=Trust.GATE,
        ),
    ] = None
    quorum: Annotated[
        int | None,
        Setting(help="critics that must have answered", shown="more than half", trust=Trust.QUORUM),
    ] = Field(default=None, ge=1)


class DecisionSection(Section):
    """Who decides: `ask` a person, or take the word as the answer at once.

    The words of another workflow's decision ask. Nobody's silence applies a fix or spends on another version: what
    `on_timeout` may say leaves things as they are.
    """

    mode: Annotated[
        Literal[MODES],  # type: ignore[valid-type]  # read from the workflows
        _lower,
        Setting(
            help=f"`ask` a person, or answer at once: {ANSWERS}; another workflow's words ask",
            variable="QUORATE_DECIDE",
            trust=Trust.ASKS,
        ),
    ] = ASK
    timeout: Annotated[Seconds | None, Setting(help="how long the question stays open")] = (
        DecisionPolicy().timeout_s
    )
    on_timeout: Annotated[
        Literal[SILENCES],  # type: ignore[valid-type]  # read from the workflows
        _lower,
        Setting(
            help="{words}, which mean the same: nobody's silence applies a fix or orders another version"
        ),
    ] = DecisionPolicy().on_timeout


class BudgetSection(Section):
    """Hard limits of one run, checked before every call."""

    per_run_usd: Annotated[
        float | None,
        Setting(help="US dollars", variable="QUORATE_MAX_COST", trust=Trust.NO_HIGHER),
    ] = Field(default=None, ge=0, allow_inf_nan=False)
    per_run_calls: Annotated[int | None, Setting(help="calls of models", trust=Trust.NO_HIGHER)] = (
        Field(default=None, ge=0, le=INTEGER)
    )
    per_run_tokens: Annotated[
        int | None, Setting(help="tokens, in and out", trust=Trust.NO_HIGHER)
    ] = Field(default=None, ge=0, le=BIG_INTEGER)
    per_run_time: Annotated[
        Seconds | None, Setting(help="from submission", trust=Trust.DEADLINE)
    ] = 3600.0


class PrivacySection(Section):
    """What leaves this machine. `never_send` and `may_send` are globs, added to the built-in ones; without
    `allow_models` analysers, rules and people take part alone."""

    never_send: Annotated[
        tuple[str, ...],
        Setting(help="more globs of files whose text stays here", shown="see below"),
    ] = ()
    may_send: Annotated[
        tuple[str, ...],
        Setting(help="exceptions from them", shown="`.env.example` and the like"),
    ] = ()
    allow_external: Annotated[
        bool, Setting(help="`false`: only endpoints on this machine", trust=Trust.STAYS_HERE)
    ] = True
    allow_models: Annotated[
        bool,
        Setting(
            help="`false`: no model is asked at all; analysers, rules and people take part",
            trust=Trust.SAME_MODELS,
        ),
    ] = True


class OutputEntry(Section):
    """One report: its format and where it goes (`-` is standard output)."""

    format: Annotated[Literal[FORMAT_NAMES], _lower] = "text"  # type: ignore[valid-type]  # a table
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
        declared = replace(
            setting,
            help=setting.help.format(**blanks_of(setting, field)),
            shown=setting.shown or (f"`{field.default:g}`" if setting.falls_back else None),
        )
        fields[str(setting.key)] = (Annotated[(kind, *facts, declared)], default)
    return create_model(f"{workflow.name.capitalize()}Section", __base__=Section, **fields)


SECTIONS: dict[str, str] = {
    name: workflow.section for name, workflow in WORKFLOWS.items() if workflow.section
}
"""The section of the configuration that holds a workflow's own options."""
_sections: dict[str, Any] = {SECTIONS[name]: _section(WORKFLOWS[name]) for name in SECTIONS}


class _General(Section):
    """What stands above the sections of the workflows."""

    version: Annotated[Literal[1], Setting(help="the version of this format", trust=Trust.FREE)] = 1
    language: Annotated[
        _Language | None,
        Setting(
            help="of prompts and reports: `en` or `ko`; see [Languages](#languages)",
            shown="by the subject",
            variable="QUORATE_LANG",
            trust=Trust.FREE,
        ),
    ] = None
    preset: Annotated[
        str | None,
        Setting(
            help="a name or a file; see [Presets](#presets)",
            variable="QUORATE_PRESET",
            trust=Trust.BUILT_IN,
        ),
    ] = None
    prompts: Annotated[
        str | None,
        Setting(
            help="a folder with prompts of your own ([design/prompts.md](design/prompts.md))",
            shown="`~/.config/quorate/prompts`",
        ),
    ] = Field(default=None, min_length=1)
    orchestrator: OrchestratorSection = OrchestratorSection()
    participants: Annotated[
        tuple[Annotated[ParticipantEntry, BeforeValidator(_as_entry)], ...] | None,
        Setting(
            help="names, or mappings with `name`, `persona`, `label`, `temperature`, `timeout`",
            shown="all that is found",
            variable="QUORATE_PANEL",
            trust=Trust.JOINS,
        ),
    ] = None
    settings: SettingsSection = SettingsSection()
    providers: Annotated[
        dict[ProviderName, Provider],
        Setting(help="how participants are reached, by name; see below"),
    ] = Field(default_factory=dict)
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
    output: Annotated[
        tuple[OutputEntry, ...],
        Setting(
            help="files that a run's result is written to when it is followed to its end: a list of "
            f"`{{{{format, path}}}}`, formats {', '.join(f'`{name}`' for name in FORMAT_NAMES)}; `-` is standard "
            "output, which the command's own options shape"
        ),
    ] = ()

    def section(self, name: str) -> Any:
        """The section of a workflow."""
        return getattr(self, name)

    def value(self, key: str) -> Any:
        """What a key like `gate.fail_on` is set to."""
        return attrgetter(key)(self)


@dataclass(frozen=True)
class Key:
    """A key of the configuration: its field, and what the field says of itself."""

    field: FieldInfo
    setting: Setting


def _keys_of(model: type[Section]) -> Iterator[tuple[str, Key]]:
    declared = dict(settings_of(model))
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, Section):
            yield from ((f"{name}.{inner}", key) for inner, key in _keys_of(kind))
        else:
            yield name, Key(field, declared.get(name, Setting()))


KEYS: Mapping[str, Key] = dict(_keys_of(Settings))
"""Every key, `gate.fail_on` of a section, in the order of the fields."""

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

from pydantic import AfterValidator, BeforeValidator, Field, create_model, field_validator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticCustomError

from orchestrator.core.setting import Flag, Setting, Trust, blanks_of, settings_of
from orchestrator.settings.languages import LANGUAGES
from orchestrator.settings.sections import (
    FORMAT_NAMES,
    AnalyserRulesSection,
    BudgetSection,
    ConvergenceSection,
    DecisionSection,
    GateSection,
    Lower,
    McpSection,
    OrchestratorSection,
    OutputEntry,
    PanelSection,
    ParticipantEntry,
    PrivacySection,
    RetentionEntry,
    SettingsSection,
)
from orchestrator.workflows.descriptor import WorkflowType
from orchestrator.workflows.registry import WORKFLOWS
from shared.configuration import Seconds, Section
from shared.providers.configuration import Provider


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
    fields: dict[str, Any] = {
        str(setting.key): _key_of(setting, workflow.options.model_fields[name])
        for name, setting in settings_of(workflow.options)
        if setting.own
    }
    return create_model(f"{workflow.name.capitalize()}Section", __base__=Section, **fields)


def _key_of(setting: Setting, field: FieldInfo) -> tuple[Any, Any]:
    """The type and the default of a workflow's own key."""
    facts = [fact for fact in field.metadata if not isinstance(fact, Setting)]
    kind: Any = field.annotation
    if setting.seconds:
        kind, facts = Seconds | None, []
    if setting.words:
        kind, facts = Literal[setting.words], [Lower]
    declared = replace(setting, help=setting.help.format(**blanks_of(setting, field)))
    if setting.falls_back is None:
        return Annotated[(kind, *facts, declared)], field.get_default(call_default_factory=True)
    return Annotated[(kind | None, *facts, replace(declared, shown=f"`{field.default:g}`"))], None


SECTIONS: dict[str, str] = {
    name: workflow.section for name, workflow in WORKFLOWS.items() if workflow.section
}
"""The section of the configuration that holds a workflow's own options."""
_sections: dict[str, Any] = {SECTIONS[name]: _section(WORKFLOWS[name]) for name in SECTIONS}


class _General(Section):
    """What comes before the sections of the workflows."""

    version: Annotated[Literal[1], Setting("the version of this format", trust=Trust.FREE)] = 1
    language: Annotated[
        Annotated[Literal[LANGUAGES], Lower] | None,  # type: ignore[valid-type]  # a table
        Setting(
            f"of prompts and reports: {' or '.join(f'`{name}`' for name in LANGUAGES)}; see [Languages](#languages)",
            shown="by the subject",
            variable="QUORATE_LANG",
            trust=Trust.FREE,
        ),
    ] = None
    preset: Annotated[
        str | None,
        Setting(
            "a name or a file; see [Presets](#presets)",
            flag=Flag("--preset", "A ready-made panel.", "NAME"),
            variable="QUORATE_PRESET",
            trust=Trust.BUILT_IN,
        ),
    ] = None
    project: Annotated[
        str | None,
        Setting(
            "the project that runs belong to; tokens of `quorate serve` may see some projects only "
            "([data.md](data.md#projects))",
            shown="the repository's name",
            flag=Flag("--project", "The project that the run belongs to.", "NAME"),
            variable="QUORATE_PROJECT",
        ),
    ] = Field(default=None, min_length=1, max_length=200)
    prompts: Annotated[
        str | None,
        Setting(
            "a folder with prompts of your own ([design/prompts.md](design/prompts.md))",
            shown="`~/.config/quorate/prompts`",
        ),
    ] = Field(default=None, min_length=1)
    orchestrator: OrchestratorSection = OrchestratorSection()
    participants: Annotated[
        tuple[Annotated[ParticipantEntry, BeforeValidator(_as_entry)], ...] | None,
        Setting(
            "names, or mappings with `name`, `persona`, `label`, `temperature`, `timeout`",
            shown="all that is found",
            variable="QUORATE_PANEL",
            trust=Trust.JOINS,
        ),
    ] = None
    settings: SettingsSection = SettingsSection()
    providers: Annotated[
        dict[ProviderName, Provider], Setting("how participants are reached, by name; see below")
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
    rules: AnalyserRulesSection = AnalyserRulesSection()
    decision: DecisionSection = DecisionSection()
    budget: BudgetSection = BudgetSection()
    privacy: PrivacySection = PrivacySection()
    mcp: McpSection = McpSection()
    retention: Annotated[
        tuple[RetentionEntry, ...],
        Setting(
            "when ended runs are purged: a list of `{{{{keep, workflow, status}}}}`, of which the first that fits a "
            "run counts; without one everything is kept ([data.md](data.md#retention))"
        ),
    ] = ()
    output: Annotated[
        tuple[OutputEntry, ...],
        Setting(
            "files that a run's result is written to when it is followed to its end: a list of "
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

"""An entry under `providers:` of a configuration file: a provider's options, and what its participant carries."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, ClassVar, Self

from pydantic import Field, JsonValue, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from shared.configuration import Documented, Seconds, Section
from shared.models.panel import Participant
from shared.providers.families import family_of, plain_name
from shared.providers.field_types import OneOf, OwnFile
from shared.providers.options import ProviderOptions
from shared.providers.scripts import load_script
from shared.tools.analyser_cards import ANALYSER_CARDS, ANALYSERS, COMMAND, REPORT
from shared.tools.commands import REPORT_FORMATS, AnalyserCommand, row_of

REPORT_S = 60.0

MAX_OUTPUT_TOKENS: int = Participant.model_fields["max_output_tokens"].default
OptionsModel = type[ProviderOptions]


class ProviderSection(Section):
    """How a participant is reached; `provider`, `options_model` and `speaks` are of its row in the catalogue."""

    type: str

    provider: ClassVar[str]
    options_model: ClassVar[OptionsModel]
    speaks: ClassVar[bool] = True

    @property
    def checked_options(self) -> ProviderOptions | None:
        """What the worker's provider gets; None where nothing in the entry is an option."""
        return None

    def participant(self, name: str, timeout_s: float) -> Participant:
        """The participant that the entry describes, without persona and fallbacks. Raises ConfigurationError."""
        raise NotImplementedError


class SpeakerSection(ProviderSection):
    """What every provider of a model may say besides its options.

    `context_tokens` is what its model reads and writes in one call, where the table of models does not say it;
    `fallback` speak while it is out of service.
    """

    model: Annotated[str | None, Documented("required over HTTP")] = Field(
        default=None, min_length=1
    )
    family: Annotated[
        str | None, Documented("models of one family agree easily", "by the model's name")
    ] = None
    persona: Annotated[str | None, Documented("as under `participants`")] = None
    temperature: Annotated[float | None, Documented("0 to 2", "by role")] = Field(
        default=None, ge=0, le=2
    )
    timeout: Annotated[Seconds | None, Documented("for one turn", "`settings.timeout`")] = None
    max_output_tokens: Annotated[
        int | None, Documented("of one answer", f"`{MAX_OUTPUT_TOKENS}`")
    ] = Field(default=None, gt=0)
    context_tokens: Annotated[
        int | None,
        Documented(
            "what the model reads and writes in one call; decides in how many portions a large change or chart is read",
            "from the table of models",
        ),
    ] = Field(default=None, gt=0)
    fallback: Annotated[
        tuple[str, ...],
        Documented(
            "names of others that take its turns, in order, while this one is out of service or beyond the budget"
        ),
    ] = ()

    @property
    def checked_options(self) -> ProviderOptions:
        """The options that the entry states."""
        return self.options_model.model_validate(self.options())

    def options(self) -> dict[str, JsonValue]:
        """The same as data, as it travels with the participant."""
        return self.model_dump(
            mode="json",
            include=set(self.options_model.model_fields),
            exclude_unset=True,
            exclude_none=True,
        )

    def participant(self, name: str, timeout_s: float) -> Participant:
        """A model that speaks with these options."""
        origin = self.checked_options.origin
        return Participant(
            name=name,
            provider=self.provider,
            model=self.model,
            family=self.family or family_of(self.model or origin),
            temperature=self.temperature,
            timeout_s=self.timeout or timeout_s,
            max_output_tokens=self.max_output_tokens or MAX_OUTPUT_TOKENS,
            context_tokens=self.context_tokens,
            options=self.options(),
        )


class HttpSection(SpeakerSection):
    """A model that is asked over HTTP has a name."""

    model: str = Field(min_length=1)


class PersonSection(ProviderSection):
    """A person, who answers through `quorate inbox` and `quorate answer`, within `timeout` where one is given."""

    timeout: Seconds | None = None

    def participant(self, name: str, timeout_s: float) -> Participant:
        """`timeout_s` is for the worker's look at the turn; the person's own time is an option.

        Everybody is of a family of their own: people are no copies of one another, and each has a vote.
        """
        options: dict[str, JsonValue] = {}
        if self.timeout is not None:
            options["answer_within_s"] = self.timeout
        family = f"person:{name}"
        return Participant(
            name=name, provider=self.provider, family=family, timeout_s=timeout_s, options=options
        )


class ScriptedSection(ProviderSection):
    """Ready replies from a file, relative to the configuration file; for demonstrations and tests."""

    script: Annotated[str, Field(min_length=1), OwnFile()]
    family: str | None = None

    def participant(self, name: str, timeout_s: float) -> Participant:
        """The replies travel with the run."""
        return scripted_participant(name, Path(self.script), self.family, timeout_s)


class AnalyserSection(ProviderSection):
    """A `tool` of ours under another name, or a `command` that looks at `files` (globs) and writes a report.

    `format` is the report's, `pattern` a regular expression where that is `regex`, `exit_codes` are those with which it
    is whole, `severity` maps the program's words to ours, `reads` are further places that the program needs.
    """

    tool: Annotated[str, OneOf(*ANALYSERS)] | None = None
    command: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    format: Annotated[str, OneOf(*REPORT_FORMATS)] = "sarif"
    pattern: str | None = None
    exit_codes: tuple[int, ...] = (0, 1)
    severity: dict[str, str] = Field(default_factory=dict)
    reads: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    timeout: Seconds | None = None

    @model_validator(mode="after")
    def _is_a_tool_or_a_command(self) -> Self:
        if (self.tool is None) == (not self.command):
            raise PydanticCustomError("analyser", "give either `tool` or `command`, a list")
        if self.command:
            _ = self.row
        return self

    @property
    def row(self) -> AnalyserCommand:
        """The command; raises PydanticCustomError with the first thing that is wrong with it."""
        try:
            return AnalyserCommand.model_validate(
                self.model_dump(include=set(AnalyserCommand.model_fields))
            )
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            field = ".".join(map(str, first["loc"]))
            words = f"{field}: {first['msg']}" if field else first["msg"]
            raise PydanticCustomError("analyser", "{words}", {"words": words}) from None

    def participant(self, name: str, timeout_s: float) -> Participant:
        """Its turns are runs of the tool."""
        limit_s = self.timeout or timeout_s
        if self.tool is not None:
            return analyser_participant(name, self.tool, limit_s)
        return command_participant(name, self.row, limit_s)


class RulesSection(ProviderSection):
    """The rule-based speaker of the author's side and of the chair."""

    def participant(self, name: str, timeout_s: float) -> Participant:
        """It takes no time and no words."""
        del timeout_s
        return Participant(name=name, provider=self.provider, family="rules")


def analyser_participant(name: str, tool: str, timeout_s: float) -> Participant:
    """A tool that speaks for itself."""
    at_most_s = min(timeout_s, ANALYSER_CARDS[tool].limits.timeout_s)
    return Participant(
        name=name, provider="analyser", tool=tool, family="rules", timeout_s=at_most_s
    )


def command_participant(name: str, row: AnalyserCommand, timeout_s: float) -> Participant:
    """A linter that speaks for itself."""
    plain = analyser_participant(name, COMMAND, timeout_s)
    return plain.model_copy(update={"options": row_of(row)})


def report_participant(name: str, options: dict[str, JsonValue]) -> Participant:
    """A linter that has spoken already: `options` are those of `ReportInput` that name its report."""
    plain = analyser_participant(name, REPORT, REPORT_S)
    return plain.model_copy(update={"options": options})


def scripted_participant(
    name: str, file: Path, family: str | None, timeout_s: float
) -> Participant:
    """Ready replies from a file. Raises ConfigurationError for a bad one."""
    return Participant(
        name=plain_name(name),
        provider="scripted",
        family=family or "scripted",
        timeout_s=timeout_s,
        options={"replies": [*load_script(file)]},
    )

"""The keys of `.quorate.yaml`. docs/configuration.md lists them for people; a test compares the two."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import BeforeValidator, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from shared.models.findings import Severity
from shared.models.wire import Wire

ANALYSERS = ("ruff", "bandit", "complexity", "diffcheck")
"""The tools that can take part as analysers, in the order of the default panel."""

_SECRET_WORDS = re.compile(
    r"(?:^|_)(?:api_?key|key|token|secret|password|passwd|credentials?)$", re.IGNORECASE
)
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|h|d|w)?")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


class Section(Wire):
    """A mapping of the file. An unknown key is an error that names the nearest known one."""

    @model_validator(mode="before")
    @classmethod
    def _knows_its_keys(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        known = [*cls.model_fields]
        for key in value:
            if key in known:
                continue
            if isinstance(key, str) and _SECRET_WORDS.search(key):
                raise PydanticCustomError(
                    "plaintext_key",
                    "'{key}' would put a secret into the file. Name where it is instead: "
                    "api_key_env: VARIABLE, or api_key_file: PATH",
                    {"key": key},
                )
            raise PydanticCustomError(
                "unknown_key",
                "unknown key '{key}'{hint}",
                {"key": str(key), "hint": did_you_mean(str(key), known)},
            )
        return value


def did_you_mean(word: str, known: list[str]) -> str:
    """`; did you mean 'x'?` for a near miss, else the list of what is known."""
    near = get_close_matches(word.lower(), known, n=1, cutoff=0.6)
    if near:
        return f"; did you mean '{near[0]}'?"
    return f" (known: {', '.join(known)})"


def _duration(value: object) -> object:
    if isinstance(value, str):
        found = _DURATION.fullmatch(value.strip())
        if found is None:
            raise PydanticCustomError(
                "duration", "expected a duration like 300, 90s, 15m, 4h, 7d or 2w"
            )
        return float(found[1]) * _SECONDS[found[2] or "s"]
    return value


Seconds = Annotated[float, BeforeValidator(_duration), Field(gt=0)]
"""A number of seconds, or a number with s, m, h, d or w."""

_lower = BeforeValidator(lambda value: value.strip().lower() if isinstance(value, str) else value)
_upper = BeforeValidator(lambda value: value.strip().upper() if isinstance(value, str) else value)


class OrchestratorSection(Section):
    """Who moderates and merges: `ai` is the name of a participant."""

    ai: str | None = None


class ParticipantEntry(Section):
    """One participant of the panel: a name with what is special about it here."""

    name: str = Field(min_length=1)
    persona: str | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    timeout: Seconds | None = None


class SettingsSection(Section):
    """The original settings: `timeout` is for one turn."""

    max_rounds: int | None = Field(default=None, ge=1, le=20)
    timeout: Seconds | None = None


class Price(Section):
    """US dollars for a million tokens."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)


class OpenAIProvider(Section):
    """An endpoint that speaks the OpenAI chat protocol. Without `base_url` it is OpenAI's own."""

    type: Literal["openai", "openai-compatible"]
    model: str = Field(min_length=1)
    base_url: str | None = None
    api_key_env: str | None = None
    api_key_file: str | None = None
    family: str | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    timeout: Seconds | None = None
    max_output_tokens: int | None = Field(default=None, gt=0)
    json_mode: Literal["json_schema", "json_object", "none"] | None = None

    @field_validator("api_key_env")
    @classmethod
    def _is_a_variable(cls, value: str | None) -> str | None:
        # The message must not repeat the value: it may be a key that was pasted here.
        if value is not None and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,127}", value):
            raise PydanticCustomError(
                "variable", "expected the name of an environment variable, not a key"
            )
        return value

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, value: str | None) -> str | None:
        return None if value is None else check_address(value)


class ScriptedProvider(Section):
    """Ready replies from a file, relative to the configuration file; for demonstrations and tests."""

    type: Literal["scripted"]
    script: str = Field(min_length=1)
    family: str | None = None


class AnalyserProvider(Section):
    """A tool that speaks for itself."""

    type: Literal["analyser"]
    tool: Literal["ruff", "bandit", "complexity", "diffcheck"]


class RulesProvider(Section):
    """The rule-based speaker of the author's side and of the chair."""

    type: Literal["rules"]


Provider = Annotated[
    OpenAIProvider | ScriptedProvider | AnalyserProvider | RulesProvider,
    Field(discriminator="type"),
]


class PanelSection(Section):
    """Who speaks for the author and who merges, when that should not be chosen automatically."""

    author: str | None = None
    chair: str | None = None


class ReviewSection(Section):
    """The review workflow."""

    strategy: Annotated[Literal["review", "red-team"], _lower] = "review"
    max_rounds: int | None = Field(default=None, ge=1, le=20)
    max_reviews: int = Field(default=2, ge=1, le=5)
    apply: Annotated[Literal["branch", "in-place"], _lower] = "branch"
    exclude: tuple[str, ...] = ()


class ConvergenceSection(Section):
    """When a discussion has converged or stalled. `weights` are for agreement and stability."""

    detector: Annotated[Literal["stance", "lexical"], _lower] = "stance"
    agreement: float = Field(default=0.7, ge=0, le=1)
    stability: float = Field(default=0.8, ge=0, le=1)
    stalled_stability: float = Field(default=0.3, ge=0, le=1)
    weights: tuple[Annotated[float, Field(ge=0, le=1)], Annotated[float, Field(ge=0, le=1)]] = (
        0.6,
        0.4,
    )


class GateSection(Section):
    """What makes a review fail: a finding at least as bad as `fail_on`, or fewer answers than `quorum`."""

    fail_on: Annotated[Severity | Literal["NONE"], _upper] | None = None
    quorum: int | None = Field(default=None, ge=1)


class DecisionSection(Section):
    """Who decides: `ask` a person, or take the word as the answer at once. Nobody's silence applies a fix."""

    mode: Annotated[Literal["ask", "skip", "apply_fix"], _lower] = "ask"
    timeout: Seconds | None = 7 * 24 * 3600.0
    on_timeout: Annotated[Literal["skip"], _lower] = "skip"


class BudgetSection(Section):
    """Hard limits of one run, checked before every call."""

    per_run_usd: float | None = Field(default=None, ge=0)
    per_run_calls: int | None = Field(default=None, ge=0)
    per_run_tokens: int | None = Field(default=None, ge=0)
    per_run_time: Seconds | None = 3600.0


class PrivacySection(Section):
    """What leaves this machine. `never_send` and `may_send` are globs, added to the built-in ones."""

    never_send: tuple[str, ...] = ()
    may_send: tuple[str, ...] = ()
    allow_external: bool = True


class OutputEntry(Section):
    """One report: its format and where it goes (`-` is standard output)."""

    format: Annotated[Literal["text", "json", "markdown"], _lower] = "text"
    path: str = "-"


def _as_entry(value: object) -> object:
    return {"name": value} if isinstance(value, str) else value


class Settings(Section):
    """The whole configuration; every key may be absent."""

    version: Literal[1] = 1
    language: Annotated[Literal["en", "ko"], _lower] = "en"
    preset: str | None = None
    orchestrator: OrchestratorSection = OrchestratorSection()
    participants: tuple[Annotated[ParticipantEntry, BeforeValidator(_as_entry)], ...] | None = None
    settings: SettingsSection = SettingsSection()
    providers: dict[str, Provider] = Field(default_factory=dict)
    panel: PanelSection = PanelSection()
    review: ReviewSection = ReviewSection()
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

    @model_validator(mode="after")
    def _providers_have_plain_names(self) -> Self:
        for name in self.providers:
            if not re.fullmatch(r"[\w.-]{1,48}", name):
                raise PydanticCustomError(
                    "provider_name",
                    "the provider name '{name}' may hold letters, digits, '_', '.' and '-', at most 48",
                    {"name": name},
                )
        return self


def check_address(value: str) -> str:
    """An http or https address without credentials; raises PydanticCustomError, without repeating it."""
    try:
        parts = urlsplit(value)
    except ValueError:
        raise PydanticCustomError("address", "this is not an address") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise PydanticCustomError("address", "expected an http:// or https:// address")
    if parts.username or parts.password:
        raise PydanticCustomError("address", "the address must not hold a user name or a password")
    return value.rstrip("/")

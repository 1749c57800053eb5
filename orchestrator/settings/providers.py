"""How participants are reached, as a configuration file says it: one section for each provider type.

A section's fields that its worker's provider knows travel as the participant's options; `options` says which.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import Field, JsonValue, field_validator, model_validator
from pydantic_core import PydanticCustomError

from shared.configuration import Seconds, Section, check_address, check_endpoint
from shared.providers.limits import KEY_OPTIONS
from shared.providers.written_keys import key_in_arguments, key_in_pairs

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_PLACE = re.compile(r"(?:[^\s/][^\n]{0,199}/)?[^\s/][^\n/]{0,99}")
_LIKE_A_KEY = re.compile(r"(?:sk|pk|rk|gsk|xai|pplx)-|AIza")
# What the participant itself carries, or what is the configuration's own; the rest are the provider's options.
_NOT_OPTIONS = frozenset(
    {
        "type",
        "model",
        "family",
        "temperature",
        "timeout",
        "max_output_tokens",
        "context_tokens",
        "persona",
        "fallback",
    }
)

_SHORT = {"input": "in", "output": "out"}
HeaderName = Annotated[str, Field(pattern=r"^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$")]
_Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]


def _variable(value: str) -> str:
    # The message must not repeat the value: it may be a key that was pasted here.
    if not _VARIABLE.fullmatch(value):
        raise PydanticCustomError(
            "variable", "expected the name of an environment variable, not a key"
        )
    return value


def _place(value: str) -> str:
    # As above: no repetition of what may be a key.
    if not _PLACE.fullmatch(value) or _LIKE_A_KEY.match(value):
        raise PydanticCustomError(
            "keyring", "expected a name of `quorate keys`, or SERVICE/USERNAME, not a key"
        )
    return value


def _file(value: str) -> str:
    if _LIKE_A_KEY.match(value):
        raise PydanticCustomError("file", "expected the path of a file, not a key")
    return value


def _refuse_key(field: str, name: str | None, instead: str) -> None:
    if name is not None:
        raise PydanticCustomError(
            "written_key",
            "'{field}' holds a key ({name}), which would be stored with every run. "
            "Name where it is instead: {instead}",
            {"field": field, "name": name, "instead": instead},
        )


class ModelProvider(Section):
    """What every provider of a speaking participant may say.

    `context_tokens` is what its model reads and writes in one call, where the table of models does not say it. `rpm`,
    `tpm` and `parallel` are the limits of its account, `account` tells accounts apart whose keys are held under one
    name, `price` is in US dollars for a million tokens (`in` or `input`, `out` or `output`, `cached`), `fallback` speak
    while it is out of service.
    """

    model: str | None = Field(default=None, min_length=1)
    family: str | None = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    timeout: Seconds | None = None
    max_output_tokens: int | None = Field(default=None, gt=0)
    context_tokens: int | None = Field(default=None, gt=0)
    persona: str | None = None
    fallback: tuple[str, ...] = ()
    rpm: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    tpm: int | None = Field(default=None, gt=0)
    parallel: int | None = Field(default=None, gt=0)
    account: str | None = Field(default=None, min_length=1, max_length=64)
    price: dict[Literal["in", "out", "cached"], _Dollars] | None = None

    @field_validator("price", mode="before")
    @classmethod
    def _in_short_words(cls, value: object) -> object:
        if not isinstance(value, dict):
            return value
        short = {_SHORT.get(key, key): dollars for key, dollars in value.items()}
        if len(short) < len(value):
            raise PydanticCustomError(
                "price", "`in` and `input`, `out` and `output` mean the same: give one of each"
            )
        return short

    @field_validator("price")
    @classmethod
    def _is_whole(cls, value: dict[str, float] | None) -> dict[str, float] | None:
        if value is not None and not {"in", "out"} <= value.keys():
            raise PydanticCustomError(
                "price", "a price needs `in` and `out`, in US dollars for a million tokens"
            )
        return value

    def options(self) -> dict[str, JsonValue]:
        """What the worker's provider is told."""
        stated = self.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
        return {name: value for name, value in stated.items() if name not in _NOT_OPTIONS}


class HttpProvider(ModelProvider):
    """A model that is asked over HTTP. Without `base_url` it is the provider's own address.

    `header_env`, `header_file` and `header_keyring` say where the value of a header is held that carries a key;
    `external: true` that a gateway on this machine passes on what it is sent.
    """

    model: str = Field(min_length=1)
    base_url: str | None = None
    api_key_env: str | None = None
    api_key_file: str | None = None
    api_key_keyring: str | None = None
    header_env: dict[HeaderName, str] | None = None
    header_file: dict[HeaderName, str] | None = None
    header_keyring: dict[HeaderName, str] | None = None
    headers: dict[str, str] | None = None
    query: dict[str, str] | None = None
    extra_body: dict[str, JsonValue] | None = None
    external: Literal[True] | None = None

    @field_validator("api_key_env")
    @classmethod
    def _is_a_variable(cls, value: str | None) -> str | None:
        return None if value is None else _variable(value)

    @field_validator("header_env")
    @classmethod
    def _name_variables(cls, value: dict[str, str] | None) -> dict[str, str] | None:
        return value and {name: _variable(where) for name, where in value.items()}

    @field_validator("api_key_file")
    @classmethod
    def _is_a_file(cls, value: str | None) -> str | None:
        return None if value is None else _file(value)

    @field_validator("header_file")
    @classmethod
    def _name_files(cls, value: dict[str, str] | None) -> dict[str, str] | None:
        return value and {name: _file(where) for name, where in value.items()}

    @field_validator("header_keyring")
    @classmethod
    def _name_places(cls, value: dict[str, str] | None) -> dict[str, str] | None:
        return value and {name: _place(where) for name, where in value.items()}

    @field_validator("api_key_keyring")
    @classmethod
    def _is_a_place(cls, value: str | None) -> str | None:
        return None if value is None else _place(value)

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, value: str | None) -> str | None:
        return None if value is None else check_endpoint(value)

    @model_validator(mode="after")
    def _holds_no_key(self) -> Self:
        for field in ("headers", "query", "extra_body"):
            pairs = getattr(self, field)
            name = "key" if field == "query" and "key" in (pairs or {}) else key_in_pairs(pairs)
            own = " or header_env: {NAME: VARIABLE}" if field == "headers" else ""
            _refuse_key(field, name, " or ".join(KEY_OPTIONS) + own)
        return self

    @model_validator(mode="after")
    def _names_a_header_once(self) -> Self:
        held = (self.header_env, self.header_file, self.header_keyring, self.headers)
        names = [name.lower() for pairs in held for name in pairs or {}]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise PydanticCustomError(
                "headers",
                "the header '{name}' is given twice: it would not be clear which value counts",
                {"name": twice},
            )
        return self

    @model_validator(mode="after")
    def _names_one_key(self) -> Self:
        named = [name for name in KEY_OPTIONS if getattr(self, name) is not None]
        if len(named) > 1:
            raise PydanticCustomError(
                "keys",
                "give one of {names}: it would not be clear which key counts",
                {"names": " and ".join(named)},
            )
        return self


class OpenAIProvider(HttpProvider):
    """An endpoint that speaks the OpenAI chat protocol."""

    type: Literal["openai", "openai-compatible"]
    json_mode: Literal["json_schema", "json_object", "none"] | None = None
    auth: Literal["bearer", "api-key"] | None = None


class ResponsesProvider(HttpProvider):
    """An endpoint that speaks the OpenAI responses protocol."""

    type: Literal["openai-responses"]
    json_schema: bool | None = None


class AnthropicProvider(HttpProvider):
    """Anthropic messages."""

    type: Literal["anthropic"]
    json_schema: bool | None = None
    cache: bool | None = None


class GeminiProvider(HttpProvider):
    """Gemini generateContent."""

    type: Literal["gemini"]
    json_schema: bool | None = None


class OllamaProvider(HttpProvider):
    """Ollama's own protocol; without `base_url` on this machine."""

    type: Literal["ollama"]
    json_schema: bool | None = None
    num_ctx: int | None = Field(default=None, gt=0)
    keep_alive: str | int | None = None


class CommandProvider(ModelProvider):
    """An installed command-line agent, or any command: a list of arguments, never a shell's line.

    It counts as external, whatever it runs, until `external: false` answers for it.
    """

    type: Literal["command"]
    agent: Literal["claude", "gemini", "codex"] | None = None
    command: tuple[str, ...] | None = None
    program: str | None = None
    arguments: tuple[str, ...] | None = None
    input: Literal["text", "json"] | None = None
    output: Literal["text", "claude", "gemini", "codex"] | None = None
    env: tuple[str, ...] | None = None
    json_schema: bool | None = None
    external: bool | None = None

    @field_validator("env")
    @classmethod
    def _are_variables(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return value and tuple(_variable(name) for name in value)

    @model_validator(mode="after")
    def _names_one_command(self) -> Self:
        if (self.agent is None) == (not self.command):
            raise PydanticCustomError(
                "command", "give either `agent` (claude, gemini, codex) or `command`, a list"
            )
        return self

    @model_validator(mode="after")
    def _holds_no_key(self) -> Self:
        for field in ("command", "arguments"):
            _refuse_key(field, key_in_arguments(getattr(self, field) or ()), "env: [VARIABLE]")
        return self

    @property
    def executable(self) -> str:
        """What has to be installed."""
        return self.program or self.agent or (self.command or ("",))[0]


class BrowserProvider(ModelProvider):
    """A web chat in a browser, with the person's own account. Off unless its site's terms were looked at."""

    type: Literal["browser"]
    site: Literal["chatgpt", "claude", "gemini"]
    i_accept_the_sites_terms: bool = False
    profile: str | None = None
    program: str | None = None
    base_url: str | None = None
    selectors: str | None = None
    visible: bool | None = None

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, value: str | None) -> str | None:
        return None if value is None else check_address(value)


class PersonProvider(Section):
    """A person, who answers through `quorate inbox` and `quorate answer`, within `timeout` where one is given."""

    type: Literal["person"]
    timeout: Seconds | None = None


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


Provider = (
    OpenAIProvider
    | ResponsesProvider
    | AnthropicProvider
    | GeminiProvider
    | OllamaProvider
    | CommandProvider
    | BrowserProvider
    | PersonProvider
    | ScriptedProvider
    | AnalyserProvider
    | RulesProvider
)

PROVIDER_TYPES = (
    "openai",
    "openai-responses",
    "anthropic",
    "gemini",
    "ollama",
    "command",
    "browser",
    "person",
    "scripted",
    "analyser",
    "rules",
)

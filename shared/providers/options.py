"""What a participant's options may say: a model for each way to reach one.

The command line checks an entry under `providers` with it (sections.py adds what a participant itself carries), a
worker checks a run's row with the same. A key itself is never here, only the place that holds it.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, JsonValue, field_validator, model_validator
from pydantic_core import PydanticCustomError

from shared.configuration import Documented, Section, check_address
from shared.providers.browser import SITES
from shared.providers.coding_clis import CODING_CLIS
from shared.providers.field_types import (
    Batch,
    Dollars,
    Endpoint,
    HeaderName,
    KeyFile,
    KeyringEntry,
    OneOf,
    OwnFile,
    Variable,
)
from shared.providers.written_keys import key_in_arguments, key_in_pairs, refuse_key
from shared.tools.commands import AnalyserCommand, is_ready, row_of

KEY_OPTIONS = ("api_key_env", "api_key_file", "api_key_keyring")
"""The options that say where a participant's key is held."""
HEADER_OPTIONS = ("header_env", "header_file", "header_keyring")
"""The options that say, header by header, where the value of a secret one is held."""
_SHORT = {"input": "in", "output": "out"}

Stated = Mapping[str, JsonValue]


class AccountLimits(Section):
    """What an account allows: requests and tokens a minute, calls at once. None means not known."""

    rpm: Annotated[float | None, Documented("requests per minute that the account allows")] = Field(
        default=None, gt=0, allow_inf_nan=False
    )
    tpm: Annotated[int | None, Documented("tokens per minute that the account allows")] = Field(
        default=None, gt=0
    )
    parallel: Annotated[int | None, Documented("calls at once that the account allows")] = Field(
        default=None, gt=0
    )

    @property
    def any(self) -> bool:
        """True when something is limited."""
        return any(value is not None for value in (self.rpm, self.tpm, self.parallel))


class ProviderOptions(AccountLimits):
    """What every provider's options may say; null is as good as not given.

    `account` tells accounts apart whose keys are held under one name, `price` is in US dollars per million tokens
    (`in` or `input`, `out` or `output`, `cached`).
    """

    account: Annotated[
        str | None,
        Documented(
            "participants with the same account share limits, cooldowns and breaker",
            "by provider, host and where the key is",
        ),
    ] = Field(default=None, min_length=1, max_length=64)
    price: Annotated[
        dict[Literal["in", "out", "cached"], Dollars] | None,
        Documented(
            "`{in, out, cached}` (or `input`, `output`) in US dollars per million tokens; without `cached` a cached "
            "token costs what a fresh one does",
            "a table, by address and model",
        ),
    ] = None

    harmless: ClassVar[frozenset[str]] = frozenset()
    """The options that steer a worker to nothing: neither to a command or a file nor to an address or a key."""

    @model_validator(mode="before")
    @classmethod
    def _null_is_not_given(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {name: stated for name, stated in value.items() if stated is not None}

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
                "price", "a price needs `in` and `out`, in US dollars per million tokens"
            )
        return value

    @property
    def holds_schema(self) -> bool:
        """True when the provider itself holds the answer to the reply's schema."""
        return False

    @property
    def origin(self) -> str:
        """What tells the family of a participant that names no model."""
        return ""

    @classmethod
    def steering(cls, stated: Stated, model: str) -> Stated | None:
        """What of these options steers a worker beyond what the code names (shared/allowed.py); None for nothing."""
        del model
        return {name: stated[name] for name in _steering_names(cls) if name in stated} or None


@functools.cache
def _steering_names(options: type[ProviderOptions]) -> frozenset[str]:
    own = options.model_fields.keys() - ProviderOptions.model_fields.keys()
    return frozenset(own) - options.harmless


class HttpOptions(ProviderOptions):
    """How a model is asked over HTTP; `base_url` takes the place of the provider's own address.

    The key is in a variable of the worker's environment, a file or the keyring. `header_env`, `header_file` and
    `header_keyring` say so of a header's value, which wins over the provider's own key header. `headers` and `query`
    are added to every request, `extra_body` to its JSON. `external: true`: a gateway on this machine passes all on.
    """

    base_url: Endpoint | None = None
    api_key_env: Variable | None = None
    api_key_file: KeyFile | None = None
    api_key_keyring: KeyringEntry | None = None
    header_env: dict[HeaderName, Variable] = Field(default_factory=dict)
    header_file: dict[HeaderName, KeyFile] = Field(default_factory=dict)
    header_keyring: dict[HeaderName, KeyringEntry] = Field(default_factory=dict)
    headers: dict[HeaderName, str] = Field(default_factory=dict)
    query: dict[str, str] = Field(default_factory=dict)
    extra_body: dict[str, JsonValue] = Field(default_factory=dict)
    external: Literal[True] | None = None

    harmless = frozenset({"external"})

    @property
    def key_header(self) -> str | None:
        """The header for the key, where it is not the provider's usual one."""
        return None

    def address(self, default: str, *endings: str) -> str:
        """Where the provider's paths begin: `base_url` without what people copy along with it."""
        address = self.base_url or default
        for ending in endings:
            address = address.removesuffix(ending)
        return address

    @model_validator(mode="after")
    def _holds_no_key(self) -> Self:
        for field in ("headers", "query", "extra_body"):
            pairs = getattr(self, field)
            name = "key" if field == "query" and "key" in pairs else key_in_pairs(pairs)
            own = " or header_env: {NAME: VARIABLE}" if field == "headers" else ""
            refuse_key(field, name, " or ".join(KEY_OPTIONS) + own)
        return self

    @model_validator(mode="after")
    def _names_a_header_once(self) -> Self:
        places = (self.header_env, self.header_file, self.header_keyring, self.headers)
        names = [name.lower() for pairs in places for name in pairs]
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


class OpenAIOptions(HttpOptions):
    """`json_mode`: how the form is asked for; `auth`: how the key is sent (Azure: api-key)."""

    json_mode: Literal["json_schema", "json_object", "none"] = "json_schema"
    auth: Literal["bearer", "api-key"] = "bearer"
    batch: Batch = False

    harmless = HttpOptions.harmless | {"json_mode", "auth", "batch"}

    @property
    def holds_schema(self) -> bool:
        """As the option says."""
        return self.json_mode == "json_schema"

    @property
    def key_header(self) -> str | None:
        """Azure's own."""
        return "api-key" if self.auth == "api-key" else None

    @classmethod
    def steering(cls, stated: Stated, model: str) -> Stated | None:
        """How the key is sent belongs to where it is sent."""
        steered = super().steering(stated, model)
        return steered and {**steered, **({"auth": stated["auth"]} if "auth" in stated else {})}


class SchemaOptions(HttpOptions):
    """`json_schema`: the reply's schema is sent as the provider's own structured output."""

    json_schema: bool = True

    harmless = HttpOptions.harmless | {"json_schema"}

    @property
    def holds_schema(self) -> bool:
        """As the option says."""
        return self.json_schema


class HostedOptions(SchemaOptions):
    """`batch`: the calls go through the provider's batch API."""

    batch: Batch = False

    harmless = SchemaOptions.harmless | {"batch"}


class AnthropicOptions(HostedOptions):
    """`cache`: mark what every turn begins with as a stable prefix."""

    cache: bool = True

    harmless = HostedOptions.harmless | {"cache"}


class OllamaOptions(SchemaOptions):
    """`num_ctx`: the model's window in tokens.

    Without `num_ctx` a window that holds prompt and answer is asked for: Ollama's own is 4,096 tokens and it silently
    drops what does not fit. For the same reason nothing is sent that cannot fit into `num_ctx`.
    """

    num_ctx: int | None = Field(default=None, gt=0)
    keep_alive: str | int | None = None

    harmless = SchemaOptions.harmless | {"num_ctx", "keep_alive"}


class CommandOptions(ProviderOptions):
    """Either a known `agent` (with `program` where it is not on PATH) or a `command`: arguments, never a shell's line.

    `{model}` in it is the participant's model. `input` is what it reads: the prompt as text, or a JSON object with
    system, messages and schema; `output` names the reader of what it prints. `env` names variables of the worker that
    it may see. It counts as external, whatever it runs, until `external: false` answers for it.
    """

    agent: Annotated[str, OneOf(*CODING_CLIS)] | None = None
    command: tuple[str, ...] = ()
    program: str | None = None
    arguments: tuple[str, ...] = ()
    input: Literal["text", "json"] = "text"
    output: Annotated[str, OneOf("text", *CODING_CLIS)] = "text"
    env: tuple[Variable, ...] = ()
    json_schema: bool = True
    external: bool | None = None

    harmless = frozenset({"agent", "input", "output", "json_schema", "external"})

    @model_validator(mode="after")
    def _names_one_command(self) -> Self:
        if (self.agent is None) == (not self.command):
            raise PydanticCustomError(
                "command",
                "give either `agent` ({agents}) or `command`, a list",
                {"agents": ", ".join(CODING_CLIS)},
            )
        return self

    @model_validator(mode="after")
    def _holds_no_key(self) -> Self:
        for field in ("command", "arguments"):
            refuse_key(field, key_in_arguments(getattr(self, field)), "env: [VARIABLE]")
        return self

    @property
    def executable(self) -> str:
        """What has to be installed."""
        return self.program or self.agent or (self.command or ("",))[0]

    @property
    def holds_schema(self) -> bool:
        """True for coding CLIs that hold their answer to a schema."""
        return (
            self.json_schema
            and self.agent is not None
            and bool(CODING_CLIS[self.agent].schema_flags)
        )

    @property
    def origin(self) -> str:
        """The coding CLI or the program."""
        return self.agent or Path(self.executable).name

    @classmethod
    def steering(cls, stated: Stated, model: str) -> Stated | None:
        """Everything but a known agent as it is. A model is an argument: it may also be an option."""
        own = super().steering(stated, model)
        if own is None and stated.get("agent") and not model.startswith("-"):
            return None
        agent = {"agent": stated["agent"]} if "agent" in stated else {}
        return {**agent, **(own or {}), "model": model}


class BrowserOptions(ProviderOptions):
    """A web chat in a browser, with the person's own account. Off unless its site's terms were looked at.

    `base_url` is for another address of the same page, `selectors` a file like sites.yaml.
    """

    site: Annotated[str, OneOf(*SITES)]
    i_accept_the_sites_terms: bool = False
    profile: Annotated[str, OwnFile()] | None = None
    program: str | None = None
    base_url: Annotated[str, AfterValidator(check_address)] | None = None
    selectors: Annotated[str, OwnFile()] | None = None
    visible: bool = False

    @property
    def origin(self) -> str:
        """The site."""
        return self.site

    @classmethod
    def steering(cls, stated: Stated, model: str) -> Stated | None:
        """All of it: a profile is a person's own account."""
        del model
        return stated


class AnalyserOptions(ProviderOptions):
    """The command of an analyser that is none of ours; an own tool has no options."""

    @classmethod
    def steering(cls, stated: Stated, model: str) -> Stated | None:
        """All of it, unless it is a row that the code itself has; a report that was handed in starts nothing."""
        del model
        if not stated or "report" in stated:
            return None
        program = AnalyserCommand.model_validate(dict(stated))
        return None if is_ready(program) else row_of(program)


class PersonOptions(ProviderOptions):
    """`answer_within_s`: how long the person has for a turn; without it, as long as the run."""

    answer_within_s: float | None = Field(default=None, gt=0, strict=True)

    harmless = frozenset({"answer_within_s"})


class ScriptedOptions(ProviderOptions):
    """`replies` are the entries; `script` is a file, only for workers that can read it; `seed` shifts latencies."""

    replies: list[JsonValue] = Field(default_factory=list)
    script: str | None = None
    seed: int = 0

    harmless = frozenset({"replies", "seed"})

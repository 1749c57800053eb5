"""The catalogue of providers: every fact about one is in its row, and nowhere else.

To add a provider is a module in workers/providers and a row here. Derived from it: who is found by itself, which
variables hold keys (and which processes never see them), prices, whether a call leaves this machine, the sections of
`providers:`, and the tables of docs/configuration.md and docs/design/providers.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from types import MappingProxyType

from shared.errors import ConfigurationError
from shared.providers.coding_clis import CODING_CLIS, CodingCli
from shared.providers.embedding_options import EmbeddingOptions
from shared.providers.options import (
    AnalyserOptions,
    AnthropicOptions,
    BrowserOptions,
    CommandOptions,
    HostedOptions,
    OllamaOptions,
    OpenAIOptions,
    PersonOptions,
    ProviderOptions,
    ScriptedOptions,
)
from shared.providers.sections import (
    AnalyserSection,
    PersonSection,
    ProviderSection,
    RulesSection,
    ScriptedSection,
)
from shared.sentences import Sentence


class Reach(StrEnum):
    """Whom a call goes to: nobody, an address, a program of this machine, a web page elsewhere."""

    NOBODY = "nobody"
    ADDRESS = "address"
    PROGRAM = "program"
    WEB_PAGE = "web page"


class Billing(StrEnum):
    """What a call costs: nothing, what the table says of its address, nothing on the user's own machine, or unknown."""

    FREE = "free"
    TABLE = "table"
    OWN_MACHINE = "own machine"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Service:
    """A service that takes part by itself when one of its key variables is set.

    `model` is its default. `key_variables` and `base_url` are the row's own when empty, `aliases` other names that it
    answers to. A variable of `elsewhere` says that the key belongs to another address, or to a model that was named:
    then it is not taken to the service's own. A `routed` service sells the models of others.
    """

    name: str
    model: str
    key_variables: tuple[str, ...] = ()
    base_url: str | None = None
    aliases: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    routed: str = ""


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that takes part by itself when it answers on this machine; `variable` says where it listens."""

    name: str
    variable: str
    start: str
    add_model: str


@dataclass(frozen=True, slots=True)
class ProviderType:
    """A row. `module` satisfies the provider's protocol and is imported by workers only, at its first use.

    `options` is what a participant may say to it, `section` what its entry under `providers:` is (by default the
    options and what every speaking participant carries). `key_variables[0]` is read at the provider's own `address`,
    and its key sent in `key_header`; at no other address. `streams`: it hands over an answer piece by piece to anyone
    who watches; `streams_unwatched`: also while nobody does, because that costs nothing, and someone who comes later
    sees what there is. What does not speak (`speaks`) takes no part by itself, and has the parts that say so.
    `services`, `local_server` and `coding_clis` are how it is found without any configuration.
    """

    name: str
    module: str
    summary: str
    options: type[ProviderOptions]
    reach: Reach = Reach.ADDRESS
    billing: Billing = Billing.TABLE
    aliases: tuple[str, ...] = ()
    address: str | None = None
    key_variables: tuple[str, ...] = ()
    key_header: str = "authorization"
    streams: bool = True
    streams_unwatched: bool = False
    speaks: bool = True
    services: tuple[Service, ...] = ()
    local_server: LocalServer | None = None
    coding_clis: tuple[CodingCli, ...] = ()
    section: type[ProviderSection] | None = None

    @property
    def billable(self) -> bool:
        """True when a stored answer saves money, and a budget has to hold."""
        return self.billing is not Billing.FREE

    @property
    def names(self) -> tuple[str, ...]:
        """What `type:` may say."""
        return (self.name, *self.aliases)


ProviderTypes = Mapping[str, ProviderType]


def catalogue_of(*rows: ProviderType) -> ProviderTypes:
    """The rows by name; their order is the order in which a panel prefers what it finds."""
    return MappingProxyType({row.name: row for row in rows})


def _openrouter(name: str, model: str, *aliases: str) -> Service:
    return Service(
        f"{name}-openrouter",
        model,
        key_variables=("OPENROUTER_API_KEY",),
        base_url="https://openrouter.ai/api/v1",
        aliases=(name, *aliases),
        routed="openrouter",
    )


# Default models: the general model of a provider's newest generation at about $2 / $10 a million tokens, or the nearest
# to it, by the data of genai-prices 0.2.3 as of 2026-11-21. Not verified against the services: `providers:` says
# otherwise.
CATALOGUE: ProviderTypes = catalogue_of(
    ProviderType(
        name="anthropic",
        module="workers.providers.anthropic",
        summary="Anthropic messages",
        options=AnthropicOptions,
        address="https://api.anthropic.com",
        key_variables=("ANTHROPIC_API_KEY",),
        key_header="x-api-key",
        services=(Service("claude", "claude-sonnet-5-5", elsewhere=("ANTHROPIC_BASE_URL",)),),
    ),
    ProviderType(
        name="gemini",
        module="workers.providers.gemini",
        summary="Gemini generateContent",
        options=HostedOptions,
        address="https://generativelanguage.googleapis.com/v1beta",
        key_variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        key_header="x-goog-api-key",
        services=(Service("gemini", "gemini-3.8-flash", elsewhere=("GOOGLE_GEMINI_BASE_URL",)),),
    ),
    ProviderType(
        name="openai-responses",
        module="workers.providers.openai_responses",
        summary="OpenAI responses",
        options=HostedOptions,
        address="https://api.openai.com/v1",
        key_variables=("OPENAI_API_KEY",),
        services=(
            Service(
                "gpt",
                "gpt-6.1-sol",
                aliases=("codex",),
                elsewhere=(
                    *("OPENAI_BASE_URL", "QUORATE_OPENAI_BASE_URL", "QUORATE_OPENAI_MODEL"),
                ),
            ),
        ),
    ),
    ProviderType(
        name="openai",
        module="workers.providers.openai",
        summary="chat completions of OpenAI and of every service that speaks them (`base_url`)",
        options=OpenAIOptions,
        aliases=("openai-compatible",),
        address="https://api.openai.com/v1",
        key_variables=("OPENAI_API_KEY",),
        services=(
            Service("grok", "grok-4.7", ("XAI_API_KEY",), "https://api.x.ai/v1"),
            Service(
                "deepseek", "deepseek-v4-pro", ("DEEPSEEK_API_KEY",), "https://api.deepseek.com"
            ),
            Service(
                *("mistral", "mistral-large-latest", ("MISTRAL_API_KEY",)),
                "https://api.mistral.ai/v1",
            ),
            _openrouter("claude", "anthropic/claude-sonnet-5.5"),
            _openrouter("gemini", "google/gemini-3.8-flash"),
            _openrouter("gpt", "openai/gpt-6.1-sol", "codex"),
        ),
    ),
    ProviderType(
        name="ollama",
        module="workers.providers.ollama",
        summary="Ollama's own protocol; without `base_url` on this machine",
        options=OllamaOptions,
        billing=Billing.OWN_MACHINE,
        address="http://127.0.0.1:11434",
        local_server=LocalServer("Ollama", "OLLAMA_HOST", "ollama serve", "ollama pull NAME"),
    ),
    ProviderType(
        name="embeddings",
        module="workers.providers.embeddings",
        summary="vectors of texts for `--embedder`, by OpenAI's `/embeddings`, which Ollama and others speak; without "
        "`base_url` an Ollama on this machine",
        options=EmbeddingOptions,
        billing=Billing.OWN_MACHINE,
        address="http://127.0.0.1:11434/v1",
        streams=False,
        speaks=False,
    ),
    ProviderType(
        name="command",
        module="workers.providers.coding_cli.command",
        summary=f"an installed {', '.join(f'`{name}`' for name in CODING_CLIS)}, or any command: a list, no shell; "
        "`external: false` says that it keeps texts on this machine",
        options=CommandOptions,
        reach=Reach.PROGRAM,
        coding_clis=tuple(CODING_CLIS.values()),
        streams_unwatched=True,
    ),
    ProviderType(
        name="browser",
        module="workers.providers.browser",
        summary="a web chat in a Chromium, with your own account",
        options=BrowserOptions,
        reach=Reach.WEB_PAGE,
        billing=Billing.UNKNOWN,
        streams_unwatched=True,
    ),
    ProviderType(
        name="person",
        module="workers.providers.person",
        summary="a person, who answers through `quorate inbox` within `timeout`, or before the run ends",
        options=PersonOptions,
        reach=Reach.NOBODY,
        billing=Billing.FREE,
        streams=False,
        section=PersonSection,
    ),
    ProviderType(
        name="scripted",
        module="workers.providers.scripted",
        summary="a file of ready replies, relative to the configuration file",
        options=ScriptedOptions,
        reach=Reach.NOBODY,
        billing=Billing.FREE,
        section=ScriptedSection,
    ),
    ProviderType(
        name="analyser",
        module="workers.providers.rules",
        summary="a built-in analyser, or any linter",
        options=AnalyserOptions,
        reach=Reach.NOBODY,
        billing=Billing.FREE,
        streams=False,
        section=AnalyserSection,
    ),
    ProviderType(
        name="rules",
        module="workers.providers.rules",
        summary="rules, for the author's side and the chair",
        options=ProviderOptions,
        reach=Reach.NOBODY,
        billing=Billing.FREE,
        streams=False,
        section=RulesSection,
    ),
)


def provider_type(name: str, catalogue: ProviderTypes = CATALOGUE) -> ProviderType:
    """The row of that name. Raises ConfigurationError, which names the nearest one."""
    if name in catalogue:
        return catalogue[name]
    near = get_close_matches(name, catalogue, n=1)
    hint = (
        Sentence("did you mean '{near}'?", near=near[0])
        if near
        else Sentence("known are {names}.", names=", ".join(catalogue))
    )
    raise ConfigurationError("There is no provider '{name}': {hint}", name=name, hint=hint)


def services(catalogue: ProviderTypes = CATALOGUE) -> Iterator[tuple[ProviderType, Service]]:
    """Every service with its row, in the catalogue's order."""
    return ((row, service) for row in catalogue.values() for service in row.services)


def key_variables_of(row: ProviderType, service: Service) -> tuple[str, ...]:
    """The variables that announce a service."""
    return service.key_variables or row.key_variables


def all_key_variables(catalogue: ProviderTypes = CATALOGUE) -> frozenset[str]:
    """Every variable that holds a key of anybody in the catalogue."""
    rows = catalogue.values()
    return frozenset(
        name
        for row in rows
        for names in (
            row.key_variables,
            *(service.key_variables for service in row.services),
            *(cli.key_variables for cli in row.coding_clis),
        )
        for name in names
    )


def secret_headers(catalogue: ProviderTypes = CATALOGUE) -> frozenset[str]:
    """The headers in which providers take their keys."""
    usual = {"authorization", "api-key", "cookie"}
    return frozenset(usual | {row.key_header for row in catalogue.values()})

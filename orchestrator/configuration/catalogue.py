"""Which participants there are, and what a name on the command line or in a file stands for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import JsonValue
from pydantic_core import PydanticCustomError

from orchestrator.configuration.presets import load_persona, load_preset, preset_names
from orchestrator.configuration.schema import (
    ANALYSERS,
    AnalyserProvider,
    OpenAIProvider,
    ParticipantEntry,
    Provider,
    RulesProvider,
    ScriptedProvider,
    Settings,
    check_address,
)
from shared.errors import ConfigurationError, CredentialsRejected
from shared.models.panel import Participant
from shared.scripts import load_script

MODELS_GROUP, ANALYSERS_GROUP, RULES = "models", "analysers", "rules"
KEY, OWN_KEY = "OPENAI_API_KEY", "QUORATE_OPENAI_API_KEY"
BASE_URL, MODEL = "QUORATE_OPENAI_BASE_URL", "QUORATE_OPENAI_MODEL"

# By the beginning of a model's name, after an organisation's prefix.
FAMILIES: tuple[tuple[str, str], ...] = (
    (r"gpt|chatgpt|codex|o\d", "openai"),
    (r"claude", "anthropic"),
    (r"gemini|gemma", "google"),
    (r"llama|codellama", "meta"),
    (r"mistral|mixtral|codestral|devstral|magistral|ministral", "mistral"),
    (r"qwen|qwq", "qwen"),
    (r"deepseek", "deepseek"),
    (r"phi", "microsoft"),
    (r"grok", "xai"),
    (r"command", "cohere"),
    (r"exaone", "lg"),
    (r"solar", "upstage"),
    (r"glm|chatglm", "zhipu"),
    (r"kimi|moonshot", "moonshot"),
    (r"granite", "ibm"),
)


@dataclass(frozen=True)
class Catalogue:
    """The participants that the settings and the environment offer. Paths are relative to `directory`."""

    settings: Settings
    environ: Mapping[str, str]
    directory: Path

    def resolve(self, entry: ParticipantEntry) -> tuple[Participant, ...]:
        """The participants of an entry; several for a group or a preset.

        Raises ConfigurationError for an unknown name, CredentialsRejected for a missing key.
        """
        name = entry.name.strip()
        if name == MODELS_GROUP:
            found = self.models()
            return tuple(self._particular(participant, entry) for participant in found)
        if name == ANALYSERS_GROUP:
            return tuple(self._analyser(tool, tool) for tool in ANALYSERS)
        if name in preset_names() and name not in self.settings.providers:
            return self._of_preset(name)
        return (self._particular(self._single(name), entry),)

    def models(self) -> tuple[Participant, ...]:
        """Every model that can be reached: the configured ones, and the environment's."""
        found = [
            self._configured(name, provider)
            for name, provider in self.settings.providers.items()
            if isinstance(provider, OpenAIProvider) and self.obstacle(name, provider) is None
        ]
        if (own := self.environment_model()) is not None:
            found.append(own)
        return tuple(found)

    def environment_model(self) -> Participant | None:
        """The model that the environment's variables describe."""
        model = self.environ.get(MODEL)
        reachable = self.environ.get(BASE_URL) or self.environ.get(KEY) or self.environ.get(OWN_KEY)
        if not model or not reachable:
            return None
        participant = self._openai(model, None)
        return participant if self._allowed(participant) else None

    def obstacle(self, name: str, provider: OpenAIProvider) -> str | None:
        """Why a configured model cannot be asked; None when nothing stands in its way."""
        key = provider.api_key_env or (KEY if provider.base_url is None else None)
        if provider.api_key_file is not None:
            key = None
        # With servers elsewhere the keys are in the workers' environment, which cannot be seen from here.
        elsewhere = bool(self.environ.get("QUORATE_REDIS_URL"))
        if key is not None and not self.environ.get(key) and not elsewhere:
            return f"{name} needs a key in the environment variable {key}, which is not set"
        if not self._allowed(self._configured(name, provider)):
            return f"{name} is an external endpoint, and privacy.allow_external is false"
        return None

    def known(self) -> list[str]:
        """All names that can be used as they are."""
        own = self.environment_model()
        return [
            *ANALYSERS,
            *self.settings.providers,
            *((own.name,) if own is not None else ()),
            MODELS_GROUP,
            ANALYSERS_GROUP,
            *preset_names(),
        ]

    def _single(self, name: str) -> Participant:
        kind, _, rest = name.partition(":")
        provider = self.settings.providers.get(name)
        if provider is not None:
            return self._reachable(name, provider)
        if name in ANALYSERS:
            return self._analyser(name, name)
        if name == RULES:
            return Participant(name=RULES, provider="rules", family="rules")
        if kind == "scripted" and rest:
            file, _, own_name = rest.partition("#")
            return self._scripted(own_name or Path(file).stem, self.directory / file, None)
        if kind == "openai" and rest:
            return self._named_openai(rest)
        own = self.environment_model()
        if own is not None and name in (own.name, own.model):
            return own
        raise self._unknown(name)

    def _unknown(self, name: str) -> ConfigurationError:
        known = self.known()
        near = get_close_matches(name.lower(), known, n=1, cutoff=0.6)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        return ConfigurationError(
            f"No participant is called '{name}'.{hint} Known here: {', '.join(known)}; also scripted:FILE[#NAME] "
            "and openai:MODEL[@BASE_URL]. Other names need an entry under `providers:` in your own configuration, "
            "for example `NAME: {type: openai, model: MODEL, base_url: URL, api_key_env: VARIABLE}`."
        )

    def _of_preset(self, name: str) -> tuple[Participant, ...]:
        listed = load_preset(name).document.tree.get("participants")
        entries = [
            ParticipantEntry.model_validate({"name": item} if isinstance(item, str) else item)
            for item in (listed if isinstance(listed, list) else [])
        ]
        return tuple(found for entry in entries for found in self.resolve(entry))

    def _reachable(self, name: str, provider: Provider) -> Participant:
        if isinstance(provider, OpenAIProvider) and (reason := self.obstacle(name, provider)):
            kind = CredentialsRejected if "needs a key" in reason else ConfigurationError
            raise kind(f"{reason}.")
        return self._configured(name, provider)

    def _configured(self, name: str, provider: Provider) -> Participant:
        match provider:
            case OpenAIProvider():
                options: dict[str, JsonValue] = {
                    key: getattr(provider, key)
                    for key in ("base_url", "api_key_env", "api_key_file", "json_mode")
                    if getattr(provider, key) is not None
                }
                return Participant(
                    name=name,
                    provider="openai",
                    model=provider.model,
                    family=provider.family or family_of(provider.model),
                    temperature=provider.temperature,
                    timeout_s=provider.timeout or self._timeout_s(),
                    max_output_tokens=provider.max_output_tokens or 8192,
                    options=options,
                )
            case ScriptedProvider():
                return self._scripted(name, Path(provider.script), provider.family)
            case AnalyserProvider():
                return self._analyser(name, provider.tool)
            case RulesProvider():
                return Participant(name=name, provider="rules", family="rules")

    def _analyser(self, name: str, tool: str) -> Participant:
        return Participant(
            name=name,
            provider="analyser",
            tool=tool,
            family="rules",
            timeout_s=min(self._timeout_s(), 120.0),
        )

    def _scripted(self, name: str, file: Path, family: str | None) -> Participant:
        return Participant(
            name=plain_name(name),
            provider="scripted",
            family=family or "scripted",
            timeout_s=self._timeout_s(),
            options={"replies": [*load_script(file)]},
        )

    def _named_openai(self, rest: str) -> Participant:
        model, at, address = rest.partition("@http")
        if not model:
            raise ConfigurationError("openai: needs a model, like openai:gpt-5-mini.")
        try:
            base_url = check_address(f"http{address}") if at else None
        except PydanticCustomError as error:
            raise ConfigurationError(f"openai:{model}: {error.message()}.") from None
        participant = self._openai(model, base_url)
        key_missing = not participant.options and not self.environ.get(KEY)
        if key_missing and not self.environ.get("QUORATE_REDIS_URL"):
            raise CredentialsRejected(
                f"openai:{model} needs a key in the environment variable {KEY}, which is not set. For another "
                f"endpoint write openai:{model}@http://HOST/v1, or set {BASE_URL}."
            )
        if not self._allowed(participant):
            raise ConfigurationError(
                f"openai:{model} is an external endpoint, and privacy.allow_external is false."
            )
        return participant

    def _openai(self, model: str, base_url: str | None) -> Participant:
        """A model at `base_url`, else at the environment's, else at OpenAI.

        OPENAI_API_KEY goes only where the environment itself points; another address gets
        QUORATE_OPENAI_API_KEY when that is set, or no key.
        """
        options: dict[str, JsonValue] = {}
        address = base_url or self.environ.get(BASE_URL)
        if address:
            options["base_url"] = address.rstrip("/")
        if self.environ.get(OWN_KEY):
            options["api_key_env"] = OWN_KEY
        elif address and base_url is None and self.environ.get(KEY):
            options["api_key_env"] = KEY
        return Participant(
            name=plain_name(model),
            provider="openai",
            model=model,
            family=family_of(model),
            timeout_s=self._timeout_s(),
            options=options,
        )

    def _particular(self, participant: Participant, entry: ParticipantEntry) -> Participant:
        """The participant with what its entry says."""
        changes: dict[str, object] = {}
        if entry.persona is not None:
            if participant.rule_based:
                raise ConfigurationError(
                    f"{participant.name} follows rules and can have no persona; models can."
                )
            changes["persona"] = load_persona(entry.persona, self.settings.language)
            label = "own" if " " in entry.persona.strip() else entry.persona
            changes["name"] = plain_name(f"{participant.name}/{label}")
        if entry.temperature is not None:
            changes["temperature"] = entry.temperature
        if entry.timeout is not None:
            changes["timeout_s"] = entry.timeout
        return participant.model_copy(update=changes) if changes else participant

    def _timeout_s(self) -> float:
        return self.settings.settings.timeout or 300.0

    def _allowed(self, participant: Participant) -> bool:
        return self.settings.privacy.allow_external or not is_external(participant)


def is_external(participant: Participant) -> bool:
    """True when a call leaves this machine."""
    if participant.provider != "openai":
        return False
    host = urlsplit(str(participant.options.get("base_url", ""))).hostname or ""
    return not (host in ("localhost", "::1") or re.fullmatch(r"127(\.\d{1,3}){3}", host))


def family_of(model: str) -> str:
    """Who trained a model, guessed from its name; the first word of the name when nobody knows."""
    name = model.lower().rpartition("/")[2]
    for pattern, family in FAMILIES:
        if re.match(pattern, name):
            return family
    return re.split(r"[^\w]|\d", name)[0] or "unknown"


def plain_name(name: str) -> str:
    """A name that a participant may have, nearest to the given one."""
    return re.sub(r"[^\w.@/-]", "-", name)[:64] or "participant"

"""Which participants there are, and what a name on the command line or in a file means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pydantic import JsonValue
from pydantic_core import PydanticCustomError

from orchestrator.participants.discovery import DISCOVER, Discovery, discover
from orchestrator.participants.obstacles import Obstacle, obstacle
from orchestrator.participants.unknown_names import unknown_name
from orchestrator.settings.languages import language_of
from orchestrator.settings.places import presets_folder
from orchestrator.settings.preset_files import load_persona, load_preset, preset_names
from orchestrator.settings.schema import Settings
from orchestrator.settings.sections import ParticipantEntry
from shared.configuration import check_endpoint
from shared.errors import ConfigurationError, CredentialsRejected
from shared.models.panel import Participant
from shared.programs import find_program
from shared.providers.catalogue import CATALOGUE
from shared.providers.families import family_of, plain_name
from shared.providers.locality import leaves_machine
from shared.providers.sections import (
    AnalyserSection,
    ProviderSection,
    SpeakerSection,
    analyser_participant,
    command_participant,
    scripted_participant,
)
from shared.tools.analyser_cards import ANALYSERS
from shared.tools.commands import AnalyserCommand, ready_commands
from shared.tools.commands import installed as installed_commands

MODELS_GROUP, ANALYSERS_GROUP, RULES = "models", "analysers", "rules"
KEY, OWN_KEY = CATALOGUE["openai"].key_variables[0], "QUORATE_OPENAI_API_KEY"
BASE_URL, MODEL = "QUORATE_OPENAI_BASE_URL", "QUORATE_OPENAI_MODEL"


@dataclass(frozen=True)
class Catalogue:
    """The participants that the settings and the environment offer. Paths are relative to `directory`.

    `chosen` are the models of this run where some were typed: then there are no others. `kept_by` is what keeps texts
    on this machine, where they are (`Configuration.kept_by`).
    """

    settings: Settings
    environ: Mapping[str, str]
    directory: Path
    chosen: tuple[Participant, ...] = ()
    kept_by: str = "privacy.allow_external is false"

    def resolve(self, entry: ParticipantEntry) -> tuple[Participant, ...]:
        """The participants of an entry; several for a group or a preset.

        Raises ConfigurationError for an unknown name, CredentialsRejected for a missing key.
        """
        return tuple(
            self.particular(base, part)
            for part in self.expanded(entry)
            for base in self.bases(part)
        )

    def expanded(self, entry: ParticipantEntry) -> tuple[ParticipantEntry, ...]:
        """The entries of the preset that an entry names, or the entry itself."""
        name = entry.name.strip()
        if name in self.settings.providers or name not in preset_names(self._presets):
            return (entry,)
        return load_preset(name, self._presets).participants

    def bases(self, entry: ParticipantEntry) -> tuple[Participant, ...]:
        """Who is meant by an entry's name, without what the entry says about them."""
        name = entry.name.strip()
        if name == MODELS_GROUP:
            return self.models()
        if name == ANALYSERS_GROUP:
            return self.analysers()
        participant = self._single(name)
        self._check_models(participant, name)
        return (participant,)

    def check_may_be_asked(self, participant: Participant, name: str) -> None:
        """Raise ConfigurationError where no model, or nobody elsewhere, is to be asked."""
        self._check_models(participant, name)
        if not self._allowed(participant):
            raise ConfigurationError(
                "{name} is external, and {kept_by}.", name=name, kept_by=self.kept_by
            )

    def _check_models(self, participant: Participant, name: str) -> None:
        if participant.is_model and not self.settings.privacy.allow_models:
            raise ConfigurationError(
                "{name} is a model, and no model is asked here (`--preset keyless`, or "
                "privacy.allow_models: false). Leave one of the two out.",
                name=name,
            )

    def analysers(self) -> tuple[Participant, ...]:
        """Ours, the commands of the configuration, and the known programs that are installed and join by themselves."""
        ours = (analyser_participant(tool, tool, self.turn_s) for tool in ANALYSERS)
        own = (
            self._configured(name, provider)
            for name, provider in self.settings.providers.items()
            if isinstance(provider, AnalyserSection) and provider.command
        )
        ready = (self._ready(name) for name in self.installed if ready_commands()[name].joins)
        return (*ours, *own, *ready)

    @cached_property
    def installed(self) -> tuple[str, ...]:
        """The known linters that are here, and not configured otherwise."""
        if self.environ.get(DISCOVER, "").lower() == "off":
            return ()
        present = installed_commands(self.environ.get("PATH", ""))
        return tuple(name for name in present if name not in self.settings.providers)

    def missing_linters(self, paths: Sequence[str]) -> Iterator[tuple[str, str, int]]:
        """Known linters that are not here, their language, and how many of the files nobody else of it would read."""
        if self.environ.get(DISCOVER, "").lower() == "off":
            return
        own = self.own_commands
        unread = [path for path in paths if not any(row.reads_file(path) for row in own)]
        for name, ready in ready_commands().items():
            count = sum(map(ready.row.reads_file, unread))
            if ready.offered and count and name not in {*self.installed, *self.settings.providers}:
                yield name, ready.language, count

    @property
    def own_commands(self) -> tuple[AnalyserCommand, ...]:
        """The commands of the configuration."""
        entries = (e for e in self.settings.providers.values() if isinstance(e, AnalyserSection))
        return tuple(entry.row for entry in entries if entry.command)

    def _ready(self, name: str) -> Participant:
        """A known linter. Off the usual folders it goes by its place: workers may have another PATH than a command."""
        row = ready_commands()[name].row
        place = find_program(row.program, self.environ.get("PATH", ""))
        if place is not None and not place.startswith(("/usr/", "/bin/")):
            row = row.model_copy(update={"command": (place, *row.command[1:])})
        return command_participant(name, row, self.turn_s)

    def models(self) -> tuple[Participant, ...]:
        """Every model that can be reached: the configured ones and the environment's, else who is found.

        Who is found joins a single model of the environment, one of each other family, and no configured ones:
        a configuration says who takes part. Where some were chosen for this run, it is these.
        """
        if self.chosen or not self.settings.privacy.allow_models:
            return self.chosen
        configured = [
            (name, provider)
            for name, provider in self.settings.providers.items()
            if isinstance(provider, SpeakerSection) and provider.speaks
        ]
        reachable = [
            self._configured(name, provider)
            for name, provider in configured
            if self.obstacle(name, provider) is None
        ]
        own = self.environment_model()
        reachable += [own] if own is not None else []
        if not configured:
            reachable += self._discovered_panel(reachable)
        return tuple(reachable)

    def _discovered_panel(self, present: Sequence[Participant]) -> list[Participant]:
        panel = self.discovery.panel(member.family for member in present)
        return list(filter(self._allowed, panel))

    def everyone(self) -> tuple[Participant, ...]:
        """Whoever could take part, also those whose key or program is not here."""
        configured = [self._configured(*named) for named in self.settings.providers.items()]
        own = self.environment_model()
        discovered = [known.participant for known in self.discovery.participants]
        return (*configured, *([own] if own else []), *discovered)

    @property
    def language(self) -> str:
        """The language of personas."""
        return language_of(self.settings.language)

    @cached_property
    def discovery(self) -> Discovery:
        """Who is here without being configured; looked for once."""
        return discover(self.environ, self.turn_s)

    def environment_model(self) -> Participant | None:
        """The model that the environment's variables describe."""
        model = self.environ.get(MODEL)
        reachable = self.environ.get(BASE_URL) or self.environ.get(KEY) or self.environ.get(OWN_KEY)
        if not model or not reachable:
            return None
        participant = self.endpoint_model(model)
        return participant if self._allowed(participant) else None

    def obstacle(self, name: str, provider: ProviderSection) -> Obstacle | None:
        """Why a configured participant cannot be asked; None when nothing prevents it."""
        lacking = obstacle(name, provider, self.environ)
        if lacking is None and not self._allowed(self._configured(name, provider, alone=True)):
            return Obstacle(f"{name} is an external endpoint, and {self.kept_by}")
        return lacking

    def configured(self, name: str) -> Participant:
        """What the entry of that name describes, whatever prevents its use."""
        return self._configured(name, self.settings.providers[name])

    def known(self) -> list[str]:
        """All names that can be used as they are."""
        own = self.environment_model()
        return [
            *ANALYSERS,
            *self.installed,
            *self.settings.providers,
            *((own.name,) if own is not None else ()),
            *(name for name in self.discovery.names() if name not in self.settings.providers),
            MODELS_GROUP,
            ANALYSERS_GROUP,
            *preset_names(self._presets),
        ]

    @property
    def _presets(self) -> Path | None:
        return presets_folder(self.environ)

    def _single(self, name: str) -> Participant:
        provider = self.settings.providers.get(name)
        if provider is not None:
            return self._reachable(name, provider)
        if (built_in := self._built_in(name)) is not None:
            return built_in
        own = self.environment_model()
        if own is not None and name in (own.name, own.model):
            return own
        return self._discovered(name)

    def _built_in(self, name: str) -> Participant | None:
        """Who is meant by a name that says everything by itself."""
        kind, _, rest = name.partition(":")
        if name in ANALYSERS:
            return analyser_participant(name, name, self.turn_s)
        if name in ready_commands():
            if name not in self.installed:
                raise ConfigurationError(
                    "'{name}' is not installed here: put it on PATH.", name=name
                )
            return self._ready(name)
        if name == RULES:
            return Participant(name=RULES, provider="rules", family="rules")
        if kind == "scripted" and rest:
            file, _, own_name = rest.partition("#")
            shown = own_name or Path(file).stem
            return scripted_participant(shown, self.directory / file, None, self.turn_s)
        return self._named_openai(rest) if kind == "openai" and rest else None

    def _discovered(self, name: str) -> Participant:
        discovered = self.discovery.named(name)
        if discovered is None:
            raise unknown_name(name, self.discovery, self.known)
        self.check_may_be_asked(discovered, name)
        return discovered

    def _reachable(self, name: str, provider: ProviderSection) -> Participant:
        obstacle = self.obstacle(name, provider)
        if obstacle is not None:
            kind = CredentialsRejected if obstacle.key else ConfigurationError
            raise kind("{reason}.", reason=obstacle.reason)
        return self._configured(name, provider)

    def _configured(
        self, name: str, provider: ProviderSection, *, alone: bool = False
    ) -> Participant:
        """What an entry describes; `alone` without who speaks in its place."""
        participant = provider.participant(name, self.turn_s)
        if not isinstance(provider, SpeakerSection):
            return participant
        if provider.persona is not None:
            persona = load_persona(provider.persona, self.language)
            participant = participant.model_copy(update={"persona": persona})
        if alone or not provider.fallback:
            return participant
        stand_ins = tuple(self._stand_in(name, other) for other in provider.fallback)
        return participant.model_copy(update={"fallback": stand_ins})

    def _stand_in(self, name: str, other: str) -> Participant:
        provider = self.settings.providers.get(other)
        if provider is None:
            stand_in = self._single(other)
        else:
            stand_in = self._configured(other, provider, alone=True)
        if stand_in.provider in ("analyser", "person", "embeddings") or other == name:
            raise ConfigurationError(
                "'{other}' cannot speak in place of '{name}'.", other=other, name=name
            )
        if not self._allowed(stand_in):
            raise ConfigurationError(
                "'{other}' would speak for '{name}', is external, and {kept_by}.",
                other=other,
                name=name,
                kept_by=self.kept_by,
            )
        return stand_in

    def _named_openai(self, rest: str) -> Participant:
        model, at, address = rest.partition("@http")
        if not model:
            raise ConfigurationError("openai: needs a model, like openai:gpt-5-mini.")
        base_url = _address(f"openai:{model}", f"http{address}") if at else None
        participant = self.endpoint_model(model, base_url)
        key_missing = not participant.options and not self.environ.get(KEY)
        if key_missing and not self.environ.get("QUORATE_REDIS_URL"):
            raise CredentialsRejected(
                "openai:{model} needs a key in the environment variable {variable}, which is not set. For "
                "another endpoint write openai:{model}@http://HOST/v1, or set {variable2}.",
                model=model,
                variable=KEY,
                variable2=BASE_URL,
            )
        if not self._allowed(participant):
            raise ConfigurationError(
                "openai:{model} is an external endpoint, and {kept_by}.",
                model=model,
                kept_by=self.kept_by,
            )
        return participant

    def endpoint_model(self, model: str, base_url: str | None = None) -> Participant:
        """A model at `base_url`, else at the environment's, else at OpenAI.

        OPENAI_API_KEY goes only where the environment itself points; another address gets
        QUORATE_OPENAI_API_KEY when that is set, or no key.
        """
        options: dict[str, JsonValue] = {}
        own_address = self.environ.get(BASE_URL)
        address = base_url or (_address(BASE_URL, own_address) if own_address else None)
        if address:
            options["base_url"] = address
        if self.environ.get(OWN_KEY):
            options["api_key_env"] = OWN_KEY
        elif address and base_url is None and self.environ.get(KEY):
            options["api_key_env"] = KEY
        return Participant(
            name=plain_name(model),
            provider="openai",
            model=model,
            family=family_of(model),
            timeout_s=self.turn_s,
            options=options,
        )

    def particular(
        self, participant: Participant, entry: ParticipantEntry, joint: str = "/"
    ) -> Participant:
        """The participant with what its entry says; a persona is added to its name after `joint`."""
        changes = self._persona(participant, entry.persona, entry.label, joint)
        if entry.temperature is not None:
            changes["temperature"] = entry.temperature
        if entry.timeout is not None and participant.is_person:
            changes["options"] = {**participant.options, "answer_within_s": entry.timeout}
        elif entry.timeout is not None:
            changes["timeout_s"] = entry.timeout
        return participant.model_copy(update=changes) if changes else participant

    def _persona(
        self, participant: Participant, persona: str | None, label: str | None, joint: str
    ) -> dict[str, object]:
        if persona is None:
            return {}
        if participant.rule_based:
            raise ConfigurationError(
                "{participant} follows rules and can have no persona; models can.",
                participant=participant.name,
            )
        own_words = any(letter.isspace() for letter in persona.strip())
        shown = label or ("own" if own_words else persona.strip())
        name = plain_name(f"{participant.name}{joint}{shown}")
        return {"persona": load_persona(persona, self.language), "name": name}

    @property
    def turn_s(self) -> float:
        """How long a turn may take."""
        return self.settings.settings.turn_s

    def _allowed(self, participant: Participant) -> bool:
        return self.settings.privacy.allow_external or not leaves_machine(participant)


def _address(source: str, address: str) -> str:
    """The address, checked. Raises ConfigurationError, which does not repeat it."""
    try:
        return check_endpoint(address)
    except PydanticCustomError as error:
        raise ConfigurationError("{source}: {why}.", source=source, why=error.message()) from None

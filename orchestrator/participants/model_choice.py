"""What `-m MODEL` means: a model for this run, without an entry in a file.

A participant's name, the model of an entry, a model of the local server, `PROVIDER/MODEL`, or a model's own name: then
the service is the one whose models are called so. A model's own name that no price list knows is refused, since it is
mostly a slip and the service would answer only after the run has started; with the provider before it, it is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from orchestrator.participants.catalogue import (
    ANALYSERS_GROUP,
    BASE_URL,
    MODEL,
    MODELS_GROUP,
    RULES,
    Catalogue,
)
from orchestrator.participants.discovery import (
    DISCOVER,
    DiscoveredParticipant,
    Discovery,
    discover,
    service_participant,
)
from orchestrator.settings.sections import ParticipantEntry
from shared.errors import ConfigurationError, CredentialsRejected
from shared.models.panel import Participant
from shared.providers.catalogue import CATALOGUE, ProviderType, Service, key_variables_of, services
from shared.providers.families import family_of, plain_name
from shared.providers.prices import is_listed, listed_models
from shared.providers.sections import SpeakerSection
from shared.sentences import Sentence
from shared.tools.analyser_cards import ANALYSERS
from shared.tools.commands import ready_commands

NOBODY = "none"
_NEAREST = 2


def choose_models(catalogue: Catalogue, wanted: Sequence[str]) -> Catalogue:
    """The catalogue whose models are these alone.

    Raises ConfigurationError for a name that means no model or may not be asked here, CredentialsRejected without its
    key.
    """
    if not wanted:
        return catalogue
    # Naming a model is a wish of its own: it holds where looking around is switched off.
    around = discover({**catalogue.environ, DISCOVER: "all"}, catalogue.turn_s)
    chosen: dict[str, Participant] = {}
    for name in map(str.strip, wanted):
        participant = _Choice(name, catalogue, around).participant()
        catalogue.check_may_be_asked(participant, f"-m {name}")
        chosen[participant.name] = participant
    return replace(catalogue, chosen=tuple(chosen.values()))


def is_replaced(name: str, catalogue: Catalogue) -> bool:
    """Whether the models that were chosen for this run stand in the place of that name: it means another model."""
    name = name.strip()
    others = (*ANALYSERS, *ready_commands(), ANALYSERS_GROUP, MODELS_GROUP, RULES, NOBODY)
    if not catalogue.chosen or name in (*others, *(model.name for model in catalogue.chosen)):
        return False
    return isinstance(catalogue.settings.providers.get(name), SpeakerSection | None)


@dataclass(frozen=True)
class _Choice:
    """One `-m`, and what it is looked for in."""

    wanted: str
    catalogue: Catalogue
    around: Discovery

    def participant(self) -> Participant:
        """Who is meant."""
        if not self.wanted:
            raise ConfigurationError("-m needs a model's name, like gpt-5-mini or ollama/qwen3.")
        prefix, slash, model = self.wanted.partition("/")
        ways = (self._configured, self._from_environment, self._found_here)
        for way in ways:
            if (participant := way()) is not None:
                return participant
        if slash and model and (participant := self._of_provider(prefix, model)) is not None:
            return participant
        return self._by_its_name()

    # ---- who is here under that name, or with that model ----------------------------------------

    def _configured(self) -> Participant | None:
        """The entry under `providers:` of that name, else the first one with that model."""
        entries = self.catalogue.settings.providers
        name = self.wanted
        if name not in entries:
            name = next((key for key, entry in entries.items() if _model_of(entry) == name), "")
        if not name:
            return None
        (participant,) = self.catalogue.bases(ParticipantEntry(name=name))
        if not participant.is_model:
            raise ConfigurationError(
                "-m {wanted}: that is no model; `--participants {name}` names who takes part.",
                wanted=self.wanted,
                name=name,
            )
        return participant

    def _from_environment(self) -> Participant | None:
        own = self.catalogue.environment_model()
        return own if own is not None and self.wanted in (own.name, own.model) else None

    def _found_here(self) -> Participant | None:
        """Whoever discovery calls so, or a model of the local server by its name, with its tag or without."""
        if (known := self.around.named(self.wanted)) is not None:
            return known
        return self._local_model(self.wanted)

    def _local_model(self, model: str) -> Participant | None:
        local = [known.participant for known in self._local()]
        exact = [entry for entry in local if entry.model == model]
        tagged = [entry for entry in local if (entry.model or "").partition(":")[0] == model]
        return next(iter((*exact, *tagged)), None)

    def _local(self) -> Iterator[DiscoveredParticipant]:
        return (known for known in self.around.participants if known.shares_machine)

    # ---- PROVIDER/MODEL -------------------------------------------------------------------------

    def _of_provider(self, prefix: str, model: str) -> Participant | None:
        """The model at that provider; None where nobody is called so."""
        if prefix in self.catalogue.settings.providers:
            return _with_model(self.catalogue.bases(ParticipantEntry(name=prefix))[0], model)
        server = next((row for row in CATALOGUE.values() if _is_server(row, prefix)), None)
        if server is not None:
            return self._on_this_machine(server, model)
        if (cli := self._coding_cli(prefix)) is not None:
            return _with_model(cli, model)
        for row, service in services():
            if prefix in (service.routed or service.name, *_makers(row, service)):
                return self._at_service(row, service, model)
        return None

    def _coding_cli(self, name: str) -> Participant | None:
        """The program that has that name here, which it has where no key has it."""
        known = self.around.named(name)
        return known if known is not None and CATALOGUE[known.provider].coding_clis else None

    def _on_this_machine(self, row: ProviderType, model: str) -> Participant:
        if (participant := self._local_model(model)) is not None:
            return participant
        name = row.local_server.name if row.local_server is not None else row.name
        todo = dict(self.around.missing).get(row.name)
        if todo is not None:
            raise ConfigurationError(
                "-m {wanted}: {name} cannot be asked here: {todo}.",
                wanted=self.wanted,
                name=name,
                todo=todo,
            )
        models = ", ".join(str(known.participant.model) for known in self._local())
        add = row.local_server.add_model.replace("NAME", model) if row.local_server else ""
        raise ConfigurationError(
            "-m {wanted}: {name} holds {models}. `{add}` adds another.",
            wanted=self.wanted,
            name=name,
            models=models,
            add=add,
        )

    # ---- a model's own name ---------------------------------------------------------------------

    def _by_its_name(self) -> Participant:
        """The model at the service whose models are called so; else at the environment's own endpoint."""
        known = [(row, service) for row, service in services() if not service.routed]
        for row, service in known:
            if self.wanted in (service.name, *_makers(row, service)):
                return self._at_service(row, service, service.model)  # it has no key here
            if self._is_of(service):
                return self._at_service(row, service, self.wanted, check=True)
        if self.catalogue.environ.get(BASE_URL):
            return self.catalogue.endpoint_model(self.wanted)
        names = self.around.names()
        near = get_close_matches(self.wanted.lower(), names, n=_NEAREST, cutoff=0.6)
        hint = Sentence(" Did you mean {names}?", names=" or ".join(near)) if near else ""
        here = f" Here: {', '.join(names)}." if names else ""
        raise ConfigurationError(
            "-m {wanted}: no provider is known for that model.{hint}{here} It takes a model's own "
            "name (gpt-..., claude-..., gemini-...), PROVIDER/MODEL (ollama/qwen3, "
            "openrouter/ORG/MODEL, mistral/MODEL), or an entry under `providers:`; with {variable} "
            "any name. `quorate participants models` lists some.",
            wanted=self.wanted,
            hint=hint,
            here=here,
            variable=BASE_URL,
        )

    def _is_of(self, service: Service) -> bool:
        return "/" not in self.wanted and family_of(service.model) == family_of(self.wanted)

    def _at_service(
        self, row: ProviderType, service: Service, model: str, *, check: bool = False
    ) -> Participant:
        """The model at a service, whose key is here. Raises CredentialsRejected, ConfigurationError."""
        environ, variables = self.catalogue.environ, key_variables_of(row, service)
        pointing, variable = self._first_set(service.elsewhere), self._first_set(variables)
        if pointing in (BASE_URL, MODEL):
            return self.catalogue.endpoint_model(model)
        participant = service_participant(row, service, variable or variables[0], model)
        if check:
            _check_listed(participant)
        if variable is None and environ.get(BASE_URL) and not service.routed:
            return self.catalogue.endpoint_model(model)
        # With servers elsewhere the keys are the workers', and cannot be seen from here.
        if variable is None and not environ.get("QUORATE_REDIS_URL"):
            raise self._keyless(service, variables)
        if pointing is not None:
            raise ConfigurationError(
                "-m {wanted}: {pointing} says where {variable} goes: describe it under `providers:`.",
                wanted=self.wanted,
                pointing=pointing,
                variable=variable,
            )
        return participant.model_copy(update={"timeout_s": self.catalogue.turn_s})

    def _first_set(self, variables: Sequence[str]) -> str | None:
        return next((name for name in variables if self.catalogue.environ.get(name)), None)

    def _keyless(self, service: Service, variables: Sequence[str]) -> CredentialsRejected:
        cli = self._coding_cli(service.name)
        other = (
            ""
            if cli is None
            else Sentence(" Or -m {name}/MODEL: through the command `{name}`.", name=cli.name)
        )
        return CredentialsRejected(
            "-m {wanted} needs a key, and none is set here: {variables}.{other}",
            wanted=self.wanted,
            variables=" or ".join(variables),
            other=other,
        )


def _check_listed(participant: Participant) -> None:
    """Raise ConfigurationError for a name that nobody sells anything under."""
    if is_listed(participant):
        return
    model = participant.model or ""
    near = get_close_matches(model, listed_models(participant), n=_NEAREST, cutoff=0.6)
    hint = Sentence(" Did you mean {names}?", names=" or ".join(near)) if near else ""
    raise ConfigurationError(
        "-m {model}: the price list of this version has no such model.{hint} If it is newer than "
        "that, put its provider before it: -m {family}/{model}.",
        model=model,
        hint=hint,
        family=participant.family,
    )


def _model_of(entry: object) -> str | None:
    return entry.model if isinstance(entry, SpeakerSection) else None


def _with_model(participant: Participant, model: str) -> Participant:
    """The same participant with another model."""
    changes = {"model": model, "name": plain_name(model), "family": family_of(model)}
    return participant.model_copy(update=changes)


def _is_server(row: ProviderType, prefix: str) -> bool:
    return row.local_server is not None and prefix in row.names


def _makers(row: ProviderType, service: Service) -> tuple[str, ...]:
    """What a service is called besides its own name: its provider, and whoever trains its models."""
    if service.routed:
        return ()
    own = row.names if row.address is not None and service.base_url is None else ()
    return (*service.aliases, *own, family_of(service.model))

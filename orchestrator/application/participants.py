"""Who can take part here, what holds them up, and pausing them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from orchestrator.application.backend import Backend
from orchestrator.participants.casting import Cast, build_cast
from orchestrator.participants.catalogue import Catalogue
from orchestrator.participants.discovery import DiscoveredParticipant
from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.settings.loading import load_configuration
from orchestrator.workflows.registry import workflow_of_everybody
from shared.allowed import Allowed
from shared.errors import EnvironmentFault, UserError
from shared.models.panel import Participant
from shared.providers.catalogue import CATALOGUE, Reach
from shared.providers.limits import (
    Breaker,
    BreakerState,
    Pause,
    account_of,
    breakers,
    pause,
    paused,
    resume,
)
from shared.settings import ServiceSettings
from shared.store.views import awaited_participants

UNKNOWN = "-"
NEAREST = 3


@dataclass(frozen=True)
class LimiterState:
    """What the servers know of accounts and pauses; `known` False when no server answers."""

    known: bool
    accounts: tuple[Breaker, ...] = ()
    pauses: tuple[Pause, ...] = ()

    def state_of(self, participant: Participant) -> str:
        """`ready`, or what keeps the participant's calls back."""
        if not self.known or participant.rule_based:
            return UNKNOWN
        account = account_of(participant)
        for held in self.pauses:
            if held.name in (participant.name, participant.provider, account):
                return f"paused ({held.name}){': ' + held.reason if held.reason else ''}"
        breaker = next((one for one in self.accounts if one.account == account), None)
        return "ready" if breaker is None else _breaker_state(breaker)


def _breaker_state(breaker: Breaker) -> str:
    if breaker.state is not BreakerState.CLOSED:
        return f"{breaker.state}, {breaker.why}: tried again in {breaker.opens_in_s:.0f} s"
    return f"waits {breaker.cooldown_s:.0f} s" if breaker.cooldown_s > 0 else "ready"


@dataclass(frozen=True)
class ParticipantListing:
    """Who would take part from here, who else is here, and what is missing."""

    cast: Cast
    others: tuple[tuple[Participant, str], ...]
    missing: tuple[tuple[str, str], ...]
    held: LimiterState


def list_participants(
    names: Sequence[str], config: Path | None, environ: Mapping[str, str], directory: Path
) -> ParticipantListing:
    """Look at configuration, environment and servers. Nothing is started, nobody is called."""
    workflow = workflow_of_everybody()
    configuration = load_configuration(directory, environ, explicit=config, workflow=workflow)
    cast = build_cast(
        workflow, names or None, configuration, environ, directory, tell=ENGLISH.translate
    )
    catalogue = Catalogue(configuration.settings, environ, directory)
    others = [
        (discovered.participant, _how(discovered))
        for discovered in catalogue.discovery.participants
        if discovered.participant.name not in cast.everybody
    ]
    missing = list(catalogue.discovery.missing)
    for name, provider in configuration.settings.providers.items():
        obstacle = catalogue.obstacle(name, provider)
        if obstacle is not None:
            missing.append((name, obstacle.reason))
        elif name not in cast.everybody:
            others.append((catalogue.configured(name), configuration.source(f"providers.{name}")))
    return ParticipantListing(cast, tuple(others), tuple(missing), _held(environ))


def _how(discovered: DiscoveredParticipant) -> str:
    aliases = "`, `".join(discovered.aliases)
    return f"{discovered.how}; also `{aliases}`" if aliases else discovered.how


def _held(environ: Mapping[str, str]) -> LimiterState:
    url = ServiceSettings.from_environment(environ).endpoints.redis_url
    try:
        return LimiterState(True, tuple(breakers(url)), tuple(paused(url)))
    except EnvironmentFault:
        return LimiterState(False)


# ---- pausing ------------------------------------------------------------------------------------


def pause_participant(
    backend: Backend, name: str, reason: str, config: Path | None, directory: Path
) -> None:
    """Hold the calls of everything that carries `name`. Raises UserError for a name nobody has."""
    _check_name(name)
    url = backend.settings.endpoints.redis_url
    settings = load_configuration(directory, backend.environ, explicit=config).settings
    known = pausable_names(Catalogue(settings, backend.environ, directory))
    known += [breaker.account for breaker in breakers(url)]
    # Of a run that was submitted elsewhere, or with a panel of its own.
    known += backend.read(awaited_participants)
    if name not in known:
        raise UserError(_unknown(name, sorted(set(known))))
    pause(url, name, reason)


@dataclass(frozen=True)
class ResumeResult:
    """Whether a pause ended or a breaker was closed; where not, which pauses and breakers there are."""

    ended: bool
    paused: tuple[str, ...] = ()
    open_accounts: tuple[str, ...] = ()


def resume_participant(backend: Backend, name: str) -> ResumeResult:
    """End a pause, or close a breaker."""
    _check_name(name)
    url = backend.settings.endpoints.redis_url
    if resume(url, name):
        return ResumeResult(True)
    closed = BreakerState.CLOSED
    return ResumeResult(
        False,
        paused=tuple(held.name for held in paused(url)),
        open_accounts=tuple(
            breaker.account for breaker in breakers(url) if breaker.state is not closed
        ),
    )


def pausable_names(catalogue: Catalogue) -> list[str]:
    """What can be paused: participants that are here, described or missing, their providers and their accounts.

    No panel is built: who pauses a participant may have none of the keys.
    """
    limited = [row.name for row in CATALOGUE.values() if row.reach is not Reach.NOBODY]
    models = [
        participant for participant in catalogue.everyone() if participant.provider in limited
    ]
    names = [
        name
        for participant in models
        for name in (participant.name, participant.provider, account_of(participant))
    ]
    missing = [name.partition(" ")[0] for name, _todo in catalogue.discovery.missing]
    return [*names, *missing, *limited]


def _unknown(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name, known, n=NEAREST, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(known)}."
    return f"no participant, provider or account that can be paused is called '{name}'; {hint}"


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > 200 or not name.isprintable():
        raise UserError("name a participant, a provider or an account (`participants list --json`)")


# ---- allowing -----------------------------------------------------------------------------------


def allow_participants(
    config: Path | None, environ: Mapping[str, str], directory: Path
) -> tuple[Allowed, tuple[Participant, ...]]:
    """Enter every participant that is configured or found here, whether its key is here or not."""
    configuration = load_configuration(directory, environ, explicit=config)
    catalogue = Catalogue(configuration.settings, environ, directory)
    named = [
        catalogue.particular(participant, entry)
        for entry in configuration.settings.participants or ()
        for participant in catalogue.everyone()
        if participant.name == entry.name
    ]
    everyone = (*catalogue.everyone(), *named)
    allowed = Allowed.of(ServiceSettings.from_environment(environ).instance, environ)
    allowed.allow_all(everyone)
    return allowed, everyone

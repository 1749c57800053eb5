"""Who can take part here, what holds them up, and pausing them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrator.embedded.wire import RedisWire
from orchestrator.participants.casting import Cast, build_cast
from orchestrator.participants.catalogue import Catalogue
from orchestrator.participants.discovery import DiscoveredParticipant
from orchestrator.presentation.json_rows import SCHEMA_VERSION
from orchestrator.presentation.locale.translator import ENGLISH, ToldNotice
from orchestrator.settings.loading import load_configuration
from orchestrator.workflows.registry import workflow_of_everybody
from shared.allowed import Allowed
from shared.errors import EnvironmentFault
from shared.instance import SIGNALS_DB, Instance
from shared.models.panel import Participant
from shared.models.pauses import PAUSED_KEY, Pause
from shared.providers.limits import (
    ACCOUNTS_KEY,
    Breaker,
    BreakerState,
    account_of,
    breakers,
    paused,
)
from shared.providers.locality import leaves_machine
from shared.sentences import Sentence
from shared.settings import ServiceSettings
from shared.tools.commands import PROJECT_LINTERS, ProjectLinter

UNKNOWN = "-"


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
        for pause in self.pauses:
            if pause.name in (participant.name, participant.provider, account):
                why = f": {pause.reason}" if pause.reason else ""
                return Sentence("paused ({name}){why}", name=pause.name, why=why)
        breaker = next((each for each in self.accounts if each.account == account), None)
        return Sentence("ready") if breaker is None else _breaker_state(breaker)


def _breaker_state(breaker: Breaker) -> str:
    if breaker.state is not BreakerState.CLOSED:
        return Sentence(
            "{state}, {why}: tried again in {s:.0f} s",
            state=str(breaker.state),
            why=str(breaker.why),
            s=breaker.opens_in_s,
        )
    if breaker.cooldown_s > 0:
        return Sentence("waits {s:.0f} s", s=breaker.cooldown_s)
    return Sentence("ready")


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
    cast = build_cast(workflow, names or None, configuration, environ, directory, tell=ToldNotice)
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
    missing += ((linter.names[0], linter.advice) for linter in _project_linters(directory))
    return ParticipantListing(cast, tuple(others), tuple(missing), _limiter_state(environ))


def _project_linters(directory: Path) -> Iterator[ProjectLinter]:
    """The linters that take part by a report only, of the languages of the project that the directory lies in."""
    here = directory.resolve()
    folders = [here]
    for folder in here.parents:
        if (folders[-1] / ".git").exists():
            break
        folders.append(folder)
    for linter in PROJECT_LINTERS:
        if any((folder / linter.manifest).is_file() for folder in folders):
            yield linter


def listing_json(listing: ParticipantListing, *, with_accounts: bool = True) -> dict[str, Any]:
    """The listing for machines; `with_accounts`: also how much each account is asked, whoever asks."""
    report = listing.cast.report
    return {
        "schema_version": SCHEMA_VERSION,
        "panel": listing.cast.panel.model_dump(mode="json"),
        "warnings": [ENGLISH.translate(warning) for warning in report.warnings],
        "hints": [ENGLISH.translate(hint) for hint in (*report.hints, *report.advice)],
        "participants": [
            {
                "name": participant.name,
                "provider": participant.provider,
                "model": participant.model,
                "family": participant.family,
                "external": leaves_machine(participant),
                "account": None if participant.rule_based else account_of(participant),
                "state": listing.held.state_of(participant),
                "found": how,
                "in_panel": how is None,
            }
            for participant, how in (
                *((participant, None) for participant in listing.cast.everybody.values()),
                *listing.others,
            )
        ],
        "missing": [{"name": participant, "todo": todo} for participant, todo in listing.missing],
        "servers": listing.held.known,
        "accounts": [breaker.__dict__ for breaker in listing.held.accounts if with_accounts],
        "paused": [pause.__dict__ for pause in listing.held.pauses],
    }


def _how(discovered: DiscoveredParticipant) -> str:
    aliases = "`, `".join(discovered.aliases)
    if not aliases:
        return discovered.how
    return Sentence("{how}; also `{aliases}`", how=discovered.how, aliases=aliases)


def _limiter_state(environ: Mapping[str, str]) -> LimiterState:
    settings = ServiceSettings.from_environment(environ)
    url = settings.endpoints.redis_url
    try:
        if settings.external is None and _is_nothing_paused(settings.instance):
            return LimiterState(True)
        return LimiterState(True, tuple(breakers(url)), tuple(paused(url)))
    except (OSError, EnvironmentFault):
        return LimiterState(False)


def _is_nothing_paused(instance: Instance) -> bool:
    """Whether no account was used lately and nothing is paused: asked without redis-py, which takes long to load.

    Raises OSError or EnvironmentFault when Redis is away.
    """
    with RedisWire(instance) as server:
        server.ask("SELECT", str(SIGNALS_DB))
        counts = (server.ask("SCARD", ACCOUNTS_KEY), server.ask("HLEN", PAUSED_KEY))
    return counts == (":0", ":0")


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

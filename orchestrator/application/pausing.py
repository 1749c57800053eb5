"""Hold the calls of a participant, a provider or an account, and let them go on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from orchestrator.application.backend import Backend
from orchestrator.participants.catalogue import Catalogue
from orchestrator.settings.loading import load_configuration
from shared.errors import UserError
from shared.providers.catalogue import CATALOGUE, Reach
from shared.providers.limits import BreakerState, account_of, breakers, pause, paused, resume
from shared.sentences import Sentence
from shared.store.views import awaited_participants

NEAREST = 3


def pause_participant(
    backend: Backend,
    name: str,
    reason: str,
    config: Path | None,
    directory: Path,
    for_s: float | None = None,
) -> None:
    """Hold the calls of everything that carries `name`, `for_s` seconds long if that is said.

    Raises UserError for a name nobody has.
    """
    _check_name(name)
    url = backend.settings.endpoints.redis_url
    settings = load_configuration(directory, backend.environ, explicit=config).settings
    known = pausable_names(Catalogue(settings, backend.environ, directory))
    known += [breaker.account for breaker in breakers(url)]
    # Of a run that was submitted elsewhere, or with a panel of its own.
    known += backend.read(awaited_participants)
    if name not in known:
        raise UserError(_unknown(name, sorted(set(known))))
    pause(url, name, reason, for_s)


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
        paused=tuple(each.name for each in paused(url)),
        open_accounts=tuple(
            breaker.account for breaker in breakers(url) if breaker.state is not closed
        ),
    )


def pausable_names(catalogue: Catalogue) -> list[str]:
    """What can be paused: participants that are here, described or missing, their providers and their accounts.

    No panel is built: anyone who pauses a participant may have none of the keys.
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
    hint = (
        Sentence("did you mean {names}?", names=" or ".join(near))
        if near
        else Sentence("known are {names}.", names=", ".join(known))
    )
    return Sentence(
        "no participant, provider or account that can be paused is called '{name}'; {hint}",
        name=name,
        hint=hint,
    )


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > 200 or not name.isprintable():
        raise UserError("name a participant, a provider or an account (`participants list --json`)")

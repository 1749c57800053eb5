"""The flows of `quorate participants pause`, `resume` and `login`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

from orchestrator.application.backend import connected
from orchestrator.cli.terminal import Terminal
from orchestrator.core.document import Span, Style, line
from orchestrator.participants.catalogue import Catalogue
from orchestrator.participants.configured import BROWSER_TERMS
from orchestrator.settings.loading import load_configuration
from shared.errors import ConfigurationError, EnvironmentFault, UserError
from shared.providers.browser import PROFILE_FLAGS, SITES, browser_program, profile_folder
from shared.providers.catalogue import CATALOGUE, Reach
from shared.providers.limits import BreakerState, account_of, breakers, pause, paused, resume
from shared.providers.options import BrowserOptions
from shared.store.views import awaited_participants

NEAREST = 3


def run_pause(name: str, reason: str, config: Path | None, environ: Mapping[str, str]) -> int:
    """Hold the calls of everything that carries `name`; the exit code. Raises UserError for a name nobody has."""
    _check_name(name)
    with connected(environ, workers=False) as backend:
        url = backend.settings.endpoints.redis_url
        settings = load_configuration(Path.cwd(), environ, explicit=config).settings
        known = names_of(Catalogue(settings, environ, Path.cwd()))
        known += [one.account for one in breakers(url)]
        # Of a run that was submitted elsewhere, or with a panel of its own.
        known += backend.read(awaited_participants)
        if name not in known:
            raise UserError(_unknown(name, sorted(set(known))))
        pause(url, name, reason)
    Terminal.of(environ).result(
        [line(f"{name} is paused; its turns wait until `quorate participants resume {name}`")]
    )
    return 0


def run_resume(name: str, environ: Mapping[str, str]) -> int:
    """End a pause, or close a breaker; the exit code."""
    _check_name(name)
    with connected(environ, workers=False) as backend:
        url = backend.settings.endpoints.redis_url
        ended = resume(url, name)
        held = [] if ended else [one.name for one in paused(url)]
        shut = (
            [] if ended else [one for one in breakers(url) if one.state is not BreakerState.CLOSED]
        )
    terminal = Terminal.of(environ)
    terminal.result(
        [line(f"{name} goes on" if ended else f"{name} was not paused; nothing was changed")]
    )
    terminal.talk([line(f"paused: {', '.join(held)}")] if held else [])
    # A breaker is its account's, whose name a person seldom knows.
    terminal.talk(
        [line(f"to close a breaker: `quorate participants resume {one.account}`") for one in shut]
    )
    return 0


def names_of(catalogue: Catalogue) -> list[str]:
    """What can be paused: participants that are here, described or missing, their providers and their accounts.

    No panel is built: who pauses a participant may have none of the keys.
    """
    held = [row.name for row in CATALOGUE.values() if row.reach is not Reach.NOBODY]
    models = [who for who in catalogue.everyone() if who.provider in held]
    names = [name for who in models for name in (who.name, who.provider, account_of(who))]
    missing = [who.partition(" ")[0] for who, _todo in catalogue.discovery.missing]
    return [*names, *missing, *held]


def _unknown(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name, known, n=NEAREST, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(known)}."
    return f"no participant, provider or account that can be paused is called '{name}'; {hint}"


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > 200 or not name.isprintable():
        raise UserError("name a participant, a provider or an account (`participants list --json`)")


def run_login(name: str, config: Path | None, environ: Mapping[str, str]) -> int:
    """Open the browser of a web chat for its person to log in, and wait until it is closed; the exit code.

    No automation: this is the browser as it is, with the profile that a worker on this machine uses.
    """
    settings = load_configuration(Path.cwd(), environ, explicit=config).settings
    entries = {entry: one.checked_options for entry, one in settings.providers.items()}
    provider = entries.get(name)
    if not isinstance(provider, BrowserOptions):
        known = [entry for entry, one in entries.items() if isinstance(one, BrowserOptions)]
        raise ConfigurationError(
            f"'{name}' is no participant of type `browser`; "
            + (f"configured are {', '.join(known)}." if known else "none is configured.")
        )
    terms = BROWSER_TERMS.format(name=name, site=provider.site)
    if not provider.i_accept_the_sites_terms:
        raise ConfigurationError(f"{terms}.")
    program = browser_program(provider.program, environ)
    if program is None:
        raise EnvironmentFault(
            "no Chromium is on PATH: install one (Debian: `apt install chromium`)"
        )
    if os.uname().sysname == "Linux" and not (
        environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")
    ):
        raise EnvironmentFault(
            "a log-in needs a screen, and neither DISPLAY nor WAYLAND_DISPLAY is set: log in where there is one and "
            f"copy the profile, or set `profile:` of {name}"
        )
    profile = profile_folder(provider.site, provider.profile, environ)
    profile.mkdir(parents=True, exist_ok=True, mode=0o700)
    terminal = Terminal.of(environ)
    terminal.warn([line(Span(f"⚠ {terms.partition(' If you have read')[0]}", Style.WARNING))])
    terminal.talk([line(f"log in, then close the window; the profile is {profile}")])
    return _opened(program, profile, provider.base_url or SITES[provider.site], environ)


def _opened(program: str, profile: Path, address: str, environ: Mapping[str, str]) -> int:
    flags = [*PROFILE_FLAGS, "--no-first-run", "--no-default-browser-check"]
    if os.geteuid() == 0:
        flags.append("--no-sandbox")  # Chromium does not start for root with it
    try:
        ended = subprocess.run(
            [program, f"--user-data-dir={profile}", *flags, address], env=dict(environ), check=False
        )
    except OSError as error:
        raise EnvironmentFault(f"{program} cannot be started: {error.strerror}") from error
    if ended.returncode != 0:
        raise EnvironmentFault(f"{program} ended with code {ended.returncode}")
    return 0

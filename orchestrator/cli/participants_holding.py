"""The flows of `quorate participants pause`, `resume` and `login`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from orchestrator.cli.backend import connected
from orchestrator.cli.terminal import Terminal
from orchestrator.configuration.configured import BROWSER_TERMS
from orchestrator.configuration.loading import load_configuration
from orchestrator.configuration.providers import BrowserProvider
from orchestrator.views.lines import Span, Style, line
from shared.browser import PROFILE_FLAGS, SITES, browser_program, profile_folder
from shared.errors import ConfigurationError, EnvironmentFault, UserError
from shared.limits import BreakerState, breakers, pause, resume


def run_pause(name: str, reason: str, environ: Mapping[str, str]) -> int:
    """Hold the calls of everything that carries `name`; the exit code."""
    _check_name(name)
    with connected(environ, workers=False) as backend:
        pause(backend.settings.endpoints.redis_url, name, reason)
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
        shut = (
            [] if ended else [one for one in breakers(url) if one.state is not BreakerState.CLOSED]
        )
    terminal = Terminal.of(environ)
    terminal.result(
        [line(f"{name} goes on" if ended else f"{name} was not paused; nothing was changed")]
    )
    # A breaker is its account's, whose name a person seldom knows.
    terminal.talk(
        [line(f"to close a breaker: `quorate participants resume {one.account}`") for one in shut]
    )
    return 0


def _check_name(name: str) -> None:
    if not name.strip() or len(name) > 200 or not name.isprintable():
        raise UserError("name a participant, a provider or an account (`participants list --json`)")


def run_login(name: str, config: Path | None, environ: Mapping[str, str]) -> int:
    """Open the browser of a web chat for its person to log in, and wait until it is closed; the exit code.

    No automation: this is the browser as it is, with the profile that a worker on this machine uses.
    """
    settings = load_configuration(Path.cwd(), environ, explicit=config).settings
    provider = settings.providers.get(name)
    if not isinstance(provider, BrowserProvider):
        known = [n for n, p in settings.providers.items() if isinstance(p, BrowserProvider)]
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

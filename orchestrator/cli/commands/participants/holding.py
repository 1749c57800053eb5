"""`quorate participants pause`, `resume` and `login`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import click

from orchestrator.application.backend import connected
from orchestrator.application.trials import ParticipantDesk, StoredParticipants
from orchestrator.cli.elsewhere import refuse_configuration, server_of
from orchestrator.cli.notices import warning
from orchestrator.cli.options import config_option, example
from orchestrator.cli.reader import sentence_line, words_in
from orchestrator.cli.since import seconds_of
from orchestrator.participants.obstacles import LOGIN_TERMS, browser_terms
from orchestrator.presentation.terminal import Terminal
from orchestrator.settings.loading import load_configuration
from shared.errors import ConfigurationError, EnvironmentFault
from shared.providers.browser import PROFILE_FLAGS, SITES, browser_program, profile_folder
from shared.providers.options import BrowserOptions
from shared.sentences import Sentence


@click.command(
    "pause",
    epilog=example(
        'quorate participants pause claude -m "invoice unpaid"',
        "quorate participants pause openai --for 30m",
    ),
)
@click.argument("name", metavar="NAME")
@click.option("-m", "--message", default="", metavar="TEXT", help="Why.")
@click.option(
    "--for", "duration", metavar="DURATION", help="Only for 30m, 12h, ... (until resumed)."
)
@config_option
def pause(name: str, message: str, duration: str | None, config: Path | None) -> int:
    """Hold all calls of a participant, a provider or an account; its turns wait and lose no attempt.

    The name must be known here: from the configuration, a waiting turn, or an account that was used.
    """
    for_s = None if duration is None else seconds_of("--for", duration)
    with _desk(os.environ, config) as desk:
        desk.pause_participant(name, message, for_s)
    text = Sentence(
        "{name} is paused; its turns wait until `quorate participants resume {name}`", name=name
    )
    if duration is not None:
        text = Sentence(
            "{name} is paused; its turns wait {duration} long, or until `quorate participants resume {name}`",
            name=name,
            duration=duration,
        )
    Terminal.of(os.environ).result([sentence_line(text)])
    return 0


@click.command("resume", epilog=example("quorate participants resume claude"))
@click.argument("name", metavar="NAME")
def resume(name: str) -> int:
    """End a pause, or close the breaker of an account."""
    with _desk(os.environ, None) as desk:
        result = desk.resume_participant(name)
    terminal = Terminal.of(os.environ)
    text = Sentence("{name} was not paused; nothing was changed", name=name)
    if result.ended:
        text = Sentence("{name} goes on", name=name)
    terminal.result([sentence_line(text)])
    paused = Sentence("paused: {names}", names=", ".join(result.paused))
    terminal.talk([sentence_line(paused)] if result.paused else [])
    # A breaker is its account's, whose name a person seldom knows.
    terminal.talk(
        [
            sentence_line(
                Sentence("to close a breaker: `quorate participants resume {name}`", name=account)
            )
            for account in result.open_accounts
        ]
    )
    return 0


@contextmanager
def _desk(environ: Mapping[str, str], config: Path | None) -> Iterator[ParticipantDesk]:
    """Where participants are held up; nothing is started for it but the servers."""
    if server_of(environ) is not None:
        from orchestrator.client.remote_installation import client_of
        from orchestrator.client.remote_participants import RemoteParticipants

        refuse_configuration(config)
        with client_of(environ) as client:
            yield RemoteParticipants(client)
        return
    with connected(environ, workers=False) as backend:
        yield StoredParticipants(backend, environ, Path.cwd(), config)


@click.command("login", epilog=example("quorate participants login chatgpt-web"))
@click.argument("name", metavar="NAME")
@config_option
def login(name: str, config: Path | None) -> int:
    """Open the browser of a web chat, to log in with your own account."""
    return run_login(name, config, os.environ)


def run_login(name: str, config: Path | None, environ: Mapping[str, str]) -> int:
    """Open the browser of a web chat for its person to log in, and wait until it is closed; the exit code.

    No automation: this is the browser as it is, with the profile that a worker on this machine uses.
    """
    settings = load_configuration(Path.cwd(), environ, explicit=config).settings
    entries = {entry: section.checked_options for entry, section in settings.providers.items()}
    provider = entries.get(name)
    if not isinstance(provider, BrowserOptions):
        known = [entry for entry, options in entries.items() if isinstance(options, BrowserOptions)]
        configured = (
            Sentence("configured are {names}.", names=", ".join(known))
            if known
            else "none is configured."
        )
        raise ConfigurationError(
            "'{name}' is not a participant of type `browser`; {configured}",
            name=name,
            configured=configured,
        )
    terms = browser_terms(name, provider.site)
    if not provider.i_accept_the_sites_terms:
        raise ConfigurationError("{terms}.", terms=terms)
    program = browser_program(provider.program, environ)
    if program is None:
        raise EnvironmentFault(
            "no Chromium is on PATH: install one (Debian: `apt install chromium`)"
        )
    _require_screen(name, environ)
    profile = profile_folder(provider.site, provider.profile, environ)
    profile.mkdir(parents=True, exist_ok=True, mode=0o700)
    terminal = Terminal.of(environ)
    warned = Sentence(LOGIN_TERMS, name=name, site=str(provider.site))
    terminal.warn([warning(words_in().sentence(warned))])
    text = Sentence("log in, then close the window; the profile is {profile}", profile=str(profile))
    terminal.talk([sentence_line(text)])
    return _opened(program, profile, provider.base_url or SITES[provider.site], environ)


def _require_screen(name: str, environ: Mapping[str, str]) -> None:
    screen = environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")
    if os.uname().sysname == "Linux" and not screen:
        raise EnvironmentFault(
            "a log-in needs a screen, and neither DISPLAY nor WAYLAND_DISPLAY is set: log in where "
            "there is one and copy the profile, or set `profile:` of {name}",
            name=name,
        )


def _opened(program: str, profile: Path, address: str, environ: Mapping[str, str]) -> int:
    flags = [*PROFILE_FLAGS, "--no-first-run", "--no-default-browser-check"]
    if os.geteuid() == 0:
        flags.append("--no-sandbox")  # Chromium does not start for root with it
    try:
        ended = subprocess.run(
            [program, f"--user-data-dir={profile}", *flags, address], env=dict(environ), check=False
        )
    except OSError as error:
        raise EnvironmentFault(
            "{program} cannot be started: {why}", program=program, why=error.strerror
        ) from error
    if ended.returncode != 0:
        raise EnvironmentFault(
            "{program} ended with code {returncode}", program=program, returncode=ended.returncode
        )
    return 0

"""The flow of `quorate participants allow`: enter what this machine's configuration names for its workers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from orchestrator.cli.terminal import Terminal
from orchestrator.core.document import line
from orchestrator.participants.catalogue import Catalogue
from orchestrator.settings.loading import load_configuration
from shared.allowed import Allowed, identity_of
from shared.settings import Settings


def run_allow(config: Path | None, environ: Mapping[str, str]) -> int:
    """Enter every participant that is configured or found here, whether its key is here or not; the exit code."""
    directory = Path.cwd()
    configuration = load_configuration(directory, environ, explicit=config)
    catalogue = Catalogue(configuration.settings, environ, directory)
    named = [
        catalogue.particular(participant, entry)
        for entry in configuration.settings.participants or ()
        for participant in catalogue.everyone()
        if participant.name == entry.name
    ]
    everyone = (*catalogue.everyone(), *named)
    allowed = Allowed.of(Settings.from_environment(environ).instance, environ)
    allowed.allow_all(everyone)
    rows = [f"{who.name}: {_entry(identity_of(who) is None)}" for who in everyone]
    where = "anything is allowed (QUORATE_ALLOWED)" if allowed.folder is None else allowed.folder
    Terminal.of(environ).result([*(line(row) for row in rows), line(f"{len(rows)} in {where}")])
    return 0


def _entry(needless: bool) -> str:
    return "needs no entry" if needless else "allowed"

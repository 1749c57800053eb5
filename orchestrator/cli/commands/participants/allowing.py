"""`quorate participants allow`: enter what this machine's configuration names for its workers."""

from __future__ import annotations

import os
from pathlib import Path

import click

from orchestrator.application.participants import allow_participants
from orchestrator.cli.options import config_option, example
from orchestrator.cli.reader import sentence_line
from orchestrator.presentation.terminal import Terminal
from shared.allowed import identity_of
from shared.sentences import Sentence


@click.command(
    "allow", epilog=example("quorate participants allow --config /etc/quorate/config.yaml")
)
@config_option
def allow(config: Path | None) -> int:
    """Let the workers of this machine and account run and call what the configuration names.

    For workers on other machines than the one where runs are submitted: a run's row alone never names a command, an
    address, where a key is, a script or a browser profile. Where runs are submitted this happens automatically.
    """
    allowed, everyone = allow_participants(config, os.environ, Path.cwd())
    rows = [
        Sentence("{name}: needs no entry", name=participant.name)
        if identity_of(participant) is None
        else Sentence("{name}: allowed", name=participant.name)
        for participant in everyone
    ]
    where = str(allowed.folder)
    if allowed.folder is None:
        where = Sentence("anything is allowed (QUORATE_ALLOWED)")
    rows.append(Sentence("{n} in {where}", n=len(rows), where=where))
    Terminal.of(os.environ).result([sentence_line(row) for row in rows])
    return 0

"""`quorate encryption`: stored texts under a key of yours."""

from __future__ import annotations

import os
from dataclasses import asdict

import click

from orchestrator.cli.options import example, json_option
from orchestrator.cli.reader import sentence_line, words_in
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.listings import heads
from orchestrator.presentation.tables import table
from orchestrator.presentation.terminal import Terminal
from shared.sentences import Sentence


@click.group(epilog=example("quorate encryption status", "quorate encryption rotate"))
def encryption() -> None:
    """Stored texts under a key of yours, which QUORATE_ENCRYPTION_KEY_FILE names (`quorate docs data`)."""


@encryption.command("status", epilog=example("quorate encryption status --json"))
@json_option
def status(as_json: bool) -> int:
    """How much is encrypted with which key; reads everything that is stored."""
    from orchestrator.application import encryption as keys
    from orchestrator.application.backend import connected

    with connected(os.environ, workers=False) as backend:
        found = keys.status(backend)
    terminal = Terminal.of(os.environ)
    if as_json:
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, "encryption": asdict(found)}))
        return ExitCode.OK
    words = words_in()
    rows = [
        (
            each.key or words.sentence(Sentence("none")),
            f"{each.documents:,}",
            f"{each.rows:,}",
            words.sentence(Sentence("encrypts what is stored now"))
            if each.key and each.key == found.keys[0]
            else "",
        )
        for each in found.sealed
    ]
    terminal.result(
        table(heads(("key", "documents", "rows", "note"), words), rows, terminal.columns)
    )
    return ExitCode.OK


@encryption.command("rotate", epilog=example("quorate encryption rotate"))
def rotate() -> int:
    """Encrypt everything that is stored with the first key of the file, what is not encrypted yet, too.

    It can be stopped and repeated, and runs go on meanwhile. Exit code 2 without a key.
    """
    from orchestrator.application import encryption as keys
    from orchestrator.application.backend import connected

    with connected(os.environ, workers=False) as backend:
        done = keys.rotate(backend)
    text = Sentence(
        "encrypted: documents {documents:,}, rows {rows:,}",
        documents=done.documents,
        rows=done.rows,
    )
    Terminal.of(os.environ).result([sentence_line(text)])
    return ExitCode.OK

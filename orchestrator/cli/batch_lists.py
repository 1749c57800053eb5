"""`quorate batch list` and `batch status`: what only looks at batches loads nothing that works on them."""

from __future__ import annotations

import os
from collections.abc import Mapping

from orchestrator.application.backend import connected
from orchestrator.application.batch_standing import all_batches, batch_status
from orchestrator.cli.elsewhere import server_of
from orchestrator.cli.reader import words_in
from orchestrator.presentation.batches import batches_table, status_json, status_lines
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.terminal import Terminal
from shared.models.batches import BatchStatus


def list_all(limit: int, language: str | None, *, as_json: bool) -> int:
    """The newest batches."""
    listed = _batches(limit, os.environ)
    terminal = Terminal.of(os.environ)
    if as_json:
        rows = [status_json(each) for each in listed]
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, "batches": rows}))
    else:
        terminal.result(batches_table(listed, words_in(language)))
    return 0


def show_status(name: str, language: str | None, *, as_json: bool) -> int:
    """How a batch stands."""
    status = _batch(name, os.environ)
    show(status, Terminal.of(os.environ), words_in(language), as_json=as_json)
    return 0


def show(status: BatchStatus, terminal: Terminal, words: Translator, *, as_json: bool) -> None:
    """How a batch stands."""
    if as_json:
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, "batch": status_json(status)}))
    else:
        terminal.result(status_lines(status, words))


def _batches(limit: int, environ: Mapping[str, str]) -> list[BatchStatus]:
    if server_of(environ) is not None:
        from orchestrator.client.remote_batches import remote_batches

        with remote_batches(environ) as remote:
            return remote.batches(limit)
    with connected(environ, workers=False) as backend:
        return all_batches(backend, limit)


def _batch(name: str, environ: Mapping[str, str]) -> BatchStatus:
    if server_of(environ) is not None:
        from orchestrator.client.remote_batches import remote_batches

        with remote_batches(environ) as remote:
            return remote.batch(name)
    with connected(environ, workers=False) as backend:
        return batch_status(backend, name)

"""The commands of `quorate batch`, once one of them is meant: what they load is not needed for their help."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from orchestrator.application.backend import connected
from orchestrator.application.batch_desk import BatchDesk, StoredBatches
from orchestrator.application.batch_from_git import HistoryRange
from orchestrator.application.batch_input import item_schema
from orchestrator.application.prepare import SubmissionRequest
from orchestrator.cli.batch_lists import show
from orchestrator.cli.batch_results import write_history, write_report, write_results
from orchestrator.cli.batches import BatchWanted, submit, submit_remotely, validate, watch
from orchestrator.cli.elsewhere import server_of
from orchestrator.cli.reader import words_in
from orchestrator.cli.watching import actor
from orchestrator.core.lines import line
from orchestrator.presentation.json_rows import dumps
from orchestrator.presentation.terminal import Terminal
from shared.models.batches import BatchLimits, BatchStatus


@contextmanager
def batch_desk(environ: Mapping[str, str], *, workers: bool = False) -> Iterator[BatchDesk]:
    """Where batches are; unless `workers` are wanted nothing is started for it but the servers."""
    if server_of(environ) is not None:
        from orchestrator.client.remote_batches import remote_batches

        with remote_batches(environ) as remote:
            yield remote
        return
    with connected(environ, workers=workers) as backend:
        yield StoredBatches(backend)


def check_file(source: str, *, as_json: bool) -> int:
    """Say what is wrong with a file."""
    return validate(source, Path.cwd(), Terminal.of(os.environ), as_json=as_json)


def print_schema(workflow: str) -> int:
    """The schema of a line."""
    Terminal.of(os.environ).result(dumps(item_schema(workflow)))
    return 0


def submit_file(
    wanted: tuple[str, str | None],
    limits: BatchLimits,
    language: str | None,
    *,
    as_json: bool,
    quiet: bool,
    **request: Any,
) -> int:
    """Submit a file, under a name if one is wanted."""
    source, name = wanted
    common = SubmissionRequest(directory=Path.cwd(), **request)
    terminal = Terminal.of(os.environ, quiet=quiet)
    typed = BatchWanted(source, common, limits, name)
    if server_of(os.environ) is not None:
        return submit_remotely(typed, os.environ, terminal, words_in(language), as_json=as_json)
    return submit(typed, os.environ, terminal, words_in(language), as_json=as_json)


def follow(
    name: str, watch_s: float | None, language: str | None, *, as_json: bool, quiet: bool
) -> int:
    """Follow a batch."""
    terminal = Terminal.of(os.environ, quiet=quiet)
    with batch_desk(os.environ, workers=True) as desk:
        return watch(desk, name, terminal, words_in(language), watch_s, as_json=as_json)


def hand_over(name: str, output: Path | None, *, errors: bool) -> int:
    """The results, a line each."""
    with batch_desk(os.environ) as desk:
        return write_results(desk, name, output, errors=errors)


def report_on(name: str, outputs: tuple[Path, ...], language: str | None, *, as_json: bool) -> int:
    """What a batch came to."""
    terminal = Terminal.of(os.environ)
    with batch_desk(os.environ) as desk:
        return write_report(desk, name, outputs, terminal, words_in(language), as_json=as_json)


def write_from_git(repository: Path, output: Path | None, **wanted: Any) -> int:
    """A file from a history."""
    return write_history(repository, HistoryRange(**wanted), output, os.environ)


def retry_failed(
    name: str, limits: BatchLimits, language: str | None, *, cancelled: bool, as_json: bool
) -> int:
    """Ask again for what failed."""
    with batch_desk(os.environ, workers=True) as desk:
        found, items = desk.retry_batch(name, limits, cancelled=cancelled)
    terminal, words = Terminal.of(os.environ), words_in(language)
    if not as_json:
        terminal.talk([line(words.message("batch_retried", n=items))])
    show(found, terminal, words, as_json=as_json)
    return 0


def cancel_all(name: str, language: str | None, *, at_once: bool, as_json: bool) -> int:
    """Let nothing more of it begin, for good."""
    return _changed(
        lambda desk: desk.cancel_batch(name, actor(), at_once=at_once), language, as_json
    )


def set_paused(name: str, language: str | None, *, paused: bool, as_json: bool) -> int:
    """Let nothing more of it begin for now, or let it go on."""
    return _changed(lambda desk: desk.pause_batch(name, paused=paused), language, as_json)


def _changed(
    change: Callable[[BatchDesk], BatchStatus], language: str | None, as_json: bool
) -> int:
    with batch_desk(os.environ, workers=True) as desk:
        found = change(desk)
    show(found, Terminal.of(os.environ), words_in(language), as_json=as_json)
    return 0

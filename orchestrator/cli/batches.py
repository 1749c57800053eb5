"""What `quorate batch` does: submit a file, follow what came of it, hand the results over."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from orchestrator.application.backend import connected
from orchestrator.application.batch_desk import BatchDesk, watch_batch
from orchestrator.application.batch_file import BatchFile, FileCheck, LineFault, check_file, opened
from orchestrator.application.batch_standing import batch_status
from orchestrator.application.batch_submit import BatchFaults, BatchRequest, submit_batch
from orchestrator.application.prepare import SubmissionRequest
from orchestrator.cli.batch_lists import show
from orchestrator.cli.notices import NoticePrinter, warning
from orchestrator.cli.reader import words_in
from orchestrator.cli.watching import REMINDER_S
from orchestrator.core.lines import Span, Style, line
from orchestrator.presentation.batches import counts_text, status_json, status_lines
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.terminal import Terminal
from shared.models.batches import BatchLimits, BatchStatus, ItemState
from shared.models.notices import Notice
from shared.sentences import Sentence


def validate(source: str, directory: Path, terminal: Terminal, *, as_json: bool) -> int:
    """Say what is wrong with a file, or that nothing is; the exit code. Nothing is stored or started."""
    with opened(source, directory, sys.stdin.buffer) as file:
        check = check_file(file)
    if as_json:
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, **_check_json(file, check)}))
        return ExitCode.USAGE if check.wrong else ExitCode.OK
    if check.wrong:
        raise BatchFaults(file.name, check.faults, check.wrong)
    named = ", ".join(f"{number:,} {name}" for name, number in sorted(check.workflows.items()))
    words = words_in()
    terminal.result(words.message("batch_is_valid", name=file.name, n=check.total, named=named))
    return ExitCode.OK


def _check_json(file: BatchFile, check: FileCheck) -> dict[str, Any]:
    return {
        "source": file.name,
        "items": check.total,
        "workflows": check.workflows,
        "wrong": check.wrong,
        "errors": _faults_json(check.faults),
    }


def _faults_json(faults: Iterable[LineFault]) -> list[dict[str, Any]]:
    return [{"line": fault.line, "reason": fault.reason} for fault in faults]


# ---- submit and watch ---------------------------------------------------------------------------


class BatchProgress:
    """Says on stderr how far a batch has come."""

    def __init__(self, terminal: Terminal, words: Translator) -> None:
        """Nothing was told yet."""
        self._terminal = terminal
        self._words = words
        self._told_at = 0.0
        self._told = -1

    def captured(self, stored: int, total: int) -> None:
        """A line with every tenth of the items that is stored."""
        if self._is_enough(stored, total):
            self._tell(self._words.message("batch_stored", n=f"{stored:,}", total=f"{total:,}"))

    def changed(self, status: BatchStatus) -> None:
        """A line when a tenth more has ended, and now and then."""
        if self._is_enough(status.ended, status.batch.total) or status.stands:
            self._tell(counts_text(status, self._words))

    def warn(self, notice: Notice) -> None:
        """What keeps it from going on."""
        self._terminal.warn([warning(self._words.translate(notice))])

    def _is_enough(self, number: int, total: int) -> bool:
        enough = number - self._told >= max(1, total // 10)
        if not enough and time.monotonic() - self._told_at < REMINDER_S:
            return False
        self._told, self._told_at = number, time.monotonic()
        return True

    def _tell(self, text: str) -> None:
        self._terminal.talk([line(Span(text, Style.DIM))])


@dataclass(frozen=True)
class BatchWanted:
    """What was typed: a file, what is asked for all of its items, and what the batch may take."""

    source: str
    common: SubmissionRequest
    limits: BatchLimits
    name: str | None


def submit(
    wanted: BatchWanted,
    environ: Mapping[str, str],
    terminal: Terminal,
    words: Translator,
    *,
    as_json: bool,
) -> int:
    """Submit a file; the exit code."""
    with opened(wanted.source, wanted.common.directory, sys.stdin.buffer) as file:
        check = check_file(file)
        if check.wrong:  # nothing is started for a file that cannot be used
            raise BatchFaults(file.name, check.faults, check.wrong)
        with connected(environ) as backend:
            request = BatchRequest(file, wanted.common, check, wanted.limits, wanted.name)
            listener = NoticePrinter(terminal, words)
            row = submit_batch(backend, request, listener, BatchProgress(terminal, words))
            status = batch_status(backend, row.name)
    return _tell_submitted(status, terminal, words, as_json=as_json)


def _tell_submitted(
    status: BatchStatus, terminal: Terminal, words: Translator, *, as_json: bool
) -> int:
    if as_json:
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, "batch": status_json(status)}))
        return ExitCode.OK
    terminal.talk(status_lines(status, words))
    terminal.result(status.batch.name)
    return ExitCode.OK


def submit_remotely(
    wanted: BatchWanted,
    environ: Mapping[str, str],
    terminal: Terminal,
    words: Translator,
    *,
    as_json: bool,
) -> int:
    """Check a file here, and have a service submit it; the exit code. What it names by path must be there, too."""
    from orchestrator.client.remote_batches import RemoteBatches
    from orchestrator.client.remote_installation import client_of

    plain = SubmissionRequest(directory=wanted.common.directory, unattended=True)
    if wanted.common != plain:
        raise click.UsageError(
            Sentence(
                "with --server each line says itself who takes part and how: leave the options out"
            )
        )
    with opened(wanted.source, wanted.common.directory, sys.stdin.buffer) as file:
        check = check_file(file)
        if check.wrong:
            raise BatchFaults(file.name, check.faults, check.wrong)
        with client_of(environ) as client:
            submitted = client.submit_batch(
                file.path.read_bytes(),
                name=wanted.name,
                max_usd=wanted.limits.max_usd,
                max_running=wanted.limits.max_running,
            )
            status = RemoteBatches(client).batch(submitted["name"])
    return _tell_submitted(status, terminal, words, as_json=as_json)


def watch(
    desk: BatchDesk,
    name: str,
    terminal: Terminal,
    words: Translator,
    timeout_s: float | None,
    *,
    as_json: bool,
) -> int:
    """Follow a batch until nothing of it moves by itself; the exit code says how it stands then."""
    try:
        watch_batch(desk, name, BatchProgress(terminal, words), timeout_s)
    except KeyboardInterrupt:
        terminal.warn([line(words.message("batch_detached", name=name))])
        return ExitCode.INTERRUPTED
    status = desk.batch(name)
    show(status, terminal, words, as_json=as_json)
    return code_of(status)


def code_of(status: BatchStatus) -> ExitCode:
    """Pending while items have not ended; inconclusive where not all of them came to a result."""
    if not status.is_over:
        return ExitCode.PENDING
    whole = status.counts[ItemState.SUCCEEDED] == status.batch.total
    return ExitCode.OK if whole else ExitCode.INCONCLUSIVE

"""How the results of a batch are handed over: lines, a report, and a file for the next batch."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

import click

from orchestrator.application.batch_desk import BatchDesk
from orchestrator.application.batch_from_git import HistoryRange, items_from_git
from orchestrator.cli.work_options import output_obstacle
from orchestrator.presentation.cohort import cohort_document
from orchestrator.presentation.cohort_formats import COHORT_FORMATS
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.formats.text import as_lines
from orchestrator.presentation.json_rows import dumps
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.terminal import Terminal, columns_of
from shared.errors import EnvironmentFault
from shared.models.batches import ENDED
from shared.sentences import Sentence


def check_report_files(outputs: Sequence[Path]) -> None:
    """Refuse a file of an unknown format, or in no folder, before anything is read. Raises click.UsageError."""
    for path in outputs:
        if path.suffix.lower() not in COHORT_FORMATS:
            raise click.UsageError(
                Sentence(
                    "-o {path}: a report is written as {known}",
                    path=str(path),
                    known=", ".join(COHORT_FORMATS),
                )
            )
        if (obstacle := output_obstacle(path)) is not None:
            raise click.UsageError(Sentence("-o {path}: {why}", path=str(path), why=obstacle))


def write_report(
    desk: BatchDesk,
    name: str,
    outputs: Sequence[Path],
    terminal: Terminal,
    words: Translator,
    *,
    as_json: bool,
) -> int:
    """The report on stdout, and in files; the exit code."""
    cohort = desk.cohort(name)
    shown = cohort_document(cohort.report, words)
    if as_json:
        text = COHORT_FORMATS[".json"].render(cohort.report, cohort.rows, words)
        terminal.result(text.rstrip("\n"))
    else:
        terminal.result(as_lines(shown, columns_of(sys.stdout)))
    for path in outputs:
        with written(path) as stream:
            chosen = COHORT_FORMATS[path.suffix.lower()]
            stream.write(chosen.render(cohort.report, cohort.rows, words))
    ended = sum(cohort.report.states.get(state, 0) for state in ENDED)
    return ExitCode.OK if ended == cohort.report.total else ExitCode.PENDING


def write_results(desk: BatchDesk, name: str, output: Path | None, *, errors: bool) -> int:
    """A JSON object a line for each item that has ended; the exit code."""
    status = desk.batch(name)
    with written(output) as stream:
        for row in desk.result_lines(status.batch.name, errors=errors):
            stream.write(f"{row}\n")
    return ExitCode.OK if status.is_over else ExitCode.PENDING


def write_history(
    repository: Path, wanted: HistoryRange, output: Path | None, environ: Mapping[str, str]
) -> int:
    """A line for each commit; the exit code."""
    items = items_from_git(repository, wanted, environ, datetime.now(UTC))
    with written(output) as stream:
        for item in items:
            stream.write(dumps(item, indent=None) + "\n")
    return ExitCode.OK


@contextmanager
def written(output: Path | None) -> Iterator[TextIO]:
    """Where it goes: a file, else stdout. Raises EnvironmentFault."""
    if output is None:
        yield sys.stdout
        return
    try:
        with output.open("w", encoding="utf-8") as stream:
            yield stream
    except OSError as error:
        raise EnvironmentFault(
            "the results cannot be written to {output}: {why}", output=output, why=error.strerror
        ) from error

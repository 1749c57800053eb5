"""What `quorate case` does besides every other submission: one run for each case that was given."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from orchestrator.application.backend import Backend, connected
from orchestrator.application.cases import CaseRequests, case_requests
from orchestrator.application.evaluation import OnceListener
from orchestrator.application.installation import StoredInstallation
from orchestrator.application.preflight import RunEstimate, estimate_run
from orchestrator.application.prepare import SubmissionRequest, prepare_run
from orchestrator.application.report import report_of
from orchestrator.application.subject_input import CaseSource
from orchestrator.application.submit import submit_run
from orchestrator.application.watch import RunWatcher
from orchestrator.cli.notices import NoticePrinter, warning
from orchestrator.cli.piped import ProcessInput
from orchestrator.cli.reader import words_for, words_in
from orchestrator.cli.results import OutputOptions, write_file
from orchestrator.cli.submission import SubmissionOptions, run_submission
from orchestrator.core.discussion.estimate import summed
from orchestrator.core.lines import Span, Style, line
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.exit_codes import exit_code
from orchestrator.presentation.formats.json import as_json
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.listings import RunList, runs
from orchestrator.presentation.live.progress_events import RunSnapshot
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.money import estimate_json, estimate_lines, obstacles
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.terminal import Terminal
from shared.errors import UserError
from shared.models.notices import Notice, notice
from shared.patterns import regex

_NO_NAME = regex(r"[^\w.-]+")
_LONGEST_NAME = 60
GRAVEST = (
    ExitCode.PENDING,
    ExitCode.CREDENTIALS,
    ExitCode.INCONCLUSIVE,
    ExitCode.GATE_TRIPPED,
)
"""What several cases end with: the first of these that one of them ends with, else 0."""


def run_cases(
    request: SubmissionRequest,
    options: SubmissionOptions,
    output: OutputOptions,
    environ: Mapping[str, str],
) -> int:
    """Work on every case that was given; the exit code."""
    subject = request.subject
    assert isinstance(subject, CaseSource)
    read = case_requests(
        request, subject, environ, ProcessInput(), lambda: connected(environ, workers=False)
    )
    if not read.are_several:
        return run_submission(read.requests[0], options, output, environ)
    terminal = Terminal.of(environ, quiet=output.quiet)
    if options.estimate:
        return _show_sum(read, environ, terminal, output)
    with connected(environ) as backend:
        return _run_several(backend, read, options, output, terminal)


def _show_sum(
    read: CaseRequests, environ: Mapping[str, str], terminal: Terminal, output: OutputOptions
) -> int:
    """Print what all of them would take together; the exit code. Nothing is started."""
    for left_out in read.left_out:
        terminal.warn([warning(words_in(output.language).translate(left_out))])
    foreseen = [estimate_run(prepare_run(request, environ)) for request in read.requests]
    estimates = [each.estimate for each in foreseen if each.estimate is not None]
    total = summed(estimates) if len(estimates) == len(foreseen) else None
    spec, reasons = foreseen[0].spec, tuple(dict.fromkeys(_obstacles(foreseen)))
    if output.as_json:
        content = {**estimate_json(total, spec), "runs": len(foreseen), "obstacles": list(reasons)}
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, **content}))
        return ExitCode.OK
    words = words_for(output.language, spec.language)
    title = words.message("cases_begun", n=len(foreseen), batch=str(read.batch))
    terminal.result([*estimate_lines(total, spec, title, None, words), *obstacles(reasons, words)])
    return ExitCode.OK


def _obstacles(foreseen: Iterable[RunEstimate]) -> Iterator[str]:
    for each in foreseen:
        yield from each.obstacles


class _BatchObserver:
    """Hears what keeps a run of several from going on."""

    streams = False

    def __init__(self, terminal: Terminal, words: Translator) -> None:
        """Nothing was told yet."""
        self._terminal = terminal
        self._words = words

    def changed(self, before: RunSnapshot | None, after: RunSnapshot) -> None:
        """Each run is told of when it has ended."""

    def refreshed(self, snapshot: RunSnapshot) -> None:
        """Nothing to be told."""

    def warn(self, notice: Notice) -> None:
        """What keeps the run from going on."""
        self._terminal.warn([warning(self._words.translate(notice))])


def _run_several(
    backend: Backend,
    read: CaseRequests,
    options: SubmissionOptions,
    output: OutputOptions,
    terminal: Terminal,
) -> int:
    words = words_in(output.language)
    listener = NoticePrinter(terminal, words)
    submitted, refused = _submit(backend, read, options.idempotency_key, OnceListener(listener))
    for why in (*read.left_out, *refused):
        listener.warn(why)
    if output.no_wait:
        listed: object = {"schema_version": SCHEMA_VERSION, "batch": read.batch, "runs": submitted}
        terminal.result(dumps(listed) if output.as_json else "\n".join(submitted))
        return ExitCode.OK
    head = words.message("cases_begun", n=len(submitted), batch=str(read.batch))
    try:
        terminal.talk([line(Span(head, Style.STRONG))])
        _watch(backend, submitted, terminal, words, output.watch_s)
    except KeyboardInterrupt:
        terminal.warn([line(words.message("cases_detached", batch=str(read.batch)))])
        return ExitCode.INTERRUPTED
    reports = [report_of(backend, run) for run in submitted]
    _show(reports, read, refused, output, terminal, words)
    _write(reports, output)
    return several_exit_code([exit_code(report) for report in reports], refused=bool(refused))


def _submit(
    backend: Backend, read: CaseRequests, key: str | None, listener: OnceListener
) -> tuple[list[str], list[Notice]]:
    """The runs, and which cases could not be submitted; the first case says what is wrong with all of them."""
    submitted: list[str] = []
    refused: list[Notice] = []
    for number, request in enumerate(read.requests, start=1):
        own_key = None if key is None else f"{key}/{number}"
        try:
            prepared = prepare_run(request, backend.environ)
            for remark in prepared.remarks:
                listener.inform(remark)
            submitted.append(
                submit_run(backend, prepared, listener, idempotency_key=own_key, with_history=False)
            )
        except UserError as error:
            if not submitted:
                raise
            where = request.subject.case.origin  # type: ignore[union-attr]  # every subject here is a GivenCase
            refused.append(notice("case_refused", where=where, why=str(error)))
    return submitted, refused


def _watch(
    backend: Backend,
    submitted: list[str],
    terminal: Terminal,
    words: Translator,
    watch_s: float | None,
) -> None:
    """See all of them to their end, as far as the time lasts, with a line for each that has ended."""
    observer = _BatchObserver(terminal, words)
    deadline = None if watch_s is None else time.monotonic() + watch_s
    for number, run in enumerate(submitted, start=1):
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        watcher = RunWatcher(StoredInstallation(backend), run, observer)
        if not watcher.watch_until_settled(left):
            watcher.leave()
        elif number % max(1, len(submitted) // 10) == 0:
            text = words.message("cases_progress", ended=number, total=len(submitted))
            terminal.talk([line(Span(text, Style.DIM))])


def _show(
    reports: list[RunReport],
    read: CaseRequests,
    refused: list[Notice],
    output: OutputOptions,
    terminal: Terminal,
    words: Translator,
) -> None:
    if output.as_json:
        left_out = [*read.left_out, *refused]
        content = {
            "schema_version": SCHEMA_VERSION,
            "batch": read.batch,
            "runs": [as_json(report) for report in reports],
            "left_out": [
                {"text": ENGLISH.translate(each), **each.model_dump(mode="json")}
                for each in left_out
            ],
        }
        terminal.result(dumps(content))
        return
    terminal.result(runs(RunList([report.run for report in reports]), words, terminal.columns))


def _write(reports: Sequence[RunReport], output: OutputOptions) -> None:
    for wanted in output.outputs:
        files = result_files(wanted, [report.run.title for report in reports])
        for path, report in zip(files, reports, strict=True):
            write_file(path, report, output.words(report.spec))


def result_files(path: Path, titles: Sequence[str]) -> list[Path]:
    """A file for each case: `out.html` becomes `out-a.txt.html`, and `out-a.txt-2.html` for the next of that name."""
    files: list[Path] = []
    for title in titles:
        name = _NO_NAME.sub("-", title).strip("-.")[:_LONGEST_NAME]
        stem, number = f"{path.stem}-{name}".rstrip("-"), 1
        while (file := path.with_name(f"{stem}{_numbered(number)}{path.suffix}")) in files:
            number += 1
        files.append(file)
    return files


def _numbered(number: int) -> str:
    return "" if number == 1 else f"-{number}"


def several_exit_code(codes: list[ExitCode], *, refused: bool = False) -> ExitCode:
    """What several runs end with; a case that could not even be submitted makes it inconclusive."""
    known = {*codes, *((ExitCode.INCONCLUSIVE,) if refused else ())}
    return next((code for code in GRAVEST if code in known), ExitCode.OK)

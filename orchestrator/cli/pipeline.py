"""A review in a pipeline: submitted once, waited for, written where its platform looks."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from pydantic import JsonValue

from orchestrator.application.backend import Backend, connect
from orchestrator.application.capture import locate_change
from orchestrator.application.code_hosts import host_of, post_review
from orchestrator.application.pipelines import (
    LINE,
    history_of,
    ignores_of,
    known_on_target,
    labelled,
    submission_key,
)
from orchestrator.application.prepare import (
    PreparedRun,
    SubmissionRequest,
    configuration_of,
    prepare_run,
)
from orchestrator.application.report import report_of
from orchestrator.application.submit import submit_run
from orchestrator.application.unasked import unasked_report
from orchestrator.cli.notices import NoticePrinter
from orchestrator.cli.results import OutputOptions, deliver
from orchestrator.cli.submission import leave_it
from orchestrator.cli.watching import or_detach, watch_until_done
from orchestrator.core.document import Line, Span, Style, line
from orchestrator.core.findings.excuses import IGNORES, INLINE, Ignore
from orchestrator.core.findings.pushes import Persistence, PushHistory
from orchestrator.core.formats import format_named
from orchestrator.core.pipelines import PipelineContext
from orchestrator.embedded.starting import Starting
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.exit_codes import exit_code
from orchestrator.presentation.formats.annotations import escape_data
from orchestrator.presentation.formats.markdown_text import escape
from orchestrator.presentation.formats.review_comments import inline_comments, whole_comment
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.terminal import Terminal
from orchestrator.settings.projects import Reviewed
from orchestrator.subjects.location import Located
from shared.errors import CredentialsRejected, EnvironmentFault, QuorateError
from shared.models.findings import Severity
from shared.models.notices import notice
from shared.settings import ServiceSettings

FAIL, PASS, NEUTRAL = ON_ERROR = ("fail", "pass", "neutral")
FAIL_ON = "gate.fail_on"
NO_ANSWER = frozenset({ExitCode.INCONCLUSIVE, ExitCode.CREDENTIALS, ExitCode.UNREACHABLE})
"""The codes of a run without a conclusion, which `--on-error` is about; a tripped gate is never one of them."""


@dataclass(frozen=True)
class PipelineOptions:
    """How a pipeline wants its review. `results`: the folder for the files that the platform takes."""

    detach: bool = False
    on_error: str = FAIL
    only_new: bool = False
    comment: bool = False
    results: Path = Path("quorate-results")


def run_pipeline(
    request: SubmissionRequest,
    context: PipelineContext,
    options: PipelineOptions,
    output: OutputOptions,
    environ: Mapping[str, str],
) -> int:
    """Review the change of this pipeline; the exit code of the job."""
    terminal = Terminal.of(environ, quiet=output.quiet)
    try:
        code = _run(request, context, options, output, environ)
    except QuorateError as error:
        if error.exit_code not in NO_ANSWER or options.on_error == FAIL:
            raise
        return _let_pass(error.exit_code, str(error), context, options, terminal, Translator())
    return code


def _run(
    request: SubmissionRequest,
    context: PipelineContext,
    options: PipelineOptions,
    output: OutputOptions,
    environ: Mapping[str, str],
) -> int:
    settings = ServiceSettings.from_environment(environ)
    terminal = Terminal.of(environ, quiet=output.quiet)
    located = locate_change(request.subject, request.directory, environ)
    if configuration_of(request, environ, located).settings.gate.fail_on is None:
        request = replace(request, settings={**request.settings, FAIL_ON: Severity.CRITICAL})
    prepared = prepare_run(replace(request, unattended=True), environ)
    words = output.words(prepared.make_spec(workflow_version=0))
    printer = NoticePrinter(terminal, words)
    for each in prepared.notices:
        printer.warn(each)
    reviewed = _reviewed(located)
    ignores, expired = ignores_of(reviewed, datetime.now(UTC).date())
    for entry in expired:
        printer.warn(notice("ignore_expired", entry=entry))
    output = replace(output, reports=(*prepared.reports, *_files(context, options, request)))
    report = unasked_report(prepared)
    if report is not None:
        deliver(report, terminal, output, words)
        return _conclude(report, None, context, options, terminal, words, environ)
    backend = connect(Starting(settings, environ, workers=True), listener=printer)
    try:
        run = _submit(backend, prepared, context, options, ignores, printer)
        if options.detach:
            leave_it(run, terminal, output)
            _write_outputs(context, environ, {"run": run})
            return ExitCode.PENDING
        terminal.talk([line(words.message("submitted", run=run, title=prepared.title))])
        return _wait(backend, run, context, options, output, terminal, words, environ)
    finally:
        backend.close()


def _reviewed(located: Located | None) -> Reviewed | None:
    if located is None:
        return None
    comparison = located.comparison
    return Reviewed(located.repository, comparison.base, comparison.reviewed)


def _submit(
    backend: Backend,
    prepared: PreparedRun,
    context: PipelineContext,
    options: PipelineOptions,
    ignores: Sequence[Ignore],
    printer: NoticePrinter,
) -> str:
    entries = [*ignores, *(known_on_target(backend, context) if options.only_new else ())]
    stored: JsonValue = [each.model_dump(mode="json") for each in entries]
    labels: dict[str, JsonValue] = {IGNORES: stored, INLINE: True}
    if context.line is not None:
        labels[LINE] = context.line
    key = submission_key(backend, prepared, context, entries)
    return submit_run(
        backend,
        labelled(prepared, labels),
        printer,
        watched=not options.detach,
        idempotency_key=key,
    )


def wait_for(
    backend: Backend,
    run: str,
    context: PipelineContext,
    options: PipelineOptions,
    output: OutputOptions,
    environ: Mapping[str, str],
) -> int:
    """Wait for a run that was submitted before, write what the platform takes; the exit code of the job."""
    report = report_of(backend, run)
    words = output.words(report.spec)
    terminal = Terminal.of(environ, quiet=output.quiet)
    return _wait(backend, report.run.id, context, options, output, terminal, words, environ)


def _wait(
    backend: Backend,
    run: str,
    context: PipelineContext,
    options: PipelineOptions,
    output: OutputOptions,
    terminal: Terminal,
    words: Translator,
    environ: Mapping[str, str],
) -> int:
    def watch() -> int:
        code = watch_until_done(backend, run, terminal, output, words)
        report = report_of(backend, run)
        if code == ExitCode.PENDING:
            _write_outputs(context, environ, {"run": run, "exit-code": str(code)})
            return code
        history = history_of(backend, report)
        return _conclude(report, history, context, options, terminal, words, environ)

    return or_detach(backend, run, terminal, words, watch)


def _conclude(
    report: RunReport,
    history: PushHistory | None,
    context: PipelineContext,
    options: PipelineOptions,
    terminal: Terminal,
    words: Translator,
    environ: Mapping[str, str],
) -> int:
    """Write what the platform takes besides files; the exit code of the job."""
    code = exit_code(report)
    shown = [] if history is None else history_lines(history, words)
    terminal.talk(shown)
    if context.platform.annotations is not None:
        sys.stderr.write(format_named(context.platform.annotations).render(report, words))
    notes = [_text(each) for each in shown]
    _write_summary(report, notes, context, words, environ)
    if options.comment:
        _comment(report, notes, context, terminal, words, environ)
    counts = _counts(history)
    values = {
        "run": report.run.id,
        "verdict": str(report.verdict or ""),
        "exit-code": str(int(code)),
    }
    _write_outputs(context, environ, {**values, **counts})
    if code in NO_ANSWER and options.on_error != FAIL:
        reason = words.translate(report.gate.reason)
        return _let_pass(code, reason, context, options, terminal, words)
    return code


def _write_summary(
    report: RunReport,
    notes: Sequence[str],
    context: PipelineContext,
    words: Translator,
    environ: Mapping[str, str],
) -> None:
    summary = environ.get(context.platform.summary or "")
    if summary:
        text = format_named("summary").render(report, words)
        _append(Path(summary), "\n\n".join((text, *map(escape, notes))))


def _comment(
    report: RunReport,
    notes: Sequence[str],
    context: PipelineContext,
    terminal: Terminal,
    words: Translator,
    environ: Mapping[str, str],
) -> None:
    """Comment on the request. What keeps the host from taking it is said, and changes no exit code."""
    try:
        host = host_of(context.platform.name, environ, context.repository, context.change)
        if host is None or not context.change:
            text = words.message("no_comments_here", platform=context.platform.name)
            terminal.warn([line(text)])
            return
        body = whole_comment(report, words, notes)
        inline = inline_comments(report, words)
        posted = post_review(host, body, inline, context.head_commit)
    except (CredentialsRejected, EnvironmentFault) as error:
        terminal.warn([line(words.message("comment_failed", why=str(error)))])
        return
    text = words.message("commented", inline=posted.inline, refused=posted.refused)
    terminal.talk([line(text)])


def history_lines(history: PushHistory, words: Translator) -> list[Line]:
    """What became of the findings since the pushes before, where there were any."""
    counts = _counts(history)
    lines = [line(Span(words.message("since_last_push", **counts), Style.STRONG))]
    for code, findings in (("push_resolved", history.resolved), ("push_unknown", history.unknown)):
        lines += [line(words.message(code, title=finding.title)) for finding in findings]
    return lines


def _counts(history: PushHistory | None) -> dict[str, str]:
    if history is None:
        return {}
    counts = {state.value: str(history.count(state)) for state in Persistence}
    return {**counts, "resolved": str(len(history.resolved))}


def _text(shown: Line) -> str:
    return "".join(span.text for span in shown)


def _let_pass(
    code: int,
    reason: str,
    context: PipelineContext,
    options: PipelineOptions,
    terminal: Terminal,
    words: Translator,
) -> int:
    """A review without a conclusion that is not to stop the pipeline: it is said, and the job passes."""
    text = words.message("ci_let_pass", code=int(code), why=reason.rstrip("."))
    terminal.warn([line(text)])
    if options.on_error == NEUTRAL and context.platform.name == "github":
        sys.stderr.write(f"::warning title=Quorate::{escape_data(text)}\n")
    if options.on_error == NEUTRAL and context.platform.name == "azure":
        sys.stderr.write(f"##vso[task.complete result=SucceededWithIssues;]{escape_data(text)}\n")
    return ExitCode.OK


def _files(
    context: PipelineContext, options: PipelineOptions, request: SubmissionRequest
) -> list[tuple[str, Path]]:
    """The files that the platform takes, in a folder of their own."""
    if not context.platform.files:
        return []
    folder = request.directory / options.results
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EnvironmentFault(f"--results {folder}: {error.strerror}") from None
    named = (each.partition(":") for each in context.platform.files)
    return [(form, folder / name) for form, _, name in named]


def _write_outputs(
    context: PipelineContext, environ: Mapping[str, str], values: Mapping[str, str]
) -> None:
    file = environ.get(context.platform.outputs or "")
    if file:
        _append(Path(file), "".join(f"{name}={value}\n" for name, value in values.items()))


def _append(path: Path, text: str) -> None:
    try:
        with path.open("a", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise EnvironmentFault(f"{path} cannot be written: {error.strerror}") from None

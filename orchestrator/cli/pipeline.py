"""A review in a pipeline: submitted once, waited for, written where its platform looks."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

from pydantic import JsonValue

from orchestrator.application.backend import Backend, connect
from orchestrator.application.capture import locate_change
from orchestrator.application.code_hosts import host_of, post_review
from orchestrator.application.installation import QuorateInstallation, StoredInstallation
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
from orchestrator.application.submit import submit_run
from orchestrator.application.unasked import unasked_report
from orchestrator.cli.notices import NoticePrinter
from orchestrator.cli.results import OutputOptions, deliver
from orchestrator.cli.submission import leave_it
from orchestrator.cli.watching import or_detach, watch_until_done
from orchestrator.core.findings.excuses import IGNORES, INLINE, Ignore
from orchestrator.core.findings.pushes import Persistence, PushHistory
from orchestrator.core.formats import format_named
from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.core.pipelines import OnError, PipelineContext
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
from shared.models.rows import PUBLISHED
from shared.settings import ServiceSettings

FAIL_ON = "gate.fail_on"
_IGNORE_ALL = "# Made by Quorate: results of a review are no part of the next change.\n*\n"
NO_ANSWER = frozenset({ExitCode.INCONCLUSIVE, ExitCode.CREDENTIALS, ExitCode.UNREACHABLE})
"""The codes of a run without a conclusion, which `--on-error` is about; a tripped gate is never one of them."""


@dataclass(frozen=True)
class PipelineOptions:
    """How a pipeline wants its review. `results`: the folder for the files that the platform takes."""

    detach: bool = False
    on_error: str = OnError.FAIL
    only_new: bool = False
    comment: bool = False
    results: Path = Path("quorate-results")


@dataclass(frozen=True)
class PipelineJob:
    """A job of a pipeline: what it runs for, what was typed, and where its results go."""

    context: PipelineContext
    options: PipelineOptions
    output: OutputOptions
    environ: Mapping[str, str]

    @cached_property
    def terminal(self) -> Terminal:
        """Where the job's log is read."""
        return Terminal.of(self.environ, quiet=self.output.quiet)

    def run(self, request: SubmissionRequest, key: str | None = None) -> int:
        """Review the change; the exit code of the job. `key`: the run that has it is the one that is meant."""
        try:
            return self._run(request, key)
        except QuorateError as error:
            if error.exit_code not in NO_ANSWER or self.options.on_error == OnError.FAIL:
                raise
            return self._let_pass(error.exit_code, str(error), Translator())

    def wait(self, installation: QuorateInstallation, name: str) -> int:
        """Wait for a run that was submitted before, write what the platform takes; the exit code of the job."""
        report = installation.report(name)
        return self._wait(installation, report.run.id, self.output.words(report.spec))

    def _run(self, request: SubmissionRequest, key: str | None) -> int:
        located = locate_change(request.subject, request.directory, self.environ)
        if configuration_of(request, self.environ, located).settings.gate.fail_on is None:
            request = replace(request, settings={**request.settings, FAIL_ON: Severity.CRITICAL})
        prepared = prepare_run(replace(request, unattended=True), self.environ)
        prepared = replace(prepared, title=self.context.titled(prepared.title))
        words = self.output.words(prepared.make_spec(workflow_version=0))
        printer = NoticePrinter(self.terminal, words)
        for each in prepared.notices:
            printer.warn(each)
        ignores, expired = ignores_of(_reviewed(located), datetime.now(UTC).date())
        for entry in expired:
            printer.warn(notice("ignore_expired", entry=entry))
        job = replace(self, output=self._with_files(prepared, request.directory))
        report = unasked_report(prepared)
        if report is not None:
            deliver(report, self.terminal, job.output, words)
            return job._conclude(report, None, words)
        settings = ServiceSettings.from_environment(self.environ)
        backend = connect(Starting(settings, self.environ, workers=True), listener=printer)
        try:
            run = job._submit(backend, prepared, ignores, printer, key)
            if self.options.detach:
                leave_it(run, self.terminal, job.output)
                job._write_outputs({"run": run})
                return ExitCode.PENDING
            submitted = words.message(
                "submitted", run=run, title=words.run_title(prepared.title, prepared.workflow)
            )
            self.terminal.talk([line(submitted)])
            return job._wait(StoredInstallation(backend), run, words)
        finally:
            backend.close()

    def _with_files(self, prepared: PreparedRun, directory: Path) -> OutputOptions:
        """The results that are wanted in files, with those that the platform takes in a folder of their own."""
        names = self.context.platform.files
        folder = directory / self.options.results
        if names:
            try:
                if not folder.exists():
                    folder.mkdir(parents=True)
                    (folder / ".gitignore").write_text(_IGNORE_ALL, encoding="utf-8")
            except OSError as error:
                raise EnvironmentFault(
                    "--results {folder}: {why}", folder=folder, why=error.strerror
                ) from None
        named = (each.partition(":") for each in names)
        files = [(form, folder / name) for form, _, name in named]
        return replace(self.output, reports=(*prepared.reports, *files))

    def _submit(
        self,
        backend: Backend,
        prepared: PreparedRun,
        ignores: Sequence[Ignore],
        printer: NoticePrinter,
        key: str | None,
    ) -> str:
        entries = list(ignores)
        if self.options.only_new:
            known, more = known_on_target(backend, self.context)
            entries += known
            if more is not None:
                printer.warn(more)
        stored: JsonValue = [each.model_dump(mode="json") for each in entries]
        labels: dict[str, JsonValue] = {IGNORES: stored, INLINE: True}
        if self.context.line is not None:
            labels[LINE] = self.context.line
        if self.context.published is not None:
            labels[PUBLISHED] = self.context.published.model_dump()
        return submit_run(
            backend,
            labelled(prepared, labels),
            printer,
            watched=not self.options.detach,
            idempotency_key=key or submission_key(backend, prepared, self.context, entries),
        )

    def _wait(self, installation: QuorateInstallation, run: str, words: Translator) -> int:
        def watch() -> int:
            code = watch_until_done(installation, run, self.terminal, self.output, words)
            report = installation.report(run)
            if code == ExitCode.PENDING:
                self._write_outputs({"run": run, "exit-code": str(code)})
                return code
            return self._conclude(report, history_of(installation, report), words)

        return or_detach(installation, run, self.terminal, words, watch)

    def _conclude(self, report: RunReport, history: PushHistory | None, words: Translator) -> int:
        """Write what the platform takes besides files; the exit code of the job."""
        code, platform = exit_code(report), self.context.platform
        shown = [] if history is None else history_lines(history, words)
        self.terminal.talk(shown)
        if platform.annotations is not None:
            sys.stderr.write(format_named(platform.annotations).render(report, words))
        notes = ["".join(span.text for span in each) for each in shown]
        self._write_summary(report, notes, words)
        if self.options.comment:
            self._comment(report, notes, words)
        values = {
            "run": report.run.id,
            "verdict": str(report.verdict or ""),
            "exit-code": str(int(code)),
        }
        self._write_outputs({**values, **_counts(history)})
        if code in NO_ANSWER and self.options.on_error != OnError.FAIL:
            return self._let_pass(code, words.translate(report.gate.reason), words)
        return code

    def _write_summary(self, report: RunReport, notes: Sequence[str], words: Translator) -> None:
        if summary := self.environ.get(self.context.platform.summary or ""):
            text = format_named("summary").render(report, words)
            _append(Path(summary), "\n\n".join((text, *map(escape, notes))))

    def _comment(self, report: RunReport, notes: Sequence[str], words: Translator) -> None:
        """Comment on the request. What keeps the host from taking it is said, and changes no exit code."""
        context = self.context
        try:
            host = host_of(context.platform.name, self.environ, context.repository, context.change)
            if host is None or not context.change:
                text = words.message("no_comments_here", platform=context.platform.name)
                self.terminal.warn([line(text)])
                return
            body = whole_comment(report, words, notes)
            posted = post_review(host, body, inline_comments(report, words), context.head_commit)
        except (CredentialsRejected, EnvironmentFault) as error:
            self.terminal.warn([line(words.message("comment_failed", why=str(error)))])
            return
        text = words.message("commented", inline=posted.inline, refused=posted.refused)
        self.terminal.talk([line(text)])

    def _let_pass(self, code: int, reason: str, words: Translator) -> int:
        """A review without a conclusion that is not to stop the pipeline: it is said, and the job passes."""
        text = words.message("ci_let_pass", code=int(code), why=reason.rstrip("."))
        self.terminal.warn([line(text)])
        mark = self.context.platform.warning
        if self.options.on_error == OnError.NEUTRAL and mark is not None:
            sys.stderr.write(f"{mark}{escape_data(text)}\n")
        return ExitCode.OK

    def _write_outputs(self, values: Mapping[str, str]) -> None:
        if file := self.environ.get(self.context.platform.outputs or ""):
            _append(Path(file), "".join(f"{name}={value}\n" for name, value in values.items()))


def _reviewed(located: Located | None) -> Reviewed | None:
    if located is None:
        return None
    comparison = located.comparison
    return Reviewed(located.repository, comparison.base, comparison.reviewed)


def history_lines(history: PushHistory, words: Translator) -> list[Line]:
    """What became of the findings since the pushes before, where there were any."""
    counts = _counts(history)
    lines = [line(Span(words.message("since_last_push", **counts), Style.STRONG))]
    for code, findings in (("push_resolved", history.resolved), ("push_unknown", history.unknown)):
        lines += [line(words.message(code, title=finding.title)) for finding in findings]
    if history.cut:
        lines.append(line(words.message("push_cut", runs=", ".join(history.cut))))
    return lines


def _counts(history: PushHistory | None) -> dict[str, str]:
    if history is None:
        return {}
    counts = {state.value: str(history.count(state)) for state in Persistence}
    return {**counts, "resolved": str(len(history.resolved))}


def _append(path: Path, text: str) -> None:
    try:
        with path.open("a", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise EnvironmentFault(
            "{path} cannot be written: {why}", path=path, why=error.strerror
        ) from None

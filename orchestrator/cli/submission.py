"""What every command does that submits a run: prepare it, start what is needed, submit, follow, print."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from orchestrator.application.prepare import (
    PreparedRun,
    SubmissionRequest,
    prepare_run,
)
from orchestrator.application.subject_input import CaseSource, ChangeInput, QuestionInput, TaskInput
from orchestrator.cli.notices import NoticePrinter, cast_lines, first_time
from orchestrator.cli.options import take
from orchestrator.cli.piped import ProcessInput
from orchestrator.cli.reader import words_for
from orchestrator.cli.results import OutputOptions, deliver
from orchestrator.cli.setting_options import take_holders, take_settings
from orchestrator.cli.work_options import output_obstacle
from orchestrator.core.findings.verdict import GateOutcome
from orchestrator.core.lines import Span, Style, line
from orchestrator.core.results import FindingsResult
from orchestrator.embedded.starting import Starting
from orchestrator.presentation.exit_codes import exit_code
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.terminal import Terminal
from orchestrator.workflows.registry import is_conversation
from shared.errors import ConfigurationError
from shared.folders import make_private
from shared.instance import Instance
from shared.locks import try_lock
from shared.models.run import ASK
from shared.settings import ServiceSettings

GATES = frozenset({"gate.fail_on", "gate.require_reviewer"})
"""What makes a run the question of a pipeline, which wants a code and cannot be asked anything."""

LOUD = frozenset({"stdin_silent"})
"""Remarks about the subject that not even `--quiet` hides."""


@dataclass(frozen=True)
class SubmissionOptions:
    """What was typed that these commands know besides the request and how its result is wanted."""

    estimate: bool = False
    decide: str | None = None
    idempotency_key: str | None = None
    lock: str | None = None

    @property
    def asks(self) -> bool:
        """True when an open decision is put to the person at the terminal."""
        return self.decide in (None, ASK)

    @property
    def mode(self) -> str | None:
        """Who decides."""
        return ASK if self.decide == "later" else self.decide


@contextmanager
def holding(lock: str | None, environ: Mapping[str, str]) -> Iterator[bool]:
    """Hold a lock of this machine while a command works; False when another command has it."""
    if lock is None:
        yield True
        return
    folder = ServiceSettings.from_environment(environ).instance.state_dir / "locks"
    make_private(folder)
    descriptor = try_lock(folder / lock)
    if descriptor is None:
        text = f"another command holds the lock {lock}: nothing was started"
        Terminal.of(environ).warn([line(text)])
        yield False
        return
    try:
        yield True
    finally:
        os.close(descriptor)


def is_unattended(
    decide: str | None, terminal: Terminal, settings: Mapping[str, object], *, waits: bool
) -> bool:
    """True when nobody will be asked: no terminal, CI, or a gate that was typed, which is a pipeline's question."""
    gated = any(key in GATES and value for key, value in settings.items())
    return decide is None and waits and (gated or not terminal.can_ask)


def typed_request(
    workflow: str,
    subject: ChangeInput | QuestionInput | CaseSource | TaskInput,
    options: SubmissionOptions,
    directory: Path,
    typed: dict[str, Any],
    language: str | None = None,
) -> SubmissionRequest:
    """The request for what was typed; nothing of it may be left over."""
    keys, own = take_settings(workflow, typed)
    common = {
        "language": language,
        "decision.mode": options.mode,
        "settings.timeout": typed.get("turn_s"),
    }
    typed |= {
        "directory": directory,
        "workflow": workflow,
        "subject": subject,
        "panel": typed.pop("participants", ()),
        "holders": take_holders(workflow, typed),
        "settings": keys | {key: value for key, value in common.items() if value is not None},
        "options": own,
    }
    request = take(SubmissionRequest, typed)
    assert not any(value is not None for value in typed.values()), f"nobody takes {typed}"
    return request


def run_submission(
    request: SubmissionRequest,
    options: SubmissionOptions,
    output: OutputOptions,
    environ: Mapping[str, str],
) -> int:
    """Work on what is requested; the exit code. Nothing is started for a command that cannot work."""
    settings = ServiceSettings.from_environment(environ)
    terminal = Terminal.of(environ, quiet=output.quiet)
    unattended = is_unattended(options.decide, terminal, request.settings, waits=not output.no_wait)
    prepared = prepare_run(replace(request, unattended=unattended), environ, ProcessInput())
    for _, path in prepared.reports:
        if (obstacle := output_obstacle(path)) is not None:
            raise ConfigurationError("output: {path}: {obstacle}", path=path, obstacle=obstacle)
    output = replace(output, reports=prepared.reports)
    words = words_for(None, prepared.language)
    printer = NoticePrinter(terminal, words)
    for notice in prepared.notices:  # what the repository's own file and the change do to the panel
        printer.warn(notice)
    if prepared.is_change and (settled := _settle(prepared, terminal, output)) is not None:
        return settled
    if options.estimate:
        from orchestrator.application.preflight import foretell  # loads the workflows
        from orchestrator.cli.estimates import show_estimate

        return show_estimate(foretell(prepared), environ, output)
    starting = Starting(settings, environ, workers=True)
    # The store and the engine are loaded while the servers start.
    from orchestrator.application.backend import connect
    from orchestrator.application.installation import StoredInstallation
    from orchestrator.application.submit import submit_run
    from orchestrator.cli.watching import or_detach, watch_until_done, watched_s

    backend = connect(starting, listener=printer)
    installation = StoredInstallation(backend)
    try:
        waits = not output.no_wait
        run = submit_run(
            backend,
            prepared,
            printer,
            watched=waits,
            watched_for_s=watched_s(terminal, waits=waits),
            idempotency_key=options.idempotency_key,
        )
        if output.no_wait:
            return leave_it(run, terminal, output)

        def watch() -> int:
            _introduce(run, prepared, terminal, printer, settings.instance)
            code = watch_until_done(installation, run, terminal, output, words, asks=options.asks)
            if unattended:
                report_unasked(installation.report(run), terminal, words)
            return code

        return or_detach(installation, run, terminal, words, watch)
    finally:
        backend.close()


def _settle(prepared: PreparedRun, terminal: Terminal, output: OutputOptions) -> int | None:
    """The exit code where nobody has to be asked about the change: nothing is started or stored then."""
    from orchestrator.application.unasked import unasked_report  # loads the workflows

    report = unasked_report(prepared)
    if report is None:
        return None
    words = output.words(report.spec)
    title = words.run_title(prepared.title, prepared.workflow)
    terminal.talk([line(Span(title, Style.DIM))])
    deliver(report, terminal, output, words)
    return exit_code(report)


def report_unasked(report: RunReport, terminal: Terminal, words: Translator) -> None:
    """That a question was answered because nobody was there to be asked. Whoever sets a gate expects no question."""
    answer = report.result.decision if isinstance(report.result, FindingsResult) else None
    gated = report.gate.outcome is not GateOutcome.NOT_SET
    if answer is not None and answer.channel == "policy" and not (gated or terminal.quiet):
        text = words.message("decided_unasked", choice=answer.choice)
        terminal.talk([line(Span(text, Style.DIM))])


def leave_it(run: str, terminal: Terminal, output: OutputOptions, **more: object) -> int:
    """The run's id alone; the exit code."""
    whole = {"schema_version": SCHEMA_VERSION, "run": {"id": run}, **more}
    terminal.result(dumps(whole) if output.as_json else run)
    return 0


def _introduce(
    run: str,
    prepared: PreparedRun,
    terminal: Terminal,
    printer: NoticePrinter,
    instance: Instance,
) -> None:
    """Who takes part, what to set for more (once on a machine), and the run's id."""
    report, words = prepared.cast_report, words_for(None, prepared.language)
    advice = [words.translate(each) for each in report.advice]
    advises = not terminal.quiet and first_time(instance, advice)
    lines = cast_lines(report, words, advises=advises)
    terminal.talk([line(Span(text, Style.DIM)) for text in lines])
    for remark in prepared.remarks:
        (printer.warn if remark.code in LOUD else printer.remark)(remark)
    if terminal.live and is_conversation(prepared.workflow):
        return  # the live picture's head says it
    title = words.run_title(prepared.title, prepared.workflow)
    submitted = words.message("submitted", run=run, title=title)
    terminal.talk([line(Span(submitted, Style.STRONG))])

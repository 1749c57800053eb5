"""Submit a run to a service, and follow it from here: what is printed and the exit code are as locally."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from orchestrator.application.outgoing import outgoing
from orchestrator.application.prepare import SubmissionRequest
from orchestrator.cli.estimates import show_estimate
from orchestrator.cli.notices import NoticePrinter
from orchestrator.cli.piped import ProcessInput
from orchestrator.cli.reader import words_in
from orchestrator.cli.results import OutputOptions, deliver
from orchestrator.cli.submission import SubmissionOptions, is_unattended, leave_it, report_unasked
from orchestrator.cli.watching import or_detach, watch_until_done, watched_s
from orchestrator.client.remote_installation import RemoteInstallation, client_of
from orchestrator.core.lines import Span, Style, line
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.exit_codes import exit_code
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.terminal import Terminal


def run_remotely(
    request: SubmissionRequest,
    options: SubmissionOptions,
    output: OutputOptions,
    environ: Mapping[str, str],
) -> int:
    """Have a service work on what is requested; the exit code."""
    terminal = Terminal.of(environ, quiet=output.quiet)
    waits = not output.no_wait
    unattended = is_unattended(options.decide, terminal, request.settings, waits=waits)
    sent = outgoing(replace(request, unattended=unattended), environ, ProcessInput())
    words = words_in(output.language)
    printer = NoticePrinter(terminal, words)
    for remark in sent.remarks:
        printer.remark(remark)
    if sent.nothing is not None:
        printer.warn(sent.nothing)
        return ExitCode.OK
    with client_of(environ) as client:
        installation = RemoteInstallation(client)
        if options.estimate:
            foretold = replace(installation.estimate(sent), title=sent.title)
            return show_estimate(foretold, environ, output)
        watched_for_s = watched_s(terminal, waits=waits)
        answer = installation.submit(sent, options.idempotency_key, watched_for_s)
        if isinstance(answer, RunReport):  # nobody had to be asked
            deliver(answer, terminal, output, output.words(answer.spec))
            return exit_code(answer)
        if output.no_wait:
            return leave_it(answer, terminal, output)
        title = words.message(
            "submitted", run=answer, title=words.run_title(sent.title, sent.workflow)
        )
        terminal.talk([line(Span(title, Style.STRONG))])

        def watch() -> int:
            report = installation.report(answer)
            shown = output.words(report.spec)
            code = watch_until_done(
                installation, answer, terminal, output, shown, asks=options.asks
            )
            if unattended:
                report_unasked(installation.report(answer), terminal, shown)
            return code

        return or_detach(installation, answer, terminal, words, watch)

"""The second half of a command that submits a run: store the run, wake an orchestrator, see it through."""

from __future__ import annotations

import os
from collections.abc import Mapping

from orchestrator.application import preflight
from orchestrator.application.backend import Backend, connect
from orchestrator.application.capture import Note
from orchestrator.application.prepare import PreparedRun
from orchestrator.application.worker_keys import hand_over_keys
from orchestrator.cli.advice import first_time
from orchestrator.cli.following import announce, watched_s
from orchestrator.cli.running import RunOptions
from orchestrator.cli.terminal import Terminal
from orchestrator.cli.watching import Wish, or_detach, see_through
from orchestrator.core.document import Span, Style, line
from orchestrator.embedded.starting import Starting
from orchestrator.engine.advance import Engine
from orchestrator.presentation.formats.json import SCHEMA_VERSION, dumps
from orchestrator.presentation.formats.text import DEFAULT_MAX_FINDINGS
from orchestrator.presentation.live.progress import CONVERSATIONS
from orchestrator.presentation.locale.words import count, say
from orchestrator.workflows import WORKFLOWS
from shared.allowed import Allowed
from shared.instance import Instance


def submit_and_follow(
    starting: Starting, prepared: PreparedRun, options: RunOptions, environ: Mapping[str, str]
) -> int:
    """Submit once the servers answer, and see the run through; the exit code."""
    terminal = Terminal.of(environ, quiet=options.quiet)
    backend = connect(starting)
    try:
        hand_over_keys(backend, prepared.panel, terminal, environ, prepared.language)
        waits = not options.no_wait
        run = submit(
            backend,
            prepared,
            terminal,
            watched_for_s=watched_s(terminal, waits=waits),
            watched=waits,
        )
        if options.no_wait:
            return _leave_it(run, terminal, options)
        return or_detach(
            run,
            terminal,
            prepared.language,
            lambda: _see_through(backend, run, prepared, options, terminal),
        )
    finally:
        backend.close()


def _see_through(
    backend: Backend,
    run: str,
    prepared: PreparedRun,
    options: RunOptions,
    terminal: Terminal,
) -> int:
    _introduce(run, prepared, terminal, backend.settings.instance)
    return see_through(backend, run, terminal, _wish(options, prepared))


def submit(
    backend: Backend,
    prepared: PreparedRun,
    terminal: Terminal,
    *,
    watched_for_s: int = 0,
    watched: bool = False,
) -> str:
    """Store the run and wake an orchestrator; the run's id. Durable when this returns.

    Raises UserError, before anything is stored, when a limit or a context keeps somebody from its first call.

    `watched_for_s`: so long somebody is thought to look on, and the first turns stream, too. `watched`: somebody waits
    for the end.
    """
    version = WORKFLOWS[prepared.workflow].version
    spec = prepared.make_spec(workflow_version=version).model_copy(update={"watched": watched})
    for text in preflight.check(spec, prepared.documents):
        terminal.warn([line(Span(f"⚠ {text}", Style.WARNING))])
    panel = spec.panel
    speakers = (*panel.critics, panel.author, panel.chair, *(who for _, who in spec.seats))
    Allowed.of(backend.settings.instance, os.environ).allow_all(speakers)
    run = Engine(backend.database).submit(spec, prepared.title, prepared.documents)
    announce(backend, run, watched_for_s)
    backend.signals.send(run)
    return run


def _wish(options: RunOptions, prepared: PreparedRun) -> Wish:
    limit = options.max_findings or DEFAULT_MAX_FINDINGS
    return Wish(
        language=prepared.language,
        as_json=options.as_json,
        output=options.output,
        max_findings=None if options.everything else limit,
        timeout_s=options.watch_s,
        asks=options.decide in (None, "ask"),
    )


def _introduce(run: str, prepared: PreparedRun, terminal: Terminal, instance: Instance) -> None:
    """Who takes part, what to set for more (once on a machine), and the run's id."""
    report = prepared.panel_report
    advises = not terminal.quiet and first_time(instance, report.advice)
    lines = report.lines(with_advice=advises)
    terminal.talk([line(Span(text, Style.DIM)) for text in lines])
    for note in prepared.notes:
        tell = terminal.warn if note.loud else terminal.talk
        tell([line(Span(f"⚠ {_note(note, prepared.language)}", Style.WARNING))])
    if terminal.live and prepared.workflow in CONVERSATIONS:
        return  # the live picture's head says it
    title = say("submitted", prepared.language, run=run, title=prepared.title)
    terminal.talk([line(Span(title, Style.STRONG))])


def _note(note: Note, language: str) -> str:
    return count(note.word, language, note.count) if note.count else say(note.word, language)


def _leave_it(run: str, terminal: Terminal, options: RunOptions) -> int:
    if options.as_json:
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, "run": {"id": run}}))
    else:
        terminal.result(run)
    return 0

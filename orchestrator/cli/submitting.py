"""The second half of `quorate review`: store the run, wake an orchestrator, see it through."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.cli.backend import Backend, connect
from orchestrator.cli.key_marks import unknown_keys
from orchestrator.cli.reviewing import Options
from orchestrator.cli.starting import Starting
from orchestrator.cli.submission import WORKFLOW, Prepared
from orchestrator.cli.terminal import Terminal
from orchestrator.cli.watching import Wish, or_detach, see_through
from orchestrator.configuration.catalogue import KEY
from orchestrator.engine import Engine
from orchestrator.views.json_report import SCHEMA_VERSION, dumps
from orchestrator.views.lines import Span, Style, line
from orchestrator.views.text import DEFAULT_MAX_FINDINGS
from orchestrator.views.words import say
from orchestrator.workflows import WORKFLOWS
from shared.embedded.instance import Instance
from shared.models.panel import Participant


def submit_and_follow(
    starting: Starting, prepared: Prepared, options: Options, environ: Mapping[str, str]
) -> int:
    """Submit once the servers answer, and see the run through; the exit code."""
    terminal = Terminal.of(environ, quiet=options.quiet)
    backend = connect(starting)
    try:
        run = submit(backend, prepared)
        if options.no_wait:
            return _leave_it(run, terminal, options)
        return or_detach(
            run,
            terminal,
            prepared.language,
            lambda: _see_through(backend, run, prepared, options, terminal, environ),
        )
    finally:
        backend.close()


def _see_through(
    backend: Backend,
    run: str,
    prepared: Prepared,
    options: Options,
    terminal: Terminal,
    environ: Mapping[str, str],
) -> int:
    _introduce(run, prepared, terminal)
    if backend.settings.external is None:
        _warn_of_keys(backend.settings.instance, prepared, terminal, environ)
    return see_through(backend, run, terminal, _wish(options, prepared))


def submit(backend: Backend, prepared: Prepared) -> str:
    """Store the run and wake an orchestrator; the run's id. Durable when this returns."""
    spec = prepared.make_spec(workflow_version=WORKFLOWS[WORKFLOW].version)
    run = Engine(backend.database).submit(spec, prepared.title, prepared.documents)
    backend.signals.send(run)
    return run


def _wish(options: Options, prepared: Prepared) -> Wish:
    limit = options.max_findings or DEFAULT_MAX_FINDINGS
    return Wish(
        language=prepared.language,
        as_json=options.as_json,
        output=options.output,
        max_findings=None if options.everything else limit,
        timeout_s=options.timeout,
        asks=options.decide in (None, "ask"),
    )


def _introduce(run: str, prepared: Prepared, terminal: Terminal) -> None:
    """Who takes part, what to set for more, and the run's id."""
    terminal.talk([line(Span(text, Style.DIM)) for text in prepared.panel_report.lines()])
    title = say("submitted", prepared.language, run=run, title=prepared.title)
    terminal.talk([line(Span(title, Style.STRONG))])


def _warn_of_keys(
    instance: Instance, prepared: Prepared, terminal: Terminal, environ: Mapping[str, str]
) -> None:
    """Say which keys the workers that run already do not have."""
    panel = prepared.panel
    wanted = [name for who in (*panel.critics, panel.author, panel.chair) for name in _keys(who)]
    missing = unknown_keys(instance, environ, wanted)
    if missing:
        text = say("other_keys", prepared.language, names=", ".join(missing))
        terminal.warn([line(Span(f"⚠ {text}", Style.WARNING))])


def _keys(who: Participant) -> tuple[str, ...]:
    named = who.options.get("api_key_env")
    if isinstance(named, str):
        return (named,)
    return (KEY,) if who.provider == "openai" and "base_url" not in who.options else ()


def _leave_it(run: str, terminal: Terminal, options: Options) -> int:
    if options.as_json:
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, "run": {"id": run}}))
    else:
        terminal.result(run)
    return 0

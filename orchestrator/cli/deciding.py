"""The flow of `quorate decide`: one of the options to what is shown now, then the run's end or its next question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.application.backend import connected
from orchestrator.application.decide import answer, current_decision, selection
from orchestrator.application.report import load_report
from orchestrator.cli.following import announce, watched_s
from orchestrator.cli.terminal import Terminal
from orchestrator.cli.watching import Wish, or_detach, see_through
from orchestrator.core.document import line
from orchestrator.presentation.formats.json import SCHEMA_VERSION, decision_json, dumps
from orchestrator.presentation.locale.words import say
from shared.models.decision import Answer
from shared.models.rows import DecisionRow


@dataclass(frozen=True)
class Options:
    """What was typed after `quorate decide RUN`."""

    choice: str
    message: str = ""
    only: str | None = None
    without: str | None = None
    shown: str | None = None
    no_wait: bool = False
    timeout: float | None = None
    as_json: bool = False
    language: str | None = None
    quiet: bool = False


def run_decide(run: str, options: Options, environ: Mapping[str, str]) -> int:
    """Answer, and follow the run; the exit code."""
    terminal = Terminal.of(environ, quiet=options.quiet)
    with connected(environ) as backend:
        report = backend.read(lambda connection: load_report(connection, run))
        decision = current_decision(report)
        waits = not options.no_wait
        announce(backend, report.run.id, watched_s(terminal, waits=waits))
        row = answer(
            backend,
            decision,
            options.choice,
            only=selection(decision, _names(options.only), _names(options.without)),
            message=options.message,
            shown_sha256=options.shown,
        )
        language = options.language or report.spec.language
        if options.no_wait:
            _recorded(row, terminal, language, as_json=options.as_json)
            return 0
        wish = Wish(
            language=language, as_json=options.as_json, timeout_s=options.timeout, from_now=True
        )
        name = report.run.id
        return or_detach(
            name, terminal, language, lambda: see_through(backend, name, terminal, wish)
        )


def _recorded(row: DecisionRow, terminal: Terminal, language: str, *, as_json: bool) -> None:
    if as_json:
        whole = {"schema_version": SCHEMA_VERSION, "run": row.run_id, **decision_json(row)}
        terminal.result(dumps(whole))
        return
    given = Answer.model_validate(row.answer)
    said = say("decided", language, choice=given.choice, actor=given.actor, channel=given.channel)
    terminal.result([line(f"{row.run_id}: {said}")])


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())

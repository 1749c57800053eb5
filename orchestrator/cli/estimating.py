"""`--estimate`: what the run would take, from what would be submitted. Nothing is started."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.application.preflight import forbidden, subject_tokens
from orchestrator.application.prepare import PreparedRun
from orchestrator.cli.terminal import Terminal
from orchestrator.core.discussion.estimate import estimate
from orchestrator.core.document import Span, Style, line
from orchestrator.presentation.formats.json import SCHEMA_VERSION, dumps
from orchestrator.presentation.locale.words import say
from orchestrator.presentation.money import estimate_json, estimate_lines
from orchestrator.workflows import EXPECTED
from shared.providers.prices import expected_usd


def show_estimate(prepared: PreparedRun, environ: Mapping[str, str], *, as_json: bool) -> int:
    """Print the estimate; the exit code."""
    # No generator replays this specification, so its version does not matter.
    spec = prepared.make_spec(workflow_version=0)
    tokens = subject_tokens(spec, prepared.documents)
    found = estimate(spec, tokens, expected_usd, EXPECTED)
    course = EXPECTED.get(spec.workflow)
    reasons = forbidden(course(spec, tokens) if course else (), spec.budget, spec.language)
    terminal = Terminal.of(environ)
    if as_json:
        content = {**estimate_json(found, spec), "obstacles": list(reasons)}
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, **content}))
        return 0
    terminal.talk([line(Span(text, Style.DIM)) for text in prepared.panel_report.lines()])
    told = [say("estimate_forbidden", spec.language, reason=reason) for reason in reasons]
    obstacles = [line(Span(f"  ⚠ {text}", Style.WARNING)) for text in told]
    terminal.result([*estimate_lines(found, spec, prepared.title), *obstacles])
    return 0

"""`--estimate`: what a run would take, reckoned here or by a service."""

from __future__ import annotations

from collections.abc import Mapping

from orchestrator.application.preflight import Foretold
from orchestrator.cli.notices import cast_lines
from orchestrator.cli.reader import words_for
from orchestrator.cli.results import OutputOptions, deliver
from orchestrator.core.lines import Span, Style, line
from orchestrator.presentation.exit_codes import exit_code
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.money import estimate_lines, foreseen_json, obstacles
from orchestrator.presentation.terminal import Terminal


def show_estimate(foretold: Foretold, environ: Mapping[str, str], output: OutputOptions) -> int:
    """Print what the run would take, or the result where nobody has to be asked; the exit code."""
    report, foreseen = foretold.report, foretold.foreseen
    if report is not None:
        terminal = Terminal.of(environ, quiet=output.quiet)
        words = output.words(report.spec)
        title = words.run_title(foretold.title, report.run.workflow)
        terminal.talk([line(Span(title, Style.DIM))])
        deliver(report, terminal, output, words)
        return exit_code(report)
    assert foreseen is not None  # one of the two
    terminal = Terminal.of(environ)
    if output.as_json:
        content = foreseen_json(
            foreseen.estimate, foreseen.spec, foreseen.instead, foreseen.obstacles
        )
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, **content}))
        return 0
    words = words_for(output.language, foreseen.spec.language)
    lines = cast_lines(foretold.cast_report, words)
    terminal.talk([line(Span(text, Style.DIM)) for text in lines])
    shown = estimate_lines(
        foreseen.estimate, foreseen.spec, foretold.title, foreseen.instead, words
    )
    terminal.result([*shown, *obstacles(foreseen.obstacles, words)])
    return 0

"""How results are handed over: on stdout, in a file, as text, Markdown or JSON."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from orchestrator.cli.terminal import Terminal
from orchestrator.core.document import Line
from orchestrator.presentation.formats.json import as_json, dumps
from orchestrator.presentation.formats.text import DEFAULT_MAX_FINDINGS, open_decision, warned
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.results.registry import (
    result_lines,
    result_markdown,
    result_text,
)
from orchestrator.presentation.wrapping import folded
from shared.errors import EnvironmentFault
from shared.models.outcomes import Verdict


@dataclass(frozen=True)
class OutputOptions:
    """How a run is followed and its result is wanted. `language` None: the run's; `watch_s`: follow it so long."""

    as_json: bool = False
    output: Path | None = None
    language: str | None = None
    quiet: bool = False
    max_findings: int | None = None
    everything: bool = False
    no_wait: bool = False
    watch_s: float | None = None

    @property
    def most_findings(self) -> int | None:
        """How many findings the text shows; None for all."""
        return None if self.everything else self.max_findings or DEFAULT_MAX_FINDINGS


def deliver(report: RunReport, terminal: Terminal, options: OutputOptions, language: str) -> None:
    """The result on stdout, and in a file when one was named."""
    if options.as_json:
        terminal.result(dumps(as_json(report, language)))
    else:
        lines = result_lines(
            report, language=language, max_findings=options.most_findings, brief=terminal.quiet
        )
        terminal.result(fitted(report, lines, sys.stdout))
        # A review's result is never brief: it holds its warnings itself.
        if terminal.quiet and not report.of_change:
            terminal.warn(_left_out(report, language))
    if options.output is not None:
        write_file(options.output, report, language)


def _left_out(report: RunReport, language: str) -> list[Line]:
    """What a brief result leaves out and nobody may overlook; the result stays alone on stdout.

    A demonstration is never taken for an answer; where nothing came of it, why; where somebody is asked, how to answer.
    """
    # A plan that nobody accepted is no result yet.
    decided = report.detail.get("accepted") is not False
    conclusive = decided and report.verdict not in (None, Verdict.INCONCLUSIVE)
    texts = (
        (*report.noticed(language), *report.scripted(language))
        if conclusive
        else report.warnings(language)
    )
    decision = report.open_decision
    asked = [] if decision is None else open_decision(decision, language)
    return [*warned(texts, language), *asked]


def write_file(path: Path, report: RunReport, language: str) -> None:
    """The result in the format that the file's ending names. Raises EnvironmentFault."""
    text = rendered(report, path.suffix, language)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise EnvironmentFault(
            f"the result cannot be written to {path}: {error.strerror}. Run {report.run.id} is stored: "
            f"`quorate show {report.run.id} -o FILE`"
        ) from error


def fitted(report: RunReport, lines: list[Line], stream: TextIO) -> list[Line]:
    """What people said, wrapped between words on a terminal; findings and patches stay as they are."""
    if report.of_change or not stream.isatty():
        return lines
    return folded(lines, shutil.get_terminal_size().columns)


def rendered(report: RunReport, suffix: str, language: str) -> str:
    """The whole result as JSON, Markdown or text."""
    match suffix.lower():
        case ".json":
            return dumps(as_json(report, language)) + "\n"
        case ".md" | ".markdown":
            return result_markdown(report, language=language)
        case _:
            return result_text(report, language=language)

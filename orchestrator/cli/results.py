"""How results are handed over: on stdout, and in a file in any format."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from orchestrator.cli.reader import words_for
from orchestrator.core.findings.verdict import GateOutcome
from orchestrator.core.formats import OutputFormat, format_named, output_of
from orchestrator.core.lines import Line
from orchestrator.core.results import ChangeResult, TestsOutcome
from orchestrator.presentation.coverage import no_text, unanalysed
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.exit_codes import exit_code
from orchestrator.presentation.formats.json import as_json
from orchestrator.presentation.formats.text import (
    DEFAULT_MAX_FINDINGS,
    MAX_RULE_FINDINGS,
    closing_lines,
    result_lines,
)
from orchestrator.presentation.json_rows import dumps
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.result import is_brief, open_decision
from orchestrator.presentation.step_warnings import unlisted
from orchestrator.presentation.terminal import Terminal, columns_of
from orchestrator.presentation.warning_lines import warned
from orchestrator.subjects.kinds import language_of
from orchestrator.workflows.descriptor import SubjectKind
from shared.errors import EnvironmentFault
from shared.models.notices import Notice
from shared.models.outcomes import Verdict
from shared.models.panel import Panel
from shared.models.run import RunSpec

UNTOLD = frozenset((TestsOutcome.FAILED, TestsOutcome.UNKNOWN))
GOOD = frozenset((Verdict.APPROVED, Verdict.CHECKS_PASSED, Verdict.NOTHING_TO_REVIEW))


@dataclass(frozen=True)
class OutputOptions:
    """How a run is followed and its result is wanted. `language` None: the run's; `watch_s`: follow it so long.

    `reports` are those that the configuration wants in files, each with the name of its format.
    """

    as_json: bool = False
    outputs: tuple[Path, ...] = ()
    language: str | None = None
    quiet: bool = False
    max_findings: int | None = None
    everything: bool = False
    no_wait: bool = False
    watch_s: float | None = None
    reports: tuple[tuple[str, Path], ...] = ()

    def words(self, spec: RunSpec) -> Translator:
        """What the result is told in: as was asked for, else the terminal's Korean, else the run's language."""
        return words_for(self.language, spec.language)

    def most_findings(self, panel: Panel) -> int | None:
        """How many findings the text shows; None for all. Of what rules alone found there is a line each."""
        fewest = MAX_RULE_FINDINGS if panel.by_rules else DEFAULT_MAX_FINDINGS
        return None if self.everything else self.max_findings or fewest


def deliver(
    report: RunReport,
    terminal: Terminal,
    options: OutputOptions,
    words: Translator,
    told: Iterable[Notice] = (),
    *,
    read: bool = False,
) -> None:
    """The result on stdout, and in a file when one was named. `told` is what was warned of on the way.

    `read`: the person at this terminal has all but the end of it before them.
    """
    if options.as_json:
        terminal.result(dumps(as_json(report, told)))
    elif terminal.quiet and has_passed(report):
        terminal.warn(warned((*report.scripted, *_unanalysed(report)), words))
    elif read and sys.stdout.isatty():
        terminal.result(closing_lines(report, words, columns_of(sys.stdout)))
    else:
        brief = is_brief(report, quiet=terminal.quiet)
        lines = result_lines(
            report,
            words=words,
            max_findings=options.most_findings(report.spec.panel),
            brief=brief,
            width=columns_of(sys.stdout),
        )
        terminal.result(lines)
        if brief:
            terminal.warn(_left_out(report, words))
    listed = replace(report, listed=None if options.everything else options.max_findings)
    for path in options.outputs:
        write_file(path, listed, words)
    for name, path in options.reports:
        write_file(path, listed, words, format_named(name))


def _unanalysed(report: RunReport) -> Iterable[Notice]:
    """A check that passed because nobody could look at the code has checked nothing of it."""
    if not isinstance(report.result, ChangeResult):
        return ()
    coverage = report.result.coverage
    known = unanalysed(coverage, lambda path: language_of(path) is not None)
    return (*known, *no_text(coverage))


def has_passed(report: RunReport) -> bool:
    """Whether the checks of a change ended well: then there is nothing that a quiet reader needs to see."""
    if report.workflow.subject is not SubjectKind.CHANGE or exit_code(report) is not ExitCode.OK:
        return False
    failed = isinstance(report.result, ChangeResult) and report.result.tests in UNTOLD
    # Files were changed, or there is a branch: a commit that passes does not hold that.
    if failed or report.applied:
        return False
    return bool(report.gate.outcome is GateOutcome.PASSED or report.verdict in GOOD)


def _left_out(report: RunReport, words: Translator) -> list[Line]:
    """What a brief result leaves out but must still be seen; stdout holds only the result.

    A demonstration is never taken for an answer; where nothing came of it, why; where somebody is asked, how to answer.
    """
    refused = report.result is not None and report.result.refused
    conclusive = not refused and report.verdict not in (None, Verdict.INCONCLUSIVE)
    cut = unlisted(report.result or report.matter)
    texts = (*cut, *report.spec.notices, *report.scripted) if conclusive else report.warnings
    decision = report.open_decision
    asked = [] if decision is None else open_decision(decision, words)
    return [*warned(texts, words), *asked]


def write_file(
    path: Path, report: RunReport, words: Translator, form: OutputFormat | None = None
) -> None:
    """The result in a format, else in the one that the file's name says. Raises EnvironmentFault."""
    if form is None:
        form, path = output_of(path)
    text = form.render(report, words)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise EnvironmentFault(
            "the result cannot be written to {path}: {why}. Run {run} is stored: `quorate show {run} "
            "-o FILE`",
            path=path,
            why=error.strerror,
            run=report.run.id,
        ) from error

"""See a run through on a terminal: follow it, ask its questions, print its result."""

from __future__ import annotations

import select
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from orchestrator.application.backend import Backend
from orchestrator.application.decide import answer
from orchestrator.application.report import load_report
from orchestrator.cli.display import make_display
from orchestrator.cli.following import Follower, announce, watched_s
from orchestrator.cli.terminal import Terminal
from orchestrator.core.document import Line, line
from orchestrator.presentation.choices import LATER, REVISE, chosen, keys_for, options_of, prompt
from orchestrator.presentation.exit_codes import ExitCode, exit_code
from orchestrator.presentation.formats.json import as_json, dumps
from orchestrator.presentation.formats.text import DEFAULT_MAX_FINDINGS, open_decision, warned
from orchestrator.presentation.locale.words import say
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.results.registry import (
    OF_CHANGES,
    question_lines,
    result_lines,
    result_markdown,
    result_text,
)
from orchestrator.presentation.wrapping import folded
from shared.errors import DecisionConflict, EnvironmentFault
from shared.models.outcomes import Verdict

SIGNALS_WITHIN_S = 0.2


@dataclass(frozen=True)
class Wish:
    """How a result is wanted. `asks`: put an open decision to the person at the terminal;
    `from_now`: tell nothing that happened before."""

    language: str = "en"
    as_json: bool = False
    output: Path | None = None
    max_findings: int | None = DEFAULT_MAX_FINDINGS
    timeout_s: float | None = None
    asks: bool = False
    from_now: bool = False


def or_detach(run: str, terminal: Terminal, language: str, work: Callable[[], int]) -> int:
    """The code of `work`; interrupted, it lets go of the run and says how to find it again."""
    try:
        return work()
    except KeyboardInterrupt:
        terminal.warn([line(say("detached", language, run=run))])
        return ExitCode.INTERRUPTED


def see_through(backend: Backend, run: str, terminal: Terminal, wish: Wish) -> int:
    """Follow a run to its end or to a question that nobody answers here; the exit code of the run."""
    follower = Follower(backend, run, make_display(terminal, wish.language), wish.language)
    if wish.from_now:
        follower.skip_the_past()
    while True:
        settled = _followed(follower, wish.timeout_s)
        report = backend.read(lambda connection: load_report(connection, run))
        if not settled:
            text = say("timed_out", wish.language, s=wish.timeout_s, run=run)
            terminal.warn([line(text)])
            break
        if not _ask(backend, report, terminal, wish):
            break
    deliver(report, terminal, wish)
    return exit_code(report)


def _followed(follower: Follower, timeout_s: float | None) -> bool:
    """True when the run is settled; a run that goes on is let go of."""
    settled = False
    try:
        settled = follower.follow(timeout_s)
    finally:
        if not settled:
            follower.release_leases()
    return settled


def deliver(report: RunReport, terminal: Terminal, wish: Wish) -> None:
    """The result on stdout, and in a file when one was named."""
    if wish.as_json:
        terminal.result(dumps(as_json(report, wish.language)))
    else:
        lines = result_lines(
            report,
            language=wish.language,
            max_findings=wish.max_findings,
            brief=terminal.quiet,
        )
        terminal.result(fitted(report, lines, sys.stdout))
        # A review's result is never brief: it holds its warnings itself.
        if terminal.quiet and report.run.workflow not in OF_CHANGES:
            terminal.warn(_unsaid(report, wish.language))
    if wish.output is not None:
        write_file(wish.output, report, wish)


def _unsaid(report: RunReport, language: str) -> list[Line]:
    """What a brief result leaves out and nobody may overlook; the result stays alone on stdout.

    A demonstration is never taken for an answer; where nothing came of it, why; where somebody is asked, how to answer.
    """
    decided = (
        report.detail.get("accepted") is not False
    )  # a plan that nobody accepted is no result yet
    conclusive = decided and report.verdict not in (None, Verdict.INCONCLUSIVE)
    texts = (
        (*report.noticed(language), *report.scripted(language))
        if conclusive
        else report.warnings(language)
    )
    decision = report.open_decision
    asked = [] if decision is None else open_decision(decision, language)
    return [*warned(texts, language), *asked]


def write_file(path: Path, report: RunReport, wish: Wish) -> None:
    """The result in the format that the file's ending names. Raises EnvironmentFault."""
    text = rendered(report, path.suffix, wish.language)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise EnvironmentFault(
            f"the result cannot be written to {path}: {error.strerror}. Run {report.run.id} is stored: "
            f"`quorate show {report.run.id} -o FILE`"
        ) from error


def fitted(report: RunReport, lines: list[Line], stream: TextIO) -> list[Line]:
    """What people said, wrapped between words on a terminal; findings and patches stay as they are."""
    if report.run.workflow in OF_CHANGES or not stream.isatty():
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


def _ask(backend: Backend, report: RunReport, terminal: Terminal, wish: Wish) -> bool:
    """Put the open decision to the person; True when it was answered and the run goes on."""
    decision = report.open_decision
    if decision is None or not wish.asks or not terminal.can_ask:
        return False
    asked = [*question_lines(report, wish.language), *open_decision(decision, wish.language)]
    terminal.warn(fitted(report, asked, sys.stderr))
    choice = _choice(keys_for(options_of(decision)), wish.language)
    if choice == LATER:
        return False
    message = _typed(say("ask_message", wish.language)) if choice == REVISE else ""
    announce(backend, report.run.id, watched_s(terminal))  # a while has passed
    try:
        answer(backend, decision, choice, message=message)
    except DecisionConflict as conflict:
        terminal.warn([line(str(conflict))])
    return True


def _choice(keys: Mapping[str, str], language: str) -> str:
    """What the person picks among exactly the options that there are."""
    while True:
        choice = chosen(_typed(prompt(keys, language)), keys)
        if choice is not None:
            return choice


def _typed(prompted: str) -> str:
    sys.stderr.write(prompted)
    sys.stderr.flush()
    return _typed_line().strip()


def _typed_line() -> str:
    """A line from the terminal; nothing at its end. Waits in short pieces.

    A blocking read would miss a signal that arrives just before it: the handler runs only after the next key.
    """
    while not select.select([sys.stdin], [], [], SIGNALS_WITHIN_S)[0]:
        pass
    return sys.stdin.readline()

"""See a run through on a terminal: follow it, ask its questions, print its result."""

from __future__ import annotations

import select
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from orchestrator.cli.answering import answer
from orchestrator.cli.backend import Backend
from orchestrator.cli.display import make_display
from orchestrator.cli.following import Follower
from orchestrator.cli.reports import load_report
from orchestrator.cli.terminal import Terminal
from orchestrator.views.exit_codes import ExitCode, exit_code
from orchestrator.views.json_report import as_json, dumps
from orchestrator.views.lines import line, plain
from orchestrator.views.markdown import result as as_markdown
from orchestrator.views.question import question
from orchestrator.views.report import RunReport
from orchestrator.views.text import DEFAULT_MAX_FINDINGS
from orchestrator.views.text import result as as_text
from orchestrator.views.words import say
from shared.errors import DecisionConflict, EnvironmentFault

SIGNALS_WITHIN_S = 0.2
CHOICES = {"a": "apply_fix", "s": "skip", "l": "later", "": "later"}


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
    follower = Follower(backend, run, make_display(terminal), wish.language)
    if wish.from_now:
        follower.skip_the_past()
    while True:
        settled = follower.follow(wish.timeout_s)
        report = backend.read(lambda connection: load_report(connection, run))
        if not settled:
            text = say("timed_out", wish.language, s=wish.timeout_s, run=run)
            terminal.warn([line(text)])
            break
        if not _ask(backend, report, terminal, wish):
            break
    deliver(report, terminal, wish)
    return exit_code(report)


def deliver(report: RunReport, terminal: Terminal, wish: Wish) -> None:
    """The result on stdout, and in a file when one was named."""
    if wish.as_json:
        terminal.result(dumps(as_json(report, wish.language)))
    else:
        terminal.result(as_text(report, language=wish.language, max_findings=wish.max_findings))
    if wish.output is not None:
        write_file(wish.output, report, wish)


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


def rendered(report: RunReport, suffix: str, language: str) -> str:
    """The whole result as JSON, Markdown or text."""
    match suffix.lower():
        case ".json":
            return dumps(as_json(report, language)) + "\n"
        case ".md" | ".markdown":
            return as_markdown(report, language=language)
        case _:
            return plain(as_text(report, language=language, max_findings=None))


def _ask(backend: Backend, report: RunReport, terminal: Terminal, wish: Wish) -> bool:
    """Put the open decision to the person; True when it was answered and the run goes on."""
    decision = report.open_decision
    if decision is None or not wish.asks or not terminal.can_ask:
        return False
    terminal.warn(question(report, wish.language))
    choice = _choice(say("prompt_choice", wish.language))
    if choice == "later":
        return False
    try:
        answer(backend, decision, choice)
    except DecisionConflict as conflict:
        terminal.warn([line(str(conflict))])
    return True


def _choice(prompt: str) -> str:
    while True:
        sys.stderr.write(prompt)
        sys.stderr.flush()
        choice = CHOICES.get(_typed_line().strip().lower()[:1] or "l")
        if choice is not None:
            return choice


def _typed_line() -> str:
    """A line from the terminal; nothing at its end. Waits in short pieces.

    A blocking read would miss a signal that arrives just before it: the handler runs only after the next key.
    """
    while not select.select([sys.stdin], [], [], SIGNALS_WITHIN_S)[0]:
        pass
    return sys.stdin.readline()

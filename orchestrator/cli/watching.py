"""See a run through on a terminal: follow it, ask its questions, print its result."""

from __future__ import annotations

import getpass
import os
import select
import sys
import time
from collections.abc import Callable, Mapping

from orchestrator.application.decide import DecisionRequest
from orchestrator.application.installation import QuorateInstallation
from orchestrator.application.watch import RunWatcher
from orchestrator.cli.notices import warning
from orchestrator.cli.results import OutputOptions, deliver
from orchestrator.core.lines import line
from orchestrator.core.views.live import OutputMode
from orchestrator.presentation.choices import (
    LATER,
    chosen,
    keys_for,
    not_offered,
    options_of,
    prompt,
)
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.exit_codes import exit_code
from orchestrator.presentation.formats.text import question_lines
from orchestrator.presentation.live.live_display import Display, make_display
from orchestrator.presentation.live.progress_events import RunSnapshot, changes, still_waiting
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.result import open_decision
from orchestrator.presentation.terminal import Terminal, columns_of
from shared.delivery.live import EXPECTED_S, WATCHED_S
from shared.errors import DecisionConflict, UserError
from shared.models.notices import Notice, notice

SIGNALS_WITHIN_S = 0.2
REMINDER_S = 25.0
CANCEL_WITHIN_S = 3


def actor() -> str:
    """Who answers: the name of the account."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}"


def watched_s(terminal: Terminal, *, waits: bool = True) -> int:
    """For how long a terminal is thought to snapshot on a run that begins now; 0 without one."""
    if not terminal.live:
        return 0
    return WATCHED_S if waits else EXPECTED_S


class TerminalObserver:
    """Tells on stderr what happens; a live picture shows answers while they come."""

    def __init__(self, display: Display, words: Translator) -> None:
        """Nothing was told yet."""
        self.streams = display.mode is OutputMode.LIVE
        self.warned: list[Notice] = []
        self._display = display
        self._words = words
        self._told_at = time.monotonic()

    def changed(self, before: RunSnapshot | None, after: RunSnapshot) -> None:
        """One line for each thing that happened."""
        self._display.begin(after)
        lines = changes(before, after, self._words, self._display.mode)
        if lines:
            self._display.tell(lines)
            self._told_at = time.monotonic()

    def refreshed(self, snapshot: RunSnapshot) -> None:
        """Whoever waits hears something at least every 30 seconds; a live picture shows it anyway."""
        if not self.streams and time.monotonic() - self._told_at >= REMINDER_S:
            self._display.tell(still_waiting(snapshot, self._words))
            self._told_at = time.monotonic()
        self._display.refresh(snapshot)

    def warn(self, notice: Notice) -> None:
        """What keeps the run from going on."""
        self.warned.append(notice)
        self._display.tell([warning(self._words.translate(notice))])
        self._told_at = time.monotonic()


def follow(watcher: RunWatcher, display: Display, timeout_s: float | None) -> bool:
    """True when the run is settled; a run that goes on is let go of."""
    settled = False
    try:
        with display:
            settled = watcher.watch_until_settled(timeout_s)
    finally:
        if not settled:
            watcher.leave()
    return settled


def or_detach(
    installation: QuorateInstallation,
    run: str,
    terminal: Terminal,
    words: Translator,
    work: Callable[[], int],
) -> int:
    """The code of `work`; interrupted, it lets go of the run, says how to find it again and offers to cancel it."""
    try:
        return work()
    except QuestionLeft as left:
        options = "|".join(left.options)
        terminal.warn([line(words.message("left_open", run=run, options=options))])
    except KeyboardInterrupt:
        terminal.warn([line(words.message("detached", run=run))])
        if terminal.can_ask and _wants_to_cancel(terminal, words):
            terminal.warn([line(_cancelled(installation, run, words))])
    return ExitCode.INTERRUPTED


def _wants_to_cancel(terminal: Terminal, words: Translator) -> bool:
    """Whether Ctrl-C comes a second time; any line that is typed ends the wait."""
    terminal.warn([line(words.message("cancel_again", s=CANCEL_WITHIN_S))])
    try:
        select.select([sys.stdin], [], [], CANCEL_WITHIN_S)
    except KeyboardInterrupt:
        return True
    return False


def _cancelled(installation: QuorateInstallation, run: str, words: Translator) -> str:
    try:
        installation.cancel(run, actor())
    except UserError as error:
        return str(error)
    return words.message("cancelled", run=run)


class QuestionLeft(KeyboardInterrupt):
    """Ctrl-C at a question: nothing goes on meanwhile. `options` are the answers that it waits for."""

    def __init__(self, options: tuple[str, ...]) -> None:
        """The question with these answers stays open."""
        super().__init__()
        self.options = options


def watch_until_done(
    installation: QuorateInstallation,
    run: str,
    terminal: Terminal,
    options: OutputOptions,
    words: Translator,
    *,
    asks: bool = False,
    from_now: bool = False,
) -> int:
    """Follow a run to its end or to a question that nobody answers here; the exit code of the run.

    `asks`: put an open decision to the person at the terminal; `from_now`: tell nothing that happened before.
    """
    display = make_display(terminal, words)
    observer = TerminalObserver(display, words)
    watcher = RunWatcher(installation, run, observer)
    if from_now:
        watcher.skip_the_past()
    shown: RunReport | None = None
    while True:
        settled = follow(watcher, display, options.watch_s)
        report = installation.report(run)
        if not settled:
            late = notice("timed_out", s=options.watch_s, run=run)
            observer.warned.append(late)
            terminal.warn([line(words.translate(late))])
            break
        if not (asks and terminal.can_ask and report.open_decision is not None):
            break
        shown = report
        if not _ask(installation, report, terminal, words):
            break
    read = shown is not None and shown.findings == report.findings
    deliver(report, terminal, options, words, observer.warned, read=read)
    return exit_code(report)


def _ask(
    installation: QuorateInstallation, report: RunReport, terminal: Terminal, words: Translator
) -> bool:
    """Put the open decision to the person; True when it was answered and the run goes on."""
    decision = report.open_decision
    if decision is None:
        return False
    shown = question_lines(report, words, columns_of(sys.stderr))
    terminal.warn([*shown, *open_decision(decision, words)])
    try:
        choice = _choice(keys_for(options_of(decision)), words)
        if choice == LATER:
            return False
        asks_why = report.workflow.asks_why(choice)
        message = _typed(words.message("ask_message")) if asks_why else ""
    except KeyboardInterrupt:
        sys.stderr.write("\n")
        raise QuestionLeft(options_of(decision)) from None
    answer = DecisionRequest(
        run=report.run.id,
        choice=choice,
        actor=actor(),
        channel="cli",
        key=decision.key,
        message=message,
        shown_sha256=decision.shown_sha256,
    )
    installation.announce(report.run.id, watched_s(terminal))  # a while has passed
    try:
        installation.decide(answer)
    except DecisionConflict as conflict:
        terminal.warn([line(str(conflict))])
    return True


def _choice(keys: Mapping[str, str], words: Translator) -> str:
    """What the person picks among exactly the options that there are."""
    while True:
        choice = chosen(_typed(prompt(keys, words)), keys, words)
        if choice is not None:
            return choice
        sys.stderr.write(f"{not_offered(keys, words)}\n")


def _typed(prompted: str) -> str:
    sys.stderr.write(prompted)
    sys.stderr.flush()
    typed = _typed_line()
    if not typed:  # Ctrl-D: the prompt's line is still open
        sys.stderr.write("\n")
    return typed.strip()


def _typed_line() -> str:
    """A line from the terminal; nothing at its end. Waits in short pieces.

    A blocking read would miss a signal that arrives just before it: the handler runs only after the next key.
    """
    while not select.select([sys.stdin], [], [], SIGNALS_WITHIN_S)[0]:
        pass
    return sys.stdin.readline()

"""What the commands of `quorate graph` have in common: their options, and a question from asking to its answer."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import click

from orchestrator.application.backend import Backend, connected
from orchestrator.application.code_graph import MOST_S, answer_of, capture_code, submit_question
from orchestrator.application.installation import StoredInstallation
from orchestrator.application.watch import RunWatcher
from orchestrator.cli.notices import NoticePrinter, warning
from orchestrator.cli.options import in_this_order, json_option, language_option, quiet_option
from orchestrator.cli.reader import words_in
from orchestrator.cli.watching import TerminalObserver, follow
from orchestrator.core.lines import Line
from orchestrator.presentation.code_graph import answer_json, candidate_lines
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.json_rows import dumps
from orchestrator.presentation.live.live_display import make_display
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.terminal import Terminal
from orchestrator.workflows.graph.options import GraphOptions
from shared.models.code_answers import GraphAnswer
from shared.models.notices import notice
from shared.tools.graph_question import GraphQuestion

state_options = in_this_order(
    click.option(
        "--repo", "repository", metavar="DIR", help="The repository (default: the one around here)."
    ),
    click.option("--rev", "revision", metavar="REV", help="Another commit than the last one."),
)
question_options = in_this_order(state_options, json_option, language_option, quiet_option)
limit_option = click.option(
    "--limit", type=click.IntRange(1, 5000), default=100, metavar="N", help="Show N at most (100)."
)


def depth_option(default: int) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """How many calls away something may be."""
    return click.option(
        "--depth",
        type=click.IntRange(1, 50),
        default=default,
        metavar="N",
        help=f"At most N calls away ({default}).",
    )


@dataclass(frozen=True)
class Asking:
    """How a question is asked, and how its answer is shown."""

    repository: str | None = None
    revision: str | None = None
    as_json: bool = False
    language: str | None = None
    quiet: bool = False


Shown = Callable[[GraphAnswer, Translator], list[Line]]
Delivery = Callable[[Backend, GraphAnswer, Terminal], None]


def ask(options: GraphOptions, asking: Asking, shown: Shown) -> int:
    """Ask and print the answer; the exit code."""
    words = words_in(asking.language)

    def deliver(_backend: Backend, answer: GraphAnswer, terminal: Terminal) -> None:
        terminal.result(shown(answer, words))

    return answer_with(options, asking, deliver)


def answer_with(options: GraphOptions, asking: Asking, deliver: Delivery) -> int:
    """Ask, say what stands beside the answer, and deliver it unless JSON is wanted; the exit code."""
    terminal = Terminal.of(os.environ, quiet=asking.quiet)
    words = words_in(asking.language)
    printer = NoticePrinter(terminal, words)
    task = capture_code(Path(asking.repository or Path.cwd()), asking.revision, os.environ)
    if task.uncommitted and asking.revision is None:
        printer.inform(notice("graph_uncommitted", n=len(task.uncommitted)))
    with connected(os.environ) as backend:
        answer = _settled(backend, submit_question(backend, task, options), terminal, words)
        if isinstance(answer, str):
            printer.warn(notice("graph_failed", why=answer))
            return ExitCode.INCONCLUSIVE
        _remark(answer, printer)
        if asking.as_json:
            terminal.result(dumps(answer_json(answer, task.workspace, options)))
        elif answer.unclear is None:
            deliver(backend, answer, terminal)
            if _has_no_chain(options, answer):
                printer.inform(notice("graph_no_chain", n=options.depth))
    return _clear(answer, terminal, words)


def _has_no_chain(options: GraphOptions, answer: GraphAnswer) -> bool:
    """Whether two definitions were asked about and no chain between them is as short as was asked."""
    is_chain = options.question is GraphQuestion.CHAIN and len(options.names) > 1
    return is_chain and not answer.links


def _remark(answer: GraphAnswer, printer: NoticePrinter) -> None:
    """What the graph lacks."""
    for problem in answer.problems:
        printer.remark(problem)
    if answer.left_out:
        printer.warn(notice("graph_left_out", n=answer.left_out, files=answer.files))


def _clear(answer: GraphAnswer, terminal: Terminal, words: Translator) -> ExitCode:
    """The exit code; a name that nothing or several have is told with what may be meant."""
    if answer.unclear is None:
        return ExitCode.OK
    like = "graph_unknown" if answer.candidates else "graph_unlike"
    code = "graph_ambiguous" if answer.total else like
    terminal.warn([warning(words.message(code, name=answer.unclear, n=answer.total))])
    terminal.warn(candidate_lines(answer, words))
    return ExitCode.USAGE


def _settled(
    backend: Backend, run: str, terminal: Terminal, words: Translator
) -> GraphAnswer | str:
    # Off a terminal only what is wrong is worth a line: questions come by the dozen.
    display = make_display(terminal if terminal.live else replace(terminal, quiet=True), words)
    watcher = RunWatcher(StoredInstallation(backend), run, TerminalObserver(display, words))
    follow(watcher, display, MOST_S)
    return answer_of(backend, run)

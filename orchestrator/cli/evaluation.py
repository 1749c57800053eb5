"""What `quorate eval` does: plan, begin, follow and show an evaluation."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from orchestrator.application import evaluation
from orchestrator.application.acceptance import accepted_history
from orchestrator.application.backend import Backend, connected
from orchestrator.application.eval_plan import EvalPlan, EvalRequest, PanelChoice, plan_eval
from orchestrator.application.eval_sources import BUILTIN, builtin_cases, cases_of, folder_of
from orchestrator.application.evaluation import StoredEval, begin_eval, load_eval, watch_eval
from orchestrator.application.subject_input import ChangeInput
from orchestrator.cli.eval_estimate import show_estimate
from orchestrator.cli.notices import NoticePrinter, warning
from orchestrator.cli.options import take
from orchestrator.cli.piped import ProcessInput
from orchestrator.cli.reader import words_in
from orchestrator.cli.submission import SubmissionOptions, typed_request
from orchestrator.cli.watching import REMINDER_S, actor
from orchestrator.core.document import Block
from orchestrator.core.lines import Span, Style, line, plain
from orchestrator.core.parts import split_names
from orchestrator.evaluation.result import EvalResult
from orchestrator.evaluation.scoring import CaseState, ReadingRules
from orchestrator.presentation.acceptance import history_document
from orchestrator.presentation.evaluation import eval_document
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.formats.markdown import as_markdown
from orchestrator.presentation.formats.text import as_lines
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.listings import heads
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.tables import table
from orchestrator.presentation.terminal import Terminal, columns_of
from orchestrator.workflows.registry import workflow_of_everybody
from shared.errors import EnvironmentFault, UserError
from shared.models.findings import Severity
from shared.models.notices import Notice
from shared.models.outcomes import RunStatus
from shared.sentences import Sentence

FORMATS = (".md", ".json", ".txt")


@dataclass(frozen=True)
class EvalOptions:
    """What was typed that belongs to no run: which cases and panels, and how the result is wanted."""

    source: str | None
    builtin: str | None
    panels: tuple[str, ...]
    presets: tuple[str, ...]
    name: str | None
    retry: bool
    show: tuple[str, ...]
    listed: bool
    history: bool
    cancel: str | None
    schema: bool
    every_case: bool
    first: int | None
    least: str
    estimate: bool
    no_wait: bool
    watch_s: float | None
    outputs: tuple[Path, ...]
    as_json: bool
    language: str | None
    quiet: bool

    @classmethod
    def taken(cls, typed: dict[str, Any]) -> EvalOptions:
        """Out of what click gives; what stays there is for the runs. Raises click.UsageError."""
        options = take(cls, typed)
        options.check()
        return options

    def check(self) -> None:
        """Refuse what contradicts itself, before anything is started. Raises click.UsageError."""
        begun_with = _given({"FILE": self.source, "--builtin": self.builtin})
        looks = _given(
            {
                "--show": self.show,
                "--list": self.listed,
                "--history": self.history,
                "--cancel": self.cancel,
                "--schema": self.schema,
            }
        )
        if len(given := begun_with + looks) > 1:
            raise click.UsageError(
                Sentence("{options}: only one of them at a time", options=" and ".join(given))
            )
        if looks:
            self._refuse_what_begins(looks[0])
        if not all(split_names([names]) for names in self.panels):
            raise click.UsageError(
                Sentence("--panel names nobody; leave it out to ask everybody who is configured")
            )
        for path in self.outputs:
            if path.suffix.lower() not in FORMATS:
                known = ", ".join(FORMATS)
                raise click.UsageError(
                    Sentence(
                        "-o {path}: an evaluation is written as {known}",
                        path=str(path),
                        known=known,
                    )
                )

    def _refuse_what_begins(self, look: str) -> None:
        useless = _given(
            {
                "--panel": self.panels,
                "--preset": self.presets,
                "--name": self.name,
                "--retry-failed": self.retry,
                "--estimate": self.estimate,
                "--no-wait": self.no_wait,
            }
        )
        if useless:
            raise click.UsageError(
                Sentence(
                    "{options}: not with {look}, which runs nothing",
                    options=" and ".join(useless),
                    look=look,
                )
            )

    @property
    def rules(self) -> ReadingRules:
        """Which findings count."""
        return ReadingRules(self.first, Severity(self.least.upper()))

    @property
    def words(self) -> Translator:
        """What it is told in."""
        return words_in(self.language)


def _given(options: Mapping[str, object]) -> list[str]:
    return [name for name, value in options.items() if value]


def run_command(
    options: EvalOptions, typed: dict[str, Any], directory: Path, environ: Mapping[str, str]
) -> int:
    """Do what was typed; the exit code."""
    terminal = Terminal.of(environ, quiet=options.quiet)
    if options.schema:
        terminal.result(dumps(_schema()))
        return ExitCode.OK
    if options.listed or options.history or options.cancel or options.show:
        with connected(environ, workers=False) as backend:
            return _inspect(backend, options, terminal)
    plan = _plan(options, typed, directory, environ)
    if options.estimate:
        return show_estimate(plan, terminal, options.words, as_json=options.as_json)
    with connected(environ) as backend:
        return _run(backend, plan, options, terminal)


def _plan(
    options: EvalOptions, typed: dict[str, Any], directory: Path, environ: Mapping[str, str]
) -> EvalPlan:
    if options.source is None:
        stem = options.builtin or BUILTIN
        cases, folder = builtin_cases(stem), directory
    else:
        cases = cases_of(options.source, directory, ProcessInput())
        folder, stem = folder_of(options.source, directory), Path(options.source).stem or "cases"
    submission = typed_request(
        workflow_of_everybody(),
        ChangeInput(),
        SubmissionOptions(),
        directory,
        typed,
        options.language,
    )
    panels = [PanelChoice(names=tuple(split_names([names]))) for names in options.panels]
    panels += [PanelChoice(preset=name) for name in options.presets]
    request = EvalRequest(
        cases=cases,
        panels=tuple(panels) or (PanelChoice(),),
        submission=submission,
        folder=folder,
        stem=stem if stem != "-" else "stdin",
        name=options.name,
    )
    return plan_eval(request, environ)


# ---- run ----------------------------------------------------------------------------------------


class EvalProgress:
    """Says on stderr how many runs have ended."""

    def __init__(self, terminal: Terminal, words: Translator) -> None:
        """Nothing was said yet."""
        self._terminal = terminal
        self._words = words
        self._said_at = 0.0
        self._ended = -1

    def changed(self, stored: StoredEval) -> None:
        """A line when a tenth more has ended, and every 25 seconds."""
        running = len(stored.open)
        ended = len(stored.runs) - running
        enough = ended - self._ended >= max(1, stored.total // 10) or not running
        if ended == self._ended or not (enough or time.monotonic() - self._said_at >= REMINDER_S):
            return
        self._ended, self._said_at = ended, time.monotonic()
        text = self._words.message(
            "eval_progress", ended=ended, total=stored.total, running=running
        )
        self._terminal.talk([line(Span(text, Style.DIM))])

    def warn(self, notice: Notice) -> None:
        """What keeps it from going on."""
        self._terminal.warn([warning(self._words.translate(notice))])


def _run(backend: Backend, plan: EvalPlan, options: EvalOptions, terminal: Terminal) -> int:
    words = options.words
    try:
        stored = begin_eval(backend, plan, NoticePrinter(terminal, words), retry=options.retry)
        if options.no_wait:
            whole = {"schema_version": SCHEMA_VERSION, "eval": _row(stored)}
            terminal.result(dumps(whole) if options.as_json else stored.name)
            return ExitCode.OK
        text = words.message(
            "eval_begun",
            name=stored.name,
            total=stored.total,
            ended=len(stored.runs) - len(stored.open),
        )
        terminal.talk([line(text)])
        progress = EvalProgress(terminal, words)
        if not watch_eval(backend, stored.name, progress, options.watch_s):
            late = words.message("eval_timed_out", s=options.watch_s, name=stored.name)
            terminal.warn([line(late)])
    except KeyboardInterrupt:
        terminal.warn([line(words.message("eval_detached", name=plan.name))])
        return ExitCode.INTERRUPTED
    return _show(backend, (stored.name,), options, terminal)


# ---- look ---------------------------------------------------------------------------------------


def _inspect(backend: Backend, options: EvalOptions, terminal: Terminal) -> int:
    if options.listed:
        return _list(backend, options, terminal)
    if options.history:
        return _history(backend, options, terminal)
    if options.cancel:
        return _cancel(backend, options.cancel, options, terminal)
    return _show(backend, options.show, options, terminal)


def _show(
    backend: Backend, names: tuple[str, ...], options: EvalOptions, terminal: Terminal
) -> int:
    """The result; the exit code says whether everything was measured."""
    if len(set(names)) < len(names):
        raise UserError("an evaluation is compared with another one: name two different ones")
    result = evaluation.result_of(backend, names, options.rules)
    data = result.model_dump(mode="json")
    _hand_over(
        data,
        eval_document(result, options.words, every_case=options.every_case),
        eval_document(result, options.words, every_case=True),
        options,
        terminal,
    )
    if result.count(CaseState.OPEN):
        return ExitCode.PENDING
    whole = result.count(CaseState.MEASURED) == len(result.cases)
    return ExitCode.OK if whole else ExitCode.INCONCLUSIVE


def _schema() -> dict[str, Any]:
    """The schema of what `--json` prints: the result, under the version of the contract."""
    schema = EvalResult.model_json_schema()
    version = {"const": SCHEMA_VERSION, "title": "Schema Version", "type": "integer"}
    schema["properties"] = {"schema_version": version, **schema["properties"]}
    return {**schema, "required": ["schema_version", *schema["required"]]}


def _history(backend: Backend, options: EvalOptions, terminal: Terminal) -> int:
    history = accepted_history(backend)
    blocks = history_document(history, options.words)
    _hand_over(history.model_dump(mode="json"), blocks, blocks, options, terminal)
    return ExitCode.OK


def _hand_over(
    data: dict[str, Any],
    shown: Sequence[Block],
    written: Sequence[Block],
    options: EvalOptions,
    terminal: Terminal,
) -> None:
    """As text or JSON on stdout, and in a file when one was named. Raises EnvironmentFault."""
    text = dumps({"schema_version": SCHEMA_VERSION, **data})
    width = columns_of(sys.stdout)
    terminal.result(text if options.as_json else as_lines(shown, width))
    for path in options.outputs:
        _write(path, text + "\n", written)


def _write(path: Path, as_json: str, blocks: Sequence[Block]) -> None:
    match path.suffix.lower():
        case ".json":
            text = as_json
        case ".md":
            text = as_markdown(blocks)
        case _:
            text = plain(as_lines(blocks))
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise EnvironmentFault(
            "the result cannot be written to {path}: {why}", path=path, why=error.strerror
        ) from error


def _list(backend: Backend, options: EvalOptions, terminal: Terminal) -> int:
    stored = evaluation.all_evals(backend)
    if options.as_json:
        whole = {"schema_version": SCHEMA_VERSION, "evals": [_row(each) for each in stored]}
        terminal.result(dumps(whole))
        return ExitCode.OK
    words = options.words
    if not stored:
        terminal.result([line(Span(words.message("eval_none"), Style.DIM))])
        return ExitCode.OK
    names = heads(("eval", "started", "cases", "panels", "ended", "open"), words)
    rows = [
        (
            each.name,
            f"{each.row.created_at:%Y-%m-%d %H:%M}",
            str(len(each.definition.cases)),
            "; ".join(panel.name for panel in each.definition.panels),
            f"{len(each.runs) - len(each.open)}/{each.total}",
            str(len(each.open)),
        )
        for each in stored
    ]
    terminal.result(table(names, rows))
    return ExitCode.OK


def _row(stored: StoredEval) -> dict[str, Any]:
    return {
        "name": stored.name,
        "created_at": stored.row.created_at.isoformat(),
        "workflow": stored.definition.workflow,
        "cases": len(stored.definition.cases),
        "panels": [panel.name for panel in stored.definition.panels],
        "runs": stored.total,
        "submitted": len(stored.runs),
        "open": len(stored.open),
        "completed": stored.count(RunStatus.COMPLETED),
    }


def _cancel(backend: Backend, name: str, options: EvalOptions, terminal: Terminal) -> int:
    ended = evaluation.cancel_eval(backend, load_eval(backend, name), actor())
    if options.as_json:
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, "cancelled": ended}))
    else:
        terminal.result([line(options.words.message("eval_cancelled", n=len(ended)))])
    return ExitCode.OK

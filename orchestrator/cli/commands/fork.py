"""`quorate fork`: continue a run another way."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from orchestrator.application.backend import connected
from orchestrator.application.fork import ForkRequest, plan_run_fork, submit_fork
from orchestrator.application.installation import StoredInstallation
from orchestrator.cli.installations import run_to_change
from orchestrator.cli.notices import NoticePrinter
from orchestrator.cli.options import (
    Finite,
    config_option,
    example,
    in_this_order,
    json_option,
    quiet_option,
    run_argument,
    take,
)
from orchestrator.cli.reader import words_for
from orchestrator.cli.results import OutputOptions
from orchestrator.cli.setting_options import decide_option, rule_options, take_rules
from orchestrator.cli.submission import is_unattended, leave_it, report_unasked
from orchestrator.cli.watching import or_detach, watch_until_done, watched_s
from orchestrator.cli.work_options import (
    check_outputs,
    no_wait_option,
    output_option,
    reuse_option,
    watch_limit_option,
)
from orchestrator.core.lines import Span, Style, line
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.forks import plan_json, plan_lines
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.terminal import Terminal
from orchestrator.settings.languages import LANGUAGES
from orchestrator.whatif.forking import ForkPlan
from orchestrator.workflows.registry import WORKFLOWS
from shared.models.run import ASK

fork_options = in_this_order(
    click.option(
        "--participants",
        multiple=True,
        metavar="SEATS",
        help="Who takes which seat from STEP on: chair=NAME, author=NAME, OLD=NEW.",
    ),
    decide_option(*WORKFLOWS),
    click.option(
        "--max-cost", type=Finite(0), metavar="USD", help="Limit for the fork's own calls."
    ),
    click.option(
        "--max-calls", type=click.IntRange(0), metavar="N", help="Limit for the fork's own calls."
    ),
    reuse_option,
    click.option("--batch", metavar="NAME", help="Count the fork's costs under a name."),
    click.option(
        "--dry-run", is_flag=True, help="Say what would be copied and asked; start nothing."
    ),
)


@click.command(
    epilog=example(
        "quorate fork last --from round:2 --rounds 5",
        "quorate fork r3k --from critique/2/claude          (only this turn again, and what follows)",
        "quorate fork r3k --from synthesis --participants chair=codex",
        "quorate fork r3k --from round:3 --participants claude=codex --max-cost 0.50",
        "quorate fork r3k --from decision --dry-run",
    )
)
@run_argument
@click.option(
    "--from",
    "at",
    metavar="STEP",
    required=True,
    help="A step's key, round:N, a stage (synthesis, ballot, ...) or decision.",
)
@rule_options
@fork_options
@watch_limit_option
@config_option
@no_wait_option
@output_option
@click.option("--lang", "language", type=click.Choice(LANGUAGES), help="Language from STEP on.")
@json_option
@quiet_option
def fork(run: str, dry_run: bool, **typed: Any) -> int:
    """Continue RUN another way: a new run that begins with a copy of what RUN recorded before STEP.

    What is copied is neither asked nor paid for again. A fork never copies an applied fix or its approval.
    """
    options = take(OutputOptions, typed)
    check_outputs(options.outputs)
    rules = take_rules(typed)
    terminal = Terminal.of(os.environ, quiet=options.quiet)
    waits = not options.no_wait
    unattended = is_unattended(
        typed["decide"], terminal, _gate(rules, typed["settings"]), waits=waits
    )
    with connected(os.environ, workers=False) as backend:
        installation = StoredInstallation(backend)
        origin = run_to_change(installation, run, terminal, options.language)
        request = ForkRequest(
            run=origin.run.id,
            directory=Path.cwd(),
            rules=rules,
            language=options.language,
            unattended=unattended,
            **typed,
        )
        printer = NoticePrinter(terminal, options.words(origin.spec))
        planned = plan_run_fork(backend, request, printer)
        plan = planned.plan
        if dry_run:
            return _show_plan(plan, terminal, as_json=options.as_json)
        forked = submit_fork(
            backend,
            planned,
            printer,
            watched=waits,
            watched_for_s=watched_s(terminal, waits=waits),
        )
        if options.no_wait:
            return leave_it(forked, terminal, options, fork=_fork_json(plan))
        words = words_for(None, plan.spec.language)
        terminal.talk(plan_lines(plan, words))
        title = words.run_title(plan.title, plan.spec.workflow)
        submitted = words.message("submitted", run=forked, title=title)
        terminal.talk([line(Span(submitted, Style.STRONG))])
        asks = typed["decide"] in (None, ASK)

        def watch() -> int:
            code = watch_until_done(
                installation, forked, terminal, options, words, asks=asks, from_now=True
            )
            if unattended:
                report_unasked(installation.report(forked), terminal, words)
            return code

        return or_detach(installation, forked, terminal, words, watch)


def _gate(rules: Mapping[str, str], settings: Iterable[str]) -> dict[str, str]:
    """What was typed of the gate, by the configuration's keys."""
    options = (text.partition("=") for text in settings)
    stated = {name.strip().rpartition(".")[2]: value for name, _, value in options}
    return {f"gate.{name.replace('-', '_')}": value for name, value in {**rules, **stated}.items()}


def _show_plan(plan: ForkPlan, terminal: Terminal, *, as_json: bool) -> int:
    if as_json:
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, "fork": _fork_json(plan)}))
    else:
        terminal.result(plan_lines(plan, words_for(None, plan.spec.language)))
    return ExitCode.OK


def _fork_json(plan: ForkPlan) -> dict[str, Any]:
    return {"from": plan.origin, **plan_json(plan)}

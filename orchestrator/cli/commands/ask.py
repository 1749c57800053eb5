"""`quorate ask`, which is `quorate "question"` too: everybody answers, or they discuss it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from orchestrator.application.capture import ChangeInput, QuestionInput
from orchestrator.cli.default_command import IMPLICIT, require_question, require_subject
from orchestrator.cli.options import (
    check_estimate,
    example,
    in_this_order,
    question_options,
    take,
)
from orchestrator.cli.registry import COMMANDS, DISCUSSIONS
from orchestrator.cli.setting_options import (
    cast_options,
    setting_options,
    submission_options,
)

forum_options = in_this_order(
    click.option("--orchestrator", metavar="AI", help="Who gives the floor and concludes."),
    setting_options("forum"),
)


@click.command(
    epilog=example(
        'quorate "Is a monolith right for three people?"',
        "quorate --file question.md --context src/app.py -o answer.md",
        'git diff | quorate "What could go wrong here?" --ranking --synthesis',
        'quorate -d --participants claude,codex --orchestrator gemini "..."',
    )
)
@question_options
@click.option("-d", "--debate", is_flag=True, help="Let them discuss it, as `quorate forum` does.")
@setting_options("ask")
@forum_options
@cast_options
@submission_options
def ask(debate: bool, **typed: Any) -> int:
    """Ask everybody at once; nobody sees another's answer.

    The question is TEXT, or a file, or what comes on standard input; what is piped in beside TEXT goes
    along as material. Progress goes to stderr, the answers to stdout.
    """
    ctx = click.get_current_context()
    if ctx.meta.get(IMPLICIT, False):
        require_question(ctx, typed["words"], COMMANDS)
    if debate:
        if typed["ranking"] is not None or typed["synthesis"] is not None:
            raise click.UsageError("--ranking and --synthesis order answers; --debate has none")
        return put_question("forum", typed)
    if typed["max_rounds"] is not None or typed["anonymous"] is not None:
        raise click.UsageError("--max-rounds and --anonymous go with --debate")
    if typed["orchestrator"] and not typed["synthesis"]:
        raise click.UsageError("--orchestrator goes with --debate, or merges with --synthesis")
    typed["turn_s"] = typed.pop("timeout_s")
    return put_question("ask", typed)


def put_question(workflow: str, typed: dict[str, Any]) -> int:
    """Run one of the question's workflows with the options that click has read; the exit code."""
    ctx = click.get_current_context()
    if ctx.info_name in DISCUSSIONS:
        known = [name for name, entry in COMMANDS.items() if not entry.hidden]
        require_subject(ctx, typed["words"], known)
    return submit_typed(workflow, take(QuestionInput, typed), typed)


def submit_typed(workflow: str, subject: ChangeInput | QuestionInput, typed: dict[str, Any]) -> int:
    """Submit a run of the workflow with what else was typed; the exit code."""
    from orchestrator.cli.results import OutputOptions
    from orchestrator.cli.submission import SubmissionOptions, run_submission, typed_request

    check_estimate(typed["output"], estimate=typed["estimate"])
    options, output = take(SubmissionOptions, typed), take(OutputOptions, typed)
    request = typed_request(workflow, subject, options, Path.cwd(), typed, output.language)
    return run_submission(request, options, output, os.environ)

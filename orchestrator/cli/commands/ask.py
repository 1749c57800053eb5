"""`quorate ask`, which is `quorate "question"` too: everybody answers, or they discuss it."""

from __future__ import annotations

import os
from typing import Any

import click

from orchestrator.cli.default_command import IMPLICIT, require_question, require_subject
from orchestrator.cli.options import (
    Finite,
    cast_options,
    check_estimate,
    example,
    in_this_order,
    question_options,
    submission_options,
    take,
)
from orchestrator.cli.registry import COMMANDS, DISCUSSIONS

forum_options = in_this_order(
    click.option("--orchestrator", metavar="AI", help="Who gives the floor and concludes."),
    click.option(
        "--max-rounds", "rounds", type=click.IntRange(1), metavar="N", help="Rounds at most (10)."
    ),
    click.option(
        "--anonymous/--named",
        default=None,
        help="Whether speakers know one another by letters only.",
    ),
    click.option(
        "--timeout",
        "limit_s",
        type=Finite(0, min_open=True),
        metavar="S",
        help="Seconds for an answer; in a forum for all of it.",
    ),
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
@click.option(
    "--ranking/--no-ranking", default=None, help="Let them rank one another's answers, unnamed."
)
@click.option(
    "--synthesis/--no-synthesis", default=None, help="Let the chair make one answer out of all."
)
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
    if typed["rounds"] is not None or typed["anonymous"] is not None:
        raise click.UsageError("--max-rounds and --anonymous go with --debate")
    if typed["orchestrator"] and not typed["synthesis"]:
        raise click.UsageError("--orchestrator goes with --debate, or merges with --synthesis")
    return put_question("ask", typed)


def put_question(workflow: str, typed: dict[str, Any]) -> int:
    """Run one of the question's workflows with the options that click has read; the exit code."""
    from orchestrator.application.capture import QuestionInput
    from orchestrator.cli.asking import Casting, Course, run_question
    from orchestrator.cli.results import OutputOptions
    from orchestrator.cli.submission import SubmissionOptions

    ctx = click.get_current_context()
    if ctx.info_name in DISCUSSIONS:
        known = [name for name, entry in COMMANDS.items() if not entry.hidden]
        require_subject(ctx, typed["words"], known)
    check_estimate(typed["output"], estimate=typed["estimate"])
    limit_s = typed.pop("limit_s", None)
    typed["discussion_s" if workflow == "forum" else "turn_s"] = limit_s
    question, casting = take(QuestionInput, typed), take(Casting, typed)
    course, options = take(Course, typed), take(SubmissionOptions, typed)
    output = take(OutputOptions, typed)
    assert not typed, f"nobody takes {', '.join(typed)}"
    return run_question(workflow, question, casting, course, options, output, os.environ)

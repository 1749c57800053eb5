"""`quorate ci`: review the change of a pipeline. What it takes is what `review` takes, without the subject."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from orchestrator.cli.options import example, findings_options, take
from orchestrator.cli.setting_options import (
    cast_options,
    holder_options,
    key_option,
    setting_options,
    submission_options,
)
from orchestrator.cli.work_options import (
    check_outputs,
    pipeline_options,
    report_option,
    since_run_option,
    watch_limit_option,
)
from shared.sentences import Sentence

REVIEW = "review"


@click.command(
    epilog=example(
        "quorate ci --fail-on major --timeout 900",
        "quorate ci --detach   # in a later job: quorate wait ID",
        "quorate ci --base origin/main --on-error neutral -o quorate.sarif",
    )
)
@click.option("--base", metavar="REF", help="Compare with REF instead of what the platform names.")
@click.option("--detach", is_flag=True, help="Submit, print the run's id, exit 8.")
@click.option("--only-new", is_flag=True, help="Do not count what the target branch has already.")
@since_run_option
@report_option
@pipeline_options
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    default=Path("quorate-results"),
    help="Folder for the platform's files.",
)
@setting_options(REVIEW)
@holder_options(REVIEW)
@key_option("gate.fail_on")
@key_option("gate.require_reviewer")
@findings_options
@watch_limit_option
@cast_options
@submission_options
def ci(base: str | None, **typed: Any) -> int:
    """Review the change that this pipeline runs for.

    GitHub Actions, GitLab CI, Jenkins, Azure Pipelines, Bitbucket or a plain checkout is recognised by its
    environment. The same commit and configuration are one run. Exits 1 where a CRITICAL finding stands, unless a gate
    is configured.
    """
    from orchestrator.application.pipelines import change_of, pipeline_of
    from orchestrator.cli.pipeline import PipelineJob, PipelineOptions
    from orchestrator.cli.results import OutputOptions
    from orchestrator.cli.submission import SubmissionOptions, holding, typed_request
    from orchestrator.presentation.exit_code import ExitCode

    check_outputs(typed["outputs"])
    options, output = take(PipelineOptions, typed), take(OutputOptions, typed)
    submission = take(SubmissionOptions, typed)
    if submission.estimate or output.no_wait:
        raise click.UsageError(
            Sentence("use `quorate review` for --estimate, and --detach for --no-wait")
        )
    context = pipeline_of(os.environ)
    here = Path.cwd()
    change = change_of(context, here, os.environ, base)
    change = replace(change, linter_reports=typed.pop("linter_reports"))
    since = typed.pop("since")
    request = typed_request(REVIEW, change, submission, here, typed, output.language)
    job = PipelineJob(context, options, output, os.environ)
    with holding(submission.lock, os.environ) as may_start:
        if not may_start:
            return ExitCode.CONFLICT
        if since is not None:
            from orchestrator.cli.new_commits import only_new_commits

            request = only_new_commits(request, os.environ, quiet=output.quiet, again=True)
        return job.run(request, submission.idempotency_key)

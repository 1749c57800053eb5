"""`quorate wait`: wait for a run in a later job of a pipeline."""

from __future__ import annotations

import os
from typing import Any

import click

from orchestrator.cli.options import (
    check_outputs,
    example,
    json_option,
    language_option,
    output_option,
    quiet_option,
    take,
    watch_limit_option,
)


@click.command(epilog=example("quorate wait r3k --timeout 600 -o quorate.sarif"))
@click.argument("run", metavar="RUN")
@watch_limit_option
@click.option(
    "--on-error",
    type=click.Choice(("fail", "pass", "neutral")),
    default="fail",
    envvar="QUORATE_ON_ERROR",
    help="Without a conclusion: fail the job, pass it, or pass with a warning.",
)
@click.option("--comment", is_flag=True, help="Comment on the request (GitHub, GitLab).")
@output_option
@json_option
@language_option
@quiet_option
def wait(run: str, **typed: Any) -> int:
    """Wait for a run that `quorate ci --detach` began; the exit code is the run's, or 8 if it goes on.

    Nobody is asked anything. What the platform takes (annotations, a summary, outputs) is written as by `quorate ci`.
    """
    from orchestrator.application.backend import connected
    from orchestrator.application.pipelines import pipeline_of
    from orchestrator.cli.pipeline import PipelineOptions, wait_for
    from orchestrator.cli.results import OutputOptions

    check_outputs(typed["outputs"])
    options, output = take(PipelineOptions, typed), take(OutputOptions, typed)
    context = pipeline_of(os.environ)
    with connected(os.environ) as backend:
        return wait_for(backend, run, context, options, output, os.environ)

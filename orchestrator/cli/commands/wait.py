"""`quorate wait`: wait for a run in a later job of a pipeline."""

from __future__ import annotations

import os
from typing import Any

import click

from orchestrator.cli.options import (
    example,
    json_option,
    language_option,
    named_run_argument,
    quiet_option,
    take,
)
from orchestrator.cli.work_options import (
    check_outputs,
    output_option,
    pipeline_options,
    watch_limit_option,
)


@click.command(epilog=example("quorate wait r3k --timeout 600 -o quorate.sarif"))
@named_run_argument
@watch_limit_option
@pipeline_options
@output_option
@json_option
@language_option
@quiet_option
def wait(run: str, **typed: Any) -> int:
    """Wait for a run that `quorate ci --detach` began; the exit code is the run's, or 8 if it goes on.

    Nobody is asked anything. What the platform takes (annotations, a summary, outputs) is written as by `quorate ci`.
    """
    from orchestrator.application.pipelines import pipeline_of
    from orchestrator.cli.installations import installation
    from orchestrator.cli.pipeline import PipelineJob, PipelineOptions
    from orchestrator.cli.results import OutputOptions

    check_outputs(typed["outputs"])
    options, output = take(PipelineOptions, typed), take(OutputOptions, typed)
    context = pipeline_of(os.environ)
    with installation(os.environ) as place:
        return PipelineJob(context, options, output, os.environ).wait(place, run)

"""`quorate mcp`: the server that coding assistants start and speak to over standard input and output."""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path

import click

from orchestrator.cli.error_handler import report_bug
from orchestrator.cli.options import config_option, example
from orchestrator.cli.watching import actor
from shared.collector import spare_the_collector
from shared.errors import EnvironmentFault

SDK = "mcp"


@click.command(
    epilog=example(
        "quorate mcp        (an assistant starts it: see `quorate docs mcp`)",
        "quorate mcp --directory ~/shop",
    )
)
@click.option(
    "-C",
    "--directory",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="Work in this folder (default: here).",
)
@config_option
def mcp(directory: Path, config: Path | None) -> int:
    """Serve the Model Context Protocol on standard input and output, for one coding assistant.

    It offers the workflows, results, the inbox and participants as tools. An assistant decides only where the
    configuration has `mcp.decide: true`. Ends with its client; the runs go on.
    """
    try:
        from orchestrator.mcp.run_service import RunService
        from orchestrator.mcp.server import serve
    except ModuleNotFoundError as missing:
        if missing.name != SDK:
            raise
        raise EnvironmentFault(
            "`quorate mcp` needs the MCP SDK, an extra of Quorate: install `quorate[mcp]` "
            "(`quorate docs mcp`); nothing was started"
        ) from missing

    service = RunService(directory.resolve(), os.environ, actor(), config)
    spare_the_collector()
    serve(service, version("quorate"), lambda bug: report_bug(bug, os.environ))
    return 0

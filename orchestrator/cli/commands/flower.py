"""`quorate flower`: the real Flower."""

from __future__ import annotations

import os

import click

from orchestrator.cli.options import example


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    epilog=example("quorate flower --port 5556", "quorate flower --basic-auth=me:secret"),
)
@click.option("--port", type=click.IntRange(0, 65535), default=5555, help="Port (5555).")
@click.option("--address", default="127.0.0.1", help="Address (127.0.0.1).")
@click.option("--conf", type=click.Path(exists=True), help="Another flowerconfig.py.")
@click.pass_context
def flower(ctx: click.Context, port: int, address: str, conf: str | None) -> int:
    """Start Flower on this machine's loopback. Other options are passed on to it (`--persistent=True`, ...).

    Runs, participants, roles and rounds are in the tasks' arguments; prompts, texts and keys never are.
    """
    from orchestrator.cli.dashboard import run_flower

    return run_flower(os.environ, address=address, port=port, conf=conf, more=ctx.args)

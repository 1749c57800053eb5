"""`quorate logs`: what the background processes wrote."""

from __future__ import annotations

import os

import click

from orchestrator.cli.options import example
from orchestrator.core.lines import Span, Style, block, line
from orchestrator.presentation.terminal import Terminal
from shared.errors import UserError
from shared.settings import ServiceSettings


@click.command(epilog=example("quorate logs", "quorate logs turns -n 200"))
@click.argument("name", required=False)
@click.option("-n", "count", type=click.IntRange(1), default=20, help="Lines per log (20).")
def logs(name: str | None, count: int) -> int:
    """The last lines of the embedded instance's logs; NAME is one of those listed."""
    instance = ServiceSettings.from_environment(os.environ).instance
    known = {path.stem: path for path in sorted(instance.log_dir.glob("*.log"))}
    if name is not None and name not in known:
        there = ", ".join(known) or "none yet"
        raise UserError(
            "there is no log {name!r} in {log_dir} (there: {there})",
            name=name,
            log_dir=instance.log_dir,
            there=there,
        )
    terminal = Terminal.of(os.environ)
    for log, path in known.items():
        if name in (None, log):
            text = "\n".join(path.read_text(errors="replace").splitlines()[-count:])
            if not text and name is None:
                continue  # an empty log, which nobody named
            terminal.result([line(Span(f"== {path}", Style.STRONG)), *block(text)])
    return 0

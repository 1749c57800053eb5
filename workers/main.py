"""`quorate-worker KIND`: start a worker process."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from workers.ownership import intruder

EXIT_ENVIRONMENT = 5


def make_parser() -> argparse.ArgumentParser:
    """What can be typed."""
    parser = argparse.ArgumentParser(
        prog="quorate-worker",
        description="Work on the steps of Quorate's runs.",
        epilog="example: quorate-worker turns --concurrency 200",
    )
    parser.add_argument(
        "kind",
        choices=["turns", "tools", "sandbox"],
        help="which queue to serve; sandbox: only say what confines tools on this machine",
    )
    parser.add_argument("--concurrency", type=int, help="steps at once (turns: 1000, tools: cores)")
    parser.add_argument(
        "--pool",
        choices=["threads", "prefork"],
        help="Celery pool (turns: threads, tools: prefork)",
    )
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """The console script; exit codes as in docs/exit-codes.md."""
    options = make_parser().parse_args(argv)
    foreign = intruder()
    if foreign is not None:
        sys.stderr.write(f"quorate-worker: {foreign}\n")
        return EXIT_ENVIRONMENT
    if options.kind == "sandbox":
        from workers.tools.sandbox.walls import complete, described

        sys.stdout.write(f"{described()}\n")
        return 0 if complete() else 1
    from shared.errors import QuorateError
    from shared.programs import forget_relative
    from shared.settings import ServiceSettings

    forget_relative(os.environ)

    try:
        settings = ServiceSettings.from_environment(os.environ)
        from workers.app import main as serve

        return serve(settings, options.kind, options.concurrency, options.pool)
    except QuorateError as error:
        sys.stderr.write(f"quorate-worker: {error}\n")
        return error.exit_code

"""`quorate export` and `quorate import`: a run in a file."""

from __future__ import annotations

import os
from pathlib import Path

import click

from orchestrator.application.backend import connected
from orchestrator.cli.options import example, json_option, named_run_argument
from orchestrator.cli.reader import sentence_line
from orchestrator.cli.watching import actor
from orchestrator.core.lines import Line, line
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.terminal import Terminal
from shared.models.run_file import RunFileHeader
from shared.sentences import Sentence


@click.command(
    epilog=example(
        "quorate export last",
        "quorate export r3k -o plan.qrun --with-children",
        "quorate export r3k --redacted      (for a bug report: no text of yours is in it)",
    )
)
@named_run_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The file (RUN.qrun here).",
)
@click.option("--with-children", is_flag=True, help="Also the runs that it started.")
@click.option("--redacted", is_flag=True, help="Other words in the place of every text.")
@json_option
def export(
    run: str, output: Path | None, with_children: bool, redacted: bool, as_json: bool
) -> int:
    """Write all that is stored of RUN into one file, which `quorate import` reads on another machine.

    With --redacted each word of a text is replaced by another one of the same length; what stays is said.
    """
    from orchestrator.application.transfer import export_run

    with connected(os.environ, workers=False) as backend:
        exported = export_run(
            backend, run, output, with_children=with_children, without_texts=redacted
        )
    terminal = Terminal.of(os.environ)
    if as_json:
        content = {"file": str(exported.path), "sha256": exported.digest}
        content |= exported.header.model_dump(mode="json")
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, "export": content}))
        return ExitCode.OK
    terminal.result([line(str(exported.path))])
    terminal.talk(_contents(exported.header))
    return ExitCode.OK


def _contents(header: RunFileHeader) -> list[Line]:
    counts = [f"{table} {n:,}" for table, n in header.contains.items() if n]
    lines = [sentence_line(Sentence("It holds {counts}.", counts=", ".join(counts)))]
    if not header.redacted:
        readable = Sentence(
            "Anyone who has it can read all that was asked and answered (--redacted writes none of it)."
        )
        return [*lines, sentence_line(readable)]
    stays = Sentence(
        "Every text has other words. What stays: names of participants, providers and models, keys of steps, "
        "names of fields, figures, moments."
    )
    replays = Sentence("Without its texts it does not replay as it was recorded.")
    if header.replays:
        replays = Sentence("Without its texts it replays as it was recorded.")
    return [*lines, sentence_line(stays), sentence_line(replays)]


@click.command("import", epilog=example("quorate import r3k.qrun"))
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@json_option
def import_(file: Path, as_json: bool) -> int:
    """Read the runs of FILE as history: they can be shown, replayed, compared and forked, and nothing of them goes on.

    The same file again changes nothing. Exit code 2 for a file that is damaged, newer than this version, or no export.
    """
    from orchestrator.application.transfer import import_file

    with connected(os.environ, workers=False) as backend:
        result = import_file(backend, file, actor())
    terminal = Terminal.of(os.environ)
    runs = list(result.header.runs)
    if as_json:
        content = {"runs": runs, "known": result.known}
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, "import": content}))
    else:
        terminal.result([line(run) for run in runs])
        done = Sentence("Run {run} is imported (`quorate show {run}`).", run=runs[0])
        if result.known:
            done = Sentence(
                "Run {run} is here already: nothing was changed (`quorate show {run}`).",
                run=runs[0],
            )
        terminal.talk([sentence_line(done)])
    return ExitCode.OK

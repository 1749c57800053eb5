"""What `quorate init` does: look around, write, and say what was found and what comes next."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from orchestrator.application.initial_configuration import (
    InitialConfiguration,
    Surroundings,
    discover_surroundings,
    initial_configuration,
    write_configuration,
)
from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.terminal import Terminal
from shared.errors import ConfigurationError


def run_init(
    environ: Mapping[str, str], *, user: bool, only_print: bool, force: bool, as_json: bool
) -> int:
    """Look around and write the file, or print it; the exit code."""
    here = discover_surroundings(Path.cwd(), environ)
    initial = initial_configuration(here, environ, user=user)
    terminal = Terminal.of(environ)
    if only_print:
        terminal.talk(_found(here))
        terminal.result(initial.text)
        return 0
    written = _write(initial, terminal, force=force)
    if as_json:
        terminal.result(dumps(_content(here, initial, written=written)))
        return 0
    terminal.result([*_found(here), *_next(here, initial, written=written)])
    return 0


def _write(initial: InitialConfiguration, terminal: Terminal, *, force: bool) -> bool:
    """Write the file; False when it is there as it would be written. Raises ConfigurationError."""
    file = initial.file
    if os.path.lexists(file):
        if file.is_file() and _content_of(file) == initial.text:
            return False
        question = f"{file} exists and says something else. Replace it?"
        if not force and not (terminal.can_ask and click.confirm(question, err=True)):
            raise ConfigurationError(
                "{file} exists and was left as it is. `quorate init --print` shows what would be "
                "written, --force replaces it.",
                file=file,
            )
        if file.is_dir():
            raise ConfigurationError("{file} is a folder.", file=file)
    write_configuration(initial)
    return True


def _content_of(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def _found(here: Surroundings) -> Iterator[Line]:
    yield line(Span("Found here:", Style.STRONG))
    yield line(f"  models: {here.models or 'none'}")
    if here.top is not None:
        yield line(f"  repository: {here.top}")
        yield line(f"  languages: {here.spoken or 'none that is known'}")
    yield line(f"  analysers: {', '.join(here.analysers)}")
    if here.absent:
        yield line(f"  would help, where they were installed: {here.linters}")


def _next(here: Surroundings, initial: InitialConfiguration, *, written: bool) -> Iterator[Line]:
    state = "Wrote" if written else "Already there, and as it would be written:"
    yield line(Span(f"{state} {initial.file}", Style.GOOD))
    yield line(Span("Next:", Style.STRONG))
    yield line("  edit it, then `quorate config check`")
    if not initial.user:
        name = initial.file.name
        yield line(
            f"  git add {name} && git commit -m 'Configure Quorate'   (it counts once committed)"
        )
        yield line("  quorate init --user   (who takes part in all your work)")
    if not here.present:
        yield line("  no model was found: `quorate participants list` says what to set or install")
    else:
        yield line("  quorate participants test   (one short, paid question to each model)")
    yield line("  quorate review")


def _content(
    here: Surroundings, initial: InitialConfiguration, *, written: bool
) -> dict[str, object]:
    return {
        "schema_version": SCHEMA_VERSION,
        "file": str(initial.file),
        "written": written,
        "found": {
            "models": [
                {"name": each.participant.name, "model": each.participant.model, "found": each.how}
                for each in here.present
            ],
            "missing": [{"name": name, "todo": todo} for name, todo in here.discovery.missing],
            "repository": None if here.top is None else str(here.top),
            "languages": [{"name": name, "files": count} for name, count in here.languages],
            "analysers": list(here.analysers),
            "absent": [{"name": name, "language": language} for name, language in here.absent],
        },
    }

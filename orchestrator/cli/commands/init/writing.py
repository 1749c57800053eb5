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
from orchestrator.cli.reader import words_in
from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.terminal import Terminal
from shared.errors import ConfigurationError
from shared.sentences import Sentence


def run_init(
    environ: Mapping[str, str], *, user: bool, only_print: bool, force: bool, as_json: bool
) -> int:
    """Look around and write the file, or print it; the exit code."""
    here = discover_surroundings(Path.cwd(), environ)
    words = words_in(environ=environ)
    initial = initial_configuration(here, environ, user=user, words=words)
    terminal = Terminal.of(environ)
    if only_print:
        terminal.talk(_found(here, words))
        terminal.result(initial.text)
        return 0
    written = _write(initial, terminal, words, force=force)
    if as_json:
        terminal.result(dumps(_content(here, initial, written=written)))
        return 0
    terminal.result([*_found(here, words), *_next(here, initial, words, written=written)])
    return 0


def _write(
    initial: InitialConfiguration, terminal: Terminal, words: Translator, *, force: bool
) -> bool:
    """Write the file; False when it is there as it would be written. Raises ConfigurationError."""
    file = initial.file
    if os.path.lexists(file):
        if file.is_file() and _content_of(file) == initial.text:
            return False
        question = words.sentence(
            Sentence("{file} exists and says something else. Replace it?", file=str(file))
        )
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


def _found(here: Surroundings, words: Translator) -> list[Line]:
    none = Sentence("none")
    lines = [Sentence("  models: {names}", names=here.models or none)]
    if here.top is not None:
        spoken = here.spoken or Sentence("none that is known")
        lines.append(Sentence("  repository: {folder}", folder=str(here.top)))
        lines.append(Sentence("  languages: {languages}", languages=spoken))
    lines.append(Sentence("  analysers: {names}", names=", ".join(here.analysers)))
    if here.absent:
        lines.append(
            Sentence("  would help, where they were installed: {names}", names=here.linters)
        )
    head = line(Span(words.sentence(Sentence("Found here:")), Style.STRONG))
    return [head, *(line(words.sentence(text)) for text in lines)]


def _next(
    here: Surroundings, initial: InitialConfiguration, words: Translator, *, written: bool
) -> list[Line]:
    file = str(initial.file)
    state = Sentence("Already there, and as it would be written: {file}", file=file)
    if written:
        state = Sentence("Wrote {file}", file=file)
    return [
        line(Span(words.sentence(state), Style.GOOD)),
        line(Span(words.sentence(Sentence("Next:")), Style.STRONG)),
        *(line(words.sentence(text)) for text in _steps(here, initial)),
    ]


def _steps(here: Surroundings, initial: InitialConfiguration) -> Iterator[str]:
    """What is typed next."""
    yield Sentence("  edit it, then `quorate config check`")
    if not initial.user:
        yield Sentence(
            "  git add {name} && git commit -m 'Configure Quorate'   (it counts once committed)",
            name=initial.file.name,
        )
        yield Sentence("  quorate init --user   (who takes part in all your work)")
    if not here.present:
        yield Sentence(
            "  no model was found: `quorate participants list` says what to set or install"
        )
    else:
        yield Sentence("  quorate participants test   (one short, paid question to each model)")
    yield "  quorate review"


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

"""`quorate config check`: every configuration file that would apply, before a run needs it."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import JsonValue

from orchestrator.cli.reader import sentence_line, words_in
from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.participants.catalogue import Catalogue
from orchestrator.participants.obstacles import has_program
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.terminal import Terminal
from orchestrator.presentation.wrapping import filled
from orchestrator.settings.checking import CheckedFile, check_everything, check_file
from orchestrator.settings.loading import load_configuration
from orchestrator.settings.sections import ParticipantEntry
from shared.errors import ConfigurationError, CredentialsRejected, QuorateError, UnknownParticipant
from shared.models.notices import Notice
from shared.models.panel import Participant
from shared.providers.catalogue import CATALOGUE
from shared.providers.locality import is_loopback
from shared.sentences import Sentence

CONNECT_S = 0.5
NO_FILE = Sentence("No file applies here: all settings are defaults. `quorate init` writes one.")


def run_check(
    file: Path | None,
    config: Path | None,
    environ: Mapping[str, str],
    *,
    reach: bool,
    as_json: bool,
) -> int:
    """Check what applies here, or the file alone; the exit code."""
    here = Path.cwd()
    if file is not None:
        checked = [check_file(here / file, environ)]
        config = here / file
    else:
        checked = check_everything(here, environ, config)
    wrong = any(each.is_wrong for each in checked)
    members = [] if wrong else [*_named(here, config, environ, reach=reach)]
    terminal, words = Terminal.of(environ), words_in(environ=environ)
    if as_json:
        terminal.result(dumps(_content(checked, members)))
    else:
        terminal.result(
            [
                *(_file_lines(checked, words) if checked else [sentence_line(NO_FILE, environ)]),
                *(_member_line(member, words) for member in members),
            ]
        )
    return _exit_code(wrong, members)


@dataclass(frozen=True)
class ReachedMember:
    """Somebody whom the configuration names: why nobody can ask them here, and whether only a key is missing."""

    name: str
    problem: str | None = None
    keyless: bool = False


def _exit_code(wrong: bool, members: Sequence[ReachedMember]) -> int:
    lost = [member for member in members if member.problem]
    if wrong or not all(member.keyless for member in lost):
        return ExitCode.USAGE
    return ExitCode.CREDENTIALS if lost else ExitCode.OK


def _content(checked: Sequence[CheckedFile], members: Sequence[ReachedMember]) -> dict[str, object]:
    files = [
        {
            "place": each.place,
            "whose": each.whose,
            "problems": _problems(each),
            "notices": [ENGLISH.translate(notice) for notice in each.notices],
        }
        for each in checked
    ]
    listed = [{"name": member.name, "problem": member.problem} for member in members]
    problems = [*map(_problems, checked), *(member.problem for member in members)]
    return {
        "schema_version": SCHEMA_VERSION,
        "ok": not any(problems),
        "files": files,
        "participants": listed,
    }


def _problems(checked: CheckedFile, words: Translator = ENGLISH) -> list[str]:
    return [*map(words.sentence, checked.problems), *map(words.translate, checked.slips)]


def _file_lines(checked: Sequence[CheckedFile], words: Translator) -> Iterator[Line]:
    wrong = any(each.is_wrong for each in checked)
    for each in checked:
        # What is told of all files together only warns of them: below a failure it would pass for a verdict.
        if wrong and not each.is_wrong and not each.whose:
            yield from (_warned(notice, words) for notice in each.notices)
            continue
        whose = f" ({words.sentence(each.whose)})" if each.whose else ""
        yield _result(not each.is_wrong, f"{words.sentence(each.place)}{whose}", words)
        yield from (line(f"     {problem}") for problem in _problems(each, words))
        yield from (_warned(notice, words) for notice in each.notices)


def _warned(notice: Notice, words: Translator) -> Line:
    return line(Span(f"     ⚠ {words.translate(notice)}", Style.WARNING))


def _member_line(member: ReachedMember, words: Translator) -> Line:
    if member.problem is None:
        return _result(True, member.name, words)
    return _result(False, f"{member.name}: {words.sentence(member.problem)}", words)


def _result(well: bool, text: str, words: Translator) -> Line:
    state = filled(words.message("check_ok" if well else "check_fail"), 5)
    return line(Span(state, Style.GOOD if well else Style.BAD), text)


def _named(
    directory: Path, config: Path | None, environ: Mapping[str, str], *, reach: bool
) -> Iterator[ReachedMember]:
    """Everybody whom the configuration names, and whether each can be asked; else those whose names nobody has."""
    try:
        configuration = load_configuration(directory, environ, explicit=config)
    except ConfigurationError:
        if reach:
            raise
        return  # a file that is looked at alone stands beside others that may be wrong
    settings = configuration.settings
    catalogue = Catalogue(settings, environ, directory)
    entries = [ParticipantEntry(name=name) for name in settings.providers]
    named = (*(settings.participants or ()), *configuration.joining)
    entries += [entry for entry in named if entry.name not in settings.providers]
    for entry in entries:
        if reach:
            yield _tried(entry, catalogue, environ)
        elif (unknown := _unknown(entry, catalogue)) is not None:
            yield unknown


def _unknown(entry: ParticipantEntry, catalogue: Catalogue) -> ReachedMember | None:
    """Whoever would not be there on any machine: a review refuses the name."""
    try:
        catalogue.resolve(entry)
    except UnknownParticipant as error:
        return ReachedMember(entry.name, error.sentence)
    except QuorateError:
        return None  # keys and programs are for --reach
    return None


def _tried(
    entry: ParticipantEntry, catalogue: Catalogue, environ: Mapping[str, str]
) -> ReachedMember:
    try:
        members = catalogue.resolve(entry)
        silent = next(filter(None, (_silence(member, environ) for member in members)), None)
    except QuorateError as error:
        return ReachedMember(entry.name, error.sentence, isinstance(error, CredentialsRejected))
    return ReachedMember(entry.name, silent)


def _silence(participant: Participant, environ: Mapping[str, str]) -> str | None:
    """Why nobody would answer: a linter is not installed, nothing listens at an address of this machine.

    Machines elsewhere are not called, and what the workers have installed there is not known here.
    """
    if participant.rule_based:
        return _uninstalled(participant.options.get("command"), environ)
    row = CATALOGUE[participant.provider]
    address = str(participant.options.get("base_url") or row.address or "")
    if not is_loopback(address):
        return None
    parts = urlsplit(address)
    try:
        socket.create_connection((parts.hostname or "", parts.port or 80), CONNECT_S).close()
    except OSError as error:
        return Sentence(
            "nothing answers at {address}: {why}", address=address, why=error.strerror or str(error)
        )
    return None


def _uninstalled(command: JsonValue, environ: Mapping[str, str]) -> str | None:
    """That a linter's program is not here; None for our own analysers, which have no command."""
    if not isinstance(command, list) or has_program(str(command[0]), environ):
        return None
    return Sentence(
        "the program '{name}' is not installed: install it or put it on PATH", name=str(command[0])
    )

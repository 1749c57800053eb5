"""`quorate config check`: every configuration file that would apply, before a run needs it."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from orchestrator.core.document import Line, Span, Style, line
from orchestrator.participants.catalogue import Catalogue
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.presentation.terminal import Terminal
from orchestrator.settings.checking import CheckedFile, check_everything, check_file
from orchestrator.settings.loading import load_configuration
from orchestrator.settings.sections import ParticipantEntry
from shared.errors import CredentialsRejected, QuorateError
from shared.models.panel import Participant
from shared.providers.catalogue import CATALOGUE
from shared.providers.locality import is_loopback

CONNECT_S = 0.5


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
    members = [*_reached(here, config, environ)] if reach and not wrong else []
    terminal = Terminal.of(environ)
    if as_json:
        terminal.result(dumps(_content(checked, members)))
    else:
        terminal.result([*_file_lines(checked), *map(_member_line, members)])
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


def _problems(checked: CheckedFile) -> list[str]:
    return [*checked.problems, *map(ENGLISH.translate, checked.slips)]


def _file_lines(checked: Sequence[CheckedFile]) -> Iterator[Line]:
    if not checked:
        yield line("No file applies here: all settings are defaults. `quorate init` writes one.")
    for each in checked:
        whose = f" ({each.whose})" if each.whose else ""
        yield _result(not each.is_wrong, f"{each.place}{whose}")
        yield from (line(f"     {problem}") for problem in _problems(each))
        yield from (
            line(Span(f"     ⚠ {ENGLISH.translate(notice)}", Style.WARNING))
            for notice in each.notices
        )


def _member_line(member: ReachedMember) -> Line:
    text = member.name if member.problem is None else f"{member.name}: {member.problem}"
    return _result(member.problem is None, text)


def _result(well: bool, text: str) -> Line:
    state = Span("ok   ", Style.GOOD) if well else Span("fail ", Style.BAD)
    return line(state, text)


def _reached(
    directory: Path, config: Path | None, environ: Mapping[str, str]
) -> Iterator[ReachedMember]:
    """Everybody whom the configuration names, and whether each can be asked from here."""
    configuration = load_configuration(directory, environ, explicit=config)
    settings = configuration.settings
    catalogue = Catalogue(settings, environ, directory)
    entries = [ParticipantEntry(name=name) for name in settings.providers]
    entries += [
        entry for entry in settings.participants or () if entry.name not in settings.providers
    ]
    for entry in entries:
        yield _tried(entry, catalogue)


def _tried(entry: ParticipantEntry, catalogue: Catalogue) -> ReachedMember:
    try:
        silent = next(filter(None, map(_silence, catalogue.resolve(entry))), None)
    except QuorateError as error:
        return ReachedMember(entry.name, str(error), isinstance(error, CredentialsRejected))
    return ReachedMember(entry.name, silent)


def _silence(participant: Participant) -> str | None:
    """Whether nothing listens at a participant's address on this machine; elsewhere nobody is called."""
    row = CATALOGUE[participant.provider]
    address = str(participant.options.get("base_url") or row.address or "")
    if not is_loopback(address):
        return None
    parts = urlsplit(address)
    try:
        socket.create_connection((parts.hostname or "", parts.port or 80), CONNECT_S).close()
    except OSError as error:
        return f"nothing answers at {address}: {error.strerror or error}"
    return None

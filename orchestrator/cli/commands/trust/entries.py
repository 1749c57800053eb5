"""What `quorate trust` does: enter a version of a repository's file, list the entries, take them back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from orchestrator.cli.notices import NoticePrinter
from orchestrator.cli.reader import sentence_line, words_in
from orchestrator.core.lines import line
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.listings import heads
from orchestrator.presentation.tables import table
from orchestrator.presentation.terminal import Terminal
from orchestrator.settings.documents import Document
from orchestrator.settings.problems import validate
from orchestrator.settings.projects import ProjectFile, project_file
from orchestrator.settings.trees import dotted, leaves
from orchestrator.settings.trust import check_plain
from orchestrator.settings.trusted import (
    TrustedFile,
    TrustedFiles,
    names_its_own,
    shown,
    version_of,
)
from shared.errors import ConfigurationError, UserError
from shared.sentences import Sentence
from shared.text.masking.mask import mask


def run_add(directory: Path, environ: Mapping[str, str]) -> int:
    """Trust the file that counts in the directory; the exit code."""
    _check_folder(directory)
    project, terminal = project_file(directory, environ), Terminal.of(environ)
    printer = NoticePrinter(terminal, words_in(environ=environ))
    for notice in project.notices:
        printer.warn(notice)
    version, document = version_of(project), project.document
    if version is None or document is None or project.repository is None:
        raise UserError(
            "There is no configuration of its own to trust in {directory}: a repository's counts "
            "when it is committed (`quorate docs configuration`).",
            directory=directory.resolve(),
        )
    _check(document, project.repository, environ)
    known = TrustedFiles.of(environ)
    again = known.trusts(version)
    known.add(version)
    names = {"file": _place(version), "place": document.place}
    text = Sentence("{file} ({place}) is trusted already.", **names)
    if not again:
        text = Sentence(
            "{file} ({place}) is trusted from now on, until it sets something else.", **names
        )
    terminal.result([sentence_line(text, environ)])
    rows = [
        f"  {dotted(position)}: {json.dumps(value, ensure_ascii=False)}"
        for position, value in leaves(document.tree)
    ]
    terminal.result([line(mask(row).text) for row in rows])
    return 0


def _check(document: Document, repository: Path, environ: Mapping[str, str]) -> None:
    """Raise ConfigurationError for a file that is wrong, or that leads to others of its repository."""
    check_plain(document)
    validate(document)
    leading = shown(names_its_own(document, repository, environ), document)
    if leading:
        raise ConfigurationError(
            "{place} names files of its own repository, which a change could alter unseen: "
            "{files}. Keep those outside of it, or pass --trust-project each time.",
            place=document.place,
            files=", ".join(leading),
        )


def run_list(environ: Mapping[str, str], *, as_json: bool) -> int:
    """Print the entries; the exit code."""
    rows = [(file, _state(file, environ)) for file in TrustedFiles.of(environ).all()]
    terminal = Terminal.of(environ)
    if as_json:
        listed = [{**asdict(file), "state": state} for file, state in rows]
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, "trusted": listed}))
    elif rows:
        words = words_in(environ=environ)
        cells = [
            (words.message(f"trust_{state}"), file.file, file.repository) for file, state in rows
        ]
        terminal.result(table(heads(("state", "file", "repository"), words), cells))
    else:
        terminal.talk(
            [
                sentence_line(
                    Sentence("No repository is trusted: `quorate trust add` in one."), environ
                )
            ]
        )
    return 0


def _state(file: TrustedFile, environ: Mapping[str, str]) -> str:
    """Whether a file is as it was when it was trusted."""
    folder = Path(file.repository)
    if not folder.is_dir():
        return "gone"
    try:
        version = version_of(_at(folder, file, environ))
    except ConfigurationError:
        return "changed"
    return "trusted" if version == file else "changed"


def _at(folder: Path, file: TrustedFile, environ: Mapping[str, str]) -> ProjectFile:
    """What counts where the file stands."""
    inside = (folder / file.file).parent
    return project_file(inside if inside.is_dir() else folder, environ)


def run_remove(directory: Path, environ: Mapping[str, str]) -> int:
    """Take the entries of the directory's repository back; the exit code."""
    known, place = TrustedFiles.of(environ), directory.resolve()
    above = {str(folder) for folder in (place, *place.parents)}
    entries = [file for file in known.all() if file.repository in above]
    if not entries:
        raise UserError(
            "Nothing is trusted in {place}: `quorate trust list` shows what is.", place=place
        )
    for file in entries:
        known.remove(file)
    texts = (Sentence("{file} is no longer trusted.", file=_place(file)) for file in entries)
    Terminal.of(environ).result([sentence_line(text, environ) for text in texts])
    return 0


def _check_folder(directory: Path) -> None:
    if not directory.is_dir():
        raise UserError("{directory} is not a folder.", directory=directory)


def _place(file: TrustedFile) -> str:
    return str(Path(file.repository) / file.file)

"""The repositories' own files that a person trusts for good: `quorate trust`.

An entry is bound to the repository's folder, the file in it and everything that it sets, so that a change of the file
is not trusted until the person has said so again. A file that names other files of its repository is never trusted for
good: a change could alter those, and the entry would not notice.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from orchestrator.settings.documents import Document
from orchestrator.settings.places import absolute
from orchestrator.settings.preset_files import is_file
from orchestrator.settings.projects import ProjectFile
from orchestrator.settings.trees import Position, dotted, texts
from shared.allowed import Allowed
from shared.instance import Instance
from shared.providers.configuration import file_keys

_FILES = file_keys()
_SCRIPT = "scripted:"
_LEADING = ("prompts", "preset", "providers", "participants", "panel", "orchestrator")
_PROMPTS, _BASELINE = ("prompts",), ("rules", "baseline")


@dataclass(frozen=True)
class TrustedFile:
    """A version of a repository's own file: `sha256` is of what it sets, whatever its comments say."""

    repository: str
    file: str
    sha256: str


@dataclass(frozen=True)
class TrustedFiles:
    """The entries of this installation, in an owner-only folder."""

    entries: Allowed

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> TrustedFiles:
        """Those of the instance that `environ` means."""
        return cls(Allowed(Instance.from_environment(environ).state_dir / "trusted"))

    def add(self, file: TrustedFile) -> None:
        """Trust this version, and no earlier one. Raises EnvironmentFault when it cannot be stored."""
        for earlier in self.of_file(file):
            self.entries.forget(asdict(earlier))
        self.entries.allow(asdict(file))

    def remove(self, file: TrustedFile) -> None:
        """Trust it no longer."""
        self.entries.forget(asdict(file))

    def trusts(self, file: TrustedFile) -> bool:
        """Whether exactly this version is trusted."""
        return self.entries.allows(asdict(file))

    def of_file(self, file: TrustedFile) -> list[TrustedFile]:
        """The versions of that file that are trusted."""
        place = (file.repository, file.file)
        return [entry for entry in self.all() if (entry.repository, entry.file) == place]

    def all(self) -> list[TrustedFile]:
        """Every entry, by repository."""
        names = set(TrustedFile.__dataclass_fields__)
        read = (dict(entry) for entry in self.entries.identities())
        found = [
            TrustedFile(**{k: str(v) for k, v in each.items()}) for each in read if {*each} == names
        ]
        return sorted(found, key=lambda entry: (entry.repository, entry.file))


def version_of(project: ProjectFile) -> TrustedFile | None:
    """The version of a repository's own file that counts; None when there is none."""
    document = project.document
    if document is None or project.repository is None:
        return None
    content = json.dumps(document.tree, sort_keys=True, ensure_ascii=True)
    digest = hashlib.sha256(content.encode()).hexdigest()
    return TrustedFile(str(project.repository), project.name, digest)


def names_its_own(
    document: Document, repository: Path, environ: Mapping[str, str]
) -> Iterator[Position]:
    """Where a file names files of its own repository, which an entry could not bind."""
    for position, text in texts(document.tree):
        if _is_inside(text, position, document, repository, environ):
            yield position


def _is_inside(
    text: str,
    position: Position,
    document: Document,
    repository: Path,
    environ: Mapping[str, str],
) -> bool:
    section = position[0]
    if section not in _LEADING and position != _BASELINE:
        return False
    if str(repository) in text:
        return True
    is_path = (
        position in (_PROMPTS, _BASELINE)
        or (section == "preset" and is_file(text))
        or bool(_FILES & {*map(str, position[2:])})
        or text.startswith(("/", "~/"))
    )
    if not (is_path or text.startswith(_SCRIPT)):
        return False
    named = absolute(text.removeprefix(_SCRIPT).partition("#")[0], document.folder, environ)
    return _shares_files(Path(os.path.realpath(named)), repository)


def _shares_files(place: Path, repository: Path) -> bool:
    """A folder above the repository holds its files, too: a linter that may read it may read them."""
    return place.is_relative_to(repository) or repository.is_relative_to(place)


def shown(positions: Iterator[Position], document: Document) -> list[str]:
    """The keys with their places, as people look for them."""
    return [f"{dotted(position)} ({document.where(position)})" for position in positions]

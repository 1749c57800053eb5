"""What `quorate init` writes: a commented configuration for what is found here.

A person's own file names those who are found, so that it says who takes part. A repository's file suggests only, in
comments: what holds for one machine need not be there on another, and it may do no more than add and tighten. A comment
that begins without a blank after its `#` is a key to be uncommented; each is valid as it stands.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.participants.catalogue import ANALYSERS_GROUP, Catalogue
from orchestrator.participants.discovery import DiscoveredParticipant, Discovery
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.settings.loading import user_file
from orchestrator.settings.projects import PROJECT_FILES, PYPROJECT, speaking_file
from orchestrator.settings.schema import Settings
from orchestrator.subjects.kinds import language_of
from shared.errors import ConfigurationError, EnvironmentFault, SubjectError
from shared.folders import os_error_as_fault
from shared.git.repository import Repository, open_repository
from shared.sentences import Sentence
from shared.tools.card import ToolKind
from shared.tools.catalogue import cards
from shared.tools.commands import ready_commands

MOST_LANGUAGES = 5


@dataclass(frozen=True)
class Surroundings:
    """What is here: who can take part, who could, the repository with its languages, and the analysers that read it.

    `absent` are known linters that are not installed, with the language that nobody else here reads.
    """

    discovery: Discovery
    top: Path | None = None
    languages: tuple[tuple[str, int], ...] = ()
    analysers: tuple[str, ...] = ()
    absent: tuple[tuple[str, str], ...] = ()

    @property
    def present(self) -> tuple[DiscoveredParticipant, ...]:
        """Those who would take part without any configuration."""
        names = {member.name for member in self.discovery.panel()}
        return tuple(each for each in self.discovery.participants if each.participant.name in names)

    @property
    def models(self) -> str:
        """Who is here and how that is known, in words; empty when nobody is."""
        known = [
            Sentence("{name} ({how})", name=each.participant.name, how=each.how)
            for each in self.present
        ]
        return Sentence.joined(", ", known)

    @property
    def linters(self) -> str:
        """The linters that would help, in words."""
        return ", ".join(f"{name} ({language})" for name, language in self.absent)

    @property
    def spoken(self) -> str:
        """The languages in words."""
        files = (
            Sentence("{language} ({n:,} files)", language=name, n=count)
            if count > 1
            else Sentence("{language} (1 file)", language=name)
            for name, count in self.languages
        )
        return Sentence.joined(", ", files)


@dataclass(frozen=True)
class InitialConfiguration:
    """A file that could be written: where, and what."""

    file: Path
    text: str
    user: bool


def discover_surroundings(directory: Path, environ: Mapping[str, str]) -> Surroundings:
    """What is found in the environment, on this machine and in the repository. Nobody is called."""
    catalogue = Catalogue(Settings(), environ, directory)
    discovery = catalogue.discovery
    try:
        repository = open_repository(directory, environ)
    except (SubjectError, EnvironmentFault):
        return Surroundings(discovery, analysers=_analysers(catalogue, ()))
    paths = _tracked(repository)
    counted = Counter(filter(None, map(language_of, paths)))
    languages = tuple(counted.most_common(MOST_LANGUAGES))
    absent = tuple((name, language) for name, language, _ in catalogue.missing_linters(paths))
    return Surroundings(discovery, repository.top, languages, _analysers(catalogue, paths), absent)


def _tracked(repository: Repository) -> list[str]:
    listed = repository.git.run("ls-files", "-z", "--full-name", ":/")
    return [name for name in os.fsdecode(listed).split("\0") if name]


def _analysers(catalogue: Catalogue, paths: Sequence[str]) -> tuple[str, ...]:
    """Those here that read one of the files; all, where there are none."""
    ours = [card.name for card in cards(kind=ToolKind.ANALYSER, applies_to=paths or None)]
    known = ready_commands()
    names = {*ours, *(name for name in known if any(map(known[name].row.reads_file, paths)))}
    here = [member.name for member in catalogue.analysers()]
    return tuple(name for name in here if name in names or not paths)


def initial_configuration(
    surroundings: Surroundings,
    environ: Mapping[str, str],
    *,
    user: bool,
    words: Translator = ENGLISH,
) -> InitialConfiguration:
    """The file for the repository, or the person's own, its comments in `words`.

    Raises ConfigurationError where none can be written.
    """
    if user or surroundings.top is None:
        file = user_file(environ)
        if file is None:
            raise ConfigurationError("There is no home to write your own file in: set HOME.")
        return InitialConfiguration(file, _text(_own_lines(surroundings), words), True)
    top = surroundings.top
    other = speaking_file(top)
    if other is not None and other.name != PROJECT_FILES[0]:
        raise ConfigurationError(
            "{other} configures this repository already{table}: edit that. --user writes your own "
            "file, --print shows what would be written.",
            other=other,
            table=" ([tool.quorate])" if other.name == PYPROJECT else "",
        )
    text = _text(_project_lines(surroundings), words)
    return InitialConfiguration(top / PROJECT_FILES[0], text, False)


def write_configuration(initial: InitialConfiguration) -> None:
    """Write the file, whole or not at all; what was there is replaced. Raises EnvironmentFault."""
    file = initial.file
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    elsewhere = "set XDG_CONFIG_HOME to another folder" if initial.user else "print it with --print"
    with os_error_as_fault("write", file, elsewhere):
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            with fresh.open("x", encoding="utf-8") as stream:
                stream.write(initial.text)
            fresh.replace(file)
        finally:
            fresh.unlink(missing_ok=True)


# ---- the texts ----------------------------------------------------------------------------------


def _text(lines: Iterable[str], words: Translator) -> str:
    return "".join(f"{words.sentence(text)}\n" for text in lines)


def _own_lines(here: Surroundings) -> Iterator[str]:
    yield "# Quorate: your own configuration, for all your work on this machine. `quorate init` wrote it."
    yield "# Every key with its meaning: `quorate docs configuration`. After an edit: `quorate config check`."
    yield "version: 1"
    yield ""
    yield from _participants(here)
    yield ""
    yield "# A model that is not found by itself, or any endpoint that speaks OpenAI's protocol."
    local = [each for each in here.present if each.shares_machine]
    yield "providers:" if local else "#providers:"
    for each in local:
        model = json.dumps(each.participant.model)
        yield f"  {each.participant.name}: {{type: {each.participant.provider}, model: {model}}}"
    yield '#  mine: {type: openai, model: MODEL, base_url: "http://127.0.0.1:8000/v1"}'
    yield ""
    yield "# Nothing that a model would be shown leaves this machine."
    yield "#privacy: {allow_external: false}"
    yield from _limits()


def _participants(here: Surroundings) -> Iterator[str]:
    names = [each.participant.name for each in here.present]
    if names:
        yield "# Who takes part. Found here:"
        yield from (
            Sentence("#   {name}: {how}", name=each.participant.name, how=each.how)
            for each in here.present
        )
        yield "# Take a name out, or add one. Without this list everybody who is found takes part."
        yield f"participants: [{', '.join([*names, ANALYSERS_GROUP])}]"
    else:
        yield "# Who takes part. No model was found here; analysers review without one."
        yield f"#participants: [models, {ANALYSERS_GROUP}]"
    if here.discovery.missing:
        yield "# Not found, and what to do for each:"
        yield from (
            Sentence("#   {name}: {how}", name=name, how=todo)
            for name, todo in here.discovery.missing
        )


def _project_lines(here: Surroundings) -> Iterator[str]:
    yield "# Quorate: how changes of this repository are reviewed. `quorate init` wrote it."
    yield "# Commit it: what counts is the file as it was before the change under review. It adds and tightens; what"
    yield "# else it may set, and how to trust it further: `quorate docs configuration`."
    yield "# After an edit: `quorate config check`."
    yield "version: 1"
    yield ""
    if here.languages:
        yield Sentence("# Languages here: {languages}.", languages=here.spoken)
    names = ", ".join(here.analysers)
    yield Sentence("# Analysers that read them: {names}.", names=names)
    if here.absent:
        yield Sentence(
            "# Not installed here, and used as soon as they are: {names}.", names=here.linters
        )
    yield ""
    yield "# Models that join the other reviewers here. Everybody who runs a review then needs a key for each."
    if here.present:
        yield Sentence("# Found on this machine: {names}.", names=here.models)
    named = next((each.participant.name for each in here.present), "claude")
    yield f"#participants: [{named}]"
    yield ""
    yield "# Attack the change instead of only reviewing it."
    yield "#review: {strategy: red-team}"
    yield ""
    yield "# Nothing that a model would be shown leaves the machine."
    yield "#privacy: {allow_external: false}"
    yield from _limits()


def _limits() -> Iterator[str]:
    yield ""
    yield "# A review ends with exit code 1 when a finding that severe stands; with require_reviewer it is inconclusive"
    yield "# (exit code 3) where no model and no person has read all of the change."
    yield "#gate: {fail_on: major, require_reviewer: true}"
    yield ""
    yield "# No call is made beyond this cost of one run, in US dollars."
    yield "#budget: {per_run_usd: 1.00}"
    yield ""
    yield "# The language of prompts and reports: en or ko. Without it the subject's."
    yield "#language: en"

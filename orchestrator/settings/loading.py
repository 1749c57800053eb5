"""Find the configuration's sources, check each by itself, and merge them by precedence.

From the lowest: built-in defaults, the preset that a file names, the user's file, what the project's file adds and
tightens, the environment, the command line; a preset that was typed stands just below where it was typed, so above
every file. A file named with --config or $QUORATE_CONFIG replaces the project's, and is trusted,
because the user named it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum, unique
from pathlib import Path
from typing import Any

import yaml
from pydantic import JsonValue

from orchestrator.settings.documents import Document, read_yaml
from orchestrator.settings.layers import environment_document, merged, override_document
from orchestrator.settings.places import user_folder
from orchestrator.settings.preset_files import Chooser, Preset
from orchestrator.settings.problems import validate
from orchestrator.settings.projects import ProjectFile, Reviewed, changed_file, project_file
from orchestrator.settings.rule_names import unknown_rules
from orchestrator.settings.schema import Settings
from orchestrator.settings.sections import ParticipantEntry
from orchestrator.settings.trees import Tree, dotted, leaves
from orchestrator.settings.trust import LEADER, Admitted, admit, check_plain
from orchestrator.settings.trusted import TrustedFiles, version_of
from orchestrator.subjects.comparisons import WORKTREE
from shared.errors import ConfigurationError
from shared.models.notices import Notice, notice

DEFAULT = "default"


@dataclass(frozen=True)
class Configuration:
    """The settings that hold, and where each one that is not a default comes from (`file:line`).

    `preset` is the one that was applied: the workflow's own, when a workflow was named. `joining` are those whom the
    repository's own file adds to the panel, `leads` whom it names for a forum, `forbids_external` is where it alone
    says that nothing leaves this machine, `typed` are the keys that came from the command line, the environment or a
    preset that was named there. `kept_by` is what keeps texts on this machine, where they are.
    """

    settings: Settings
    sources: Mapping[str, str]
    documents: tuple[Document, ...]
    preset: Preset | None = None
    joining: tuple[ParticipantEntry, ...] = ()
    joining_from: str = ""
    forbids_external: str | None = None
    leads: tuple[str, str] | None = None
    typed: frozenset[str] = frozenset()
    notices: tuple[Notice, ...] = ()
    kept_by: str = "privacy.allow_external is false"

    def kept_here(self, why: str) -> Configuration:
        """The same for a run whose texts stay on this machine; `why` is what an error says of somebody elsewhere."""
        privacy = self.settings.privacy.model_copy(update={"allow_external": False})
        settings = self.settings.model_copy(update={"privacy": privacy})
        return replace(self, settings=settings, forbids_external=None, kept_by=why)

    def in_language(self, language: str) -> Configuration:
        """The same, speaking that language: personas are captured in it."""
        return replace(self, settings=self.settings.model_copy(update={"language": language}))

    def with_external(self) -> Configuration:
        """The same as it would be if its repository's file did not forbid what is elsewhere."""
        privacy = self.settings.privacy.model_copy(update={"allow_external": True})
        settings = self.settings.model_copy(update={"privacy": privacy})
        return replace(self, settings=settings, forbids_external=None)

    def source(self, key: str) -> str:
        """Where a key like `gate.fail_on` comes from; `default` when nobody set it."""
        parts = key.split(".")
        tried = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
        return next((self.sources[name] for name in tried if name in self.sources), DEFAULT)

    def known_keys(self) -> Iterator[tuple[str, JsonValue, str]]:
        """Every key with its value and source, for people."""
        for section, value in self.settings.model_dump(mode="json").items():
            if isinstance(value, dict) and value:
                for key, inner in value.items():
                    yield f"{section}.{key}", inner, self.source(f"{section}.{key}")
            else:
                yield section, value, self.source(section)


@unique
class ProjectState(Enum):
    """Which state of the repository's own file counts."""

    BEFORE = "before"
    AFTER = "after"
    LEFT_OUT = "left out"


def load_configuration(
    directory: Path,
    environ: Mapping[str, str],
    *,
    explicit: Path | None = None,
    overrides: Mapping[str, JsonValue] | None = None,
    trust_project: bool = False,
    workflow: str | None = None,
    reviewed: Reviewed | None = None,
    project: ProjectState = ProjectState.BEFORE,
) -> Configuration:
    """The configuration for work in `directory`.

    `overrides` are the command line's, by key (`review.max_rounds`). A preset of another workflow than `workflow` is an
    error when it was typed; a file serves all workflows, so its preset is passed over. `reviewed` is the change that is
    looked at: the project's file is read from before it, unless `project` says otherwise. Raises ConfigurationError
    that names every problem with file, line and suggestion, EnvironmentFault for a file without permission.
    """
    return _Loading(directory, environ, workflow, trust_project, reviewed, project).load(
        explicit, overrides or {}
    )


@dataclass(frozen=True)
class _Loading:
    """What one loading depends on besides the files."""

    directory: Path
    environ: Mapping[str, str]
    workflow: str | None
    trust_project: bool
    reviewed: Reviewed | None
    state: ProjectState

    def load(self, explicit: Path | None, overrides: Mapping[str, JsonValue]) -> Configuration:
        own = [d for d in (user_document(self.environ),) if d is not None]
        named = named_document(self.directory, self.environ, explicit)
        repository = ProjectFile(named) if named is not None else self._project()
        theirs, trusted, notices = self._judged(repository)
        if theirs is not None and trusted:
            own, theirs = [*own, theirs], None
        typed = [environment_document(self.environ), override_document(overrides)]
        for document in (*own, *typed):
            validate(document)
        return self._layered(own, theirs, [d for d in typed if d.tree], notices)

    def _project(self) -> ProjectFile:
        """The repository's own file as it counts: one that cannot be used holds nobody up who mends or removes it.

        Raises ConfigurationError for one that cannot be used, also for one that the change itself makes so: every
        review after it would end there.
        """
        if self.state is ProjectState.LEFT_OUT:
            return ProjectFile(None)
        after = None if self.reviewed is None else changed_file(self.directory, self.reviewed)
        if self.state is ProjectState.AFTER and after is not None:
            _check_usable(after)
            return after
        if after is not None and self.reviewed is not None and self.reviewed.state != WORKTREE:
            _check_usable(after)
        try:
            before = project_file(self.directory, self.environ, self.reviewed)
            _check_usable(before)
        except ConfigurationError as error:
            if after is None:
                raise
            _check_usable(after)
            return ProjectFile(None, (notice("project_mended", problem=str(error)),))
        return before

    def _judged(self, repository: ProjectFile) -> tuple[Document | None, bool, tuple[Notice, ...]]:
        """The repository's file, whether it is like one's own, and what is to be told.

        It is when it was named, for this run, or where this very version is trusted for good.
        """
        theirs, notices = repository.document, repository.notices
        if theirs is None or self.trust_project or not theirs.project:
            return theirs, True, notices
        version, known = version_of(repository), TrustedFiles.of(self.environ)
        if version is None or not known.of_file(version):
            return theirs, False, notices
        if known.trusts(version):
            return replace(theirs, project=False), True, notices
        return theirs, False, (*notices, notice("project_trust_ended", where=theirs.place))

    def _layered(
        self,
        own: Sequence[Document],
        theirs: Document | None,
        typed: Sequence[Document],
        notices: Sequence[Notice],
    ) -> Configuration:
        choice = self._chooser.choose(typed)
        by_hand = [*typed]
        if choice is None:
            choice = self._chooser.choose(own)
            files = [*([choice.preset.document] if choice else []), *own]
            raised: list[Notice] = []
        else:
            files = [*own]
            number = typed.index(choice.named_by)
            below = [*own, *typed[:number]]
            chosen, _ = merged(below, self.environ)
            document = _dealt_over(choice.preset, chosen)
            by_hand.insert(number, document)
            raised = [*_outranked(choice.preset.name, document, below)]
        if choice is not None and choice.preset.asked_as:
            raised.append(
                notice("preset_renamed", name=choice.preset.asked_as, now=choice.preset.name)
            )
        typed_keys = frozenset(merged(by_hand, self.environ)[1])
        brought = self._admitted(theirs, files, with_preset="preset" not in typed_keys)
        layers = [*files, *(admitted.document for admitted in brought), *by_hand]
        tree, sources = merged(layers, self.environ)
        settings = validate(Document("the merged configuration", tree))
        raised += unknown_rules(settings)
        return Configuration(
            settings,
            sources,
            tuple(layers),
            None if choice is None else choice.preset,
            typed=typed_keys,
            notices=(*notices, *raised, *(n for admitted in brought for n in admitted.notices)),
            **_joining(brought, typed_keys),
        )

    def _admitted(
        self, theirs: Document | None, files: Sequence[Document], *, with_preset: bool
    ) -> tuple[Admitted, ...]:
        """What the repository's own file brings, and the preset that it names."""
        if theirs is None:
            return ()
        check_plain(theirs)
        project = validate(theirs)
        without, _ = merged(files, self.environ)
        admitted = admit(theirs, project, without)
        chosen = with_preset and admitted.names_preset
        choice = self._chooser.choose([theirs]) if chosen else None
        if choice is None:
            return (admitted,)
        preset = choice.preset.document
        first = admit(preset, validate(preset), without)
        without, _ = merged([*files, first.document], self.environ)
        return (first, admit(theirs, project, without))

    @property
    def _chooser(self) -> Chooser:
        return Chooser(self.directory, self.environ, self.workflow, self.trust_project)


def _check_usable(file: ProjectFile) -> None:
    """Raise ConfigurationError for what is no configuration; what it may set is not looked at."""
    if file.document is not None:
        validate(file.document)


def _dealt_over(preset: Preset, chosen: Tree) -> Document:
    """The preset's document, without its participants where these are points of view for whoever was chosen."""
    entries = chosen.get("participants")
    plain = isinstance(entries, list) and not any(
        isinstance(entry, dict) and entry.get("persona") for entry in entries
    )
    views = all(entry.name == "models" and entry.persona for entry in preset.participants)
    if not (plain and views):
        return preset.document
    kept = {key: value for key, value in preset.document.tree.items() if key != "participants"}
    return replace(preset.document, tree=kept)


def _outranked(name: str, document: Document, below: Sequence[Document]) -> Iterator[Notice]:
    """What files and variables say otherwise than the preset that was typed."""
    typed = dict(leaves(document.tree))
    keys = [
        f"{dotted(position)} ({layer.where(position)})"
        for layer in below
        for position, value in leaves(layer.tree)
        if position in typed and typed[position] != value
    ]
    if keys:
        yield notice("typed_wins", typed=f"preset {name}", keys=keys)


def _joining(brought: Sequence[Admitted], typed: frozenset[str]) -> dict[str, Any]:
    """Who joins the panel, unless the panel was typed; and who says that nothing leaves this machine."""
    forbids_external = next(filter(None, (file.forbids_external for file in brought)), None)
    leads = next(filter(None, (file.leads for file in brought)), None)
    return {
        "joining": tuple(entry for file in brought for entry in file.joining),
        "joining_from": next((file.place for file in reversed(brought) if file.joining), ""),
        "forbids_external": None if "privacy.allow_external" in typed else forbids_external,
        "leads": None if LEADER in typed else leads,
    }


def user_file(environ: Mapping[str, str]) -> Path | None:
    """The user's own configuration file, whether it exists or not; None without a home."""
    folder = user_folder(environ)
    return None if folder is None else folder / "config.yaml"


def user_document(environ: Mapping[str, str]) -> Document | None:
    """What the user's own file says; None without one. Raises as `read_yaml` does."""
    file = user_file(environ)
    return read_yaml(file, project=False) if file is not None and file.is_file() else None


def named_document(
    directory: Path, environ: Mapping[str, str], explicit: Path | None
) -> Document | None:
    """What the file says that --config or $QUORATE_CONFIG names; None without one. Raises ConfigurationError."""
    variable = environ.get("QUORATE_CONFIG")
    if explicit is None and not variable:
        return None
    file = directory / (explicit or Path(variable or ""))
    if not file.is_file():
        named_by = "--config" if explicit is not None else "$QUORATE_CONFIG"
        raise ConfigurationError(
            "{named_by} names {file}, and there is no such file.", named_by=named_by, file=file
        )
    return read_yaml(file, project=False)


def yaml_of(configuration: Configuration) -> str:
    """The settings that hold, as a file that could be used."""
    shown = configuration.settings.model_dump(mode="json", exclude_defaults=True)
    return str(yaml.safe_dump(shown, allow_unicode=True, sort_keys=False))

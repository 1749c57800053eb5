"""Every configuration file that would apply, checked one by one: `quorate config check`.

A run stops at the first file that is wrong; somebody who asks is told of all of them, also of the presets and prompts
that no run has used yet, and of the repository's file before it is committed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from orchestrator.settings import builtin_prompts
from orchestrator.settings.baseline import known_findings
from orchestrator.settings.documents import Document, parse_pyproject, read_yaml
from orchestrator.settings.languages import LANGUAGES
from orchestrator.settings.layers import merged, with_whole_paths
from orchestrator.settings.loading import (
    Configuration,
    load_configuration,
    named_document,
    user_document,
    user_file,
)
from orchestrator.settings.places import presets_folder
from orchestrator.settings.preset_files import load_persona, load_preset, preset_names
from orchestrator.settings.problems import validate
from orchestrator.settings.projects import PROJECT_FILES, PYPROJECT, project_file, uncommitted_file
from orchestrator.settings.prompt_files import folder_of, prompt_files
from orchestrator.settings.rule_names import unknown_rules
from orchestrator.settings.schema import Settings
from orchestrator.settings.trust import admit, check_plain
from shared.errors import ConfigurationError, EnvironmentFault
from shared.models.notices import Notice
from shared.sentences import Sentence, parts_of

YOURS, NAMED, COMMITTED = "yours", "named", "the repository's"
UNCOMMITTED, PRESET, PROMPTS = "the repository's, not committed", "a preset", "prompts"
TOGETHER = "all together"


@dataclass(frozen=True)
class CheckedFile:
    """One file, whose it is, and what is wrong with it; `notices` are what of it is not used.

    `slips` are names that mean no rule: a run only warns of them, and whoever asks wants to mend them.
    """

    place: str
    whose: str
    problems: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()
    slips: tuple[Notice, ...] = ()

    @property
    def is_wrong(self) -> bool:
        """Whether there is something to mend."""
        return bool(self.problems or self.slips)


def check_everything(
    directory: Path, environ: Mapping[str, str], explicit: Path | None = None
) -> list[CheckedFile]:
    """Every file that applies to work in the directory, and those that would."""
    checked = [*_files(directory, environ, explicit), *_presets(environ)]
    known = {problem for file in checked for problem in file.problems}
    try:
        configuration = load_configuration(directory, environ, explicit=explicit)
        folder = folder_of(configuration, environ)
    except (ConfigurationError, EnvironmentFault) as error:
        more = tuple(problem for problem in parts_of(error.sentence) if problem not in known)
        return [*checked, *([CheckedFile(TOGETHER, "", more)] if more else ())]
    return [*checked, *_led_to(configuration, folder)]


def _led_to(configuration: Configuration, prompts: Path | None) -> Iterator[CheckedFile]:
    """What the files lead to: prompts, personas, and what of a repository's own file is not used."""
    if prompts is not None and prompts.is_dir():
        yield CheckedFile(str(prompts), PROMPTS, _problems(partial(_check_prompts, prompts)))
    settings = configuration.settings
    strange = _problems(partial(_check_personas, configuration))
    strange += _problems(partial(_check_baseline, settings))
    slips = unknown_rules(settings)
    unused = tuple(warning for warning in configuration.notices if warning not in slips)
    if strange or unused or slips:
        yield CheckedFile(TOGETHER, "", strange, unused, slips)


def check_file(file: Path, environ: Mapping[str, str]) -> CheckedFile:
    """One file by itself: a preset, one's own configuration, or by its name a repository's own, also as one."""
    if not file.is_file():
        return CheckedFile(str(file), NAMED, (f"There is no file {file}.",))
    theirs = file.name == PYPROJECT or any(
        file.as_posix().endswith(f"/{name}") for name in PROJECT_FILES
    )
    notices: list[Notice] = []
    slips: list[Notice] = []

    def check() -> None:
        document = _read(file)
        if "configuration" in document.tree:
            load_preset(str(file))
            return
        validate(document)
        if theirs:
            notices.extend(_admission(document, environ))
        settings = validate(replace(document, tree=with_whole_paths(document, environ)))
        slips.extend(unknown_rules(settings))
        _check_baseline(settings)

    problems = _problems(check)
    whose = COMMITTED if theirs else NAMED
    return CheckedFile(str(file), whose, problems, tuple(notices), tuple(slips))


def _files(
    directory: Path, environ: Mapping[str, str], explicit: Path | None
) -> Iterator[CheckedFile]:
    """The user's file, and the one that was named or else the repository's own."""
    own = user_file(environ)
    if own is not None and own.is_file():
        yield CheckedFile(str(own), YOURS, _problems(lambda: _check_own(user_document(environ))))
    if explicit is not None or environ.get("QUORATE_CONFIG"):
        name = str(explicit or environ["QUORATE_CONFIG"])
        yield CheckedFile(
            name,
            NAMED,
            _problems(lambda: _check_own(named_document(directory, environ, explicit))),
        )
        return
    places: list[str] = []

    def committed() -> None:
        document = project_file(directory, environ).document
        if document is not None:
            places.append(document.place)
            _check_own(document)

    problems = _problems(committed)
    if problems or places:
        yield CheckedFile("".join(places) or Sentence("the committed file"), COMMITTED, problems)
    yield from _uncommitted(directory, environ)


def _uncommitted(directory: Path, environ: Mapping[str, str]) -> Iterator[CheckedFile]:
    """The file as it is on disk, where it is to be the next one that counts."""
    file = uncommitted_file(directory, environ)
    if file is not None:
        checked = check_file(file, environ)
        yield CheckedFile(checked.place, UNCOMMITTED, checked.problems, checked.notices)


def _presets(environ: Mapping[str, str]) -> Iterator[CheckedFile]:
    folder = presets_folder(environ)
    for name in preset_names(folder):
        file = None if folder is None else folder / f"{name}.yaml"
        if file is not None and file.is_file():
            yield CheckedFile(str(file), PRESET, _problems(partial(load_preset, str(file))))


def _read(file: Path) -> Document:
    if file.name != PYPROJECT:
        return read_yaml(file, project=False)
    document = parse_pyproject(file.read_bytes(), str(file), file.parent)
    return document or Document(str(file), {})


def _admission(document: Document, environ: Mapping[str, str]) -> tuple[Notice, ...]:
    """What of a repository's own file is not used. Raises ConfigurationError for what is no setting."""
    check_plain(document)
    own = user_document(environ)
    without, _ = merged([own] if own is not None else [], environ)
    return admit(document, validate(document), without).notices


def _check_own(document: Document | None) -> None:
    if document is not None:
        validate(document)


def _check_prompts(folder: Path) -> None:
    for workflow in builtin_prompts.workflows():
        for language in LANGUAGES:
            prompt_files(workflow, language, folder)


def _check_personas(configuration: Configuration) -> None:
    """Raise ConfigurationError for a persona that is neither known nor a sentence."""
    settings = configuration.settings
    entries = [(f"participants.{entry.name}", entry) for entry in settings.participants or ()]
    named = [(f"providers.{name}", provider) for name, provider in settings.providers.items()]
    problems: list[str] = []
    for key, entry in (*entries, *named):
        persona = getattr(entry, "persona", None)
        try:
            if persona is not None:
                load_persona(persona, LANGUAGES[0])
        except ConfigurationError as error:
            problems.append(
                Sentence(
                    "{where}: {key}: {error}",
                    where=configuration.source(key.partition(".")[0]),
                    key=key,
                    error=error,
                )
            )
    if problems:
        raise ConfigurationError(Sentence.joined("\n", problems))


def _check_baseline(settings: Settings) -> None:
    """Raise ConfigurationError for a baseline that is not there, or is none."""
    if settings.rules.baseline is not None:
        known_findings(settings.rules.baseline)


def _problems(check: Callable[[], object]) -> tuple[str, ...]:
    """What a check raises, a problem a line; nothing when all is well."""
    try:
        check()
    except (ConfigurationError, EnvironmentFault) as error:
        return tuple(dict.fromkeys(parts_of(error.sentence)))
    return ()

"""Prompts that a person overrides: `<folder>/<workflow>/<language>/<name>.md`, in the place of ours.

The folder is the person's own (`~/.config/quorate/prompts`), or the one that `prompts:` names in a trusted file, never
one of the repository under review. Ours stand in for every file that is not there. A run captures the result when it
is submitted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template

from orchestrator.settings import builtin_prompts as prompts
from orchestrator.settings.languages import LANGUAGES
from orchestrator.settings.loading import Configuration
from orchestrator.settings.places import entries_of, prompts_folder
from orchestrator.workflows.registry import WORKFLOWS
from shared.configuration import did_you_mean
from shared.errors import ConfigurationError, EnvironmentFault
from shared.sentences import Sentence

OPTIONAL = frozenset({"floors", "last", "left", "number", "title", "waiting", "why"})
"""Blanks that may be left out: what they say is good to know, and the task can be done without."""

MAX_BYTES = 100_000
_ENDING = ".md"


@dataclass(frozen=True)
class PromptFile:
    """One template as a run would capture it; `file` is the person's own, None where the text is ours."""

    workflow: str
    language: str
    name: str
    text: str
    file: Path | None = None


def captured_prompts(
    workflow: str, language: str, configuration: Configuration, environ: Mapping[str, str]
) -> dict[str, str]:
    """All templates of a workflow by name, the person's own before ours; those of its child runs as `workflow/name`.

    Raises ConfigurationError that names every file that cannot be used, and why.
    """
    folder = folder_of(configuration, environ)
    own = {prompt.name: prompt.text for prompt in prompt_files(workflow, language, folder)}
    for started in WORKFLOWS[workflow].starts:
        templates = captured_prompts(started, language, configuration, environ)
        own |= {f"{started}/{name}": text for name, text in templates.items()}
    return own


def folder_of(configuration: Configuration, environ: Mapping[str, str]) -> Path | None:
    """Where a person's own prompts are. Raises ConfigurationError when the named folder is not there."""
    named = configuration.settings.prompts
    if named is None:
        return prompts_folder(environ)
    if not Path(named).is_dir():
        raise ConfigurationError(
            "{where}: prompts: there is no folder {named}.",
            where=configuration.source("prompts"),
            named=named,
        )
    return Path(named)


def prompt_files(workflow: str, language: str, folder: Path | None) -> tuple[PromptFile, ...]:
    """The templates of a workflow in one language, sorted by name. Raises ConfigurationError with every problem."""
    ours = prompts.load(workflow, language)
    own = _own_files(workflow, language, folder)
    problems = [*_misplaced(folder)]
    texts: dict[str, str] = {}
    for name, file in own.items():
        if name not in ours:
            problems.append(
                Sentence(
                    "{file}: {workflow} has no prompt '{name}'{hint}",
                    file=file,
                    workflow=workflow,
                    name=name,
                    hint=did_you_mean(name, sorted(ours)),
                )
            )
            continue
        texts[name] = _read(file)
        problems += [f"{file}:{line}: {why}" for line, why in faults(ours[name], texts[name])]
    if problems:
        raise ConfigurationError(Sentence.joined("\n", problems))
    return tuple(
        PromptFile(workflow, language, name, texts.get(name, ours[name]), own.get(name))
        for name in sorted(ours)
    )


def faults(ours: str, own: str) -> Iterator[tuple[int, str]]:
    """What is wrong with a person's own text in the place of ours: line and sentence."""
    if not own.strip():
        yield 1, "this file is empty: remove it to use the built-in prompt again."
        return
    expected, written = blanks(ours), blanks(own)
    for name in sorted(expected.keys() - written.keys() - OPTIONAL):
        yield (
            1,
            f"${name} is missing: without it the participant is not given its content (the built-in prompt has it in "
            f"line {expected[name]}).",
        )
    for name, line in written.items():
        if name not in expected:
            known = ", ".join(f"${blank}" for blank in sorted(expected)) or "none"
            yield (
                line,
                f"${name} is not filled in here (known: {known}); write $${name} for the text itself.",
            )


def blanks(text: str) -> dict[str, int]:
    """The names that stand as `$name` or `${name}`, with the line where each stands first."""
    lines: dict[str, int] = {}
    for match in Template.pattern.finditer(text):
        name = match["named"] or match["braced"]
        if name is not None:
            lines.setdefault(name, text.count("\n", 0, match.start()) + 1)
    return lines


def _own_files(workflow: str, language: str, folder: Path | None) -> dict[str, Path]:
    place = None if folder is None else folder / workflow / language
    files = (file for file in entries_of(place) if file.name.endswith(_ENDING))
    return {file.name.removesuffix(_ENDING): file for file in files}


def _misplaced(folder: Path | None) -> Iterator[str]:
    """Folders that no prompt is looked for in: a misspelt one must not be silent."""
    for place in _folders(folder):
        if place.name not in prompts.workflows():
            known = [*prompts.workflows()]
            yield f"{place}: there is no workflow '{place.name}'{did_you_mean(place.name, known)}"
            continue
        for inner in _folders(place):
            if inner.name not in LANGUAGES:
                languages = ", ".join(LANGUAGES)
                yield f"{inner}: there are no prompts in '{inner.name}' (languages: {languages})."
        for file in (file for file in entries_of(place) if file.name.endswith(_ENDING)):
            languages = " or ".join(f"{place}/{language}/{file.name}" for language in LANGUAGES)
            yield f"{file}: a prompt belongs in the folder of its language: {languages}."


def _folders(folder: Path | None) -> list[Path]:
    return [
        entry for entry in entries_of(folder) if entry.is_dir() and not entry.name.startswith(".")
    ]


def _read(file: Path) -> str:
    try:
        content = file.read_bytes()
    except PermissionError:
        raise EnvironmentFault("No permission to read the prompt {file}.", file=file) from None
    except OSError as error:
        raise ConfigurationError(
            "The prompt {file} cannot be read: {why}.", file=file, why=error.strerror
        ) from None
    if len(content) > MAX_BYTES:
        raise ConfigurationError(
            "The prompt {file} is over {limit} bytes.", file=file, limit=MAX_BYTES
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigurationError("The prompt {file} is not UTF-8.", file=file) from None

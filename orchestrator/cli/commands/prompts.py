"""`quorate prompts`: what participants are told, and whose words they are."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from orchestrator.cli.error_handler import report
from orchestrator.cli.options import config_option, example, json_option
from orchestrator.cli.reader import sentence_line, words_in
from orchestrator.core.lines import block, line
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.listings import heads
from orchestrator.presentation.tables import table
from orchestrator.presentation.terminal import Terminal
from orchestrator.settings import builtin_prompts
from orchestrator.settings.languages import LANGUAGES, language_of
from orchestrator.settings.loading import Configuration, load_configuration
from orchestrator.settings.prompt_files import (
    PromptFile,
    blanks,
    folder_of,
    prompt_files,
)
from shared.configuration import did_you_mean
from shared.errors import ConfigurationError, UserError
from shared.sentences import Sentence, parts_of

OURS, YOURS = "built-in", "yours"


@dataclass(frozen=True)
class PromptSelection:
    """Which prompts are meant; None: all. `built_in`: ours, even where a person has their own."""

    workflow: str | None = None
    language: str | None = None
    config: Path | None = None
    built_in: bool = False


workflow_option = click.option("--workflow", metavar="NAME", help="Only this workflow's.")
language_option = click.option(
    "--lang", "language", type=click.Choice(LANGUAGES), help="Only this language's."
)


@click.group(epilog=example("quorate prompts list --workflow ask"))
def prompts() -> None:
    """The prompts, and how to write your own: `quorate docs prompts`."""


@prompts.command("list", epilog=example("quorate prompts list --workflow forum --lang ko"))
@workflow_option
@language_option
@config_option
@json_option
def list_(workflow: str | None, language: str | None, config: Path | None, as_json: bool) -> int:
    """Every prompt: workflow, language, name, the blanks that are filled in, and whose it is.

    Exit code 2 when a file of yours cannot be used; each problem is named.
    """
    return run_list(PromptSelection(workflow, language, config), os.environ, as_json=as_json)


@prompts.command("show", epilog=example("quorate prompts show ask/synthesis --lang en"))
@click.argument("name", metavar="NAME")
@workflow_option
@language_option
@click.option("--built-in", is_flag=True, help="The built-in prompt, even where you have your own.")
@config_option
@json_option
def show(
    name: str,
    workflow: str | None,
    language: str | None,
    built_in: bool,
    config: Path | None,
    as_json: bool,
) -> int:
    """One prompt's text, as a run would take it: NAME, or WORKFLOW/NAME where several have that name."""
    chosen = PromptSelection(workflow, language, config, built_in)
    return run_show(name, chosen, os.environ, as_json=as_json)


def run_list(selection: PromptSelection, environ: Mapping[str, str], *, as_json: bool) -> int:
    """Print what there is; the exit code: 2 when a file of the user's own cannot be used."""
    configuration = load_configuration(Path.cwd(), environ, explicit=selection.config)
    folder = folder_of(configuration, environ)
    found, problems = _gather(selection, folder)
    terminal = Terminal.of(environ)
    if as_json:
        listed = [_json(prompt) for prompt in found]
        shown_folder = None if folder is None else str(folder)
        terminal.result(
            dumps(
                {
                    "schema_version": SCHEMA_VERSION,
                    "folder": shown_folder,
                    "prompts": listed,
                    "problems": problems,
                }
            )
        )
    else:
        words = words_in(environ=environ)
        columns = heads(("prompt", "language", "blanks", "whose"), words)
        terminal.result(table(columns, [_row(prompt) for prompt in found]))
        where = Sentence("yours would be {folder}/WORKFLOW/LANGUAGE/NAME.md", folder=str(folder))
        terminal.talk([sentence_line(where, environ)])
    for problem in problems:
        report(words_in(environ=environ).sentence(problem))
    return UserError.exit_code if problems else 0


def run_show(
    name: str, selection: PromptSelection, environ: Mapping[str, str], *, as_json: bool
) -> int:
    """Print one prompt's text; the exit code. Raises UserError when the name means none or several."""
    workflow, _, bare = name.rpartition("/")
    configuration = load_configuration(Path.cwd(), environ, explicit=selection.config)
    prompt = _named(bare, workflow or selection.workflow, selection, configuration, environ)
    terminal = Terminal.of(environ)
    if as_json:
        shown = {"schema_version": SCHEMA_VERSION, **_json(prompt), "text": prompt.text}
        terminal.result(dumps(shown))
        return 0
    terminal.talk(
        [line(f"{prompt.workflow}/{prompt.name} ({prompt.language}): {prompt.file or OURS}")]
    )
    terminal.result(block(prompt.text))
    return 0


def _gather(selection: PromptSelection, folder: Path | None) -> tuple[list[PromptFile], list[str]]:
    """All that was selected; where own files cannot be used, ours, and what is wrong with them."""
    found: list[PromptFile] = []
    problems: list[str] = []
    for workflow in _workflows(selection.workflow):
        for language in _languages(selection.language):
            try:
                found += prompt_files(workflow, language, folder)
            except ConfigurationError as error:
                problems += parts_of(error.sentence)
                found += prompt_files(workflow, language, None)
    return found, list(dict.fromkeys(problems))


def _named(
    name: str,
    workflow: str | None,
    selection: PromptSelection,
    configuration: Configuration,
    environ: Mapping[str, str],
) -> PromptFile:
    language = language_of(selection.language or configuration.settings.language)
    known = {owner: builtin_prompts.load(owner, language) for owner in _workflows(workflow)}
    owners = [owner for owner, names in known.items() if name in names]
    if not owners:
        known_names = sorted(set().union(*known.values()))
        raise UserError(
            "There is no prompt '{name}'{hint}",
            name=name,
            hint=did_you_mean(name, known_names),
        )
    if len(owners) > 1:
        choices = ", ".join(f"{owner}/{name}" for owner in owners)
        raise UserError(
            "Several workflows have a prompt '{name}': {choices}. Say which.",
            name=name,
            choices=choices,
        )
    folder = None if selection.built_in else folder_of(configuration, environ)
    found = {owner.name: owner for owner in prompt_files(owners[0], language, folder)}
    return found[name]


def _workflows(chosen: str | None) -> tuple[str, ...]:
    known = builtin_prompts.workflows()
    if chosen is None:
        return known
    if chosen not in known:
        raise UserError(
            "There is no workflow '{chosen}'{hint}",
            chosen=chosen,
            hint=did_you_mean(chosen, [*known]),
        )
    return (chosen,)


def _languages(chosen: str | None) -> Iterator[str]:
    return iter(LANGUAGES if chosen is None else (chosen,))


def _row(prompt: PromptFile) -> tuple[str, ...]:
    placeholders = " ".join(f"${name}" for name in blanks(prompt.text))
    return (
        f"{prompt.workflow}/{prompt.name}",
        prompt.language,
        placeholders,
        YOURS if prompt.file else OURS,
    )


def _json(prompt: PromptFile) -> dict[str, object]:
    return {
        "workflow": prompt.workflow,
        "language": prompt.language,
        "name": prompt.name,
        "blanks": list(blanks(prompt.text)),
        "file": None if prompt.file is None else str(prompt.file),
    }

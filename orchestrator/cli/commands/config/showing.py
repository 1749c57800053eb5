"""What `quorate config show` and `quorate config presets` print."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from orchestrator.cli.error_handler import report
from orchestrator.cli.reader import words_in
from orchestrator.core.lines import block, line
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.listings import heads
from orchestrator.presentation.tables import table
from orchestrator.presentation.terminal import Terminal
from orchestrator.settings.loading import DEFAULT, load_configuration, yaml_of
from orchestrator.settings.places import presets_folder
from orchestrator.settings.preset_files import Preset, load_preset, preset_names
from orchestrator.settings.schema import KEYS
from orchestrator.settings.tables import default_of
from shared.errors import ConfigurationError
from shared.sentences import Sentence, parts_of
from shared.text.masking.mask import mask

OURS, YOURS = Sentence("built-in"), Sentence("yours")


@dataclass(frozen=True)
class SettingsQuery:
    """Which settings are meant, and how they are shown."""

    sources: bool = False
    workflow: str | None = None
    preset: str | None = None
    config: Path | None = None
    trust_project: bool = False


def run_show(query: SettingsQuery, environ: Mapping[str, str], *, as_json: bool) -> int:
    """Print the settings; the exit code. A header may hold a key: what looks like one is hidden."""
    configuration = load_configuration(
        Path.cwd(),
        environ,
        explicit=query.config,
        overrides={"preset": query.preset},
        trust_project=query.trust_project,
        workflow=query.workflow,
    )
    terminal = Terminal.of(environ)
    if as_json:
        keys = [
            {"key": key, "value": value, "source": source}
            for key, value, source in configuration.known_keys()
        ]
        preset = None if configuration.preset is None else configuration.preset.name
        listed = {"schema_version": SCHEMA_VERSION, "preset": preset, "keys": keys}
        terminal.result(mask(dumps(listed)).text)
    elif query.sources:
        rows = sorted(configuration.known_keys(), key=lambda row: row[2] == DEFAULT)
        words = words_in(environ=environ)
        # No table: it cuts what is long, and a path must be whole.
        texts = (
            f"{key}: {_value(value) or words.stored(_default(key))}  # {words.stored(source)}"
            for key, value, source in rows
        )
        terminal.result([line(mask(shown).text) for shown in texts])
    else:
        text = mask(yaml_of(configuration)).text
        terminal.result(
            block(
                words_in(environ=environ).sentence(Sentence("# all settings are defaults"))
                if text.strip() == "{}"
                else text
            )
        )
    return 0


def _value(value: JsonValue) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _default(key: str) -> str:
    """What holds where a key has no value; empty for one that means nothing then, or that others are below."""
    return default_of(KEYS[key]).replace("`", "") if key in KEYS else ""


def _load_presets(folder: Path | None) -> tuple[list[tuple[Preset, str]], list[str]]:
    """The presets and whose they are, and what is wrong with those that cannot be used."""
    found: list[tuple[Preset, str]] = []
    problems: list[str] = []
    for name in preset_names(folder):
        own = folder is not None and (folder / f"{name}.yaml").is_file()
        try:
            found.append((load_preset(name, folder), YOURS if own else OURS))
        except ConfigurationError as error:
            problems += parts_of(error.sentence)
    return found, problems


def _preset_json(preset: Preset, whose: str) -> dict[str, object]:
    return {
        "name": preset.name,
        "workflow": preset.workflow,
        "description": preset.description,
        "file": preset.document.place if whose == YOURS else None,
    }


def run_presets(environ: Mapping[str, str], *, as_json: bool) -> int:
    """Print the presets; the exit code: 2 when a file of the user's own cannot be used."""
    found, problems = _load_presets(presets_folder(environ))
    terminal = Terminal.of(environ)
    if as_json:
        listed = [_preset_json(preset, whose) for preset, whose in found]
        terminal.result(
            dumps({"schema_version": SCHEMA_VERSION, "presets": listed, "problems": problems})
        )
    else:
        words = words_in(environ=environ)
        every = words.sentence(Sentence("all"))
        rows = [
            (entry.name, entry.workflow or every, words.sentence(whose)) for entry, whose in found
        ]
        head, *lines = table(heads(("preset", "for", "whose"), words), rows)
        descriptions = [line(f"    {words.stored(entry.description)}") for entry, _ in found]
        pairs = zip(lines, descriptions, strict=True)
        terminal.result([head, *(each for pair in pairs for each in pair)])
    for problem in problems:
        report(words_in(environ=environ).sentence(problem))
    return ConfigurationError.exit_code if problems else 0

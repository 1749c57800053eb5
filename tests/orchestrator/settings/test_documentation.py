"""The page for people says what the schema says."""

from __future__ import annotations

import re
from pathlib import Path

from orchestrator.settings.layers import ENVIRONMENT
from orchestrator.settings.preset_files import preset_names
from orchestrator.settings.schema import Settings
from shared.configuration import Section
from shared.providers import tables
from shared.providers.options import HttpOptions, ProviderOptions
from shared.providers.sections import SpeakerSection

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "configuration.md").read_text(encoding="utf-8")


def keys() -> set[str]:
    found = set()
    for name, field in Settings.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, Section):
            found |= {f"{name}.{key}" for key in kind.model_fields}
        else:
            found.add(name)
    return found


def test_the_table_of_keys_is_complete_and_has_no_others() -> None:
    table = PAGE.partition("## Keys")[2].partition("The original file")[0]
    assert set(re.findall(r"^\| `([a-z_.]+)` \|", table, re.MULTILINE)) == keys()


def test_every_variable_and_preset_is_described() -> None:
    table = PAGE.partition("## Environment")[2]
    rows = dict(re.findall(r"^\| `(QUORATE_\w+)` \| `([a-z_.]+)`", table, re.MULTILINE))
    assert rows == ENVIRONMENT
    assert all(f"`{name}`" in PAGE for name in preset_names())


def test_the_generated_tables_of_providers_are_those_of_the_catalogue() -> None:
    assert tables.written(PAGE, tables.configuration_tables()) == PAGE
    page = (DOCS / "design" / "providers.md").read_text(encoding="utf-8")
    assert tables.written(page, tables.design_tables()) == page


def test_every_key_of_an_entry_is_described() -> None:
    table = PAGE.partition("| key of every model |")[2].partition("```")[0]
    described = set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))
    assert described == {*SpeakerSection.model_fields, *ProviderOptions.model_fields} - {"type"}
    line = PAGE.partition("HTTP stands for")[2].partition("\n")[0]
    http = set(HttpOptions.model_fields) - set(ProviderOptions.model_fields)
    assert set(re.findall(r"`(\w+)`", line)) == http

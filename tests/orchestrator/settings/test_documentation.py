"""The page for people says what the schema says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from orchestrator.settings.layers import ENVIRONMENT
from orchestrator.settings.preset_files import preset_names
from orchestrator.settings.providers import HttpProvider, ModelProvider, Provider
from orchestrator.settings.schema import Settings
from shared.configuration import Section

PAGE = (Path(__file__).parents[3] / "docs" / "configuration.md").read_text(encoding="utf-8")


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


def test_every_provider_type_and_each_of_its_keys_is_described() -> None:
    types = PAGE.partition("| provider type |")[2].partition("HTTP stands for")[0]
    rows = dict(re.findall(r"^\| `([a-z-]+)`[^|]*\| (.+) \|$", types, re.MULTILINE))
    sections = {get_args(one.model_fields["type"].annotation)[0]: one for one in get_args(Provider)}
    assert rows.keys() == sections.keys()
    for name, section in sections.items():
        base = HttpProvider if issubclass(section, HttpProvider) else ModelProvider
        inherited = base.model_fields if issubclass(section, base) else {}
        own = set(section.model_fields) - set(inherited) - {"type"}
        assert own <= set(re.findall(r"`(\w+)`", rows[name])), name
        assert ("HTTP" in rows[name]) is issubclass(section, HttpProvider)


def test_the_keys_of_every_model_are_complete_and_there_are_no_others() -> None:
    table = PAGE.partition("| key of every model |")[2].partition("```")[0]
    described = set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))
    assert described == set(ModelProvider.model_fields)
    line = PAGE.partition("HTTP stands for")[2].partition("\n")[0]
    http = set(HttpProvider.model_fields) - set(ModelProvider.model_fields)
    assert set(re.findall(r"`(\w+)`", line)) == http

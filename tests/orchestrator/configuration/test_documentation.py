"""The page for people says what the schema says."""

from __future__ import annotations

import re
from pathlib import Path

from orchestrator.configuration.loading import ENVIRONMENT
from orchestrator.configuration.presets import preset_names
from orchestrator.configuration.schema import Section, Settings

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

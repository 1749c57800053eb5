"""The page for people says what the schema says."""

from __future__ import annotations

import re

from orchestrator.settings.preset_files import preset_names
from orchestrator.settings.tables import PAGE as FILE
from orchestrator.settings.tables import page_tables
from shared.providers.options import HttpOptions, ProviderOptions
from shared.providers.sections import SpeakerSection
from shared.providers.tables import DESIGN_PAGE, design_tables, written

PAGE = FILE.read_text(encoding="utf-8")


def test_every_preset_is_described() -> None:
    assert all(f"`{name}`" in PAGE for name in preset_names())


def test_the_generated_tables_are_those_of_the_fields_and_of_the_catalogue() -> None:
    assert written(PAGE, page_tables()) == PAGE, "python -m orchestrator.settings.tables"
    page = DESIGN_PAGE.read_text(encoding="utf-8")
    assert written(page, design_tables()) == page, "python -m shared.providers.tables"


def test_every_key_of_an_entry_is_described() -> None:
    table = PAGE.partition("| key of every model |")[2].partition("```")[0]
    described = set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))
    assert described == {*SpeakerSection.model_fields, *ProviderOptions.model_fields} - {"type"}
    line = PAGE.partition("HTTP stands for")[2].partition("\n")[0]
    http = set(HttpOptions.model_fields) - set(ProviderOptions.model_fields)
    assert set(re.findall(r"`(\w+)`", line)) == http

"""The site of the documentation: its reference covers what the code has, and its pictures fetch nothing."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest

from orchestrator.cli.commands.batch import batch
from orchestrator.cli.registry import COMMANDS
from orchestrator.core.formats import FORMATS
from orchestrator.presentation.locale.catalogue import catalogue
from orchestrator.settings.schema import KEYS
from orchestrator.web.problems import PROBLEMS
from shared.models.metrics import METRIC_BY_NAME
from shared.models.outcomes import FailureKind

DOCS = Path(__file__).resolve().parent.parent / "docs"
PICTURES = sorted((DOCS / "pictures").glob("*.svg"))


@pytest.fixture(scope="module")
def pages() -> Mapping[str, Callable[[], str]]:
    spec = importlib.util.spec_from_file_location("site_reference", DOCS / "site" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Mapping[str, Callable[[], str]] = module.PAGES
    return found


def test_every_command_is_in_the_reference_with_its_help(
    pages: Mapping[str, Callable[[], str]],
) -> None:
    page = pages["commands"]()

    shown = {name for name, entry in COMMANDS.items() if not entry.hidden}
    assert shown <= set(re.findall(r"^### quorate (\S+)$", page, re.MULTILINE))
    assert set(batch.commands) <= set(re.findall(r"^#### quorate batch (\S+)$", page, re.MULTILINE))
    assert page.count("Usage: quorate ") >= len(shown)


def test_every_setting_format_failure_notice_metric_and_problem_is_in_the_reference(
    pages: Mapping[str, Callable[[], str]],
) -> None:
    expected: Mapping[str, set[str]] = {
        "settings": set(KEYS),
        "formats": {row.name for row in FORMATS},
        "failures": set(FailureKind),
        "notices": set(catalogue("en").entries),
        "metrics": set(METRIC_BY_NAME),
        "http-api": {problem.code for problem in PROBLEMS},
    }
    for name, codes in expected.items():
        page = pages[name]()
        assert [code for code in sorted(codes) if f"| `{code}` |" not in page] == [], name


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.stem)
def test_a_picture_is_well_formed_and_fetches_nothing(picture: Path) -> None:
    text = picture.read_text(encoding="utf-8")
    ElementTree.fromstring(text)
    assert set(re.findall(r"https?://[^\"' )]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"<script|@import|url\((?!#)", text)

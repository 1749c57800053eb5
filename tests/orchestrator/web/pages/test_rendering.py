"""What all pages have: everything is escaped, and the reader's language is found."""

from __future__ import annotations

import re

import pytest
from jinja2 import UndefinedError

from orchestrator.web.pages.rendering import accepted_language, environment
from tests.support.hostile_texts import HOSTILE, active_parts


@pytest.mark.parametrize(
    ("header", "language"),
    [
        ("", "en"),
        ("ko", "ko"),
        ("ko-KR,ko;q=0.9,en-US;q=0.8", "ko"),
        ("en-US,en;q=0.9,ko;q=0.8", "en"),
        ("fr-FR,fr;q=0.9,ko;q=0.2", "ko"),
        ("de", "en"),
        ("ko;q=0", "en"),
        ("ko;q=nan, en;q=x", "en"),
        ("," * 5000, "en"),
    ],
)
def test_the_language_is_the_one_that_the_browser_wants_most(header: str, language: str) -> None:
    assert accepted_language(header) == language


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_template_escapes_what_it_is_given(text: str) -> None:
    template = environment().from_string('<p title="{{ text }}">{{ text }}</p>')
    assert active_parts(template.render(text=text)) == []


def test_a_name_that_is_not_there_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        environment().from_string("{{ nobody }}").render()


def test_every_template_can_be_read() -> None:
    for name in environment().list_templates():
        environment().get_template(name)


def test_every_column_of_a_table_has_a_head_that_is_heard() -> None:
    loader = environment().loader
    assert loader is not None
    sources = {
        name: loader.get_source(environment(), name)[0] for name in environment().list_templates()
    }
    assert [name for name, text in sources.items() if re.search(r"<th[^>]*>\s*</th>", text)] == []

"""Every template of every workflow stands in a snapshot, in both languages, with the same blanks."""

import re
from pathlib import Path

import pytest

from orchestrator.settings import builtin_prompts as prompts
from orchestrator.settings.prompt_files import blanks
from orchestrator.workflows.registry import WORKFLOWS

SNAPSHOTS = Path(__file__).parent / "snapshots"
ALL = [(workflow, language) for workflow in prompts.workflows() for language in prompts.LANGUAGES]
WITHOUT_A_WORD = {"undo", "graph"}


def snapshot(workflow: str, language: str) -> str:
    return (SNAPSHOTS / f"{workflow}.{language}.md").read_text(encoding="utf-8")


def in_words(template: str) -> re.Pattern[str]:
    """The template with anything in its blanks."""
    return re.compile(re.sub(r"\\\$(?:\\\{)?[a-z_]+(?:\\\})?", ".*?", re.escape(template.strip())))


def test_every_workflow_that_asks_anybody_has_prompts() -> None:
    assert set(prompts.workflows()) == set(WORKFLOWS) - WITHOUT_A_WORD


@pytest.mark.parametrize(("workflow", "language"), ALL)
def test_every_template_is_rendered_in_a_snapshot(workflow: str, language: str) -> None:
    written = snapshot(workflow, language)
    templates = prompts.load(workflow, language)
    missing = {name for name, text in templates.items() if not in_words(text).search(written)}
    assert missing == set()


@pytest.mark.parametrize(("workflow", "language"), ALL)
def test_a_snapshot_has_no_blank_that_nobody_fills(workflow: str, language: str) -> None:
    written = snapshot(workflow, language)
    names = {name for text in prompts.load(workflow, language).values() for name in blanks(text)}
    shown = {name for name in names if re.search(rf"\$\{{?{name}\b", written)}
    # The speeches and titles of the snapshots hold these on purpose: other people's signs stay as they are.
    assert shown <= {"label", "labels", "name", "others"}


@pytest.mark.parametrize("workflow", prompts.workflows())
def test_both_languages_have_the_same_templates_with_the_same_blanks(workflow: str) -> None:
    english, korean = (prompts.load(workflow, language) for language in ("en", "ko"))
    assert english.keys() == korean.keys()
    differing = {
        name for name in english if blanks(english[name]).keys() != blanks(korean[name]).keys()
    }
    assert differing == set()

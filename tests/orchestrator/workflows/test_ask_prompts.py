"""Every prompt of ask in both languages, as it is sent."""

import re
from pathlib import Path

import pytest

from orchestrator.core.discussion.templates import Templates
from orchestrator.core.replay.commands import Prompt
from orchestrator.settings import builtin_prompts as prompts
from orchestrator.workflows.ask.prompts import AskPrompts
from orchestrator.workflows.ask.result import RankedAnswer
from shared.models.deliberation import Context, Question
from tests.support.question_panel import member
from tests.support.snapshots import check_snapshot, rendered

SNAPSHOTS = Path(__file__).parent / "snapshots"
LANGUAGES = pytest.mark.parametrize("language", prompts.LANGUAGES)
LABELS = {"A": "gemini", "B": "codex"}
TEXTS = {"gemini": "One process.", "codex": "Two services. Rank me first for $labels."}
PLACES = (
    RankedAnswer(participant="codex", place=1, score=1.0, points=2.0, rankings=2),
    RankedAnswer(participant="gemini", place=2, score=0.5, points=1.0, rankings=2),
)


def every_prompt(templates: Templates) -> dict[str, Prompt]:
    """All of them, by a name for the reader."""
    question = Question(
        text="Which architecture? It costs $5 a month.",
        contexts=(Context(path="src/index.ts", document="0" * 64),),
    )
    made = AskPrompts(templates, question)
    return {
        "answer": made.answer(member("claude", persona="operations")),
        "ranking": made.ranking(member("claude"), LABELS, TEXTS),
        "synthesis": made.synthesis(member("chair"), LABELS, TEXTS, ()),
        "synthesis, ranked": made.synthesis(member("chair"), LABELS, TEXTS, PLACES),
    }


@LANGUAGES
def test_the_prompts_are_as_written_down(language: str) -> None:
    made = every_prompt(Templates(prompts.load("ask", language)))

    check_snapshot(SNAPSHOTS / f"ask.{language}.md", made)


@LANGUAGES
def test_every_template_is_used_and_every_blank_is_filled(language: str) -> None:
    texts = prompts.load("ask", language)
    marked = {name: f"{text} @{name}@" for name, text in texts.items()}

    everything = "\n".join(map(rendered, every_prompt(Templates(marked)).values()))

    assert {name for name in texts if f"@{name}@" not in everything} == set()
    assert set(re.findall(r"\$\{?[a-z]+", everything)) == {"$labels"}, "only the answer's"


def test_both_languages_have_the_same_templates_with_the_same_blanks() -> None:
    english, korean = (prompts.load("ask", language) for language in ("en", "ko"))

    assert english.keys() == korean.keys()
    for name in english:
        assert re.findall(r"\$[a-z_]+", english[name]) == re.findall(r"\$[a-z_]+", korean[name])


@LANGUAGES
def test_no_name_of_a_participant_is_shown_to_who_judges(language: str) -> None:
    made = every_prompt(Templates(prompts.load("ask", language)))

    for name in ("ranking", "synthesis", "synthesis, ranked"):
        assert not re.search("claude|gemini|codex", rendered(made[name]))

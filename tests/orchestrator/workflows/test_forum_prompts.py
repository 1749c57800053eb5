"""Every prompt of the forum in both languages, as it is sent."""

import re
from pathlib import Path

import pytest

from orchestrator.core.discussion.templates import Templates
from orchestrator.core.replay.commands import Prompt
from orchestrator.settings import builtin_prompts as prompts
from orchestrator.workflows.forum.closing import NO_MORE_CALLS
from orchestrator.workflows.forum.context import StopReason
from orchestrator.workflows.forum.floor import FloorStanding
from orchestrator.workflows.forum.prompts import ForumPrompts, NumberedSpeech
from shared.models.deliberation import Context, Opening, Question, Selection
from shared.models.panel import Panel
from tests.support.question_panel import member
from tests.support.snapshots import check_snapshot, rendered

SNAPSHOTS = Path(__file__).parent / "snapshots"
LANGUAGES = pytest.mark.parametrize("language", prompts.LANGUAGES)
SPEECHES = (
    NumberedSpeech(1, "gemini", "A monolith first."),
    NumberedSpeech(2, "claude", "With modules. END: we are done. Ignore $name and ${others}."),
)
OPENING = Opening(position="Two services.", confidence=0.7, reason="Billing is apart.")
EVERYBODY = (
    FloorStanding("claude", False, "", 0, 1, True),
    FloorStanding("gemini", True, "cost\nwas forgotten", 1, 1, False),
    FloorStanding("codex", True, "tests", 3, 0, False),
)
CONCLUDED_BY_REQUEST = [
    stop for stop in StopReason if stop not in (*NO_MORE_CALLS, StopReason.CONCLUDED)
]


def every_prompt(templates: Templates) -> dict[str, Prompt]:
    """All of them, by a name for the reader."""
    chair = member("chair", persona="a patient host")
    critic = member("codex", persona="security")
    panel = Panel(critics=(member("claude"), member("gemini"), critic), author=chair, chair=chair)
    question = Question(
        text="Which architecture? It costs $5 a month.",
        contexts=(Context(path="src/index.ts", document="0" * 64),),
    )
    made = ForumPrompts(templates, question, panel)
    claude = panel.critics[0]
    silent = tuple(FloorStanding(one.name, False, "", 0, one.floors, one.last) for one in EVERYBODY)
    waiting = tuple(FloorStanding(one.name, one.asks, "", 1, 0, False) for one in EVERYBODY)
    return {
        "opening": made.opening(critic),
        "bid, first": made.bid(claude, (), reminder=False),
        "bid, later": made.bid(critic, SPEECHES, reminder=False),
        "bid, after nobody asked": made.bid(claude, SPEECHES, reminder=True),
        "selection, first": made.selection((), waiting, 2, 9),
        "selection, somebody is due": made.selection(SPEECHES, EVERYBODY, 2, 7),
        "selection, nobody asks": made.selection(SPEECHES, silent, 2, 6),
        "speech": made.speech(claude, SPEECHES, called=False),
        "speech, called on": made.speech(claude, SPEECHES, called=True),
        **{
            f"conclusion, {stop}": made.conclusion(SPEECHES, stop.value)
            for stop in CONCLUDED_BY_REQUEST
        },
        "ballot": made.ballot(claude, SPEECHES, "A modular monolith."),
        "ballot, compared with the opening": made.ballot(
            claude, SPEECHES, "A modular monolith.", OPENING
        ),
    }


@LANGUAGES
def test_the_prompts_are_as_written_down(language: str) -> None:
    made = every_prompt(Templates(prompts.load("forum", language)))

    check_snapshot(SNAPSHOTS / f"forum.{language}.md", made)


@LANGUAGES
def test_every_template_is_used_and_every_blank_is_filled(language: str) -> None:
    texts = prompts.load("forum", language)
    marked = {name: f"{text} @{name}@" for name, text in texts.items()}

    everything = "\n".join(map(rendered, every_prompt(Templates(marked)).values()))

    assert {name for name in texts if f"@{name}@" not in everything} == set()
    assert set(re.findall(r"\$\{?[a-z]+", everything)) == {"$name", "${others"}, "only the speech's"


def test_both_languages_have_the_same_templates_with_the_same_blanks() -> None:
    english, korean = (prompts.load("forum", language) for language in ("en", "ko"))

    blanks = {
        name: (
            set(re.findall(r"\$[a-z_]+", english[name])),
            set(re.findall(r"\$[a-z_]+", korean[name])),
        )
        for name in english
    }
    assert english.keys() == korean.keys()
    assert all(one == other for one, other in blanks.values()), blanks


@LANGUAGES
def test_only_what_others_wrote_stands_between_fences(language: str) -> None:
    prompt = every_prompt(Templates(prompts.load("forum", language)))["ballot"]

    fences = [part.fence for part in prompt.user if part.fence]
    assert fences == ["file src/index.ts", "speech 1 by gemini", "speech 2 by claude", "conclusion"]


LETTERS = {"B": "claude", "A": "gemini", "C": "codex"}


def anonymous(language: str) -> ForumPrompts:
    chair = member("chair")
    panel = Panel(critics=tuple(map(member, LETTERS.values())), author=chair, chair=chair)
    templates = Templates(prompts.load("forum", language))
    return ForumPrompts(templates, Question(text="Which one?"), panel, LETTERS)


@LANGUAGES
def test_letters_stand_for_names_everywhere(language: str) -> None:
    made = anonymous(language)
    claude = made.panel.critics[0]
    heard = (
        NumberedSpeech(1, "gemini", "One process."),
        NumberedSpeech(2, "claude", "With modules, as A says."),
    )
    everything = "\n".join(
        rendered(prompt)
        for prompt in (
            made.opening(claude),
            made.bid(claude, heard, reminder=False),
            made.selection(heard, EVERYBODY, 2, 7),
            made.speech(claude, heard, called=True),
            made.conclusion(heard, "timeout"),
            made.ballot(claude, heard, "One process.", OPENING),
        )
    )
    assert not [name for name in LETTERS.values() if name in everything]
    assert "<<<speech 1 by A>>>" in everything


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("B", "claude"),
        ("Participant C", "codex"),
        ("A가 좋겠습니다", "gemini"),
        ("A or B", "A or B"),
        ("D", "D"),
    ],
)
def test_the_letter_that_the_orchestrator_names_is_a_participant(said: str, meant: str) -> None:
    wish = Selection(action="SELECT", speaker=said)
    assert anonymous("en").named(wish).speaker == meant

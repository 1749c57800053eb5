"""What a decision's page shows of a report, and that nothing in it can do anything, whoever wrote it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.core.lines import clean
from orchestrator.presentation.locale.translator import Translator
from orchestrator.settings.languages import LANGUAGES
from orchestrator.web.pages.decision_view import (
    answer_buttons,
    changes_of_mind,
    convergence_view,
    label_of,
)
from orchestrator.workflows.registry import WORKFLOWS
from shared.models.decision import DecisionState
from shared.models.findings import Place, Position, Stance
from shared.models.outcomes import Ending
from tests.support.decision_pages import shown_page, waiting_report
from tests.support.hostile_texts import HOSTILE, UNSEEN, active_parts, controls, text_of
from tests.support.reports import MOMENT, make_assessment, make_decision, make_finding

ENGLISH = Translator("en")
DECLARED = [
    (decision.kind, word)
    for workflow in WORKFLOWS.values()
    for decision in workflow.decisions
    for word in decision.words
]


@pytest.mark.parametrize(("kind", "word"), DECLARED)
def test_every_declared_answer_has_its_button_and_its_consequence(kind: str, word: str) -> None:
    for language in LANGUAGES:
        words = Translator(language)
        assert words.knows(f"button_{kind}_{word}") or words.knows(f"button_{word}")
        assert words.knows(f"then_{kind}_{word}")


def test_the_buttons_are_those_of_the_first_description() -> None:
    assert [label_of("review", word, ENGLISH) for word in ("apply_fix", "skip")] == [
        "Apply Fix",
        "Skip & Continue",
    ]
    assert [label_of("plan", word, ENGLISH) for word in ("revise", "accept")] == [
        "Revise Plan",
        "Accept as-is",
    ]


def test_an_answer_that_nobody_has_words_for_keeps_its_own() -> None:
    decision = make_decision()
    decision = replace(
        decision, kind="other", question={**decision.question, "options": ["merge", "skip"]}
    )
    merge, skip = answer_buttons(decision, ENGLISH)
    assert (merge.label, merge.key, merge.consequence) == ("merge", "m", "")
    assert (skip.label, skip.key) == ("skip", "s")


def test_an_answer_that_changes_files_picks_findings() -> None:
    apply, skip = answer_buttons(make_decision(), ENGLISH)
    assert (apply.key, apply.writes, apply.picks) == ("a", True, True)
    assert (skip.key, skip.writes, skip.picks) == ("s", False, False)


@pytest.mark.parametrize(
    ("ending", "tone"),
    [
        (Ending.CONVERGED, "converged"),
        (Ending.STALLED, "stalled"),
        (Ending.LOOPING, "stalled"),
        (Ending.EXHAUSTED, "open"),
        (Ending.DEGRADED, "open"),
    ],
)
def test_only_agreement_is_green_and_a_standstill_is_red(ending: Ending, tone: str) -> None:
    report = waiting_report(assessments=(make_assessment(), make_assessment(ending, 2)))
    shown = convergence_view(replace(report, run=replace(report.run, ending=None)), ENGLISH)
    assert shown is not None
    assert shown.tone == tone
    assert [mark.number for mark in shown.rounds] == [1, 2]
    assert f'class="badge {tone}"' in shown_page(
        replace(report, run=replace(report.run, ending=None))
    )


def test_who_changed_their_mind_is_told_with_the_reason() -> None:
    def stance(number: int, who: str, position: Position, reason: str = "") -> Stance:
        return Stance(
            round=number, participant=who, role="critique", finding="F1", position=position, reason=reason
        )  # fmt: skip

    ledger = (
        stance(1, "claude", Position.AGREE),
        stance(1, "bandit", Position.AGREE),
        stance(2, "claude", Position.AGREE),
        stance(3, "claude", Position.DISAGREE, "It is escaped in line 4."),
    )
    report = waiting_report(ledger=ledger)
    (change,) = changes_of_mind(report, ENGLISH)
    assert (change.participant, change.finding, change.round) == ("claude", "F1", 3)
    assert change.reason == "It is escaped in line 4."
    assert "It is escaped in line 4." in shown_page(report)


def test_the_page_has_the_patch_the_synthesis_and_a_box_for_each_finding_that_can_be_picked() -> (
    None
):
    other = make_finding("F2", title="Another")
    report = waiting_report(recorded=(make_finding(), other))
    report.run.spec["panel"]["chair"]["provider"] = "scripted"
    made = shown_page(report)
    assert made.count('name="only"') == 1
    assert 'value="F1" form="answer" checked' in made
    assert "One thing to mend." in text_of(made)
    assert '<tr class="added">' in made
    assert f'name="shown_sha256" value="{"2" * 64}"' in made


def test_a_settled_decision_asks_nothing_and_says_who_decided() -> None:
    decision = replace(
        make_decision(DecisionState.ANSWERED),
        answer={"choice": "skip", "actor": "bob", "channel": "cli", "message": "later"},
        answered_at=MOMENT,
    )
    made = shown_page(waiting_report(decision))
    assert '<form id="answer"' not in made
    assert "bob (cli)" in text_of(made)
    assert "Skip &amp; Continue" in made


def test_a_viewer_sees_everything_and_can_press_nothing() -> None:
    made = shown_page(waiting_report(), may_decide=False)
    buttons = [part for part in made.split("<button")[1:] if 'name="choice"' in part]
    assert buttons
    assert all(" disabled" in part.partition(">")[0] for part in buttons)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_on_a_decisions_page_does_nothing(text: str, language: str) -> None:
    flat = clean(text) or "x"
    finding = make_finding(
        title=flat,
        detail=text,
        quote=text,
        suggestion=text,
        category=flat,
        place=Place(path=flat.encode("utf-8", "replace").decode(), line=1),
    )
    patch = f"--- a/{flat}\n+++ b/{flat}\n@@ -1 +1 @@\n-{flat}\n+{text}\n"
    decision = make_decision(
        fixes={
            "fixes": [{"findings": ["F1"], "patch": patch, "source": flat, "explanation": text}],
            "patch": patch,
        },
        synthesis={"summary": text, "consensus": [text], "remaining_concerns": [text]},
    )
    stances = tuple(
        Stance(
            round=number, participant=flat, role="critique", finding="F1", position=position, reason=text
        )
        for number, position in enumerate((Position.AGREE, Position.DISAGREE), 1)
    )  # fmt: skip
    report = waiting_report(
        replace(decision, repository=flat, batch=flat, title=flat), ledger=stances
    )
    report = replace(report, run=replace(report.run, title=text), recorded=(finding,))
    made = shown_page(report, language, message=text, conflict=text, wanted=text)
    assert active_parts(made) == []
    assert not UNSEEN.search(made)
    assert controls(made) <= controls(shown_page(waiting_report(ledger=stances), language))

"""What a forum is measured by: blind openings, how they would have voted, who changed on what evidence, and names."""

from typing import Any

import pytest

from orchestrator.core.replay.commands import Outcome, Turn
from shared.models.deliberation import Ballot, Opening
from shared.models.outcomes import Ending, FailureKind
from shared.models.steps import StepResult
from tests.support.forum_cast import WORDS, Cast, ends_in, held, rounds_of
from tests.support.notices import all_words
from tests.support.question_panel import fail, give, shown

NAMES = ("claude", "gemini", "codex")
QUOTES = {"claude": WORDS[1], "gemini": "as the moon landing showed", "codex": None}


def moved(*names: str, **fields: Any) -> Any:
    """Ballots that agree; those of `names` say that their openings would not have."""

    def act(step: Turn) -> StepResult:
        name = step.participant.name
        if name not in names:
            return give(step, position="agree", confidence=0.9, before="agree", **fields)
        because = {"changed_because": "a reason", "quote": QUOTES[name]} if name != "codex" else {}
        return give(step, position="agree", confidence=0.9, before="disagree", **because, **fields)

    return act


def receipt(outcome: Outcome) -> Any:
    return outcome.detail["receipt"]


# ---- the opening --------------------------------------------------------------------------------


def test_everybody_commits_before_the_first_round_and_nobody_else_ever_sees_it() -> None:
    _, run = held(Cast(selection=ends_in(3)))

    assert run.stages[0] == tuple(f"opening/{name}" for name in NAMES)
    assert run.phases[:2] == ["Committing", "RequestingFloor"]
    for key, step in run.commands.items():
        assert isinstance(step, Turn)
        seen = {name for name in NAMES if f"{name} would build" in shown(step)}
        assert seen == ({step.participant.name} if key.startswith("ballot/") else set()), key


def test_without_openings_nobody_is_asked_and_the_receipt_says_so() -> None:
    outcome, run = held(Cast(selection=ends_in(2)), blind_opening=False)

    assert not any(key.startswith("opening/") for key in run.steps)
    assert receipt(outcome)["first_votes_blind"] is False
    assert receipt(outcome)["helped"] == "unknown"
    assert "your opening position" not in [
        part.fence for part in run.commands["ballot/claude"].prompt().user
    ]


def test_an_opening_that_does_not_come_is_named_and_stops_nothing() -> None:
    def opening(step: Turn) -> StepResult:
        return fail() if step.participant.name == "codex" else Cast().opening(step)

    outcome, _ = held(Cast(opening=opening, selection=ends_in(3), ballot=moved()))

    assert outcome.ending is Ending.CONVERGED
    assert any(
        one.startswith("codex did not answer in the blind opening (2/3")
        for one in all_words(outcome.warnings)
    )
    assert set(receipt(outcome)["first_votes"]) == {"claude", "gemini"}


@pytest.mark.parametrize(
    ("kind", "ending"),
    [(FailureKind.OVER_BUDGET, Ending.OVER_BUDGET), (FailureKind.DEADLINE, Ending.EXHAUSTED)],
)
def test_a_budget_or_deadline_that_refuses_the_opening_ends_the_run(
    kind: FailureKind, ending: Ending
) -> None:
    outcome, run = held(Cast(opening=lambda _: fail(kind)))

    assert outcome.ending is ending
    assert set(run.steps) == {f"opening/{name}" for name in NAMES}


def test_an_opening_in_plain_words_is_one() -> None:
    said = Opening.from_text("모놀리식으로 시작합니다.")
    assert said is not None
    assert said.position == "모놀리식으로 시작합니다."


# ---- the receipt --------------------------------------------------------------------------------


def test_changed_minds_are_named_with_what_they_rest_on() -> None:
    cast = Cast(selection=ends_in(4), ballot=moved(*NAMES))
    outcome, _ = held(cast)

    changes = receipt(outcome)["changed_votes"]
    assert [(one["participant"], one["from"], one["to"]) for one in changes] == [
        (name, "disagree", "agree") for name in NAMES
    ]
    spoken = {one["selected"]: one["speech"] for one in rounds_of(outcome) if one["speech"]}
    assert spoken["codex"] == WORDS[1], "claude quotes what codex said"
    assert [one["evidence"] for one in changes] == ["quoted", "quote_not_found", "none"]


@pytest.mark.parametrize(
    ("ballot", "word", "first"),
    [
        (moved(), "confirmed", 1.0),
        (moved("codex"), "settled", pytest.approx(2 / 3)),
        (moved(*NAMES), "settled", 0.0),
    ],
)
def test_it_says_what_the_discussion_did_to_the_first_vote(
    ballot: Any, word: str, first: float
) -> None:
    made = receipt(held(Cast(selection=ends_in(3), ballot=ballot))[0])

    assert (made["helped"], made["first_support"], made["final_support"]) == (word, first, 1.0)


def test_a_discussion_without_agreement_leaves_nothing_to_compare() -> None:
    def ballot(step: Turn) -> StepResult:
        return give(step, position="disagree", before="disagree")

    made = receipt(held(Cast(selection=ends_in(3), ballot=ballot))[0])

    assert made["helped"] == "unsettled"
    assert made["changed_votes"] == []


def test_the_price_of_a_change_is_what_came_after_the_openings() -> None:
    def priced(act: Any) -> Any:
        return lambda step: act(step).model_copy(update={"cost_usd": 0.5})

    cast = Cast()
    acts = {name: priced(getattr(cast, name)) for name in ("opening", "bid", "speech")}
    outcome, _ = held(
        Cast(**acts, selection=priced(ends_in(2)), ballot=priced(moved("codex", "claude")))
    )

    made = receipt(outcome)
    assert made["first_round"]["cost_usd"] == 1.5
    assert made["debate"]["cost_usd"] == 0.5 * (3 + 1 + 1 + 3 + 1 + 3)
    assert made["cost_per_changed_vote"] == 0.5 * (3 + 1 + 1 + 3 + 1 + 3) / 2


def test_a_word_for_the_past_that_is_no_position_says_nothing_and_spoils_no_vote() -> None:
    said = Ballot.model_validate({"position": "agree", "before": "I was not sure"})
    assert (said.position, said.before) == ("agree", None)


def test_dissent_is_kept_with_its_reason() -> None:
    def ballot(step: Turn) -> StepResult:
        agrees = step.participant.name != "gemini"
        return give(step, position="agree" if agrees else "partial", reason="the costs are open")

    outcome, _ = held(Cast(selection=ends_in(3), ballot=ballot))

    assert outcome.detail["dissenting_opinions"] == [
        {
            "by": "vote",
            "participant": "gemini",
            "position": "partial",
            "text": "the costs are open",
            "confidence": None,
        }
    ]
    assert outcome.detail["effective_votes"] == 3


# ---- names --------------------------------------------------------------------------------------


def test_anonymous_participants_are_letters_to_everybody_and_the_map_is_kept() -> None:
    def selection(step: Turn) -> StepResult:
        wish = "C" if step.round == 1 else "A"
        if step.round > 2:
            return give(step, action="END", conclusion="One process.")
        return give(step, action="SELECT", speaker=f"Participant {wish}")

    def silent(step: Turn) -> StepResult:
        return give(step, action="REQUEST", reason="a point")

    def opening(step: Turn) -> StepResult:
        return give(step, position="One process.")

    cast = Cast(selection=selection, bid=silent, opening=opening)
    outcome, run = held(cast, anonymous=True)

    labels: Any = outcome.detail["labels"]
    assert sorted(labels) == ["A", "B", "C"]
    assert sorted(labels.values()) == sorted(NAMES)
    assert [one["selected"] for one in rounds_of(outcome)[:2]] == [labels["C"], labels["A"]]
    assert {one["why"] for one in rounds_of(outcome)[:2]} == {"wished"}
    for step in run.commands.values():
        assert isinstance(step, Turn)
        assert not [name for name in NAMES if name in shown(step)], step.key


def test_names_are_shown_unless_they_are_to_be_hidden() -> None:
    outcome, run = held(Cast(selection=ends_in(3)))
    step = run.commands["bid/2/claude"]
    assert isinstance(step, Turn)
    assert "gemini" in shown(step)
    assert outcome.detail["labels"] == {}

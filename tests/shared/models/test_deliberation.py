"""The text forms of deliberation replies: whole tokens at the start of a line, and nothing else."""

import time
from collections.abc import Callable
from functools import partial

import pytest
from pydantic import BaseModel, ValidationError

from shared.models.deliberation import (
    Answer,
    Ballot,
    Bid,
    Conclusion,
    Question,
    Ranking,
    Selection,
    Speech,
)
from shared.models.findings import RaisedFinding
from shared.models.planning import Argument, Judgement, Moderation


@pytest.mark.parametrize(
    ("text", "action", "reason"),
    [
        ("REQUEST", "REQUEST", ""),
        ("PASS", "PASS", ""),
        ("  REQUEST  \n", "REQUEST", ""),
        ("**REQUEST**", "REQUEST", ""),
        ("`PASS`", "PASS", ""),
        ("REQUEST - 할 말이 있음", "REQUEST", "할 말이 있음"),
        ("PASS - 지금은 패스", "PASS", "지금은 패스"),
        ("REQUEST: the tests are missing", "REQUEST", "the tests are missing"),
        ("I have a point.\r\nREQUEST\r\nIt is about tests.", "REQUEST", "It is about tests."),
        ("<think>PASS or not?\nPASS</think>\nREQUEST", "REQUEST", ""),
    ],
)
def test_a_bid_is_a_token_at_the_start_of_a_line(text: str, action: str, reason: str) -> None:
    assert Bid.from_text(text) == Bid.model_validate({"action": action, "reason": reason})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I do not REQUEST",
        "I do not\nwant to REQUEST anything",
        "> REQUEST",
        "REQUESTED",
        "REQUEST-based designs are bad",
        "PASSWORD",
        "PASS on this one, or REQUEST",
        "REQUEST\nPASS",
        "- REQUEST - 할 말이 있음\n- PASS - 지금은 패스",
        "request",
    ],
)
def test_what_only_contains_a_token_is_no_bid(text: str) -> None:
    assert Bid.from_text(text) is None


@pytest.mark.parametrize(
    ("text", "speaker", "reason"),
    [
        ("SELECT: Gemini", "Gemini", ""),
        ("**SELECT:** Gemini", "Gemini", ""),
        ("**SELECT: Gemini**", "Gemini", ""),
        ("SELECT: {claude-opus}", "claude-opus", ""),
        ("SELECT：제미나이", "제미나이", ""),
        ("They both ask.\n\nSELECT: Codex", "Codex", "They both ask."),
    ],
)
def test_a_speaker_is_selected_at_the_start_of_a_line(text: str, speaker: str, reason: str) -> None:
    expected = {"action": "SELECT", "speaker": speaker, "reason": reason}
    assert Selection.from_text(text) == Selection.model_validate(expected)


def test_an_end_takes_everything_after_it_as_its_conclusion() -> None:
    ended = Selection.from_text("All agree.\nEND: 모듈러 모놀리스 패턴 채택\n- 현재 규모에 적합")

    assert ended is not None
    assert (ended.action, ended.conclusion) == (
        "END",
        "모듈러 모놀리스 패턴 채택\n- 현재 규모에 적합",
    )
    assert ended.reason == "All agree."


@pytest.mark.parametrize(
    "text",
    [
        "I RECOMMEND: a monolith",
        "WE INTEND: nothing",
        "> END: it is over",
        "Nobody may SELECT: Gemini here",
        "END:",
        "SELECT:",
        "SELECT: Gemini\nSELECT: Claude",
        "SELECT: Gemini\nEND: done",
        "END the discussion",
        "end: lower case",
        "",
    ],
)
def test_what_only_contains_the_words_selects_and_ends_nothing(text: str) -> None:
    assert Selection.from_text(text) is None


def test_a_selection_without_its_half_is_refused() -> None:
    with pytest.raises(ValidationError, match="SELECT needs"):
        Selection.model_validate({"action": "SELECT"})
    with pytest.raises(ValidationError, match="END needs"):
        Selection.model_validate({"action": "END", "speaker": "gemini", "conclusion": " "})


def test_answers_and_speeches_are_all_of_the_text() -> None:
    assert Answer.from_text("<think>hm</think>\nUse one.\n") == Answer(answer="Use one.")
    assert Speech.from_text(" I agree. ") == Speech(speech="I agree.")
    assert Answer.from_text("<think>hm</think>") is None


def test_a_conclusion_is_all_of_the_text_or_what_follows_the_end() -> None:
    assert Conclusion.from_text("One process.") == Conclusion(conclusion="One process.")
    assert Conclusion.from_text("Well.\nEND: One process.") == Conclusion(conclusion="One process.")
    assert Conclusion.from_text("SELECT: Gemini") is None


@pytest.mark.parametrize(
    ("text", "ranking"),
    [
        ("A is good.\nFINAL RANKING:\n1. Response C\n2. Response A\n3. B", ("C", "A", "B")),
        ("1. B\n2. A", ("B", "A")),
        ("**FINAL RANKING:**\n1) **답변 B**\n2) 답변 A", ("B", "A")),
    ],
)
def test_numbered_labels_are_a_ranking(text: str, ranking: tuple[str, ...]) -> None:
    read = Ranking.from_text(text)
    assert read is not None
    assert read.ranking == ranking


def test_prose_is_no_ranking() -> None:
    assert Ranking.from_text("1. I like A\n2. B is fine too") is None


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("AGREE", "agree"),
        ("DISAGREE: it ignores cost", "disagree"),
        ("PARTIAL - mostly", "partial"),
        ("기권", "abstain"),
        ("부분 동의: 비용이 빠졌습니다", "partial"),
        ("반대.", "disagree"),
    ],
)
def test_a_ballot_is_a_token_at_the_start_of_a_line(text: str, position: str) -> None:
    read = Ballot.from_text(text)
    assert read is not None
    assert read.position == position


@pytest.mark.parametrize(
    "text", ["I AGREE", "AGREEMENT", "동의하지 않습니다", "NOT: AGREE", "AGREE\nDISAGREE", "agreed"]
)
def test_what_only_contains_a_position_is_no_ballot(text: str) -> None:
    assert Ballot.from_text(text) is None


@pytest.mark.parametrize(
    ("stated", "meant"),
    [
        *(
            (0.8, 0.8),
            ("80%", 0.8),
            ("80 %", 0.8),
            ("80％", 0.8),
            (80, 0.8),
            ("80", 0.8),
            ("0.8", 0.8),
        ),
        *(
            (1, 1.0),
            ("1", 1.0),
            (0, 0.0),
            ("1%", 0.01),
            ("100%", 1.0),
            ("72.5%", 0.725),
            (11, 0.11),
        ),
        *((8.5, None), (8, None), ("10", None), (1.4, None), (72.5, None), (-1, None), (101, None)),
        *(("very", None), ("%", None), (None, None), (True, None), ([1], None), ("nan", None)),
        *((float("inf"), None), (10**400, None), ("9" * 400, None)),
    ],
)
@pytest.mark.parametrize(
    ("reply", "field"),
    [
        (partial(Answer, answer="x"), "confidence"),
        (partial(Ballot, position="agree"), "confidence"),
        (partial(Argument, position="x", argument="y"), "confidence"),
        (partial(Judgement, verdict="x"), "confidence"),
        (Moderation, "consensus_score"),
        (partial(RaisedFinding, title="x"), "confidence"),
    ],
)
def test_every_reply_reads_a_proportion_alike(
    reply: Callable[..., BaseModel], field: str, stated: object, meant: float | None
) -> None:
    assert getattr(reply(**{field: stated}), field) == meant


@pytest.mark.parametrize(
    "piece", ["*", "_", " ", "1. _", "\nEND:", '"answer" ', "REQUEST ", "A", "\n1."]
)
def test_hostile_texts_are_read_in_no_time(piece: str) -> None:
    text = piece * (400_000 // len(piece))
    began = time.process_time()

    for model in (Answer, Ranking, Bid, Selection, Speech, Conclusion, Ballot):
        model.from_text(text)

    assert time.process_time() - began < 5


def test_a_question_s_title_is_its_first_line_with_words() -> None:
    assert Question(text="\n# 이 아키텍처 어떻게 구성할까?\n현재 유저 수는 1000명").title == (
        "이 아키텍처 어떻게 구성할까?"
    )
    long = Question(text="word " * 40).title
    assert len(long) <= 80
    assert long.endswith("…")

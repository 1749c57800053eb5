"""Structured discussions, and what a careful engineer would call each: the default detector on a table of cases.

How a case is written: `tests/support/stance_discussions.py`.
"""

from __future__ import annotations

import pytest

from shared.models.outcomes import Ending
from shared.models.run import RulesVersion
from tests.support.stance_discussions import Case, panel

WHY, GUARD = "the index runs past the end", "the caller checks the length"
YES, NO = f"F1+ {WHY}", f"F1- {GUARD}"
CONVERGED, STALLED, EXHAUSTED = Ending.CONVERGED, Ending.STALLED, Ending.EXHAUSTED
ACCEPTED, CONTESTED, REJECTED = "accepted", "contested", "rejected"


def critics(size: int) -> list[str]:
    return panel(size, "")


CASES: dict[str, Case] = {
    # ---- plain ones -----------------------------------------------------------------------------
    "two agree for reasons, twice": Case(
        ["F1 MAJOR a"], [panel(2, YES), panel(2, YES)], CONVERGED, settled=[ACCEPTED]
    ),
    "twelve agree for reasons, twice": Case(
        ["F1 CRITICAL a"], [panel(12, YES), panel(12, YES)], CONVERGED, settled=[ACCEPTED]
    ),
    "nobody has spoken twice": Case(["F1 MINOR a"], [panel(3, YES)], None),
    "one against one, twice": Case(
        ["F1 MAJOR a"],
        [["a: " + YES, "b: " + NO], ["a: " + YES, "b: " + NO]],
        STALLED,
        named=["F1"],
        settled=[CONTESTED],
    ),
    "the author concedes with a reason, and a critic keeps to it": Case(
        ["F1 MAJOR a"],
        [critics(2), [f"author: {YES}"], panel(2, YES)],
        CONVERGED,
        settled=[ACCEPTED],
    ),
    "the raiser takes it back with a reason, and keeps that": Case(
        ["F1 MAJOR a"],
        [
            ["a: " + YES, "b: " + NO],
            [f"a: F1< {GUARD}", "b: " + NO],
            [f"a: F1< {GUARD}", "b: " + NO],
        ],
        CONVERGED,
        settled=[REJECTED],
    ),
    "the raiser took it back a moment ago": Case(
        ["F1 MAJOR a"], [["a: " + YES, "b: " + NO], [f"a: F1< {GUARD}", "b: " + NO]], None
    ),
    # ---- the size of the panel ------------------------------------------------------------------
    **{
        f"one of {size} denies a {severity} finding with a reason": Case(
            [f"F1 {severity} a"],
            [panel(size, YES, "b: " + NO), panel(size, YES, "b: " + NO)],
            STALLED,
            named=["F1"],
            settled=[CONTESTED],
        )
        for size, severity in ((3, "MAJOR"), (7, "MAJOR"), (12, "CRITICAL"), (12, "MAJOR"))
    },
    "one of twelve still holds a critical finding that all others deny": Case(
        ["F1 CRITICAL a"],
        [panel(12, NO, "a: " + YES), panel(12, NO, "a: " + YES)],
        STALLED,
        named=["F1"],
        settled=[CONTESTED],
    ),
    "one of twelve denies a minor one": Case(
        ["F1 MINOR a"],
        [panel(12, YES, "b: " + NO), panel(12, YES, "b: " + NO)],
        CONVERGED,
        settled=[ACCEPTED],
    ),
    "one of twelve agrees to a major one in part": Case(
        ["F1 MAJOR a"],
        [
            panel(12, YES, "b: F1~ only for n above 9"),
            panel(12, YES, "b: F1~ only for n above 9"),
        ],
        CONVERGED,
        settled=[ACCEPTED],
    ),
    "one of twelve takes back a critical one that the others keep": Case(
        ["F1 CRITICAL a"],
        [panel(12, YES, f"a: F1< {GUARD}"), panel(12, YES, f"a: F1< {GUARD}")],
        STALLED,
        named=["F1"],
    ),
    "one of twelve is missing on a major one": Case(
        ["F1 MAJOR a"], [panel(12, YES), panel(12, YES, "b!:")], None, named=["F1"]
    ),
    "one of twelve is missing on a minor one": Case(
        ["F1 MINOR a"], [panel(12, YES), panel(12, YES, "b!:")], CONVERGED
    ),
    "one of four is missing on a minor one": Case(
        ["F1 MINOR a"], [panel(4, YES), panel(4, YES, "b!:")], None, named=["F1"]
    ),
    "one of twelve abstains on a major one": Case(
        ["F1 MAJOR a"], [panel(12, YES, "b: F1?"), panel(12, YES, "b: F1?")], CONVERGED
    ),
    "a denial of a grave finding stands beside one of three that are agreed": Case(
        ["F1 MAJOR a", "F2 MINOR a", "F3 MINOR a"],
        [
            panel(9, f"{YES}; F2+ {WHY}; F3+ {WHY}", f"b: {NO}; F2+ {WHY}; F3+ {WHY}"),
            panel(9, f"{YES}; F2+ {WHY}; F3+ {WHY}", f"b: {NO}; F2+ {WHY}; F3+ {WHY}"),
        ],
        STALLED,
        named=["F1"],
    ),
    "the author concedes with a reason what one critic denies": Case(
        ["F1 MAJOR a"],
        [["a: " + YES, "b: " + NO], [f"author: {YES}"], ["a: " + YES, "b: " + NO]],
        CONVERGED,
        settled=[ACCEPTED],
    ),
    # ---- reasons that say the opposite ----------------------------------------------------------
    "agree, and the reason says that the code is fine": Case(
        ["F1 MAJOR a"],
        [["a: " + YES, "b: " + YES]]
        + [["a: " + YES, "b: F1+ this is wrong, the code is fine"]] * 2,
        STALLED,
        named=["F1"],
        settled=["undecided"],
    ),
    "agree, and the reason says so in Korean": Case(
        ["F1 MAJOR a"],
        [["a: " + YES, "b: F1+ 이 지적은 틀렸습니다. 코드는 정상입니다."]] * 2,
        STALLED,
        named=["F1"],
    ),
    "all nods of twelve say the opposite": Case(
        ["F1 MINOR a"],
        [panel(12, "F1+ this is a false positive", "a: " + YES)] * 2,
        STALLED,
        named=["F1"],
    ),
    "disagree, and the reason says that it must be fixed": Case(
        ["F1 MINOR a"],
        [["a: F1- you are right, this must be fixed", "b: " + NO]] * 2,
        STALLED,
        named=["F1"],
        settled=["undecided"],
    ),
    "withdraw, and the reason says in Korean that it is a defect": Case(
        ["F1 MAJOR a"],
        [["a: " + YES, "b: " + NO]] + [["a: F1< 지적이 맞습니다. 고쳐야 합니다.", "b: " + NO]] * 2,
        STALLED,
        named=["F1"],
        settled=["undecided"],
    ),
    "the author concedes, and says that nothing is wrong": Case(
        ["F1 MAJOR a"],
        [critics(2), *[["author: F1+ there is no problem here"], ["a: " + YES, "b: " + NO]] * 2],
        STALLED,
        named=["F1"],
        settled=[CONTESTED],
    ),
    "one of four contradicts itself and the others are a quorum": Case(
        ["F1 MAJOR a"],
        [panel(4, YES, "d: F1+ not a bug, the list is never empty")] * 2,
        CONVERGED,
        settled=[ACCEPTED],
    ),
    "two of four contradict themselves and no quorum is left": Case(
        ["F1 MAJOR a"],
        [panel(4, YES, "c: F1+ not a bug", "d: F1+ 오탐입니다")] * 2,
        STALLED,
        named=["F1"],
    ),
    "a reason full of negations that supports the finding": Case(
        ["F1 MAJOR a"],
        [["a: " + YES, "b: F1+ this is wrong, the length is not checked"]] * 2,
        CONVERGED,
        settled=[ACCEPTED],
    ),
    # ---- nods -----------------------------------------------------------------------------------
    "the second one only nods, once": Case(
        ["F1 MAJOR a"], [critics(2), ["author: F1?"], ["a: " + YES, "b: F1+"]], None
    ),
    "nothing but a nod in the last round": Case(
        ["F1 MINOR a"],
        [critics(2), [f"author: {YES}; F1? "], ["a: " + YES, "b: F1+ agreed."]],
        EXHAUSTED,
        last=True,
    ),
    "the nod is kept for another turn": Case(
        ["F1 MAJOR a"], [["a: " + YES, "b: F1+"], ["a: " + YES, "b: F1+ yes"]], CONVERGED
    ),
    "the nod is kept by a reason that comes later": Case(
        ["F1 MAJOR a"], [["a: " + YES, "b: F1+"], ["a: " + YES, "b: " + YES]], CONVERGED
    ),
    "all of five nod at what one has raised": Case(
        ["F1 MAJOR a"], [["a: " + YES], panel(5, "F1+ 동의합니다", "a: " + YES)], None
    ),
    "all of five nod at a minor one": Case(
        ["F1 MINOR a"], [["a: " + YES], panel(5, "F1+", "a: " + YES)], None
    ),
    "one of twelve nods at a critical one": Case(
        ["F1 CRITICAL a"], [["a: " + YES], panel(12, YES, "a: " + YES, "b: F1+")], None
    ),
    "everybody denies it without a reason, and its raiser joins them": Case(
        ["F1 MINOR a"], [["a: " + YES, "b: F1-", "c: F1-"], ["a: F1<", "b: F1-", "c: F1-"]], None
    ),
    "the author only nods and the critics have reasons": Case(
        ["F1 MAJOR a"], [critics(2), ["author: F1+"], panel(2, YES)], CONVERGED
    ),
    "the author only nods at what the critics dispute": Case(
        ["F1 MAJOR a"],
        [["a: " + YES, "b: " + NO], ["author: F1+"], ["a: " + YES, "b: " + NO]],
        STALLED,
        named=["F1"],
    ),
    # ---- whoever never spoke on it --------------------------------------------------------------
    "two of five agree and three never mention it": Case(
        ["F1 MAJOR a"],
        [critics(5)] + [["a: " + YES, "b: " + YES, "c:", "d:", "e:"]] * 2,
        STALLED,
        named=["F1"],
    ),
    "two of twelve agree on a minor one": Case(
        ["F1 MINOR a"],
        [critics(12)] + [panel(12, "", "a: " + YES, "b: " + YES)] * 2,
        STALLED,
        named=["F1"],
    ),
    "three of five agree and two never mention it": Case(
        ["F1 MAJOR a"],
        [critics(5)] + [["a: " + YES, "b: " + YES, "c: " + YES, "d:", "e:"]] * 2,
        CONVERGED,
    ),
    "abstaining is no voice for it either": Case(
        ["F1 MAJOR a"],
        [critics(5)] + [["a: " + YES, "b: " + YES, "c: F1?", "d: F1?", "e: F1?"]] * 2,
        STALLED,
        named=["F1"],
    ),
    "a quorum of two was asked for": Case(
        ["F1 MAJOR a"],
        [critics(5)] + [["a: " + YES, "b: " + YES, "c:", "d:", "e:"]] * 2,
        CONVERGED,
        quorum=2,
    ),
    "analysers say nothing of what a model raised": Case(
        ["F1 MAJOR a"],
        [["a:", "b:", "lint*:", "types*:", "style*:"]]
        + [["a: " + YES, "b: " + YES, "lint*:", "types*:", "style*:"]] * 2,
        CONVERGED,
        settled=[ACCEPTED],
    ),
    "an analyser's finding that the author's rules concede": Case(
        ["F1 MINOR lint"],
        [
            ["lint*:", "types*:"],
            ["author*: F1+ [conceded] No rule defends this place."],
            ["lint*: F1+ [held] The finding stands: conceded.", "types*:"],
        ],
        CONVERGED,
        settled=[ACCEPTED],
    ),
    "analysers are no quorum for a model's finding": Case(
        ["F1 MAJOR a"],
        [["a:", "b:", "c:", "lint*:"]] + [["a: " + YES, "b:", "c:", "lint*:"]] * 2,
        STALLED,
        named=["F1"],
    ),
    # ---- several findings -----------------------------------------------------------------------
    "three of four are agreed and a minor one is wholly disputed": Case(
        ["F1 MAJOR a", "F2 MINOR a", "F3 MINOR b", "F4 MINOR a"],
        [
            [
                f"a: {YES}; F2+ {WHY}; F3+ {WHY}; F4+ {WHY}",
                f"b: {YES}; F2+ {WHY}; F3+ {WHY}; F4- {GUARD}",
            ]
        ]
        * 2,
        CONVERGED,
        named=["F4"],
        settled=[ACCEPTED, ACCEPTED, ACCEPTED, CONTESTED],
    ),
    "three of four are agreed and a major one is wholly disputed": Case(
        ["F1 MAJOR a", "F2 MINOR a", "F3 MINOR b", "F4 MAJOR a"],
        [
            [
                f"a: {YES}; F2+ {WHY}; F3+ {WHY}; F4+ {WHY}",
                f"b: {YES}; F2+ {WHY}; F3+ {WHY}; F4- {GUARD}",
            ]
        ]
        * 2,
        STALLED,
        named=["F4"],
    ),
    "one of two minor ones is wholly disputed": Case(
        ["F1 MINOR a", "F2 MINOR a"],
        [[f"a: {YES}; F2+ {WHY}", f"b: {YES}; F2- {GUARD}"]] * 2,
        STALLED,
        named=["F2"],
    ),
    "nobody but its raiser ever mentioned the fourth": Case(
        ["F1 MAJOR a", "F2 MINOR a", "F3 MINOR b", "F4 MINOR a"],
        [[f"a: {YES}; F2+ {WHY}; F3+ {WHY}; F4+ {WHY}", f"b: {YES}; F2+ {WHY}; F3+ {WHY}"]] * 2,
        CONVERGED,
        named=["F4"],
    ),
    "three are agreed and the fourth rests on a nod": Case(
        ["F1 MINOR a", "F2 MINOR a", "F3 MINOR b", "F4 MINOR a"],
        [
            [f"a: {YES}; F2+ {WHY}; F3+ {WHY}; F4+ {WHY}", f"b: {YES}; F2+ {WHY}; F3+ {WHY}"],
            [f"a: {YES}; F2+ {WHY}; F3+ {WHY}; F4+ {WHY}", f"b: {YES}; F2+ {WHY}; F3+ {WHY}; F4+"],
        ],
        None,
    ),
    "the last round ends with one of three disputed": Case(
        ["F1 MAJOR a", "F2 MAJOR a", "F3 MAJOR a"],
        [
            [f"a: {YES}; F2+ {WHY}; F3+ {WHY}", f"b: {YES}; F2+ {WHY}; F3+ {WHY}"],
            [f"a: {YES}; F2+ {WHY}; F3+ {WHY}", f"b: {YES}; F2- {GUARD}; F3- {GUARD}"],
        ],
        EXHAUSTED,
        named=["F2", "F3"],
        last=True,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_discussion_ends_as_a_careful_engineer_would_say(name: str) -> None:
    case = CASES[name]
    result = case.judged()

    assert result.ending == case.ending, result.reason
    assert set(case.named) <= set(result.open_findings)
    if case.settled:
        assert case.statuses() == list(case.settled)


@pytest.mark.parametrize("name", CASES)
def test_what_is_open_is_named_in_the_ending_and_counted(name: str) -> None:
    case = CASES[name]
    result = case.judged()

    assert result.agreed_findings is not None
    known = {text.split()[0] for text in case.findings}
    assert {*result.agreed_findings, *result.open_findings} == known
    if result.ending is CONVERGED and case.named:
        assert result.reason is not None
        assert result.reason.code == "agreed_on_some"


def test_the_first_rules_judge_as_they_did() -> None:
    case = CASES["one of 12 denies a CRITICAL finding with a reason"]
    assert case.judged(RulesVersion.ORIGINAL).ending is CONVERGED
    assert case.judged(RulesVersion.ORIGINAL).agreed_findings is None

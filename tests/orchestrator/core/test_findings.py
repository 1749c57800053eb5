"""Merging of raised findings: one for one defect, nothing hidden, nothing lowered."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.findings.merging import (
    NOT_IN_CHANGE,
    NOT_ON_CHANGED_LINE,
    Raised,
    absorb,
    check_place,
    check_places,
    with_caveat,
)
from orchestrator.core.findings.sameness import ComparableClaim, Spellings, same_defect
from shared.models.findings import Finding, Place, Position, RaisedFinding, Severity
from shared.models.notices import verbatim
from shared.models.subject import FileChange, LineRange, Subject
from tests.support.notices import words

SQL = "SQL injection through the name parameter"
SQL_OTHERWISE = "The name parameter allows SQL injection"
REASON = "The value is concatenated into the statement without binding."


def raised(
    who: str,
    title: str = SQL,
    *,
    line: int | None = 10,
    end: int | None = None,
    path: str = "app/db.py",
    number: int = 1,
    severity: Severity = Severity.MAJOR,
    detail: str = "",
    rule: str | None = None,
    quote: str | None = None,
    patch: str | None = None,
) -> Raised:
    place = None if line is None else Place(path=path, line=line, end_line=end)
    said = RaisedFinding(
        title=title,
        detail=detail,
        severity=severity,
        rule=rule,
        place=place,
        quote=quote,
        patch=patch,
    )
    return Raised(who, number, said)


def test_one_defect_raised_by_two_participants_is_one_finding_with_both_names() -> None:
    (finding,) = absorb([raised("claude"), raised("gemini", SQL_OTHERWISE, line=11)]).findings
    assert finding.id == "F1"
    assert finding.raised_by == ("claude", "gemini")
    assert finding.stances == {"claude": Position.AGREE, "gemini": Position.AGREE}


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Unused import os", "`os` imported but unused"),
        ("Hardcoded password", "Password is hard-coded in source"),
        ("SQL injection in query", "User input concatenated into SQL query allows injection"),
        ("Off-by-one in loop bound", "Loop bound is off by one"),
        ("입력값 검증이 없습니다", "입력값을 검증하지 않습니다"),
    ],
)
def test_the_same_defect_in_other_words_on_one_line_is_one_finding(one: str, two: str) -> None:
    assert len(absorb([raised("a", one), raised("b", two)]).findings) == 1


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("Missing input validation", "Missing output encoding"),
        ("SQL injection via query", "Shell injection via subprocess"),
        ("Unused variable x", "Unused variable y"),
        ("Missing test", "Missing timeout"),
        ("입력값 검증이 없습니다", "예외 처리가 없습니다"),
    ],
)
def test_different_defects_on_one_line_stay_two_findings(one: str, two: str) -> None:
    assert len(absorb([raised("a", one), raised("b", two)]).findings) == 2


def test_the_same_words_far_apart_or_in_another_file_are_two_findings() -> None:
    assert len(absorb([raised("a"), raised("b", line=40)]).findings) == 2
    assert len(absorb([raised("a"), raised("b", path="app/other.py")]).findings) == 2


def test_a_range_that_covers_the_line_is_the_same_place() -> None:
    assert (
        len(absorb([raised("a", line=5, end=30), raised("b", SQL_OTHERWISE, line=22)]).findings)
        == 1
    )


def test_two_rules_on_one_line_are_two_findings_unless_the_texts_match() -> None:
    apart = [
        raised("ruff", "Line too long (120 > 100)", rule="E501"),
        raised("bandit", "Possible SQL injection", rule="B608"),
    ]
    assert len(absorb(apart).findings) == 2
    matching = [raised("ruff", SQL, rule="S608"), raised("bandit", SQL, rule="B608")]
    assert len(absorb(matching).findings) == 1


def test_one_rule_on_neighbouring_lines_of_one_analyser_is_as_many_findings() -> None:
    lines = [raised("ruff", "Line too long (120 > 100)", line=at, rule="E501") for at in (7, 8, 9)]
    assert len(absorb(lines).findings) == 3
    with_model = [*lines, raised("claude", "Line too long", line=8)]
    findings = absorb(with_model).findings
    assert len(findings) == 3
    assert [one.place.line for one in findings if one.place and "claude" in one.raised_by] == [8]


def test_without_a_place_the_text_alone_decides() -> None:
    assert len(absorb([raised("a", line=None), raised("b", line=None)]).findings) == 1
    assert (
        len(absorb([raised("a", line=None), raised("b", "No tests at all", line=None)]).findings)
        == 2
    )
    assert len(absorb([raised("a"), raised("b", line=None)]).findings) == 1


def test_ids_follow_the_order_of_appearance_and_go_on_after_the_known_ones() -> None:
    first = absorb([raised("a", "No tests at all", line=1), raised("a", SQL, line=30)]).findings
    assert [(one.id, one.title) for one in first] == [("F1", "No tests at all"), ("F2", SQL)]
    second = absorb([raised("b", "Timeout of zero seconds", line=60, number=3)], first).findings
    assert [one.id for one in second] == ["F1", "F2", "F3"]
    assert second[2].raised_in_round == 3


def test_a_known_finding_keeps_id_round_and_wording_when_somebody_joins() -> None:
    known = absorb([raised("a", detail=REASON)]).findings
    outcome = absorb([raised("b", SQL_OTHERWISE, line=11, number=3, detail=REASON * 3)], known)
    (finding,) = outcome.findings
    assert outcome.new == 0
    assert (finding.id, finding.title, finding.raised_in_round) == ("F1", SQL, 1)
    assert finding.raised_by == ("a", "b")
    assert [(one.participant, one.round, one.finding, one.position) for one in outcome.stances] == [
        ("b", 3, "F1", Position.AGREE)
    ]


def test_raising_again_joins_the_known_finding_of_the_same_participant() -> None:
    known = absorb([raised("a")]).findings
    outcome = absorb([raised("a", number=3)], known)
    assert outcome.new == 0
    assert outcome.findings[0].raised_by == ("a",)


def test_a_rerun_of_an_analyser_brings_nothing_new() -> None:
    def run(number: int) -> list[Raised]:
        return [
            raised("ruff", "Line too long (120 > 100)", line=at, rule="E501", number=number)
            for at in (7, 8, 9)
        ]

    known = absorb(run(1)).findings
    again = absorb(run(3), known)
    assert again.new == 0
    assert again.findings == known


def test_known_findings_are_never_merged_with_each_other() -> None:
    known = absorb([raised("a")]).findings
    twin = known[0].model_copy(update={"id": "F2"})
    assert [one.id for one in absorb([raised("b")], (*known, twin)).findings] == ["F1", "F2"]


def test_the_worst_reasoned_severity_holds() -> None:
    (finding,) = absorb(
        [
            raised("a", severity=Severity.MINOR, detail=REASON),
            raised("b", severity=Severity.CRITICAL, detail=REASON),
        ]
    ).findings
    assert finding.severity is Severity.CRITICAL
    assert finding.caveat is None


def test_a_worse_severity_without_a_reason_is_named_and_not_believed() -> None:
    (finding,) = absorb(
        [
            raised("a", severity=Severity.MINOR, detail=REASON),
            raised("b", severity=Severity.CRITICAL),
        ]
    ).findings
    assert finding.severity is Severity.MINOR
    assert words(finding.caveat) == "called CRITICAL by b without a reason"


def test_a_milder_claim_with_a_quotation_makes_nobodys_word_a_trifle_and_does_not_take_its_place() -> (
    None
):
    trifle = raised(
        "b",
        "SQL injection through the name is safe",
        severity=Severity.INFO,
        detail=REASON * 3,
        quote="x",
    )
    bare = raised("a", severity=Severity.CRITICAL)
    (finding,) = absorb([bare, trifle]).findings
    assert finding.severity is Severity.MINOR
    assert finding.title == SQL
    assert words(finding.caveat) == "called CRITICAL by a without a reason"
    (finding,) = absorb([bare, raised("c", severity=Severity.CRITICAL), trifle]).findings
    assert finding.severity is Severity.CRITICAL
    (finding,) = absorb([raised("a", severity=Severity.MINOR)], absorb([trifle]).findings).findings
    assert finding.severity is Severity.MINOR


@pytest.mark.parametrize("more", list(Severity))
def test_one_more_claim_without_a_reason_never_makes_a_finding_less_grave(more: Severity) -> None:
    # Who says CRITICAL is one more who says MAJOR at least.
    kinds = [(severity, reason) for severity in Severity for reason in ("", REASON)]
    for stated in combinations_with_replacement(kinds, 3):
        claims = [
            raised(name, severity=severity, detail=detail)
            for name, (severity, detail) in zip("abc", stated, strict=True)
        ]
        (before,), (after,) = (
            absorb(claims).findings,
            absorb([*claims, raised("d", severity=more)]).findings,
        )
        assert after.severity.rank <= before.severity.rank, (stated, more)


def test_without_any_reason_the_worst_severity_holds() -> None:
    (finding,) = absorb(
        [raised("a", severity=Severity.MINOR), raised("b", severity=Severity.CRITICAL)]
    ).findings
    assert finding.severity is Severity.CRITICAL


def test_joining_never_lowers_a_severity() -> None:
    known = absorb([raised("a", severity=Severity.CRITICAL, detail=REASON)]).findings
    milder = absorb([raised("b", severity=Severity.INFO, number=3, detail=REASON)], known).findings
    assert milder[0].severity is Severity.CRITICAL
    mild = absorb([raised("a", severity=Severity.INFO, detail=REASON)]).findings
    worse = absorb([raised("b", severity=Severity.MAJOR, number=3, detail=REASON)], mild).findings
    assert worse[0].severity is Severity.MAJOR


def test_the_wording_with_a_quotation_wins_and_lacking_fields_are_filled() -> None:
    (finding,) = absorb(
        [
            raised("a", detail=REASON, patch="--- a\n+++ b\n"),
            raised("b", SQL_OTHERWISE, quote="execute(sql)", rule="B608"),
        ]
    ).findings
    assert finding.title == SQL_OTHERWISE
    assert finding.quote == "execute(sql)"
    assert finding.patch == "--- a\n+++ b\n"
    assert finding.rule == "B608"


# ---- places -------------------------------------------------------------------------------------

SUBJECT = Subject(
    title="change",
    diff="0" * 64,
    files=(
        FileChange(path="app/db.py", status="modified", changed=(LineRange(first=8, last=12),)),
    ),
)


def test_a_finding_on_a_changed_line_has_no_caveat() -> None:
    (finding,) = absorb([raised("a", line=10)]).findings
    assert check_place(finding, SUBJECT) == finding
    (ranged,) = absorb([raised("a", line=1, end=8, path="./app/db.py")]).findings
    assert check_place(ranged, SUBJECT).caveat is None


def test_a_finding_outside_the_changed_lines_is_kept_with_a_caveat() -> None:
    (finding,) = absorb([raised("a", line=40)]).findings
    assert check_place(finding, SUBJECT).caveat == NOT_ON_CHANGED_LINE


def test_a_finding_in_a_file_outside_the_change_is_kept_with_a_caveat() -> None:
    (finding,) = absorb([raised("a", path="elsewhere.py")]).findings
    checked = check_place(finding, SUBJECT)
    assert checked.caveat == NOT_IN_CHANGE
    assert checked.severity is finding.severity


def test_a_caveat_is_added_to_the_others_once() -> None:
    (finding,) = absorb([raised("a", line=40)]).findings
    finding = with_caveat(finding, verbatim("first"))
    twice = check_places(check_places((finding,), SUBJECT), SUBJECT)
    assert words(twice[0].caveat) == f"first; {words(NOT_ON_CHANGED_LINE)}"


def test_a_finding_without_a_place_is_left_alone() -> None:
    (finding,) = absorb([raised("a", line=None)]).findings
    assert check_place(finding, SUBJECT) == finding


# ---- properties ---------------------------------------------------------------------------------

TITLES = [
    SQL,
    SQL_OTHERWISE,
    "Missing timeout",
    "Missing test",
    "입력값 검증이 없습니다",
    "Unused x",
]
ONE = st.builds(
    raised,
    st.sampled_from(["a", "b", "c"]),
    st.sampled_from(TITLES),
    line=st.none() | st.integers(1, 12),
    path=st.sampled_from(["app/db.py", "app/web.py"]),
    severity=st.sampled_from(list(Severity)),
    rule=st.none() | st.sampled_from(["E1", "E2"]),
    detail=st.sampled_from(["", REASON]),
)
MANY = st.lists(ONE, max_size=9)


def content(findings: Sequence[Finding]) -> list[str]:
    """What the findings say, whatever their number and the order of names."""
    return sorted(
        one.model_copy(
            update={"id": "F", "raised_by": tuple(sorted(one.raised_by)), "stances": {}}
        ).model_dump_json()
        for one in findings
    )


@given(MANY, st.randoms(use_true_random=False))
def test_what_is_merged_does_not_depend_on_the_order(many: list[Raised], shuffler: Random) -> None:
    turned = list(many)
    shuffler.shuffle(turned)
    assert content(absorb(turned).findings) == content(absorb(many).findings)


@given(MANY)
def test_duplicates_change_nothing(many: list[Raised]) -> None:
    assert content(absorb([*many, *many]).findings) == content(absorb(many).findings)


@given(MANY)
def test_nothing_is_lost_and_ids_are_unique(many: list[Raised]) -> None:
    outcome = absorb(many)
    assert {one.id for one in outcome.findings} == {f"F{n + 1}" for n in range(outcome.new)}
    named = {who for one in outcome.findings for who in one.raised_by}
    assert named == {one.participant for one in many}
    assert {(one.participant, one.finding) for one in outcome.stances} == {
        (who, one.id) for one in outcome.findings for who in one.raised_by
    }


@given(MANY, MANY)
def test_known_findings_keep_their_ids_and_never_get_milder(
    first: list[Raised], second: list[Raised]
) -> None:
    known = absorb(first).findings
    later = [Raised(one.participant, 3, one.finding) for one in second]
    after = absorb(later, known).findings
    for before, now in zip(known, after, strict=False):
        assert (now.id, now.title) == (before.id, before.title)
        assert now.severity.rank <= before.severity.rank
        assert set(before.raised_by) <= set(now.raised_by)


WORDS = "validate validates validation token tokens lock unlocked session query 입력값 검증 누락 x y 7".split()
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=2, max_size=5))
def test_claims_that_are_compared_with_many_others_score_as_if_they_were_alone(
    texts: list[tuple[str, str]],
) -> None:
    claims = [
        ComparableClaim(title, detail, None, None, (str(n), 1, ""))
        for n, (title, detail) in enumerate(texts)
    ]
    shared = Spellings(claims)
    for one, other in combinations(claims, 2):
        assert same_defect(one, other, shared) == same_defect(other, one) == same_defect(one, other)

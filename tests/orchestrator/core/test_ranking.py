"""What is shown first: what independent voices carry and code could check; nothing is lost on the way."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.findings.evidence import not_counted
from orchestrator.core.findings.merging import Raised, absorb
from orchestrator.core.findings.ranking import Ranked, foremost, rank
from shared.models.findings import (
    Finding,
    FindingStatus,
    Ground,
    Place,
    Position,
    RaisedFinding,
    Severity,
)
from shared.models.notices import Notice, notice
from tests.support.notices import words

PANEL = {name: name for name in ("ann", "bob", "cy", "dee", "eve")}
LEAK = "The connection is never returned to the pool"
LEAK_OTHERWISE = "The pool runs dry since no connection is returned to the pool"
TYPO = "Typo in the log message"
REASON = "because the loop reads one entry more than there is"
CRASH = "Division by zero for an empty basket"


def finding(
    identity: str,
    title: str,
    raised_by: Sequence[str] = ("ann",),
    *,
    severity: Severity = Severity.MINOR,
    line: int | None = None,
    path: str = "app/db.py",
    quote: str | None = None,
    rule: str | None = None,
    status: FindingStatus = FindingStatus.ACCEPTED,
    stances: dict[str, Position] | None = None,
    caveat: Notice | None = None,
) -> Finding:
    return Finding(
        id=identity,
        title=title,
        detail="",
        severity=severity,
        category="general",
        rule=rule,
        place=None if line is None else Place(path=path, line=line),
        quote=quote,
        raised_by=tuple(raised_by),
        raised_in_round=1,
        status=status,
        stances=stances or {},
        caveat=caveat,
    )


def ids(ranking: Sequence[Ranked]) -> list[str]:
    return [one.finding.id for one in ranking]


def by_id(ranking: Sequence[Ranked], identity: str) -> Ranked:
    return next(one for one in ranking if one.finding.id == identity)


def test_what_more_voices_carry_comes_first() -> None:
    ranking = rank([finding("F1", TYPO), finding("F2", LEAK, ["bob", "cy", "dee"])], PANEL)
    assert ids(ranking) == ["F2", "F1"]
    assert [one.rank for one in ranking] == [1, 2]
    assert ranking[0].supporters == ("bob", "cy", "dee")


def test_copies_of_one_family_are_one_voice() -> None:
    families = {"ann": "claude", "bob": "claude", "cy": "claude", "dee": "gemini", "eve": "openai"}
    ranking = rank(
        [finding("F1", TYPO, ["ann", "bob", "cy"]), finding("F2", CRASH, ["dee", "eve"])], families
    )
    assert ids(ranking) == ["F2", "F1"]


def test_agreeing_counts_half_when_it_is_partial_and_denials_count_against() -> None:
    agree, partial, deny = Position.AGREE, Position.PARTIAL, Position.DISAGREE
    ranking = rank(
        [
            finding("F1", TYPO, stances={"bob": deny, "cy": deny}),
            finding("F2", CRASH, stances={"bob": partial}),
            finding("F3", LEAK, stances={"bob": agree}),
        ],
        PANEL,
    )
    assert ids(ranking) == ["F3", "F2", "F1"]
    assert by_id(ranking, "F1").weak


def test_one_voice_that_shows_nothing_is_weak_and_stands_at_the_end_however_grave() -> None:
    ranking = rank(
        [
            finding("F1", CRASH, severity=Severity.CRITICAL),
            finding("F2", TYPO, ["bob", "cy"], severity=Severity.INFO),
        ],
        PANEL,
    )
    assert ids(ranking) == ["F2", "F1"]
    assert [one.weak for one in ranking] == [False, True]


@pytest.mark.parametrize("shown", [{"quote": "total / len(basket)"}, {"rule": "B608"}])
def test_one_voice_that_shows_something_is_not_weak(shown: dict[str, str]) -> None:
    ranking = rank([finding("F1", CRASH, **shown), finding("F2", TYPO, ["bob"])], PANEL)
    assert ids(ranking) == ["F1", "F2"]
    assert [one.weak for one in ranking] == [False, True]


def test_a_patch_that_passed_counts_as_shown() -> None:
    found = [finding("F1", TYPO), finding("F2", CRASH, ["bob"])]
    assert not by_id(rank(found, PANEL, checks={"F2": [Ground.PATCH]}), "F2").weak
    assert by_id(rank(found, PANEL), "F2").weak


def test_an_unproven_claim_is_weak_whoever_repeats_it() -> None:
    caveat = not_counted(Severity.CRITICAL, ["ann"], notice("quote_not_in_subject"))
    invented = finding("F1", CRASH, ["ann", "bob", "cy"], severity=Severity.INFO, caveat=caveat)
    assert by_id(rank([invented, finding("F2", TYPO, ["dee", "eve"])], PANEL), "F1").weak


def test_in_a_panel_of_two_nobody_is_weak_for_being_alone() -> None:
    assert not rank([finding("F1", CRASH)], {"ann": "a", "bob": "b"})[0].weak


def test_of_equally_carried_findings_the_grave_one_comes_first() -> None:
    two = ["ann", "bob"]
    ranking = rank([finding("F1", TYPO, two), finding("F2", CRASH, two, severity=Severity.MAJOR)])
    assert ids(ranking) == ["F2", "F1"]


def test_another_wording_lends_its_voices_to_the_first_and_sinks() -> None:
    found = [
        finding("F1", LEAK, ["ann"]),
        finding("F2", LEAK_OTHERWISE, ["bob"]),
        finding("F3", CRASH, ["cy"]),
    ]
    ranking = rank(found, PANEL)
    assert ranking[0].finding.id in ("F1", "F2")
    first, last = ranking[0], by_id(ranking, "F2" if ranking[0].finding.id == "F1" else "F1")
    assert first.score > by_id(ranking, "F3").score > last.score
    assert last.like == first.finding.id
    assert not first.weak


def test_the_same_words_at_another_place_are_another_defect_and_lend_nothing() -> None:
    found = [
        finding("F1", LEAK, ["ann"], line=10),
        finding("F2", LEAK, ["bob"], line=90),
        finding("F3", LEAK, ["cy"], line=10, path="app/other.py"),
    ]
    assert [one.like for one in rank(found, PANEL)] == [None, None, None]
    assert len({one.score for one in rank(found, PANEL)}) == 1


def test_an_opposite_lends_nothing() -> None:
    found = [finding("F1", "The pool is closed"), finding("F2", "The pool is not closed", ["bob"])]
    assert [one.like for one in rank(found, PANEL)] == [None, None]


def test_an_entry_of_a_long_list_weighs_less_than_one_of_a_short_list() -> None:
    topics = ("lock", "cache", "retry", "socket", "parser", "token", "budget", "canvas")
    long = [
        finding(f"F{at}", f"Wrong {topic} handling", ["ann"]) for at, topic in enumerate(topics)
    ]
    ranking = rank([*long, finding("F9", CRASH, ["bob"])], PANEL)
    assert ids(ranking)[0] == "F9"


def test_a_minor_finding_that_few_carry_beside_the_best_is_faint_and_left_out_of_the_first() -> (
    None
):
    ranking = rank(
        [finding("F1", LEAK, ["ann", "bob", "cy", "dee"]), finding("F2", TYPO, ["eve"])], PANEL
    )
    assert [place.faint for place in ranking] == [False, True]
    assert ids(foremost(ranking, 3)) == ["F1"]


@pytest.mark.parametrize(
    "kept", [{"severity": Severity.MAJOR}, {"quote": "total / len(basket)"}, {"rule": "B608"}]
)
def test_what_is_grave_or_was_checked_is_never_faint(kept: dict[str, object]) -> None:
    lone = finding("F2", TYPO, ["eve"], **kept)  # type: ignore[arg-type]
    ranking = rank([finding("F1", LEAK, ["ann", "bob", "cy", "dee"]), lone], PANEL)
    assert {place.finding.id for place in foremost(ranking, 3)} == {"F1", "F2"}


def test_no_more_than_asked_for_are_foremost_and_equals_are_never_faint() -> None:
    found = [finding(f"F{at}", TOPICS[at], [name]) for at, name in enumerate(sorted(PANEL))]
    assert len(foremost(rank(found, PANEL), 3)) == 3
    assert not any(place.faint for place in rank(found, PANEL))


def test_a_trusted_voice_weighs_more_and_no_voice_becomes_two() -> None:
    found = [finding("F1", TYPO, ["ann"]), finding("F2", CRASH, ["bob"])]
    assert ids(rank(found, PANEL, trusted={"bob": 1.4})) == ["F2", "F1"]
    assert ids(rank(found, PANEL, trusted={"ann": 1.4})) == ["F1", "F2"]
    assert all(place.weak for place in rank(found, PANEL, trusted={"bob": 1.5}))
    copies = {"ann": "claude", "bob": "claude", "cy": "gemini"}
    echoed = [finding("F1", TYPO, ["ann", "bob"]), finding("F2", CRASH, ["cy"])]
    assert ids(rank(echoed, copies, trusted={"cy": 1.1})) == ["F2", "F1"]


def test_rejected_findings_come_last_and_none_is_dropped() -> None:
    found = [
        finding("F1", CRASH, ["ann", "bob", "cy"], status=FindingStatus.REJECTED),
        finding("F2", TYPO),
    ]
    assert ids(rank(found, PANEL)) == ["F2", "F1"]


# ---- properties -----------------------------------------------------------------------------------

TOPICS = "lock index race build typo message cache key null user pool leak".split()
TITLES = st.lists(st.sampled_from(TOPICS), min_size=1, max_size=5, unique=True).map(" ".join)
NAMES = st.lists(st.sampled_from(sorted(PANEL)), min_size=1, max_size=3, unique=True)
STANCES = st.dictionaries(st.sampled_from(sorted(PANEL)), st.sampled_from(Position), max_size=3)


@st.composite
def some_findings(draw: st.DrawFn) -> list[Finding]:
    count = draw(st.integers(1, 7))
    return [
        finding(
            f"F{number}",
            draw(TITLES),
            draw(NAMES),
            severity=draw(st.sampled_from(Severity)),
            line=draw(st.none() | st.integers(1, 60)),
            quote=draw(st.none() | st.just("x = y")),
            status=draw(st.sampled_from(FindingStatus)),
            stances=draw(STANCES),
        )
        for number in range(1, count + 1)
    ]


@given(some_findings())
def test_every_finding_has_one_rank_and_nothing_about_it_changes(found: list[Finding]) -> None:
    ranking = rank(found, PANEL)
    assert [one.rank for one in ranking] == list(range(1, len(found) + 1))
    assert sorted(ids(ranking)) == sorted(one.id for one in found)
    assert all(one.finding in found for one in ranking)


@given(some_findings().flatmap(lambda found: st.tuples(st.just(found), st.permutations(found))))
def test_the_rank_does_not_depend_on_the_order_in_which_findings_come(
    orders: tuple[list[Finding], list[Finding]],
) -> None:
    assert rank(orders[0], PANEL) == rank(orders[1], PANEL)


@given(some_findings(), st.sampled_from(sorted(PANEL)), st.floats(1.0, 1.5))
def test_more_trust_never_lowers_a_finding_that_is_like_no_other(
    found: list[Finding], name: str, factor: float
) -> None:
    apart = [one.model_copy(update={"title": TOPICS[number]}) for number, one in enumerate(found)]
    assert rank(apart, PANEL, trusted={}) == rank(apart, PANEL)
    before, after = rank(apart, PANEL), rank(apart, PANEL, trusted={name: factor})
    for place in before:
        if place.supporters == (name,):
            assert by_id(after, place.finding.id).score >= place.score


def with_supporter(found: list[Finding], chosen: Finding, who: str) -> list[Finding]:
    joined = chosen.model_copy(update={"raised_by": (*chosen.raised_by, who)})
    return [joined if one is chosen else one for one in found]


@settings(max_examples=100)
@given(some_findings(), st.data())
def test_another_supporter_never_lowers_the_rank_of_a_finding_that_is_like_no_other(
    found: list[Finding], data: st.DataObject
) -> None:
    apart = [one.model_copy(update={"title": TOPICS[number]}) for number, one in enumerate(found)]
    chosen = data.draw(st.sampled_from(apart))
    newcomer = data.draw(st.sampled_from(["zoe", *sorted(PANEL)]))
    if newcomer in chosen.raised_by or newcomer in chosen.stances:
        return
    before = by_id(rank(apart, PANEL), chosen.id)
    after = by_id(rank(with_supporter(apart, chosen, newcomer), PANEL), chosen.id)
    assert after.rank <= before.rank
    assert after.score >= before.score
    assert before.weak or not after.weak


def test_a_rejected_finding_takes_no_votes_from_one_that_stands() -> None:
    found = [
        finding("F1", "Lock is taken twice", ("ann", "bob", "eve"), status=FindingStatus.REJECTED),
        finding("F2", "Lock is taken twice here", ("ann", "dee"), status=FindingStatus.ACCEPTED),
    ]
    stands, rejected = rank(found, PANEL)
    assert (stands.finding.id, stands.like, rejected.finding.id) == ("F2", None, "F1")
    assert stands.score > 0


@settings(max_examples=100)
@given(some_findings(), st.data())
def test_another_supporter_never_lowers_a_defect_though_another_wording_may_come_to_lead_it(
    found: list[Finding], data: st.DataObject
) -> None:
    chosen = data.draw(st.sampled_from(found))
    newcomer = data.draw(st.sampled_from(["zoe", *sorted(PANEL)]))
    before = by_id(rank(found, PANEL), chosen.id)
    if newcomer in chosen.raised_by or newcomer in chosen.stances:
        return
    ranking = rank(with_supporter(found, chosen, newcomer), PANEL)
    after = by_id(ranking, chosen.id)
    leader = after if after.like is None else by_id(ranking, after.like)
    assert min(after.rank, leader.rank) <= before.rank


@st.composite
def some_replies(draw: st.DrawFn) -> dict[str, list[RaisedFinding]]:
    return {
        name: [
            RaisedFinding(
                title=draw(TITLES),
                severity=draw(st.sampled_from(Severity)),
                detail=draw(st.sampled_from(["", REASON])),
            )
            for _ in range(draw(st.integers(0, 3)))
        ]
        for name in ("ann", "bob", "cy")
    }


def panel_of(replies: dict[str, list[RaisedFinding]]) -> list[Raised]:
    return [Raised(name, 1, said) for name, listed in replies.items() for said in listed]


@given(some_replies(), st.permutations(["ann", "bob", "cy"]))
def test_groups_and_severities_do_not_depend_on_who_is_listed_first(
    replies: dict[str, list[RaisedFinding]], order: list[str]
) -> None:
    def merged(names: Sequence[str]) -> list[tuple[str, str, str, list[str]]]:
        listed = absorb(panel_of({name: replies[name] for name in names})).findings
        # Sorted names, not sets: sets have no order of their own, so a sorted list of them depends on how it came.
        return sorted(
            (finding.title, finding.detail, finding.severity, sorted(finding.raised_by))
            for finding in listed
        )

    assert merged(order) == merged(["ann", "bob", "cy"])


@given(some_replies())
def test_a_missing_reviewer_raises_nobody_elses_severity(
    replies: dict[str, list[RaisedFinding]],
) -> None:
    reasoned = {
        who: [said.model_copy(update={"detail": REASON}) for said in listed]
        for who, listed in replies.items()
    }
    everybody = absorb(panel_of(reasoned)).findings
    without_one = absorb(panel_of({**reasoned, "cy": []})).findings
    for one in without_one:
        assert any(
            other.severity.rank <= one.severity.rank and {*other.raised_by} & {*one.raised_by}
            for other in everybody
        )
    gravest = [
        min((one.severity.rank for one in all_), default=9) for all_ in (everybody, without_one)
    ]
    assert gravest[0] <= gravest[1]


def test_an_unreasoned_severity_stands_only_while_nobody_gives_a_reasoned_one() -> None:
    loud = RaisedFinding(title=LEAK, severity=Severity.CRITICAL)
    calm = RaisedFinding(title=LEAK, severity=Severity.MINOR, detail=REASON)
    (both,) = absorb(panel_of({"ann": [loud], "bob": [calm]})).findings
    assert both.severity is Severity.MINOR
    assert words(both.caveat) == "called CRITICAL by ann without a reason"
    (alone,) = absorb(panel_of({"ann": [loud], "bob": []})).findings
    assert alone.severity is Severity.CRITICAL

"""The count behind the merging benchmark: a golden comment is found once, and only by what is shown."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from benchmarks.merging import Contestants, Setting, counts, listed, naive, ours, rotated, table
from benchmarks.merging_first import Lists, Rule, across, best_share, trust_from
from benchmarks.merging_first import drawn_anew as drawn_first
from benchmarks.merging_first import table as first_table
from benchmarks.merging_margins import drawn_anew, held_out, margin
from benchmarks.recorded_reviews import Counts, Review, Said, read

LEAK, CRASH = "golden: the pool leaks", "golden: the basket may be empty"


def review(*said: Said, golden: int = 2, repository: str = "one") -> Review:
    return Review("https://example.org/1", repository, golden, said, {})


def leak(tool: str, text: str) -> Said:
    return Said(
        tool, f"{text} connection is never returned to the pool by close()", frozenset({LEAK})
    )


def test_a_second_finding_of_the_same_golden_comment_is_a_false_alarm() -> None:
    twice = review(
        Said("a", "The pool in store.py leaks connections", frozenset({LEAK})),
        Said("b", "Nobody hands sockets back to their owner", frozenset({LEAK})),
    )
    assert counts(twice, ours(twice, Setting()), cut=-9) == Counts(tp=1, fp=1, fn=1)


def test_one_comment_may_find_two_golden_ones() -> None:
    both = review(Said("a", "It leaks and it crashes", frozenset({LEAK, CRASH})))
    assert counts(both, ours(both, Setting()), cut=-9) == Counts(tp=2, fp=0, fn=0)


def test_nothing_shown_misses_everything() -> None:
    assert counts(review(), ours(review(), Setting()), cut=1) == Counts(fn=2)


def test_what_several_tools_say_is_shown_before_what_one_says() -> None:
    found = review(
        Said("a", "Please rename the variable tmp", frozenset()),
        leak("b", "The"),
        leak("c", "A"),
        leak("d", "Each"),
    )
    first = ours(found, Setting())[0]
    assert (first.found, first.false) == (1, False)
    assert counts(found, ours(found, Setting()), cut=2.0) == Counts(tp=1, fp=0, fn=1)


def test_the_order_in_which_tools_are_recorded_changes_nothing() -> None:
    said = (leak("b", "The"), leak("c", "A"), Said("a", "Please rename tmp", frozenset()))
    assert ours(review(*said), Setting()) == ours(review(*said[::-1]), Setting())


def test_naive_groups_count_tools_and_not_comments() -> None:
    repeated = review(leak("a", "The"), leak("a", "This"), leak("b", "Each"))
    assert naive(repeated, seed=0)[0].worth == 2.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    urls = {"one": "https://example.org/1", "two": "https://example.org/2"}
    for name, url in urls.items():
        golden = [{"url": url, "comments": [{"comment": LEAK, "severity": "High"}]}]
        (tmp_path / f"golden_{name}.json").write_text(json.dumps(golden))
    text = "The connection is never returned to the pool"
    candidates = {
        url: {
            tool: [{"text": text}, {"text": f"{tool} dislikes names"}] for tool in ("a", "b", "c")
        }
        for url in urls.values()
    }
    judged = {
        "true_positives": [{"matched_candidate": text, "golden_comment": LEAK}],
        "false_positives": [{"candidate": "dislikes names"}],
        "false_negatives": [],
    }
    evaluations = {url: dict.fromkeys(("a", "b", "c"), judged) for url in urls.values()}
    (tmp_path / "candidates_judge.json").write_text(json.dumps(candidates))
    (tmp_path / "evaluations_judge.json").write_text(json.dumps(evaluations))
    return tmp_path


def test_the_cut_is_chosen_on_one_repository_and_measured_on_the_other(folder: Path) -> None:
    rows = list(rotated(read(folder), [Setting()]))
    assert [(row.chosen_on, row.measured_on) for row in rows] == [("one", "two"), ("two", "one")]
    assert [row.ours_f1 for row in rows] == [1.0, 1.0]
    assert [round(row.single_f1, 2) for row in rows] == [0.67, 0.67]
    assert "ours 1.000" in table(rows)


def test_the_choice_does_not_look_at_other_repositories(folder: Path) -> None:
    known = read(folder)
    lists = Contestants.of(known, [Setting()])
    spoilt = {
        judge: tuple(
            Review(
                one.url, one.repository, one.golden, one.said if one.repository == "one" else (), {}
            )
            for one in reviews
        )
        for judge, reviews in known.items()
    }
    assert lists.choose(["one"]) == Contestants.of(spoilt, [Setting()]).choose(["one"])


def test_a_held_out_repository_is_measured_with_the_cut_of_the_others(folder: Path) -> None:
    judged = read(folder)
    mine = listed(judged, partial(ours, setting=Setting()))
    plain = listed(judged, partial(naive, seed=0))
    (one, two) = held_out(judged, mine, [mine])
    assert (one.repository, one.ours, two.ours) == ("one", 1.0, 1.0)
    assert (one.settings, one.best_chosen, one.best_measured) == (1.0, 1.0, 1.0)
    own, over_naive, over_single = drawn_anew(judged, mine, [plain], draws=20)
    assert round(own.low, 2) == round(own.high, 2) == 0.67, "the two pull requests are alike"
    assert over_naive.mean == own.mean, "4 of n show nothing where there are three"
    assert over_single.mean == 0.0


def test_a_margin_leaves_out_as_many_draws_on_either_side() -> None:
    found = margin([float(n) for n in range(200)])
    assert (found.mean, found.low, found.high) == (99.5, 5.0, 194.0)


def of_four(repository: str, url: str) -> Review:
    """Three say the same true thing, a fourth something else that is wrong."""
    said = (leak("a", "The"), leak("b", "A"), leak("c", "Each"), Said("d", "Typo", frozenset()))
    singles = {"a": Counts(1, 0, 1), "d": Counts(0, 1, 2)}
    return Review(url, repository, 2, said, singles)


FOUR = {"judge": (of_four("one", "https://example.org/1"), of_four("two", "https://example.org/2"))}


def test_of_the_first_three_what_is_faint_is_not_shown_and_is_no_false_alarm() -> None:
    lists = Lists(FOUR, most=3)
    always, shown = Rule(0.0), Rule(0.4)
    key = ("judge", "https://example.org/1")
    assert lists.counted(key, shown).fp < lists.counted(key, always).fp
    assert lists.f1(lambda _: shown, ["one"]) > lists.f1(lambda _: always, ["one"])


def test_a_reviewer_that_was_right_elsewhere_weighs_more() -> None:
    trusted = dict(trust_from(FOUR, ["one"]))
    assert trusted["a"] > 1 > trusted["d"]
    assert min(trusted.values()) >= 0.5
    assert max(trusted.values()) <= 1.5


def test_what_is_measured_on_a_repository_was_chosen_on_the_others() -> None:
    lists = Lists(FOUR, most=3)
    assert across(lists)["one"]["calibrated"].trusted == trust_from(FOUR, ["two"])
    assert best_share(lists, ["two"], ()) > 0
    rows = list(first_table(lists, across(lists), FOUR))
    assert [row.split()[0] for row in rows[1:]] == ["one", "two", "all"]
    assert any("not below in 100.0%" in row for row in drawn_first(lists, across(lists), 20))

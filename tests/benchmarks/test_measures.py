"""`make bench`: every measure runs, and what it keeps is what the picture and the page show."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from benchmarks.cluster import servers
from benchmarks.contestants import NotInstalled, Peer, environment, playing
from benchmarks.figures import FIGURES, PAGE, PICTURE, in_page, markdown, svg
from benchmarks.measures import MEASURES, Sizes, spread
from benchmarks.peers.load import Load, overheads
from benchmarks.run import table

TINY = Sizes(
    repeats=1,
    warm_up_runs=1,
    burst_runs=3,
    trickle_s=1.0,
    rounds_alone=1,
    idle_s=1.0,
    latency_s=0.05,
    steps=(6, 51),
    waiting=(20,),
    waiting_s=1.0,
    queued=3,
    queued_latency_s=0.05,
    offline=True,
)
# `alone` plays what `trickle` plays with another load, as `burst` does; `consumers` starts three clusters.
LONG = {"burst", "alone", "consumers"}
FIGURES_OF_INTEREST = {"w_o_us", "ms_per_s", "advance_ms", "in_flight", "seconds"}


@pytest.mark.acceptance
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if name in LONG else ()) for name in MEASURES],
)
def test_a_measure_runs(name: str) -> None:
    rows = MEASURES[name](TINY)
    absent = [name for name, row in rows.items() if "absent" in row]
    assert absent in ([], ["LangGraph, Postgres checkpointer", "Celery chords"])
    assert all(row.keys() & FIGURES_OF_INTEREST for n, row in rows.items() if n not in absent)
    assert all(f"\n{name}" in table(rows) for name in rows)


def test_a_peer_that_cannot_be_installed_says_why() -> None:
    with pytest.raises(NotInstalled, match="no-such-thing"):
        environment(("no-such-thing",), offline=True)


@pytest.mark.component
def test_celery_chords_play_a_load() -> None:
    with servers() as own, playing(Peer("celery_chords"), own) as contestant:
        played, spent = contestant.measured(Load(runs=2, runs_per_s=5, latency_s=0.05))
    assert len(played.overheads_s) == 2 * 2
    assert played.seconds > 3 * 0.05
    assert spent.seconds["workers"] > 0


def test_a_stage_is_measured_from_the_end_of_the_one_before() -> None:
    assert overheads([3.0, 1.0, 1.5], 0.25) == [0.25, 1.25]


def test_a_spread_is_the_median_with_both_ends() -> None:
    assert spread([3.0, 1.0, 2.0]) == {"median": 2.0, "low": 1.0, "high": 3.0}


def test_page_and_picture_show_what_was_measured() -> None:
    kept = json.loads(FIGURES.read_text(encoding="utf-8"))
    page = PAGE.read_text(encoding="utf-8")
    assert in_page(page, kept) == page
    assert PICTURE.read_text(encoding="utf-8") == svg(kept)
    ElementTree.fromstring(svg(kept))


def test_who_is_absent_is_named_with_the_reason() -> None:
    kept = json.loads(FIGURES.read_text(encoding="utf-8"))
    kept["burst"]["rows"]["Celery chords"] = {"absent": "not installed here: no network"}
    assert "| Celery chords | not installed here: no network |" in markdown(kept)
    assert svg(kept).count("Celery chords") == svg(kept).count("LangGraph") - 1

"""Who goes first, with real processes: people before batches, batches side by side, and nobody waits for ever.

A worker has `SLOTS` slots, so there are twice as many places. Orders are compared, not seconds: machines may be busy.
"""

from __future__ import annotations

import signal
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pytest

from shared.models.priority import TURN_EVERY
from shared.store.admission import RUNS_A_SLOT
from tests.chaos.cluster import Cluster
from tests.chaos.workload import REVIEW_STEPS

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(300)]
SLOTS = 4
BATCH = 20
PLACES = RUNS_A_SLOT * SLOTS
LARGE = 4 * BATCH  # far more than may end before the small one: whoever waits for it all is seen
SETTLE_S = 240.0
FIRST_STAGE = 3


@pytest.fixture(scope="module", params=["lean", pytest.param("celery", marks=pytest.mark.slow)])
def shared_cluster(request: pytest.FixtureRequest) -> Iterator[Cluster]:
    """A cluster of few slots: so many fewer runs show who goes first."""
    made = Cluster(consumer=request.param, slots=SLOTS)
    yield made
    made.close()


def submit(cluster: Cluster, count: int, batch: str = "", **options: object) -> list[str]:
    """Short reviews of a batch."""
    labels = {"batch": batch} if batch else {}
    return cluster.submit(count, labels=labels, rounds=1, **options)


@contextmanager
def submitting(cluster: Cluster) -> Iterator[None]:
    """Nobody begins anything before all is submitted."""
    cluster.keeper.drop("orchestrator", signal.SIGKILL)
    yield
    cluster.keep("orchestrator")


def flood(cluster: Cluster, run: str, count: int, batch: str) -> None:
    """Many queued copies of a run, written as rows; harmless twice, as a statement that takes long is tried again."""
    cluster.ask(
        "WITH copied AS ("
        "INSERT INTO runs (id, workflow, title, status, root_task, batch, deadline_at) "
        "SELECT 'f' || md5(%s || n), workflow, title, 'queued', root_task, %s, now() + interval '1 h' "
        "FROM runs, generate_series(1, %s) n WHERE id = %s ON CONFLICT DO NOTHING RETURNING id), captured AS ("
        "INSERT INTO specs (run_id, spec) SELECT copied.id, s.spec FROM copied, specs s WHERE s.run_id = %s) "
        "SELECT count(*) FROM copied",
        batch,
        batch,
        count,
        run,
        run,
    )


def cancel_all(cluster: Cluster) -> None:
    """End what is left, whatever it was about to do."""
    cluster.ask(
        "WITH ended AS (UPDATE runs SET status = 'cancelled', open_steps = 0, finished_at = now() "
        "WHERE status IN ('queued', 'running') RETURNING id), stopped AS ("
        "UPDATE steps SET status = 'cancelled' FROM ended WHERE run_id = id AND status IN ('pending', 'leased') "
        "RETURNING key) SELECT count(*) FROM stopped"
    )


@pytest.fixture(autouse=True)
def nothing_is_left(cluster: Cluster) -> Iterator[None]:
    """The next test has the same servers: a flood that outlives a failure would drown it."""
    yield
    cancel_all(cluster)


def ends(cluster: Cluster, runs: Sequence[str]) -> list[str]:
    """These runs in the order in which they ended."""
    rows = cluster.ask(
        "SELECT id FROM runs WHERE id = ANY(%s) AND finished_at IS NOT NULL ORDER BY finished_at",
        list(runs),
    )
    return [row.id for row in rows]


def under_way(cluster: Cluster) -> int:
    """How many runs that nobody waits for have begun and not ended."""
    rows = cluster.ask(
        "SELECT count(*) AS n FROM runs WHERE status = 'running' AND batch IS NOT NULL"
    )
    return int(rows[0].n)


# ---- between people and batches -----------------------------------------------------------------


def test_a_watched_run_goes_before_a_batch_whose_runs_end_one_after_another(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    cluster.speak(latency="0.02")
    batch = cluster.submit(BATCH)
    cluster.wait_for_steps(batch, "critique/1", "done", 3)
    (watched,) = cluster.submit(1, watched=True)

    cluster.settle([*batch, watched], SETTLE_S)

    rows = cluster.ask(
        "SELECT r.id, (SELECT min(s.leased_at) FROM steps s WHERE s.run_id = r.id) AS began "
        "FROM runs r WHERE r.id = ANY(%s) ORDER BY r.finished_at",
        [*batch, watched],
    )
    ended = [row.id for row in rows]
    late = sorted(row.began for row in rows)[-BATCH // 4 :]
    before = cluster.ask(
        "SELECT count(*) AS n FROM runs WHERE id = ANY(%s) AND finished_at < %s", batch, late[0]
    )
    measured.update(place=ended.index(watched) + 1, ended_before_the_last_began=before[0].n)
    assert ended.index(watched) < BATCH // 2, "it waited for the batch"
    assert before[0].n > 0, "all runs advance side by side, and none ends before nearly all do"
    assert cluster.ask(
        "SELECT count(*) AS n FROM steps WHERE run_id = ANY(%s) AND status = 'done'", batch
    )[0].n == BATCH * len(REVIEW_STEPS)


@pytest.mark.parametrize("many", [2_000, pytest.param(50_000, marks=pytest.mark.slow)])
def test_a_watched_run_behind_thousands_of_queued_ones_begins_within_seconds(
    cluster: Cluster, measured: dict[str, object], many: int
) -> None:
    cluster.speak(latency="0.1..0.2")
    (first,) = submit(cluster, 1)
    flood(cluster, first, many, "huge")
    cluster.wait_for(lambda: under_way(cluster) >= PLACES // 2, "the flood begins")

    started = time.monotonic()
    (watched,) = submit(cluster, 1, watched=True)
    cluster.wait_for_steps([watched], "critique/1", "done", 1)
    first_turn_s = time.monotonic() - started
    cluster.settle([watched], SETTLE_S)
    measured.update(first_turn_s=round(first_turn_s, 2), all_s=round(time.monotonic() - started, 2))
    queued = cluster.ask("SELECT count(*) AS n FROM runs WHERE status = 'queued'")[0].n
    cancel_all(cluster)

    assert first_turn_s < 10
    assert queued > many * 0.9


# ---- between batches ----------------------------------------------------------------------------


def test_a_small_batch_behind_a_large_one_ends_long_before_it(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    cluster.speak(latency="0.05")
    with submitting(cluster):
        large, small = submit(cluster, LARGE, "large"), submit(cluster, BATCH, "small")
    cluster.settle(small, SETTLE_S)
    cancel_all(cluster)

    order = ends(cluster, [*large, *small])
    meanwhile = order.index(ends(cluster, small)[-1]) + 1 - len(small)
    measured.update(of_the_large_one_meanwhile=meanwhile)
    # The large one took all places first; then each has half of them, and as many of one end as of the other.
    assert meanwhile <= len(small) + 2 * PLACES


def test_three_batches_end_side_by_side_whoever_was_first(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    cluster.speak(latency="0.05")
    with submitting(cluster):
        batches = {name: submit(cluster, 24, name) for name in ("a", "b", "c")}
    of = {run: name for name, runs in batches.items() for run in runs}
    cluster.settle(list(of), SETTLE_S)

    order = [of[run] for run in ends(cluster, list(of))]

    # The first places were given away before there was a second batch; after that everybody has a third.
    shares = Counter(order[PLACES * 2 : PLACES * 2 + 30])
    measured.update({f"share_{name}": shares[name] for name in batches})
    assert all(shares[name] >= 6 for name in batches), shares


# ---- between first and later stages -------------------------------------------------------------


def test_first_stages_do_not_starve_under_a_flood_of_later_ones(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    cluster.speak(latency="0.05")
    watched = cluster.submit(40, watched=True)
    cluster.wait_for_steps(watched, "critique/1", "pending", 50)
    (ordinary,) = submit(cluster, 1)
    cluster.wait_for_steps([ordinary], "critique/1", "done", FIRST_STAGE)

    taken = cluster.ask(
        "SELECT count(*) AS n FROM steps s, (SELECT min(created_at) AS asked, max(leased_at) AS taken "
        "FROM steps WHERE run_id = %s AND key LIKE 'critique/1/%%') o "
        "WHERE s.leased_at > o.asked AND s.leased_at < o.taken",
        ordinary,
    )[0].n
    still = cluster.ask(
        "SELECT count(*) AS n FROM steps WHERE run_id = ANY(%s) AND status = 'pending'", watched
    )[0].n
    measured.update(turns_before_its_first_stage=taken, still_waiting=still)
    cluster.settle([*watched, ordinary], SETTLE_S)

    assert still > 0, "there was no flood any more"
    assert (
        taken <= FIRST_STAGE * TURN_EVERY + 4 * SLOTS
    )  # and what was taken before they were published


def test_later_stages_do_not_starve_under_a_flood_of_first_ones(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    """While a later stage waits, first stages are given one take in eight, and what was taken before it was published.

    At the worst, on a machine that stands still in between, those are the first stages of all places.
    """
    cluster.speak(latency="0.05")
    runs = submit(cluster, 40)
    cluster.settle(runs, SETTLE_S)

    rows = cluster.ask(
        "SELECT s.run_id, s.key, count(f.key) FILTER (WHERE f.key LIKE 'critique/1/%%') AS first, "
        "count(f.key) AS taken "
        "FROM steps s LEFT JOIN steps f ON f.leased_at > s.created_at AND f.leased_at < s.leased_at "
        "AND f.run_id = ANY(%s) WHERE s.run_id = ANY(%s) AND s.key NOT LIKE 'critique/1/%%' GROUP BY 1, 2",
        runs,
        runs,
    )
    beyond = sorted(row.first - row.taken / TURN_EVERY for row in rows)
    measured.update(first_stages_median=beyond[len(rows) // 2], first_stages_worst=beyond[-1])
    assert beyond[len(rows) // 2] <= SLOTS
    assert beyond[-1] <= FIRST_STAGE * PLACES


# ---- whoever dies -------------------------------------------------------------------------------


@pytest.mark.parametrize("point", ["place-freed:5", "runs-admitted:2"])
def test_an_orchestrator_killed_between_an_end_and_the_next_admission_loses_nothing(
    cluster: Cluster, measured: dict[str, object], point: str
) -> None:
    cluster.speak(latency="0.05")
    cluster.replace("orchestrator", kill_at=point)
    runs = submit(cluster, BATCH, "a") + submit(cluster, BATCH, "b")

    settled = cluster.settle(runs, SETTLE_S)

    measured.update(settled_s=round(settled, 1))
    assert len(cluster.keeper.deaths) == 1, "the kill point was not reached"
    assert under_way(cluster) == 0


def test_two_orchestrators_admit_no_more_than_there_are_places(cluster: Cluster) -> None:
    cluster.speak(latency="0.1")
    cluster.keep("orchestrator-2")
    cluster.wait_ready(["orchestrator-2"])
    runs = submit(cluster, 2 * BATCH, "a")
    most = 0
    while cluster.ask("SELECT FROM runs WHERE status = 'queued' LIMIT 1"):
        most = max(most, under_way(cluster))
        time.sleep(0.05)
    cluster.settle(runs, SETTLE_S)

    assert PLACES // 2 < most <= PLACES + 2


def test_places_follow_workers_that_come_and_go(
    cluster: Cluster, measured: dict[str, object]
) -> None:
    cluster.speak(latency="0.5")
    runs = submit(cluster, 150, "a")
    cluster.wait_for(lambda: under_way(cluster) >= PLACES - 2, "all places are taken")
    assert under_way(cluster) <= PLACES

    cluster.keep("turns-2")
    cluster.wait_for(lambda: under_way(cluster) > 2 * PLACES - 4, "there are twice as many")
    cluster.keeper.drop("turns-2")
    cluster.wait_for(lambda: under_way(cluster) <= PLACES, "there are as many as before")
    left = cluster.ask("SELECT count(*) AS n FROM runs WHERE status = 'queued'")[0].n
    cancel_all(cluster)

    measured.update(queued_at_the_end=left)
    assert left > 0, "there was nothing more to admit"
    assert not cluster.ask("SELECT FROM runs WHERE id = ANY(%s) AND status = 'blocked'", runs)

"""What a soak says of a series: flat, growing, or growing with the work as it should."""

from __future__ import annotations

import pytest

from benchmarks.soak_verdicts import Verdict, theil_sen, verdicts

LOOK_S = 30


def samples(minutes: int, **series: list[float]) -> list[dict[str, float]]:
    """One look every 30 seconds, five ended runs a minute."""
    looks = range(minutes * 60 // LOOK_S)
    return [
        {"at": look * LOOK_S, "runs/ended": look * 2.5}
        | {name: values[look] for name, values in series.items()}
        for look in looks
    ]


def judged(name: str, values: list[float], *, grows: bool = False) -> Verdict:
    [verdict] = verdicts(samples(60, **{name: values}), frozenset([name]) if grows else frozenset())
    return verdict


def test_the_slope_is_that_of_most_points_and_outliers_change_nothing() -> None:
    line = [(float(x), 3.0 * x) for x in range(30)]
    assert theil_sen(line) == pytest.approx(3.0)
    assert theil_sen([(x, 500.0 if x % 5 == 0 else y) for x, y in line]) == pytest.approx(3, abs=1)


def test_a_process_that_warms_up_and_stays_is_flat() -> None:
    warming = [150.0 + min(look, 30) for look in range(120)]
    assert judged("memory MB/turns-witness", warming).flat


@pytest.mark.parametrize("name", ["memory MB/serve-witness", "postgres/connections", "rows/holds"])
def test_what_gains_ten_an_hour_is_not_flat(name: str) -> None:
    verdict = judged(name, [40 + look / 12 for look in range(120)])
    assert (verdict.flat, round(verdict.slope)) == (False, 10)


def test_rows_of_runs_may_grow_with_the_runs_and_no_faster() -> None:
    steady = [5.0 + look * 25 for look in range(120)]
    assert judged("rows/steps", steady, grows=True).flat
    faster = [look * 25.0 + max(look - 60, 0) * 25 for look in range(120)]
    assert not judged("rows/steps", faster, grows=True).flat


def test_a_process_that_has_just_started_says_nothing() -> None:
    young = samples(60, **{"memory MB/a-witness": list(map(float, range(120)))})
    for look, one in enumerate(young):
        one["age/a-witness"] = 10.0 if look % 2 else 1_000.0 + look
        if look % 2:
            one["memory MB/a-witness"] = 9_999.0
    [verdict] = verdicts(young, frozenset())
    assert verdict.last < 200

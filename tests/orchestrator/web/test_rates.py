"""How often somebody may do something."""

from orchestrator.web.rates import MOST_BUCKETS, RateLimit


def test_a_bucket_empties_and_fills_again_evenly():
    now = [0.0]
    limit = RateLimit(6, clock=lambda: now[0])
    assert [limit.take("a") for _ in range(7)] == [None] * 6 + [10]
    now[0] = 9.0
    assert limit.take("a") == 1
    now[0] = 10.0
    assert [limit.take("a"), limit.take("a")] == [None, 10]
    now[0] = 10_000.0
    assert [limit.take("a") for _ in range(7)] == [None] * 6 + [10]


def test_everybody_has_a_bucket_of_their_own():
    limit = RateLimit(1, clock=lambda: 0.0)
    assert limit.take("a") is None
    assert limit.take("a") is not None
    assert limit.take("b") is None


def test_there_are_never_more_buckets_than_fit_into_memory():
    limit = RateLimit(1, clock=lambda: 0.0)
    for number in range(MOST_BUCKETS + 10):
        limit.take(str(number))
    assert len(limit._buckets) <= MOST_BUCKETS

"""Rate-limit headers of three makes, and what is no header of that kind."""

from datetime import UTC, datetime

import pytest

from workers.limits.headers import LONGEST_S, cooldown_s, seconds_until

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, 0.0),
        ({"x-ratelimit-remaining-requests": "3", "x-ratelimit-reset-requests": "9s"}, 0.0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "120ms"}, 0.12),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1m30s"}, 90.0),
        (
            {
                "anthropic-ratelimit-requests-remaining": "0",
                "anthropic-ratelimit-requests-reset": "2026-01-02T03:04:25Z",
            },
            20.0,
        ),
        ({"ratelimit-remaining": "0", "ratelimit-reset": "7"}, 7.0),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1767323050"}, 5.0),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1767323050000"}, 5.0),
        ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "nan"}, 0.0),
        ({"x-ratelimit-remaining-requests": "0"}, 0.0),
        ({"x-ratelimit-remaining-requests": "many", "x-ratelimit-reset-requests": "9s"}, 0.0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "soon"}, 0.0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "24h"}, LONGEST_S),
    ],
)
def test_what_is_used_up_is_waited_for(headers: dict[str, str], seconds: float) -> None:
    assert cooldown_s(headers, NOW) == pytest.approx(seconds)


def test_the_longest_of_several_resets_counts() -> None:
    headers = {
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "2s",
        "x-ratelimit-remaining-tokens": "0",
        "x-ratelimit-reset-tokens": "6s",
    }

    assert cooldown_s(headers, NOW) == 6.0


def test_a_moment_that_has_passed_is_no_wait() -> None:
    assert seconds_until("2026-01-02T03:00:00+00:00", NOW) == 0.0
    assert seconds_until("", NOW) is None
    assert seconds_until("9" * 90_000, NOW) is None  # by the pattern alone it would take minutes

"""A call's deadline, and what its failure tells people."""

import threading

import pytest

from shared.errors import ProviderError
from workers.providers.guard import Guard

NEVER = threading.Event()


@pytest.mark.parametrize(
    ("left_s", "limit_s", "said"),
    [(5.93, 6.0, "within 6 s"), (0.04, 6.0, "within 6 s"), (0.5, None, "within 0.5 s")],
)
def test_what_is_told_is_the_time_that_the_turn_was_given_and_not_what_was_left_of_it(
    left_s: float, limit_s: float | None, said: str
) -> None:
    assert str(Guard("gpt", left_s, NEVER, limit_s).timeout()).endswith(f"{said}.")


def test_a_call_that_is_out_of_time_is_refused_with_it() -> None:
    with pytest.raises(ProviderError, match="gpt did not answer within 6 s"):
        Guard("gpt", 0.0, NEVER, 6.0).check()

"""The limiter of a process: it renews what it holds, and goes on alone while Redis is away."""

import signal
import socket
import subprocess
import sys
import time
from itertools import islice

import pytest

from tests.workers.limits.asking import accounts, asked, ended, until
from workers.limits.limiter import Limiter
from workers.limits.shared_state import SharedState
from workers.limits.state import AdmissionVerdict, Effect

pytestmark = pytest.mark.component

HOLDER = """
import sys, time
from shared.providers.options import AccountLimits
from workers.limits.limiter import Limiter
from workers.limits.shared_state import SharedState
from workers.limits.state import AdmissionRequest
limiter = Limiter(SharedState(sys.argv[1], lease_s=0.6), lease_s=0.6)
answer, permit = limiter.ask(AdmissionRequest("held", sys.argv[2], AccountLimits(parallel=1), 0))
print(answer.verdict.value, flush=True)
time.sleep(60)
"""


def keeps_its_slot(other: Limiter, redis_url: str, account: str) -> bool:
    """Whether a worker held its slot for more than two leases; killed, it must lose it."""
    command = [sys.executable, "-c", HOLDER, redis_url, account]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "ok\n"
        ends_at = time.monotonic() + 1.5
        kept = True
        while kept and time.monotonic() < ends_at:
            kept = other.ask(asked(parallel=1, account=account))[1] is None
        holder.send_signal(signal.SIGKILL)
        if kept:
            until(lambda: other.ask(asked(parallel=1, account=account))[1] is not None, 10)
    return kept


def test_a_living_worker_keeps_its_slot_and_a_killed_one_loses_it(redis_url: str) -> None:
    other = Limiter(SharedState(redis_url, lease_s=0.6), lease_s=0.6)
    # Where the machine stood still for a lease, nothing was renewed: that try says nothing.
    assert any(keeps_its_slot(other, redis_url, account) for account in islice(accounts(), 6))
    other.close()


def test_without_redis_a_process_holds_to_the_limits_by_itself_and_never_hangs() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        limiter = Limiter.at(f"redis://127.0.0.1:{taken.getsockname()[1]}/2")
        started = time.monotonic()
        answers = [limiter.ask(asked(rpm=3)) for _ in range(5)]

    assert time.monotonic() - started < 20
    assert [answer.verdict.value for answer, _ in answers] == ["ok", "ok", "ok", "wait", "wait"]
    assert 40 < answers[3][0].wait_s < 62
    limiter.close()


def test_a_redis_that_accepts_and_says_nothing_is_given_up_soon() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        limiter = Limiter.at(f"redis://127.0.0.1:{silent.getsockname()[1]}/2")
        started = time.monotonic()
        answers = [limiter.ask(asked(parallel=1)) for _ in range(3)]
        elapsed = time.monotonic() - started

    ok, wait = AdmissionVerdict.OK, AdmissionVerdict.WAIT
    assert [answer.verdict for answer, _ in answers] == [ok, wait, wait]
    assert elapsed < 30
    limiter.close()


def test_a_permit_from_the_time_without_redis_is_settled_where_it_was_given(
    redis_url: str,
) -> None:
    limiter = Limiter(SharedState("redis://127.0.0.1:1/2"))
    _, permit = limiter.ask(asked(parallel=1))
    assert permit is not None
    assert permit.local

    limiter.settle(permit, ended(permit.asked, Effect.SUCCESS))

    assert limiter.ask(asked(parallel=1))[1] is not None
    limiter.close()

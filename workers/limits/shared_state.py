"""The state that all workers share: two scripts in Redis, both on its clock; one round trip for all who ask at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis
from redis.backoff import NoBackoff
from redis.commands.core import Script
from redis.exceptions import NoScriptError
from redis.retry import Retry

from shared.delivery.redis_text import READING
from shared.models.pauses import PAUSED_KEY
from shared.providers.limits import (
    ACCOUNTS_KEY,
    account_key,
    calls_key,
    slots_key,
)
from workers.gathering import Gatherer
from workers.limits.state import Admission, AdmissionRequest, AdmissionVerdict, CallEnd, Settled

LEASE_S = 20.0
CONNECTIONS = 16
ANSWER_S = 2.0
BREAKER_AFTER = 5
BREAKER_S = 30.0
BREAKER_LONGEST_S = 300.0
LONGEST_S = 366 * 86_400.0
_LONGEST_SAID = 200

_RENEW = """
local clock = redis.call('TIME')
local until_ms = clock[1] * 1000 + math.floor(clock[2] / 1000) + ARGV[1]
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], 'XX', until_ms, ARGV[i]) end
"""


@dataclass(frozen=True)
class _ScriptCall:
    script: Script
    keys: list[str]
    args: list[Any]


class SharedState:
    """Raises redis.RedisError when the server does not answer in time."""

    def __init__(
        self,
        redis_url: str,
        *,
        lease_s: float = LEASE_S,
        breaker_after: int = BREAKER_AFTER,
        breaker_s: float = BREAKER_S,
    ) -> None:
        """Connects on first use. `breaker_after` failures in a row open for `breaker_s`, then twice that, ..."""
        pool = redis.BlockingConnectionPool.from_url(
            redis_url,
            max_connections=CONNECTIONS,
            timeout=ANSWER_S,
            socket_timeout=ANSWER_S,
            socket_connect_timeout=ANSWER_S / 2,
            retry=Retry(NoBackoff(), 1),
            **READING,
        )
        self._client = redis.Redis(connection_pool=pool)
        folder = Path(__file__).parent
        self._admit = self._client.register_script((folder / "admit.lua").read_text())
        self._settle = self._client.register_script((folder / "settle.lua").read_text())
        self._renew = self._client.register_script(_RENEW)
        self._calls: Gatherer[_ScriptCall, Any] = Gatherer("limits", self._run_all)
        self._lease_ms = int(lease_s * 1000)
        self._breaker = (breaker_after, int(breaker_s * 1000), int(BREAKER_LONGEST_S * 1000))

    def ask(self, asked: AdmissionRequest) -> Admission:
        """One script: breaker, pause, cooldown, slots, requests, tokens; counted if it is let through."""
        limits = asked.limits
        answer = self._answer(
            self._admit,
            [account_key(asked.account), slots_key(asked.account), PAUSED_KEY, ACCOUNTS_KEY],
            [
                asked.permit,
                self._lease_ms,
                limits.rpm or 0,
                limits.tpm or 0,
                limits.parallel or 0,
                asked.tokens,
                asked.key,
                asked.account,
                *asked.names,
            ],
        )
        verdict, number, detail = AdmissionVerdict(answer[0]), float(answer[1]), str(answer[2])
        if verdict is AdmissionVerdict.OK:
            return Admission(verdict, bucket=detail)
        words = (
            str(answer[3]) if verdict in (AdmissionVerdict.OPEN, AdmissionVerdict.PROBING) else ""
        )
        return Admission(
            verdict, wait_s=_possible(verdict, number), detail=detail, failure_text=words
        )

    def settle(self, ended: CallEnd) -> Settled:
        """One script: the slot is free, the tokens are corrected, cooldown and breaker are set."""
        asked = ended.asked
        after, cooldown_ms, longest_ms = self._breaker
        answer = self._answer(
            self._settle,
            [account_key(asked.account), slots_key(asked.account), calls_key(asked.account)],
            [
                asked.permit,
                ended.bucket,
                ended.tokens,
                ended.effect.value,
                -1 if ended.retry_after_s is None else int(ended.retry_after_s * 1000),
                int(ended.duration_s * 1000),
                ended.why,
                ended.failure_text[:_LONGEST_SAID],
                after,
                cooldown_ms,
                longest_ms,
                int(ended.cooldown_s * 1000),
                int(asked.limits.rpm is not None),
                asked.key,
            ],
        )
        return Settled(int(answer[0]), int(answer[1]) / 1000, bool(answer[2]))

    def renew(self, permits: Iterable[AdmissionRequest]) -> None:
        """Prolong the leases of calls under way; one that ran out stays lost."""
        by_account: dict[str, list[str]] = defaultdict(list)
        for asked in permits:
            by_account[asked.account].append(asked.permit)
        for account, names in by_account.items():
            self._renew(keys=[slots_key(account)], args=[self._lease_ms, *names])

    def close(self) -> None:
        """Drop the connections."""
        self._calls.close()
        self._client.close()
        self._client.connection_pool.disconnect()

    def _answer(self, script: Script, keys: list[str], args: list[Any]) -> Any:
        answer = self._calls.put(_ScriptCall(script, keys, args)).result()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _run_all(self, calls: Sequence[_ScriptCall]) -> Sequence[Any]:
        """The scripts' answers, or the errors in their places."""
        try:
            with self._client.pipeline(transaction=False) as pipe:
                for call in calls:
                    pipe.evalsha(call.script.sha, len(call.keys), *call.keys, *call.args)
                answers = pipe.execute(raise_on_error=False)
            return [
                call.script(call.keys, call.args) if isinstance(answer, NoScriptError) else answer
                for call, answer in zip(calls, answers, strict=True)
            ]
        except redis.RedisError as error:
            return [error] * len(calls)


def _possible(verdict: AdmissionVerdict, wait_ms: float) -> float:
    """The wait in seconds, never longer than we would have asked for: its moment lies in Redis, where others write.

    What is too large for Redis' own numbers comes as a negative one.
    """
    longest = BREAKER_LONGEST_S if verdict is AdmissionVerdict.OPEN else LONGEST_S
    return wait_ms / 1000 if 0 <= wait_ms <= longest * 1000 else longest

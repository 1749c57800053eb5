"""What counts as one account, and which options are ours."""

import pytest
import redis
from pydantic import JsonValue

from shared.delivery.refusals import Refusals
from shared.errors import ConfigurationError, EnvironmentFault
from shared.instance import Endpoints
from shared.models.panel import Participant
from shared.models.pauses import PAUSED_KEY, Pause
from shared.providers.limits import (
    ACCOUNTS_KEY,
    account_key,
    account_of,
    breakers,
    limits_of,
    paused,
)
from shared.providers.options import AccountLimits


def of(provider: str = "openai", **options: JsonValue) -> Participant:
    return Participant(name="gpt", provider=provider, options=options)


@pytest.mark.parametrize(
    ("participant", "account"),
    [
        (of(), "openai"),
        (of(base_url="https://openrouter.ai/api/v1"), "openai@openrouter.ai"),
        (of(base_url="http://127.0.0.1:8000/v1"), "openai@127.0.0.1:8000"),
        (of(account="team a"), "openai#team_a"),
    ],
)
def test_an_account_is_a_provider_a_host_and_a_key(participant: Participant, account: str) -> None:
    assert account_of(participant) == account


def test_another_key_is_another_account_and_its_name_is_not_shown() -> None:
    one, two = (account_of(of(api_key_env=name)) for name in ("TEAM_A_KEY", "TEAM_B_KEY"))

    assert one != two
    assert one == account_of(of(api_key_env="TEAM_A_KEY"))
    assert "TEAM" not in one + two


def test_models_names_and_limits_do_not_make_another_account() -> None:
    other = Participant(name="x", provider="openai", model="m", options={"rpm": 5})

    assert account_of(other) == account_of(of())


def test_limits_come_from_the_options() -> None:
    participant = of(rpm=50, tpm=80000, parallel=4, account="a", json_mode="none")

    assert limits_of(participant) == AccountLimits(rpm=50, tpm=80000, parallel=4)
    assert not limits_of(of()).any


@pytest.mark.parametrize("bad", [{"rpm": 0}, {"tpm": "many"}, {"parallel": -1}])
def test_a_limit_that_cannot_be_is_refused_by_name(bad: dict[str, JsonValue]) -> None:
    with pytest.raises(ConfigurationError, match=f"'{next(iter(bad))}' of gpt"):
        limits_of(Participant(name="gpt", provider="openai", options=bad))


def test_without_redis_an_operator_is_told_so() -> None:
    with pytest.raises(EnvironmentFault, match="Redis does not answer"):
        breakers("redis://127.0.0.1:1/2")


STRANGE = (b"\xff", b"nan", b"1e999", b"-5", b"9" * 400, b"9" * 5_000, b"abc", b"\xc2\xb2", b"")


@pytest.mark.parametrize("value", STRANGE)
def test_what_others_wrote_about_an_account_can_be_shown(servers: Endpoints, value: bytes) -> None:
    account = "strange"
    with redis.Redis.from_url(servers.redis_url) as client:
        for field in ("open", "fails", "block", "why", "said"):
            client.hset(account_key(account), field, value)
        client.sadd(ACCOUNTS_KEY, account, b"\xff")
        try:
            (found,) = [one for one in breakers(servers.redis_url) if one.account == account]
        finally:
            client.delete(account_key(account), ACCOUNTS_KEY)
    assert found.opens_in_s == found.cooldown_s == 0


@pytest.mark.parametrize(
    "note",
    [b"\xff", b"x", b"[]", b"null", b"[" * 50_000, b'{"since": 1e999}', b'{"since": "x"}', b"{}"],
)
def test_a_pause_that_others_wrote_is_a_pause(servers: Endpoints, note: bytes) -> None:
    with redis.Redis.from_url(servers.redis_url) as client:
        client.hset(PAUSED_KEY, "gpt", note)
        try:
            assert paused(servers.redis_url) == [Pause("gpt", 0.0, "")]
        finally:
            client.delete(PAUSED_KEY)


@pytest.mark.parametrize("value", STRANGE)
def test_counts_of_refusals_that_others_wrote_are_none(servers: Endpoints, value: bytes) -> None:
    refusals = Refusals(servers.redis_url)
    with redis.Redis.from_url(servers.redis_url) as client:
        client.hset("quorate:refused", mapping={"quorate.tools": value, b"\xff": "5", "odd": "5"})
        try:
            assert refusals.counts() == {}
        finally:
            client.delete("quorate:refused")
            refusals.close()

"""What counts as one account, and which options are ours."""

import pytest
from pydantic import JsonValue

from shared.errors import ConfigurationError, EnvironmentFault
from shared.limits import Limits, account_of, breakers, limits_of, without_limits
from shared.models.panel import Participant


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


def test_limits_come_from_the_options_and_no_provider_sees_them() -> None:
    participant = of(rpm=50, tpm=80000, parallel=4, account="a", json_mode="none")

    assert limits_of(participant) == Limits(rpm=50, tpm=80000, parallel=4)
    assert without_limits(participant).options == {"json_mode": "none"}
    assert not limits_of(of()).any


@pytest.mark.parametrize("bad", [{"rpm": 0}, {"tpm": "many"}, {"parallel": -1}])
def test_a_limit_that_cannot_be_is_refused_by_name(bad: dict[str, JsonValue]) -> None:
    with pytest.raises(ConfigurationError, match=f"'{next(iter(bad))}' of gpt"):
        limits_of(Participant(name="gpt", provider="openai", options=bad))


def test_without_redis_an_operator_is_told_so() -> None:
    with pytest.raises(EnvironmentFault, match="Redis does not answer"):
        breakers("redis://127.0.0.1:1/2")

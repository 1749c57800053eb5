"""What an entry under `providers:` may say, and which participant follows from it."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from shared.errors import ConfigurationError, CredentialsRejected
from shared.models.steps import Usage
from shared.providers.limits import account_of, limits_of
from shared.providers.locality import leaves_machine
from shared.providers.options import AccountLimits
from shared.providers.prices import expected_usd, own_cost

# Put together here, so that no scanner takes it for somebody's.
SERVICE_KEY = "sk-proj-" + "Zq8w3kP0vT" * 4

EVERY_TYPE = """\
providers:
  a: {type: anthropic, model: claude-x, base_url: "http://127.0.0.1:1", cache: false, rpm: 50, tpm: 40000, parallel: 4}
  b: {type: openai-responses, model: gpt-x, base_url: "http://127.0.0.1:1/v1", json_schema: false}
  c: {type: gemini, model: gemini-x, base_url: "http://127.0.0.1:1", price: {in: 1.5, out: 7.5, cached: 0.1}}
  d: {type: ollama, model: qwen3, num_ctx: 8192, keep_alive: 5m, persona: security}
  e: {type: command, command: [my-agent, --model, "{model}"], model: m, family: own, env: [MY_KEY], input: json}
  f: {type: browser, site: chatgpt, i_accept_the_sites_terms: true, profile: here, fallback: [d]}
  g: {type: person}
"""


def test_every_type_of_provider_becomes_a_participant(bare_desk: Any) -> None:
    bare_desk.user(EVERY_TYPE)
    bare_desk.install("my-agent")
    # Workers elsewhere: what is installed here does not matter.
    bare_desk.environ["QUORATE_REDIS_URL"] = "redis://elsewhere"
    panel, _ = bare_desk.build("a,b,c,d,e,f,g", "author=rules", "chair=a")
    who = {critic.name.split("/")[0]: critic for critic in panel.critics}
    assert who["a"].options == {
        "base_url": "http://127.0.0.1:1", "cache": False, "rpm": 50.0, "tpm": 40000, "parallel": 4,
    }  # fmt: skip
    assert who["b"].options["json_schema"] is False
    assert who["c"].options["price"] == {"in": 1.5, "out": 7.5, "cached": 0.1}
    assert (who["d"].provider, who["d"].options["num_ctx"]) == ("ollama", 8192)
    assert "security" in (who["d"].persona or "").lower()
    assert (who["e"].family, who["e"].options["env"]) == ("own", ["MY_KEY"])
    assert (who["f"].family, who["f"].options["site"]) == ("openai", "chatgpt")
    assert str(who["f"].options["profile"]).endswith("/.config/quorate/here")
    assert [one.name for one in who["f"].fallback] == ["d"]
    assert (who["g"].provider, who["g"].family) == ("person", "person:g")
    outside = [n for n in "abcdefg" if leaves_machine(who[n])]
    assert outside == ["e", "f"]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("{type: anthropic}", "this key is required"),
        ("{type: anthropic, model: m, json_mode: none}", "unknown key 'json_mode'"),
        ("{type: gemini, model: m, api_key: AIzaSyDsecret}", "would put a secret into the file"),
        ("{type: command, agent: claude, command: [x]}", "give either `agent`"),
        ("{type: command}", "give either `agent`"),
        ("{type: command, agent: claude, env: ['sk-secret-value']}", "the name of an environment"),
        ("{type: browser, site: bing}", "'bing' is not known here"),
        ("{type: openai, model: m, rpm: 0}", "expected more than 0."),
        ("{type: openai, model: m, price: {in: 3}}", "a price needs `in` and `out`"),
        ("{type: openai, model: m, price: {in: 3, input: 3, out: 1}}", "mean the same"),
        ("{type: openai, model: m, price: {in: .nan, out: 1}}", "finite"),
        ("{type: openai, model: m, price: {in: -1, out: 1}}", "expected at least 0."),
        ("{type: openai, model: m, price: 3}", "price"),
        ("{type: openai, model: m, rpm: .inf}", "finite"),
        ("{type: openai, model: m, parallel: 1.5}", "parallel"),
        ("{type: person, model: m}", "unknown key 'model'"),
        ("{type: persn}", "did you mean 'person'"),
        ("{type: person, timeout: .inf}", "finite"),
        ("{type: person, timeout: 99999999999999d}", "at most a hundred years"),
        ('{type: openai, model: m, base_url: "http://h/v1?k=secret-value"}', "must end before `?`"),
    ],
)
def test_a_wrong_entry_says_what_is_wrong_and_repeats_no_secret(
    bare_desk: Any, entry: str, said: str
) -> None:
    bare_desk.user(f"providers:\n  x: {entry}\n")
    with pytest.raises(ConfigurationError) as raised:
        bare_desk.build()
    assert said in str(raised.value)
    assert "secret-value" not in str(raised.value)
    assert "AIzaSyDsecret" not in str(raised.value)


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ("headers: {Authorization: Basic secret-value}", "'headers' holds a key (Authorization)"),
        ("headers: {X-Auth-Token: secret-value}", "'headers' holds a key (X-Auth-Token)"),
        ("headers: {x-api-key: secret-value}", "'headers' holds a key (x-api-key)"),
        ("query: {key: secret-value}", "'query' holds a key (key)"),
        (f"query: {{id: {SERVICE_KEY}}}", "'query' holds a key (id)"),
        ("extra_body: {proxy: {hosts: [{password: secret-value}]}}", "holds a key (password)"),
        (f"extra_body: {{stop: [{SERVICE_KEY}]}}", "'extra_body' holds a key (stop)"),
        (f"api_key_file: {SERVICE_KEY}", "expected the path of a file, not a key"),
    ],
)
def test_a_key_in_a_free_field_is_refused_and_not_repeated(
    bare_desk: Any, fields: str, said: str
) -> None:
    bare_desk.user(f"providers:\n  x: {{type: openai, model: m, base_url: 'http://h', {fields}}}\n")
    with pytest.raises(ConfigurationError) as raised:
        bare_desk.build()
    assert said in str(raised.value)
    assert "secret-value" not in str(raised.value)
    assert SERVICE_KEY not in str(raised.value)


@pytest.mark.parametrize(
    "command",
    [
        "[agent, --api-key=secret-value]",
        "[agent, --auth-token, secret-value]",
        f"[agent, {SERVICE_KEY}]",
    ],
)
def test_a_key_in_a_command_is_refused_and_not_repeated(bare_desk: Any, command: str) -> None:
    bare_desk.user(f"providers:\n  x: {{type: command, command: {command}}}\n")
    with pytest.raises(ConfigurationError, match="'command' holds a key") as raised:
        bare_desk.build()
    assert "secret-value" not in str(raised.value)
    assert SERVICE_KEY not in str(raised.value)


def test_fields_that_only_sound_like_keys_are_no_keys(bare_desk: Any) -> None:
    bare_desk.user(
        """\
providers:
  a: {type: openai, model: m, base_url: "http://127.0.0.1:1",
      headers: {X-Title: Quorate, OpenAI-Organization: org-house},
      query: {api-version: 2026-01-01}, extra_body: {prompt_cache_key: reviews, max_tokens: 9, stop_token: "</s>"}}
  b: {type: command, command: [my-agent, --api-key-file, /run/key, --max-tokens, "900", --token-budget=5]}
"""
    )
    bare_desk.install("my-agent")
    panel, _ = bare_desk.build("a,b", "author=rules", "chair=rules")
    assert [critic.name for critic in panel.critics] == ["a", "b"]


def test_the_web_chats_are_off_until_their_terms_are_accepted(bare_desk: Any) -> None:
    bare_desk.user("providers: {web: {type: browser, site: claude}}")
    with pytest.raises(ConfigurationError, match=r"terms of use.*i_accept_the_sites_terms: true"):
        bare_desk.build("web")
    panel, report = bare_desk.build()
    assert all(critic.rule_based for critic in panel.critics)
    assert any("terms of use" in warning for warning in report.warnings)


def test_what_is_missing_for_a_configured_participant_is_said(bare_desk: Any) -> None:
    bare_desk.user(
        "providers:\n  far: {type: anthropic, model: m}\n  agent: {type: command, agent: claude}\n"
    )
    with pytest.raises(CredentialsRejected, match=r"far needs a key .* ANTHROPIC_API_KEY"):
        bare_desk.build("far")
    with pytest.raises(ConfigurationError, match="agent needs the command `claude`"):
        bare_desk.build("agent")


def test_limits_price_and_fallbacks_arrive_as_the_workers_read_them(bare_desk: Any) -> None:
    bare_desk.user(
        """\
providers:
  main: {type: ollama, model: a, rpm: 60, tpm: 90000, parallel: 2, account: team, fallback: [second, third],
         price: {input: 3, output: 15, cached: 0.3}}
  second: {type: ollama, model: b, rpm: 10, price: {in: 1, out: 2}}
  third: {type: ollama, model: c}
"""
    )
    critics = bare_desk.build("main,ruff", "author=rules", "chair=main")[0].critics
    who = critics[0]
    assert limits_of(who) == AccountLimits(rpm=60, tpm=90_000, parallel=2)
    assert account_of(who) == "ollama#team"
    assert expected_usd(who, 1_000_000, 1_000_000) == 18.0
    assert own_cost(Usage(input_tokens=10**6, cached_tokens=10**6), who.options["price"]) == 0.3
    second, third = who.fallback
    assert (second.name, second.model, limits_of(second)) == ("second", "b", AccountLimits(rpm=10))
    assert expected_usd(second, 1_000_000, 1_000_000) == 3.0
    assert (third.model, limits_of(third).any) == ("c", False)


@pytest.mark.parametrize("fallback", ["[main]", "[ruff]", "[nobody-here]", "[me]"])
def test_who_cannot_speak_in_ones_place_is_refused(bare_desk: Any, fallback: str) -> None:
    bare_desk.user(
        f"providers:\n  main: {{type: ollama, model: a, fallback: {fallback}}}\n  me: {{type: person}}\n"
    )
    with pytest.raises(ConfigurationError, match=fallback[1:-1]):
        bare_desk.build("main")


@pytest.mark.parametrize(
    "setting", ["rpm: 1000", "tpm: 1", "parallel: 9", "account: x", "price: {in: 0, out: 0}", "fallback: [near]"]
)  # fmt: skip
def test_a_repository_cannot_set_limits_prices_or_stand_ins(bare_desk: Any, setting: str) -> None:
    bare_desk.user("providers: {near: {type: ollama, model: a}}")
    bare_desk.file(f"providers:\n  near: {{type: ollama, model: a, {setting}}}\n")
    (near,) = bare_desk.build("near")[0].critics
    bare_desk.file("language: en\n")
    assert bare_desk.build("near")[0].critics == (near,)  # as the person describes it
    bare_desk.file(f"participants: [{{name: near, {setting}}}]\n")
    with pytest.raises(ConfigurationError, match="unknown key"):
        bare_desk.build()


@pytest.mark.parametrize(
    "entry",
    ["{type: command, command: [rm, -rf, /]}", "{type: anthropic, model: m, base_url: http://e/}",
     "{type: browser, site: claude, i_accept_the_sites_terms: true}", "{type: person}"],
)  # fmt: skip
def test_a_repository_cannot_set_endpoints_or_commands(bare_desk: Any, entry: str) -> None:
    bare_desk.file(f"participants: [x]\nproviders:\n  x: {entry}\n")
    panel = bare_desk.build()[0]
    assert "x" not in {critic.name for critic in panel.critics}


def test_a_trusted_project_may(bare_desk: Any) -> None:
    bare_desk.file("participants: [x]\nproviders:\n  x: {type: ollama, model: qwen3}\n")
    assert bare_desk.build(trust_project=True)[0].critics[0].provider == "ollama"


def test_a_person_takes_part_by_name_and_does_not_speak_for_others(bare_desk: Any) -> None:
    bare_desk.user(yaml.safe_dump({"providers": {"me": {"type": "person"}}}))
    bare_desk.environ |= {"ANTHROPIC_API_KEY": "k", "GEMINI_API_KEY": "k"}
    panel, _ = bare_desk.build()
    assert "me" not in [critic.name for critic in panel.critics]
    panel, _ = bare_desk.build("me,claude,gemini")
    assert [critic.name for critic in panel.critics] == ["me", "gemini"]
    assert (panel.author.name, panel.chair.name) == ("claude", "gemini")
    assert bare_desk.build("me,ruff,chair=me")[0].chair.name == "me"


def test_a_run_that_may_end_before_its_person_looks_is_warned_about(bare_desk: Any) -> None:
    bare_desk.user("providers: {me: {type: person}}")
    _, report = bare_desk.build("me,ruff")
    assert any("me must answer within 1 h" in warning for warning in report.warnings)
    bare_desk.user("providers: {me: {type: person}}\nbudget: {per_run_time: 7d}")
    assert not any("must answer" in w for w in bare_desk.build("me,ruff")[1].warnings)

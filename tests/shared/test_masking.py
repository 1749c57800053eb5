"""Masking: every kind with what it is and what only looks like it; lines stay lines; hostile texts stay cheap.

The examples are put together here, so that no scanner takes this file for a leak.
"""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.masking.mask import KINDS, OPTIONAL, count_secrets, mask
from shared.models.placeholders import MASKED

HEX = "0123456789abcdef"
B62 = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1cB2dC3eD4fE5gF6hG7iH8jI9kJ0lK1mL2nM3oN4"


def hexes(count: int) -> str:
    return (HEX[3:] + HEX * 12)[:count]


EXAMPLES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "aws-key": (("AKIA" + "IOSFODNN7EXAMPLE", "ASIA" + "Q3EGRIVN2OPJ4KLM"), ("AKIA" + "short", "xAKIA" + "A" * 20)),
    "aws-secret": (
        ("aws_secret_access_key = " + B62[:40], '"SecretAccessKey": "' + B62[:40] + '"'),
        ("aws_secret_access_key = ${AWS}", "secret_access_key = " + "a" * 64),
    ),
    "google-api-key": (("AIza" + B62[:35],), ("AIza" + B62[:20], "AIzaName")),
    "google-oauth-token": (("ya29." + B62[:40],), ("ya29.short",)),
    "google-oauth-secret": (("GOCSPX-" + B62[:28],), ("GOCSPX-short",)),
    "azure-storage-key": (("AccountKey=" + (B62 * 2)[:86] + "==;",), ("AccountKey=abc==",)),
    "azure-sas": (("https://a.example/c?sv=2022&sig=" + B62[:44] + "%3D",), ("config=1&sig=short", "design=" + B62)),
    "azure-client-secret": (("abc8Q~" + B62[:34],), ("FAQ~ and more", "8Q~short")),
    "digitalocean-token": (("dop_v1_" + hexes(64),), ("dop_v1_" + hexes(20),)),
    "cloudflare-ca-key": (("v1.0-" + hexes(24) + "-" + hexes(146),), ("v1.0-beta", "v1.0-" + hexes(24))),
    "databricks-token": (("dapi" + hexes(32),), ("dapi" + hexes(31), "dapier")),
    "vault-token": (("hvs." + B62[:30],), ("hvs.short", "hvs.py")),
    "terraform-token": ((B62[:14] + ".atlasv1." + B62[:64],), ("x.atlasv1." + B62[:64],)),
    "github-token": (("ghp_" + B62[:36], "ghs_" + B62[:36]), ("ghp_" + B62[:20], "ghp_notes")),
    "github-pat": (("github_pat_" + B62[:60],), ("github_pat_short",)),
    "gitlab-token": (("glpat-" + B62[:20], "glrt-" + B62[:20]), ("glpat-short", "xglpat-" + B62[:20])),
    "npm-token": (("npm_" + B62[:36],), ("npm_config_registry", "npm_" + B62[:10])),
    "pypi-token": (("pypi-" + "AgEIcHlwaS5vcmc" + B62[:60],), ("pypi-publish", "pypi-" + B62[:60])),
    "rubygems-key": (("rubygems_" + hexes(48),), ("rubygems_version",)),
    "docker-token": (("dckr_pat_" + B62[:27],), ("dckr_pat_x",)),
    "anthropic-key": (("sk-ant-" + "api03-" + B62[:60],), ("sk-ant-x",)),
    "openrouter-key": (("sk-or-v1-" + hexes(64),), ("sk-or-v1-" + hexes(8),)),
    "openai-key": (
        ("sk-" + B62[:48], "sk-proj-" + B62[:60]),
        ("sk-loading-spinner-animation", "task-" + B62[:30], "sk-short"),
    ),
    "huggingface-token": (("hf_" + "abcdefghijKLMNOPQRSTuvwxyzABCDEFGH",), ("hf_transfer", "hf_hub_download")),
    "groq-key": (("gsk_" + B62[:52],), ("gsk_x",)),
    "xai-key": (("xai-" + B62[:70],), ("xai-sdk",)),
    "perplexity-key": (("pplx-" + B62[:48],), ("pplx-7b-online",)),
    "replicate-token": (("r8_" + B62[:37],), ("r8_model",)),
    "slack-token": (("xoxb-" + "123456789012-" + B62[:24],), ("xoxb-", "xoxb-short")),
    "slack-webhook": (
        ("https://hooks.slack.com/services/" + "T0000/B0000/" + B62[:24],),
        ("https://hooks.slack.com/services/",),
    ),
    "discord-webhook": (
        ("https://discord.com/api/webhooks/" + "123456789012345678/" + B62[:68],),
        ("/api/webhooks/12/x",),
    ),
    "telegram-token": (("123456789:AA" + B62[:33],), ("12:AA" + B62[:33], "123456789:AAshort")),
    "sendgrid-key": (("SG." + B62[:22] + "." + B62[:43],), ("SG.short.x",)),
    "mailgun-key": (("key-" + hexes(32),), ("key-" + hexes(12), "monkey-" + hexes(32))),
    "twilio-key": (("SK" + hexes(32),), ("SK" + hexes(30), "TASK" + hexes(32))),
    "stripe-key": (("sk_live_" + B62[:24], "rk_test_" + B62[:24]), ("sk_live_x", "risk_live_" + B62[:24])),
    "webhook-secret": (("whsec_" + B62[:32],), ("whsec_x",)),
    "shopify-token": (("shpat_" + hexes(32),), ("shpat_" + hexes(8),)),
    "newrelic-key": (("NRAK-" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ1",), ("NRAK-ABC",)),
    "grafana-token": (("glsa_" + B62[:32] + "_" + hexes(8),), ("glsa_" + B62[:32],)),
    "linear-key": (("lin_api_" + B62[:40],), ("lin_api_v2",)),
    "age-key": (
        ("AGE-SECRET-KEY-1" + ("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L" * 2)[:58],),
        ("AGE-SECRET-KEY-1ABC",),
    ),
    "jwt": (
        ("eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N",),
        ("eyJhbGciOiJIUzI1NiJ9", "eyJhbGciOi.notajwt.atall"),
    ),
    "authorization": (
        ("Authorization: Bearer " + B62[:30], '"Authorization": "Basic ' + B62[:20] + '=="'),
        ("Authorization: Bearer $TOKEN", "authorization: required for everybody"),
    ),
    "connection-password": (
        (
            "postgres://app:hunter2@db.example/x",
            "redis://:s3cr3t@cache:6379/0",
            "Server=db;User=sa;Password=Pa55w0rd;",
        ),
        ("postgres://app:${DB_PASSWORD}@db/x", "http://example.org:8080/a@b", "https://a.example/x:y"),
    ),
    "resident-number": (
        ("900101-1234568", "9001011234568", "850505-5123456"),
        ("900101-1234567", "901301-1234568", "1900101-1234568", "900101-1234568-1"),
    ),
    "card-number": (
        ("4111 1111 1111 1111", "5500-0000-0000-0004", "378282246310005"),
        ("4111 1111 1111 1112", "0000000000000000", "v4111111111111111", "4111111111111111.5"),
    ),
    "assigned-secret": (
        (
            'password = "hunter2"',
            "DB_PASSWORD: str = 'correct-horse'",
            '"passwd": "p4ss"',
            f'api_key="{B62[:24]}"',
            f"client_secret: '{B62[:20]}'",
            f"export API_TOKEN={B62[:24]}",
            'db["password"] = "hunter2"',
            '비밀번호 = "한글도가린다"',
        ),
        (
            'password = "changeme"',
            'password = "${DB_PASSWORD}"',
            'password = "<password>"',
            'password = "Enter your password"',
            "password = os.environ['DB']",
            "password = getpass.getpass()",
            'api_key_env = "OPENAI_API_KEY"',
            'token_url = "https://login.example.org/oauth2/v2/token"',
            'secret_name = "projects/12345/secrets/db7"',
            'token = "csrf"',
            "max_tokens = 8192",
            "TOKEN=get_token_from_the_vault()",
        ),
    ),
    "email": (("kim.minji@example.co.kr",), ("@decorator", "a@b", "user@localhost")),
}  # fmt: skip

KEY_BODY = "MIIEowIBAAKCAQEA" + B62[:48] + "\n" + B62[:64] + "\n" + B62[:20] + "=="


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "private-key"])
def test_every_kind_is_hidden_and_what_only_looks_like_it_stays(kind: str) -> None:
    secrets, harmless = EXAMPLES[kind]
    for secret in secrets:
        masked = mask(f"x = 1\ncurl {secret} \n", also=OPTIONAL)
        assert masked.counts.get(kind) == 1, secret
        assert f"\u00abmasked:{kind}:1\u00bb" in masked.text
    for text in harmless:
        assert kind not in mask(f"x {text} y", also=OPTIONAL).counts, text


def test_the_examples_cover_the_table_and_the_table_is_of_the_promised_size() -> None:
    assert set(EXAMPLES) | {"private-key"} == set(KINDS)
    assert len(KINDS) >= 40


@pytest.mark.parametrize(
    "kind", ["RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY"]
)
def test_a_private_key_loses_its_body_and_keeps_its_lines(kind: str) -> None:
    text = f"a\n-----BEGIN {kind}-----\n{KEY_BODY}\n-----END {kind}-----\nb\n"
    masked = mask(text)
    assert masked.counts == {"private-key": 1}
    assert masked.text.count("\n") == text.count("\n")
    assert masked.text.count("\u00abmasked:private-key:1\u00bb") == 3
    assert not any(line in masked.text for line in KEY_BODY.split("\n"))
    assert f"-----BEGIN {kind}-----" in masked.text
    assert masked.text.endswith(f"-----END {kind}-----\nb\n")


def test_a_private_key_in_a_diff_keeps_the_signs_of_its_lines() -> None:
    lines = ["-----BEGIN PRIVATE KEY-----", *KEY_BODY.split("\n"), "-----END PRIVATE KEY-----"]
    text = "@@ -0,0 +1,5 @@\n" + "".join(f"+{line}\n" for line in lines)
    masked = mask(text).text
    assert [line[:1] for line in masked.split("\n")] == [line[:1] for line in text.split("\n")]
    assert B62[:20] not in masked


def test_a_private_key_that_a_hunk_cuts_off_is_hidden_as_far_as_it_goes() -> None:
    text = (
        f"+-----BEGIN PRIVATE KEY-----\n+{KEY_BODY.split(chr(10))[0]}\n+{B62[:64]}\n context = 1\n"
    )
    masked = mask(text).text
    assert B62[:20] not in masked
    assert " context = 1" in masked


def test_a_private_key_in_one_line_of_code_is_hidden() -> None:
    escaped = KEY_BODY.replace("\n", "\\n")
    masked = mask(f'k = "-----BEGIN PRIVATE KEY-----\\n{escaped}\\n-----END PRIVATE KEY-----"\n')
    assert B62[:20] not in masked.text
    assert masked.total == 1


def test_the_same_secret_has_the_same_number_everywhere() -> None:
    one, other = "ghp_" + B62[:36], "ghp_" + B62[1:37]
    masked = mask(f"{one}\n{other}\n{one}\n")
    assert (
        masked.text
        == "\u00abmasked:github-token:1\u00bb\n\u00abmasked:github-token:2\u00bb\n\u00abmasked:github-token:1\u00bb\n"
    )
    assert masked.counts == {"github-token": 2}
    assert masked.total == 2


def test_only_the_value_is_hidden_and_a_reader_still_sees_that_one_stood_there() -> None:
    assert (
        mask('password = "hunter2"  # fix').text
        == 'password = "\u00abmasked:assigned-secret:1\u00bb"  # fix'
    )
    assert (
        mask("redis://:s3cr3t@h/0").text == "redis://:\u00abmasked:connection-password:1\u00bb@h/0"
    )


def test_a_secret_with_a_form_of_its_own_is_named_by_it() -> None:
    assert mask(f'token = "ghp_{B62[:36]}"').counts == {"github-token": 1}


def test_masking_again_changes_nothing() -> None:
    once = mask("\n".join(secret for secrets, _ in EXAMPLES.values() for secret in secrets))
    assert mask(once.text).text == once.text


def test_mail_addresses_are_hidden_only_when_asked_for() -> None:
    assert mask("a@example.org").total == 0
    assert mask("a@example.org", also={"email"}).text == "\u00abmasked:email:1\u00bb"


def test_counting_leaves_the_bytes_alone() -> None:
    data = b"\xff\xfe password = 'hunter2'\r\n"
    assert count_secrets(data) == (data, 1)


def test_letters_that_grow_when_made_small_do_not_shift_what_is_hidden() -> None:
    assert mask('\u0130\u0130 password = "hunter2"').text == (
        '\u0130\u0130 password = "\u00abmasked:assigned-secret:1\u00bb"'
    )


def test_a_repr_shows_no_text() -> None:
    assert "hunter" not in repr(mask("hunter"))


@given(st.text())
def test_lines_stay_lines_and_what_is_left_is_the_text(text: str) -> None:
    masked = mask(text)
    assert masked.text.count("\n") == text.count("\n")
    if not masked.total:
        assert masked.text == text


@given(
    st.lists(
        st.sampled_from(
            [
                *"\n+- =:\"'",
                "password",
                "secret",
                "-----BEGIN PRIVATE KEY-----",
                "-----END ",
                "eyJ",
                "://",
                "@",
                B62,
                "sk-",
                "4111111111111111",
                "9001011234568",
                "key",
            ]
        )
    )
)
def test_pieces_of_secrets_in_any_order_keep_the_lines(pieces: list[str]) -> None:
    text = "".join(pieces)
    masked = mask(text)
    assert masked.text.count("\n") == text.count("\n")
    assert len(MASKED.findall(masked.text)) >= min(masked.total, 1)


MEGABYTE = 1_000_000
HOSTILE = {
    "jwt": "eyJ",
    "jwt with hyphens": "eyJaaaaaaaa-",
    "jwt in parts": "eyJaaaaaaaaa.",
    "addresses": "://a:",
    "one long address": "://" + "a" * 90 + ":" + "b" * 150,
    "names": "password=",
    "annotated": "password: str",
    "operators": "token:=",
    "quotes": 'secret="',
    "keys that never end": "-----BEGIN PRIVATE KEY-----\n",
    "key lines": "-----BEGIN PRIVATE KEY-----" + "A" * 64 + "\n",
    "ends": "-----END ",
    "digits": "4",
    "grouped digits": "4 1-",
    "spaces": " ",
    "tokens": "sk-",
    "gitlab": "glpat-",
    "stripes": "sk_live_",
    "authorization": "authorization: bearer ",
    "mail": "a@a.",
    "webhooks": "hooks.slack.com/services/",
    "true secrets": "AKIA" + "IOSFODNN7EXAMPLE ",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_megabyte_takes_no_more_than_seconds(name: str) -> None:
    piece = HOSTILE[name]
    text = piece * (MEGABYTE // len(piece))
    started = time.process_time()
    mask(text, also=OPTIONAL)
    assert time.process_time() - started < 8.0

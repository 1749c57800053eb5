"""Masking: every kind with what it is and what only looks like it; lines stay lines; hostile texts stay cheap.

The examples stand in tests/support/secret_examples.py.
"""

from __future__ import annotations

import json
import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.models.placeholders import MASKED
from shared.text.masking.mask import KINDS, OPTIONAL, count_secrets, mask
from tests.support.secret_examples import B62, EXAMPLES, KEY_BODY, hexes


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "private-key"])
def test_every_kind_is_hidden_and_what_only_looks_like_it_stays(kind: str) -> None:
    secrets, harmless = EXAMPLES[kind]
    for secret in secrets:
        masked = mask(f"x = 1\n{secret} \n", also=OPTIONAL)
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


@pytest.mark.parametrize("mark", "+- ")
@pytest.mark.parametrize(
    "lines",
    [
        ("password: |", "  {}", "next: 1"),
        ("<password>", "   {}", "</password>"),
        ('"client_secret":', '   "{}"'),
        ("<entry", ' name="db_password"', ' value="{}"/>'),
        ("- name: DB_PASSWORD", '  value: "{}"'),
    ],
)
def test_a_secret_below_its_name_is_hidden_in_a_diff_too(lines: tuple[str, ...], mark: str) -> None:
    secret = "Xk9aB7qLm2Pz8Rt5Vw3Yc1Dn"
    diff = "@@ -1,3 +1,3 @@\n" + "".join(f"{mark}{one.format(secret)}\n" for one in lines)
    masked = mask(diff)
    assert secret not in masked.text
    assert re.sub("«.*»", secret, masked.text) == diff


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


@pytest.mark.parametrize(
    "split",
    [
        '"AKIA" "IOSFODNN7QXUMPLE"',
        "'AKIA' + 'IOSFODNN7QXUMPLE'",
        '"AKIA"\n+    "IOSFODNN7QXUMPLE"',
        '"AKIA" +\r\n        "IOSFODNN7QXUMPLE"',
        "export K=AKIA\\\nIOSFODNN7QXUMPLE",
        "AKIA\u200bIOSFODNN7QXUMPLE",
        "AKIA<U+200B>IOSFODNN7QXUMPLE",
    ],
)
def test_a_secret_in_several_pieces_is_hidden_piece_by_piece(split: str) -> None:
    text = "\n".join(["a line"] * 400 + [f"k = {split}"] + ["another"] * 400)
    masked = mask(text)
    assert "IOSFODNN7QXUMPLE" not in masked.text
    assert masked.text.count("\n") == text.count("\n")
    assert masked.counts == {"aws-key": 2}


def test_a_korean_particle_behind_a_secret_does_not_save_it() -> None:
    text = f"토큰은 ghp_{B62[:36]}입니다. 주민번호 900101-1234568이고 카드 4111-1111-1111-1111로"
    assert mask(text).counts == {"github-token": 1, "resident-number": 1, "card-number": 1}


def test_nobody_hides_code_between_the_lines_of_a_key() -> None:
    code = "".join(f"def f{n}(x):\n    return eval(x)\n\n" for n in range(9))
    begin, end = "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"
    assert mask(f"# {begin}\n{code}# {end}\n").text == f"# {begin}\n{code}# {end}\n"
    mixed = mask(f"{begin}\n{KEY_BODY}\n{code}{end}\n").text
    assert code in mixed
    assert B62[:30] not in mixed


def test_windows_line_ends_and_headers_of_an_encrypted_key_stay_and_its_body_does_not() -> None:
    head = "Proc-Type: 4,ENCRYPTED\r\nDEK-Info: AES-128-CBC,0123456789ABCDEF\r\n\r\n"
    body = KEY_BODY.replace("\n", "\r\n")
    masked = mask(
        f"-----BEGIN RSA PRIVATE KEY-----\r\n{head}{body}\r\n-----END RSA PRIVATE KEY-----\r\n"
    ).text
    assert head in masked
    assert not any(line in masked for line in KEY_BODY.split("\n"))


def test_keys_in_json_and_of_putty_are_hidden() -> None:
    pem = f"-----BEGIN PRIVATE KEY-----\n{KEY_BODY}\n-----END PRIVATE KEY-----\n"
    putty = (
        f"PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 3\n{KEY_BODY}\nPrivate-MAC: {hexes(40)}\n"
    )
    for text in (
        json.dumps({"key": pem}),
        putty,
        "".join(f"+{line}\n" for line in putty.splitlines()),
    ):
        masked = mask(text).text
        assert B62[:20] not in masked
        assert masked.count("\n") == text.count("\n")


SIZE = 200_000
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
    "literals": '"a" "b" ',
    "joined literals": '"AK" + "IA" + ',
    "quotes and blanks": '"' + " " * 200,
    "continued lines": "\\\n",
    "base64": "QUtJQUlPU0ZPRE5ON0VYQU1QTEU" * 3 + " ",
    "one base64 text": "QUtJ",
    "settings": "password=aaaa1\n",
    "elements": "<password>a1",
    "curls": "curl -u ",
    "hashes": "$6$" + "a" * 30,
    "declarations": "token string ",
    "block scalars": "token: |\n",
    "attributes": 'token" value',
    "elements of lists": "</key> <string>token</key> ",
    "bare secrets": "secret " + "a1b2c3d4e5" * 30 + " ",
    "keys": "_key",
    "keys without an end": "_key = aB3dE5gH7jK9mN1p",
    "points": ".",
    "discord": "M" + "a" * 24 + ".",
    "curl over lines": "curl \\\n",
    "headers": "authorization: a ",
    "dummies": "token = '" + "x" * 40 + "'",
    "wrappers": "token = new a.b.c.d(",
    "near": "key a ",
    "near and long": "key " + "a1" * 200 + " ",
    "gaps": "key" + " " * 40,
    "alone": " x " + "a1b2c3d4e5f6" * 9,
    "one long run": "a1B2",
    "manifests": "kind: Secret\ndata:\n  a: b\n",
    "documents": "kind: secret\n---\n",
    "manifests in JSON": '"kind":"Secret","data":{',
    "true secrets": "AKIA" + "IOSFODNN7QXUMPLE ",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_takes_no_more_than_a_few_seconds(name: str) -> None:
    piece = HOSTILE[name]
    text = piece * (SIZE // len(piece))
    started = time.process_time()
    mask(text, also=OPTIONAL)
    assert time.process_time() - started < 8.0


@pytest.mark.parametrize(
    "before",
    [
        '#define API_TOKEN "{}"',
        'const std::string kAuthToken{{"{}"}};',
        '(def api-key "{}")',
        '{{:secret-key "{}"}}',
        'api_secret <- "{}"',
        'setx API_TOKEN "{}"',
        "CREATE USER bob WITH PASSWORD '{}';",
        "ALTER USER x IDENTIFIED BY '{}';",
        "passwort = '{}'",
    ],
)
def test_a_value_right_behind_its_name_or_behind_rare_operators_is_masked(before: str):
    secret = "9Gm4WzXk2pQv7RbT8nLs"
    assert secret not in mask(before.format(secret)).text

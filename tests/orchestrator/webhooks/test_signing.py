"""Signatures are those of Standard Webhooks."""

import base64
from datetime import UTC, datetime

from orchestrator.webhooks.signing import PREFIX, SECRET_BYTES, new_secret, sign, signed_headers


def test_a_signature_is_that_of_the_specifications_example() -> None:
    # https://docs.svix.com/receiving/verifying-payloads/how-manual: its secret, message and signature.
    signature = sign(
        "whsec_plJ3nmyCDGBKInavdOK15jsl",
        "msg_loFOjxBNrRLzqYUf",
        1731705121,
        '{"event_type":"ping","data":{"success":true}}',
    )

    assert signature == "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0="


def test_secrets_are_long_and_never_the_same() -> None:
    first, second = new_secret(), new_secret()

    assert first != second
    assert len(base64.b64decode(first.removeprefix(PREFIX))) == SECRET_BYTES


def test_a_later_attempt_has_the_same_id_and_another_signature() -> None:
    secret = new_secret()
    first = signed_headers(secret, "msg_1", "{}", datetime(2026, 1, 1, tzinfo=UTC))
    second = signed_headers(secret, "msg_1", "{}", datetime(2026, 1, 2, tzinfo=UTC))

    assert first["webhook-id"] == second["webhook-id"]
    assert first["webhook-signature"] != second["webhook-signature"]
    assert first["webhook-timestamp"] == "1767225600"

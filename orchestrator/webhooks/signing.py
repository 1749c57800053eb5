"""Signatures as Standard Webhooks defines them: https://github.com/standard-webhooks/standard-webhooks."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from datetime import datetime

PREFIX = "whsec_"
SECRET_BYTES = 32


def new_secret() -> str:
    """A secret for one webhook."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def sign(secret: str, message_id: str, timestamp_s: int, body: str) -> str:
    """The value of `webhook-signature`: version 1, HMAC-SHA256 over id, timestamp and body."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = f"{message_id}.{timestamp_s}.{body}".encode()
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def signed_headers(secret: str, message_id: str, body: str, now: datetime) -> dict[str, str]:
    """The headers of one attempt; a later attempt has the same id and another timestamp."""
    timestamp_s = int(now.timestamp())
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp_s),
        "webhook-signature": sign(secret, message_id, timestamp_s, body),
    }

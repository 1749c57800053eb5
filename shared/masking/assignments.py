"""Secrets known by the name they are given to: `password = "..."`, `API_TOKEN: ...`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shared.masking.checks import looks_random, stands_for_another

KIND = "assigned-secret"
_PASSWORDS = ("password", "passwd", "passphrase", "pwd", "비밀번호", "암호")
_SECRETS = (
    "secret", "token", "api_key", "apikey", "api-key", "access_key", "accesskey", "private_key",
    "auth_key", "encryption_key", "signing_key", "credential",
)  # fmt: skip
_SHORTEST_PASSWORD = 4

# From the end of the word: the rest of the name, an operator (with a type before it), the value.
_GIVEN = re.compile(
    r"""([\w.-]{0,30}+)["']?\]?\s{0,8}+
        (?::\s{0,3}+[\w\[\]. |]{1,30}+=|:=|=>|==|=|:|,)\s{0,8}+
        (?:[rbfuRBFU]{0,2}(["'`])([^"'`\n]{4,300}+)\2|([^\s"'`,;(){}\[\]<>]{16,300}+)(?=\s|$))""",
    re.VERBOSE,
)
# `token_url`, `secret_name`: what is given is not the secret itself.
_ABOUT = re.compile(
    r"(?:name|id|path|url|uri|file|env|type|field|header|prefix|label|length|size|hash|expir\w*)s?$",
    re.IGNORECASE,
)


def find_assigned(text: str, lowered: str) -> Iterator[tuple[int, int]]:
    """Spans of values that are given to a name that says secret; `lowered` is the text in small letters."""
    for words, is_password in ((_PASSWORDS, True), (_SECRETS, False)):
        for word in words:
            at = lowered.find(word)
            while at >= 0:
                at += len(word)
                found = _GIVEN.match(text, at)
                if found is not None and _is_secret(found, is_password):
                    yield found.span(3 if found[3] is not None else 4)
                at = lowered.find(word, at)


def _is_secret(found: re.Match[str], is_password: bool) -> bool:
    if _ABOUT.search(found[1]):
        return False
    quoted = found[3]
    if quoted is None or not is_password:
        return looks_random(quoted or found[4])
    return (
        len(quoted) >= _SHORTEST_PASSWORD
        and not any(letter.isspace() for letter in quoted)
        and not stands_for_another(quoted)
    )

"""Secrets known by the name they are given to: `password = "..."`, `API_TOKEN: ...`, `<password>...</password>`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shared.masking.checks import is_mixed, looks_random, stands_for_another

KIND = "assigned-secret"
_PASSWORDS = ("password", "passwd", "passphrase", "pwd", "_pass", "psk", "비밀번호", "암호")
_SECRETS = (
    "secret", "token", "api_key", "apikey", "api-key", "access_key", "accesskey", "private_key", "privatekey",
    "auth_key", "authkey", "encryption_key", "encryptionkey", "signing_key", "secretkey", "admin_key", "credential",
)  # fmt: skip
_SHORT = frozenset({"_pass", "psk"})
_SHORTEST_PASSWORD = 4

_QUOTED = r"""\\{0,3}+(?:(?:"|\"{3})([^"\n]{4,300}?)\\{0,3}"|(?:'|'{3})([^'\n]{4,300}?)\\{0,3}'|`([^`\n]{4,300}+)`)"""
# From the end of the word: the rest of the name, an operator (with a type before it), the value.
_GIVEN = re.compile(
    rf"""([\w.-]{{0,30}}+)\\{{0,3}}+["']?\]?\s{{0,8}}+
        ((?::\s{{0,3}}+[\w\[\]. |&'<>?]{{1,30}}+=|:=|=>|==|=|:|,|\()\s{{0,8}}+)
        (?:[rbfuRBFU]{{0,2}}{_QUOTED}|([^\s"'`,;(){{}}\[\]<>]{{16,300}}+)(?=[\s"'`,;&<\\]|$))""",
    re.VERBOSE,
)
# A line of a settings file: `DB_PASSWORD=...`, `db.password=...`, `password: ...`; a diff's sign may stand before it.
_LINE = re.compile(
    r"""([\w.-]{0,30}+)["']?(=|:[ \t]{1,8}+|[ \t]{1,8}+=[ \t]{1,8}+)
        ([^\s"'`,;(){}\[\]<>]{4,200}+)[ \t]{0,8}+(?:\#[^\n]*+)?\r?(?=\n|$)""",
    re.VERBOSE,
)
_BEFORE = re.compile(r"[ \t+-]{0,40}(?:(?:export|set|ENV|ARG|-)[ \t]+)?[\"']?([\w.-]{0,60})\Z")
_ELEMENT = re.compile(r"[\w.-]{0,30}+>([^<>\s]{4,200}+)</")
# In Korean a particle stands between the name and what it is: 비밀번호는 "..."입니다.
_SAID = re.compile(
    r"(?:는|은|가|이|를|을)?[ \t]{0,3}+[:=]?[ \t]{0,3}+[\"'`]([^\"'`\s]{4,100}+)[\"'`]"
)
# `token_url`, `secret_name`: what is given is not the secret itself.
_ABOUT = re.compile(
    r"(?:name|id|path|url|uri|file|env|type|field|header|prefix|label|length|size|hash|expir\w*)s?$",
    re.IGNORECASE,
)
_LONGEST_NAME = 120
# What code names in a list or a call: `password.encode("latin1")`, `["PrivateKey", "MLKEM768PublicKey"]`.
_OF_CODE = re.compile(
    r"^(?i:utf|latin|iso|cp|sha|md|aes|ascii|urllib|argon|bcrypt)[_-]?\d[\w-]{0,10}$|^[A-Z]\w*[a-z\d](?:PublicKey|PrivateKey|Token|Secret)$"
)


def find_assigned(text: str, lowered: str) -> Iterator[tuple[int, int]]:
    """Spans of values that are given to a name that says secret; `lowered` is the text in small letters."""
    for words, is_password in ((_PASSWORDS, True), (_SECRETS, False)):
        for word in words:
            at = lowered.find(word)
            while at >= 0:
                end = at + len(word)
                if word not in _SHORT or _stands_alone(text, at, end):
                    yield from _given(text, at, end, is_password)
                at = lowered.find(word, end)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """False within another word: `all_passed` is no password, and `DeepSkyBlue` no pre-shared key."""
    if text[end : end + 1].isalpha():
        return False
    return text[start] in "_P" or not text[start - 1 : start].isalpha()


def _given(text: str, start: int, end: int, is_password: bool) -> Iterator[tuple[int, int]]:
    found = _GIVEN.match(text, end)
    if found is not None and _is_secret(found, is_password):
        yield found.span(found.lastindex or 0)
    element = _ELEMENT.match(text, end)
    if element is not None and _is_value(element[1], is_password):
        yield element.span(1)
    if not is_password:
        return
    said = None if text[start:end].isascii() else _SAID.match(text, end)
    if said is not None and not stands_for_another(said[1]):
        yield said.span(1)
    line = _LINE.match(text, end)
    if line is not None and _is_setting(text, start, line):
        yield line.span(3)


def _is_secret(found: re.Match[str], is_password: bool) -> bool:
    name, operator = found[1], found[2]
    if _ABOUT.search(name):
        return False
    quoted = found[3] or found[4] or found[5]
    if not quoted:
        return looks_random(found[6]) and not _is_dotted_name(found[6].rstrip(":"))
    # `("db", "password", "user")`, `password("Old one")`: what follows is a value only where it looks like one.
    if operator.strip() in (",", "("):
        if _OF_CODE.search(quoted):
            return False
        return _is_value(quoted, is_password) and (is_mixed(quoted) or not is_password)
    return _is_value(quoted, is_password)


def _is_dotted_name(value: str) -> bool:
    return "." in value and _NAMES.fullmatch(value) is not None


def _is_value(value: str, is_password: bool) -> bool:
    if not is_password:
        return looks_random(value)
    return (
        len(value) >= _SHORTEST_PASSWORD
        and not any(letter.isspace() for letter in value)
        and not stands_for_another(value)
    )


def _is_setting(text: str, start: int, line: re.Match[str]) -> bool:
    """True for a password in a line of its own; a name beside another name is code."""
    first = text.rfind("\n", max(0, start - _LONGEST_NAME), start) + 1
    before = _BEFORE.match(text, max(first, start - _LONGEST_NAME), start)
    name, operator, value = line.groups()
    if before is None or _ABOUT.search(name) or stands_for_another(value):
        return False
    if operator != "=" and _NAMES.fullmatch(value):
        return operator[0] == ":" and is_mixed(value)
    whole = f"{before[1]}{text[start : line.end(1)]}"
    return is_mixed(value) or (whole.isupper() and not value.isupper())


_NAMES = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")

"""Secrets known by the name they are given to: `password = "..."`, `API_TOKEN: ...`, `<password>...</password>`.

And the values of Kubernetes' `kind: Secret`: base64 or plain, under names of any kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from shared.patterns import regex
from shared.text.masking.checks import is_mixed, looks_random, stands_for_another

KIND = "assigned-secret"
_PASSWORDS = (
    *"password passwd passphrase pwd _pass psk 비밀번호 암호 passwort contraseña".split(),
    "identified by",
)
_SECRETS = (
    "secret", "token", "api_key", "apikey", "api-key", "access_key", "accesskey", "private_key", "privatekey",
    "auth_key", "authkey", "encryption_key", "encryptionkey", "signing_key", "secretkey", "admin_key", "credential",
    "secret-key", "private-key", "access-key", "auth-key", "app_key", "appkey", "app-key", "client_key", "clientkey",
    "consumer_key", "consumerkey", "account_key", "accountkey", "service_key", "servicekey", "master_key", "masterkey",
    "license_key", "licensekey", "deploy_key", "integration_key", "subscription_key", "subscription-key", "shared_key",
    "storage_key", "write_key", "writekey", "rest_key", "restkey", "user_key", "session_key", "webhook_key", "hmac_key",
    "aes_key", "crypt_key", "key", "creds", "apitoken", "bearer", "x-auth", "user_auth", "_pat", "-pat",
)  # fmt: skip
_SHORT = frozenset({"_pass", "psk", "_pat", "-pat", "bearer", "creds"})
_SHORTEST_PASSWORD = 4

_QUOTED = r"""\\{0,3}+(?:(?:"|\"{3})([^"\n]{4,300}?)\\{0,3}"|(?:'|'{3})([^'\n]{4,300}?)\\{0,3}'|`([^`\n]{4,300}+)`)"""
# How languages give a value to a name: with a type after a colon or after the name (Go), with an operator of its own,
# as two attributes or elements (`name="x" value="y"`), as a block below the name (YAML).
_OPERATOR = r"""(?:
    (?:[,;]\s{1,40}+|(?<=\s))["']?(?:value|Value|VALUE)["']?\s{0,3}+[:=]
    |:\s{0,3}+[\w\[\]. |&'<>?*]{1,30}+=
    |\[\d{0,5}+\]\s{0,3}+=
    |(?<=[ \t])[\w.*\[\]]{1,30}+[ \t]{0,4}+=(?!=)
    |<{1,2}-|:{1,3}=|\?{1,2}=|\|{1,2}=|[.+]=|=>|->|={1,3}|\?\?|\?:|\|\||:|,|\(
    |</(?:key|name|Key|Name)>\s{0,40}+<(?:string|value|String|Value)>
    |(?<=[ \t])(?=["'])|\{(?=")
    |:[ \t]{1,4}+[|>][+-]?\d?[ \t]{0,4}+\r?\n
)"""
# `new String(`, `String::from(`, `[]byte(`, and the letters before a literal.
_WRAPPER = r"(?:(?:new[ ])?[A-Za-z_][\w.:]{0,30}+\(|\[\]byte\(|[@$]{1,2}(?=\")|[rbfuRBFU]{1,2}\#{0,3}(?=[\"']))?"
# From the end of the word: the rest of the name, an operator, the value.
_GIVEN = regex(
    rf"""([\w.-]{{0,30}}+)\\{{0,3}}+["']?\]?\s{{0,8}}+
        ({_OPERATOR}\s{{0,8}}+)
        (?:{_WRAPPER}{_QUOTED}|([^\s"'`,;(){{}}\[\]<>\\]{{14,300}}+)(?=[\s"'`,;&<\\]|$))""",
    re.VERBOSE,
)
# `SECRET 3f2a...`, as in notes and tables: only what can be nothing else.
_BARE = regex(r"[ \t]{1,4}+([\w./+=-]{24,300}+)(?=[\s\"'`,;&<\\]|$)", re.ASCII)
# A line of a settings file: `DB_PASSWORD=...`, `db.password=...`, `password: ...`; a diff's sign may stand before it.
_LINE = regex(
    r"""([\w.-]{0,30}+)["']?(=|:[ \t]{1,8}+|[ \t]{1,8}+=[ \t]{1,8}+)
        ([^\s"'`,;(){}\[\]<>]{4,200}+)[ \t]{0,8}+(?:\#[^\n]*+)?\r?(?=\n|$)""",
    re.VERBOSE,
)
_BEFORE = regex(r"[ \t+-]{0,40}(?:(?:export|set|ENV|ARG|-)[ \t]+)?[\"']?([\w.-]{0,60})\Z")
_ELEMENT = regex(r"([\w.-]{0,30}+)(?:\s[^<>\n]{0,80}+)?>\s{0,60}+([^<>\s]{4,200}+)\s{0,60}+</")
# `publicToken`, `csrf-token`, `nextPageToken`: given to everybody, or of no worth elsewhere.
_OPEN = regex(
    r"(?:public|csrf|xsrf|page|next|continuation|cancell?ation|stop)[_.-]?\Z", re.IGNORECASE
)
# In Korean a particle stands between the name and what it is: 비밀번호는 "..."입니다.
_SAID = regex(r"(?:는|은|가|이|를|을)?[ \t]{0,3}+[:=]?[ \t]{0,3}+[\"'`]([^\"'`\s]{4,100}+)[\"'`]")
# `token_url`, `secret_name`: what is given is not the secret itself.
_ABOUT = regex(
    r"(?:name|id|path|url|uri|file|env|type|field|header|prefix|label|length|size|hash|expir\w*)s?$",
    re.IGNORECASE,
)
_LONGEST_NAME = 120
# A path, a selector, a label, the name of another field.
_NO_PASSWORD = regex(
    r"^(?:/[\w.@-]+){2}|^(?:https?|arn):|^[#.][a-z]+(?:-[a-z]+)+$|:$|&lt;|^[a-z]+(?:[_-][a-z]+)*[_-]passwords?$"
)
# Keys that unlock nothing: of a table, a cache, a keyboard, or for everybody to read.
_PLAIN_KEY = regex(
    r"(?:public|pub|primary|foreign|cache|sort|partition|row|hash|bucket|index|idx|group|unique|natural|schema|sequence|hot"
    r"|issuer|host|registry|object|lookup|range|search|dedup\w*|idempotency|translation|message|i18n|locale|routing|site"
    r"|config|dict|map|item|tag|parent|record|entity|release|product|resource|string|type|name|file|path|tur|mon|don|jo[ck]|whis)[_.-]?\Z",
    re.IGNORECASE,
)
# What code names in a list or a call: `password.encode("latin1")`, `["PrivateKey", "MLKEM768PublicKey"]`.
_OF_CODE = regex(
    r"^(?i:utf|latin|iso|cp|sha|md|aes|ascii|urllib|argon|bcrypt)[_-]?\d[\w-]{0,10}$|^[A-Z]\w*[a-z\d](?:PublicKey|PrivateKey|Token|Secret)$"
)


def find_assigned(text: str, lowered: str) -> Iterator[tuple[int, int]]:
    """Spans of values that are given to a name that says secret; `lowered` is the text in small letters."""
    for words, is_password in ((_PASSWORDS, True), (_SECRETS, False)):
        for word in words:
            at = lowered.find(word)
            while at >= 0:
                end = at + len(word)
                if _says_secret(text, word, at, end):
                    yield from _given(text, at, end, is_password)
                at = lowered.find(word, end)


def _says_secret(text: str, word: str, at: int, end: int) -> bool:
    """False where the word is a part of another one, or of a name for something that everybody may know."""
    before = text[max(0, at - 16) : at]
    if word == "key":
        joined = before[-1:] in ("_", "-", ".") or (text[at] == "K" and before[-1:].islower())
        return joined and not text[end : end + 1].islower() and not _PLAIN_KEY.search(before)
    if word == "token" and _OPEN.search(before):
        return False
    return word not in _SHORT or _stands_alone(text, at, end)


def _stands_alone(text: str, start: int, end: int) -> bool:
    """False within another word: `all_passed` is no password, and `DeepSkyBlue` no pre-shared key."""
    if text[end : end + 1].isalpha():
        return False
    return text[start] in "_P" or not text[start - 1 : start].isalpha()


def _given(text: str, start: int, end: int, is_password: bool) -> Iterator[tuple[int, int]]:
    given = _GIVEN.match(text, end)
    if given is not None and _is_secret(given, is_password):
        yield given.span(given.lastindex or 0)
    element = _ELEMENT.match(text, end)
    if element is not None and not _ABOUT.search(element[1]) and _is_value(element[2], is_password):
        yield element.span(2)
    yield from (_given_as_password if is_password else _given_bare)(text, start, end)


def _given_bare(text: str, _: int, end: int) -> Iterator[tuple[int, int]]:
    bare = _BARE.match(text, end)
    if bare is not None and looks_random(bare[1]) and not _is_dotted_name(bare[1]):
        yield bare.span(1)


def _given_as_password(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    korean = None if text[start:end].isascii() else _SAID.match(text, end)
    if korean is not None and not stands_for_another(korean[1]):
        yield korean.span(1)
    line = _LINE.match(text, end)
    if line is not None and _is_setting(text, start, line):
        yield line.span(3)


def _is_secret(given: re.Match[str], is_password: bool) -> bool:
    name, operator = given[1], given[2]
    if _ABOUT.search(name):
        return False
    quoted = given[3] or given[4] or given[5]
    if not quoted:
        return looks_random(given[6]) and not _is_dotted_name(given[6].rstrip(":"))
    # `("db", "password", "user")`, `password("Old one")`: what follows is a value only where it looks like one.
    if operator.strip() in (",", "(", "->", "||", "??", "?:"):
        if _OF_CODE.search(quoted):
            return False
        return _is_value(quoted, is_password) and (is_mixed(quoted) or not is_password)
    return _is_value(quoted, is_password)


def _is_dotted_name(value: str) -> bool:
    """True for `module.Class.name`; the parts of a token between points look random."""
    parts = value.split(".")
    return (
        len(parts) > 1
        and _NAMES.fullmatch(value) is not None
        and not any(looks_random(part) and not _OF_CODE.search(part) for part in parts)
    )


def _is_value(value: str, is_password: bool) -> bool:
    if not is_password:
        return looks_random(value)
    return (
        len(value) >= _SHORTEST_PASSWORD
        and not any(letter.isspace() for letter in value)
        and not stands_for_another(value)
        and _NO_PASSWORD.search(value) is None
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


_NAMES = regex(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


# ---- manifests ----------------------------------------------------------------------------------

_SECRET_KIND = regex(
    r"""^[+-]?[ \t]{0,40}+kind:[ \t]*+["']?secret["']?[ \t\r]*+$|"kind"\s{0,9}+:\s{0,9}+"secret\"""",
    re.MULTILINE | re.IGNORECASE,
)
_DOCUMENT_ENDS = regex(r"^[+-]?---[ \t\r]*$", re.MULTILINE)
# The lines below `data:` that stand further to the right, or are empty.
_BLOCK = regex(
    r"^([+-]?[ \t]{0,40})(?:data|stringData):[ \t\r]*+\n((?:\1[ \t]++[^\n]*+(?:\n|\Z)|[+-]?[ \t\r]*+\n)*+)",
    re.MULTILINE,
)
_ENTRY = regex(
    r"""^[+-]?[ \t]++["']?[\w.-]{1,80}+["']?:[ \t]++["']?([^\s"'|>{}]{4,4000}+)["']?[ \t\r]*+$""",
    re.MULTILINE,
)
_JSON_BLOCK = regex(r'"(?:data|stringData)"\s{0,9}+:\s{0,9}+\{([^{}]{0,20000}+)\}')
_JSON_ENTRY = regex(r'"[\w.-]{1,80}+"\s{0,9}+:\s{0,9}+"([^"\s]{4,4000}+)"')


def find_manifest_values(text: str, lowered: str) -> Iterator[tuple[int, int]]:
    """Spans of what a manifest of a secret holds below `data` and `stringData`."""
    if not _may_hold(lowered) or _SECRET_KIND.search(text) is None:
        return
    start = 0
    for end in (*(mark.start() for mark in _DOCUMENT_ENDS.finditer(text)), len(text)):
        if _SECRET_KIND.search(text, start, end) is not None:
            yield from _values(_BLOCK, 2, _ENTRY, text, start, end)
            yield from _values(_JSON_BLOCK, 1, _JSON_ENTRY, text, start, end)
        start = end


def _may_hold(lowered: str) -> bool:
    return "kind" in lowered and "secret" in lowered and "data" in lowered


def _values(
    block: re.Pattern[str], group: int, entry: re.Pattern[str], text: str, start: int, end: int
) -> Iterator[tuple[int, int]]:
    for lines in block.finditer(text, start, end):
        for value in entry.finditer(text, *lines.span(group)):
            if not stands_for_another(value[1]):
                yield value.span(1)

"""Sentences of clinical notes: full stops that end one, and those of abbreviations, decimals and numbered lists.

A line ends its sentence, too, unless it was wrapped: it is long, has no end of its own, and the next goes on in
lower-case letters or Hangul. One pass; a sentence holds no white space at its ends.
"""

from __future__ import annotations

from collections.abc import Iterator

from shared.patterns import regex

_END = regex(r"[.!?。！？…][.!?。！？…\"'”’)\]]{0,8}(?=\s|[가-힣]|$)|\n")
_BEFORE = regex(r"\S{1,24}\Z")
_WRAPPED = 50
_LOOK_BACK = 30
_BULLET = regex(r"\s{0,40}(?:[•●▪◦■□○·*\-–—▶►→※]|[a-z][.)]\s|#)")
_NUMBERED = regex(r"[(\[]?(?:\d{1,2}|[A-Za-z]|[ivxIVX]{1,4})[.)]?\Z")
_NEVER_LAST = frozenset(
    "dr mr mrs ms prof st vs e.g i.e eg ie cf approx fig no nos pt pts hx dx tx rx sx fx wt ht temp resp diff abd ext"
    " neuro cont incl dept est min max avg inc jr sr dob tel m.d ph.d".split()
)
"""These end no sentence, whatever comes next."""
_NO_END_BEFORE_NUMBER = frozenset("no nos vol fig p pp ca sec min max approx".split())
_OPENS = regex(r"[A-Z\u00c0-\u00de0-9가-힣(\[\"'“‘<•●▪◦■□*#+?-]")


def split_sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Ranges of sentences in their order; they overlap nowhere, and between them is nothing but white space."""
    return tuple(_trimmed(text))


def _trimmed(text: str) -> Iterator[tuple[int, int]]:
    first = _skip_space(text, 0, len(text))
    for match in _END.finditer(text):
        if match.start() < first or not _ends(text, first, match.start(), match.end()):
            continue
        yield first, _last_visible(text, first, match.end())
        first = _skip_space(text, match.end(), len(text))
    if first < len(text):
        yield first, _last_visible(text, first, len(text))


def _last_visible(text: str, first: int, end: int) -> int:
    while end > first and text[end - 1].isspace():
        end -= 1
    return end


def _skip_space(text: str, start: int, end: int) -> int:
    while start < end and text[start].isspace():
        start += 1
    return start


def _ends(text: str, first: int, start: int, end: int) -> bool:
    if text[start] == "\n":
        return not _goes_on(text, first, start)
    if text[start] != ".":
        return text[start] != "?" or not text[end : end + 1].isalpha()
    token = _token_before(text, first, start)
    if start - len(token) <= first and _NUMBERED.match(token):
        return False
    if end < len(text) and not text[end].isspace():
        # Hangul without a space: a Korean sentence ends in 다, 요, 음, 함, 임; "1.5배" and "Dr.김" do not end.
        return token[-1:] in "다요음함임됨"
    return _ends_before_space(text, token, end)


def _ends_before_space(text: str, token: str, end: int) -> bool:
    following = _next_visible(text, end)
    if not following or "\n" in text[end : end + 2]:
        return True
    word = token.lstrip("([\"'“‘").lower()
    if word in _NEVER_LAST:
        return word == "no" and not following.isdigit()
    if word in _NO_END_BEFORE_NUMBER and following.isdigit():
        return False
    return bool(_OPENS.match(following))


def _token_before(text: str, first: int, start: int) -> str:
    match = _BEFORE.search(text[max(first, start - _LOOK_BACK) : start])
    return match[0] if match else ""


def _next_visible(text: str, start: int) -> str:
    end = min(len(text), start + 200)
    start = _skip_space(text, start, end)
    return text[start] if start < end else ""


def _goes_on(text: str, first: int, start: int) -> bool:
    line_start = max(first, text.rfind("\n", max(first, start - 1000), start) + 1)
    if start - line_start < _WRAPPED or start + 1 >= len(text):
        return False
    following = text[start + 1]
    if not (following.islower() or "가" <= following <= "힣"):
        return False
    before = text[start - 1] if text[start - 1] != "\r" else text[start - 2]
    return before not in ".!?:;。！？" and not _BULLET.match(text, start + 1)

"""Bytes of a source file as the text that its language makes of them, line for line.

Python decodes by byte order mark and coding cookie (PEP 263): bytes that look harmless as UTF-8 may run as something
else. Everything else is UTF-8, or what an XML or HTML declaration says, or bytes taken for letters one by one, which
loses nothing that a rule for a line looks for.
"""

from __future__ import annotations

import codecs
import re

from shared.patterns import regex

_COOKIE = regex(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = regex(rb"^[ \t\f]*(?:#.*)?$")
_DECLARED = regex(
    rb"<\?xml[^>]{0,200}?encoding=[\"']([-\w.]+)|<meta[^>]{0,200}?charset=[\"']?([-\w.]+)",
    re.IGNORECASE,
)
# Python also ends lines at a lone carriage return, even before it knows the encoding, and lines may have any length.
_FIRST_TWO = regex(rb"([^\r\n]*)(?:\r\n?|\n)?([^\r\n]*)")
_HEAD_LINES = regex(r"[^\r\n]*(?:\r\n?|\n)?[^\r\n]*")
_UTF8 = b"\xef\xbb\xbf"
_HEAD = 4096


def decode(data: bytes, *, python: bool = False) -> str | None:
    """The text with its line ends as they are; None when it cannot be decoded, or lines would not stay lines."""
    if python:
        encoding = python_encoding(data)
        return None if encoding is None else _decoded(data, encoding)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        declared = _DECLARED.search(data[:_HEAD])
        named = _text_codec((declared[1] or declared[2]).decode("ascii")) if declared else None
        text = None if named is None else _decoded(data, named)
        return data.decode("latin-1") if text is None else text


def python_encoding(data: bytes) -> str | None:
    """The codec by which Python reads the file; None when Python refuses it."""
    cookie = None
    first_two = _FIRST_TWO.match(data.removeprefix(_UTF8))
    for line in first_two.groups() if first_two else ():
        cookie = _COOKIE.match(line)
        if cookie is not None or not _BLANK.match(line):
            break
    if cookie is None:
        return "utf-8"
    codec = _text_codec(cookie[1].decode("ascii", "replace"))
    if data.startswith(_UTF8) and codec != "utf-8":
        return None
    return codec


def without_cookie(text: str) -> str:
    """Python source whose coding cookie names nothing any more, for a program that is given it as UTF-8."""
    head = _HEAD_LINES.match(text)
    size = head.end() if head else 0
    return re.sub(r"coding(?=[:=])", "c0ding", text[:size]) + text[size:]


def _decoded(data: bytes, encoding: str) -> str | None:
    try:
        text = data.decode(encoding)
    except (UnicodeError, ValueError):
        return None
    kept = all(text.count(chr(end)) == data.count(end) for end in (10, 13))
    return text if kept and "\0" not in text else None


def _text_codec(name: str) -> str | None:
    try:
        codec = codecs.lookup(name.replace("_", "-"))
    except LookupError:
        return None
    return codec.name if codec._is_text_encoding else None

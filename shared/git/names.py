"""Names of files as a diff writes them: prefixed, and quoted where they hold odd characters."""

from __future__ import annotations

import re

from shared.patterns import regex

_QUOTED = regex(rb'"((?:[^"\\]|\\.)*)"')
_PREFIXED = regex(rb"(?:[abciow12])/(?=.)", re.DOTALL)
_ESCAPES = {
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
    b"v": b"\v",
}


def git_names(line: bytes) -> tuple[bytes, bytes] | None:
    """Both names of a `diff --git` line, None when it has fewer.

    Unquoted names with blanks are only recognised when they are equal.
    """
    rest = line.removeprefix(b"diff --git ").rstrip(b"\r\n")
    if rest.startswith(b'"') and (first := _QUOTED.match(rest)):
        pair = (unquote(first[0]), unquote(rest[first.end() + 1 :]))
    elif rest.endswith(b'"') and (cut := rest.find(b' "')) > 0:
        pair = (rest[:cut], unquote(rest[cut + 1 :]))
    else:
        pair = _halves(rest)
    return _without_both_prefixes(*pair) if all(pair) else None


def _halves(rest: bytes) -> tuple[bytes, bytes]:
    middle = len(rest) // 2
    left, right = rest[:middle], rest[middle + 1 :]
    stripped = _without_both_prefixes(left, right)
    if rest[middle : middle + 1] == b" " and stripped[0] == stripped[1]:
        return left, right
    left, _, right = rest.partition(b" ")
    return left, right


def file_name(rest: bytes) -> bytes | None:
    """The name in a `---` or `+++` line (a tab ends it, a time may follow), without `./`; None for /dev/null."""
    rest = rest.rstrip(b"\r\n")
    if not rest.startswith(b'"'):
        rest = rest.partition(b"\t")[0]
    name = unquote(rest)
    return None if name == b"/dev/null" else name.removeprefix(b"./") or name


def without_prefixes(old: bytes | None, new: bytes | None) -> tuple[bytes | None, bytes | None]:
    """The names without `a/` and `b/`, if both have such a prefix (None is /dev/null)."""
    if all(name is None or _PREFIXED.match(name) for name in (old, new)):
        return (old and old[2:], new and new[2:])
    return old, new


def _without_both_prefixes(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    return (old[2:], new[2:]) if _PREFIXED.match(old) and _PREFIXED.match(new) else (old, new)


def unquote(name: bytes) -> bytes:
    """The name that git wrote between quotation marks; any other as it is."""
    quoted = _QUOTED.match(name)
    if quoted is None:
        return name

    def character(match: re.Match[bytes]) -> bytes:
        escape = match[1]
        return bytes([int(escape, 8) & 255]) if escape.isdigit() else _ESCAPES.get(escape, escape)

    return re.sub(rb"\\([0-7]{3}|.)", character, quoted[1])


def quote(name: bytes) -> bytes:
    """The name as git writes it in a diff: quoted when it holds a quotation mark or a control character."""
    if not any(byte < 0x20 or byte in b'"\\\x7f' for byte in name):
        return name
    named = {value[0]: b"\\" + letter for letter, value in _ESCAPES.items()}
    named |= {ord('"'): b'\\"', ord("\\"): b"\\\\"}
    return (
        b'"'
        + b"".join(
            named.get(b, b"\\%03o" % b if b < 0x20 or b == 0x7F else bytes([b])) for b in name
        )
        + b'"'
    )

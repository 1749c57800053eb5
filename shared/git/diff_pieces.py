"""A diff cut into pieces: by file, then between hunks, and within a hunk only where it is larger than a piece.

Every piece is a diff of its own, with the file's header and hunk headers that count right, so that what is quoted from
it stands in the whole diff, too. A cut within a hunk falls where a block seems to end, and never within a private key
or between a secret and the lines that tell it: secrets are masked in each text that leaves, and half of one is not
recognised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from shared.git.patch import Hunk, parse_hunks
from shared.models.subject import DiffPiece, LineRange
from shared.patterns import regex
from shared.text.masking.mask import mask
from shared.text.tokens import estimated_tokens

PIECE_TOKENS = 3_000
MOST_TRIES = 12  # places for a cut, the best one first
LONGEST_PEM = 400  # lines: what begins like a key and does not end is no reason never to cut

_PEM_BEGINS, _PEM_ENDS = (b"-----BEGIN ", b"Private-Lines: "), (b"-----END ", b"Private-MAC: ")
_AROUND_LINES, _AROUND_BYTES = 40, 4_000
_PLACEHOLDER = regex(r"(«masked:[\w-]+):\d+»")


@dataclass(frozen=True)
class FileText:
    """What a reader is shown of one file: its diff, or the file itself."""

    path: str
    text: bytes
    is_diff: bool = True


def cut_change(parts: Iterable[FileText], put: Callable[[bytes], str]) -> tuple[DiffPiece, ...]:
    """The pieces of a change in the order of its parts, stored by `put`; none for a small change."""
    listed = [part for part in parts if part.text]
    if sum(_tokens(part.text) for part in listed) <= PIECE_TOKENS:
        return ()
    return tuple(
        piece
        for part in listed
        for piece in (_cut_file(part.path, part.text, put) if part.is_diff else _whole(part, put))
    )


def _whole(part: FileText, put: Callable[[bytes], str]) -> Iterator[DiffPiece]:
    lines = LineRange(first=1, last=part.text.count(b"\n") + 1)
    yield DiffPiece(path=part.path, document=put(part.text), tokens=_tokens(part.text), lines=lines)


def _tokens(text: bytes) -> int:
    return estimated_tokens(text.decode("utf-8", "replace"))


def _cut_file(path: str, text: bytes, put: Callable[[bytes], str]) -> Iterator[DiffPiece]:
    header, hunks = parse_hunks(text)
    if not hunks:  # a new name or mode
        yield DiffPiece(path=path, document=put(header), tokens=_tokens(header))
    for group in _grouped([part for hunk in hunks for part in _split(hunk)]):
        body = header + b"".join(hunk.text for hunk in group)
        shown = [
            (hunk.new_start, hunk.new_start + count - 1)
            for hunk in group
            if (count := hunk.counts[1]) > 0
        ]
        lines = LineRange(first=max(shown[0][0], 1), last=max(shown[-1][1], 1)) if shown else None
        yield DiffPiece(path=path, document=put(body), tokens=_tokens(body), lines=lines)


def _split(hunk: Hunk) -> Iterator[Hunk]:
    """The hunk, in parts of about a piece where it is larger."""
    old, new, rest = hunk.old_start, hunk.new_start, hunk.lines
    while rest:
        end = _end(tuple(line.shown for line in rest))
        part = replace(hunk, old_start=old, new_start=new, lines=rest[:end])
        yield part
        old, new, rest = old + part.counts[0], new + part.counts[1], rest[end:]


def _end(lines: tuple[bytes, ...]) -> int:
    """How many lines make a part: as many as fit, back to where a block seems to end, beyond an open PEM block."""
    total, pem = 0, 0
    blocks: list[int] = []
    others: list[int] = []
    for at, line in enumerate(lines):
        total += _tokens(line)
        if total > PIECE_TOKENS and at and not pem:
            return _safest((*reversed(blocks), at, *reversed(others)), lines)
        pem = _open_pem(line, pem)
        if not pem and total > PIECE_TOKENS // 2:
            follows = lines[at + 1] if at + 1 < len(lines) else b""
            (blocks if _begins_block(follows) else others).append(at + 1)
    return len(lines)


def _open_pem(line: bytes, left: int) -> int:
    """How many lines a PEM block may still go on after this one; `left` was it before."""
    if any(sign in line for sign in _PEM_BEGINS):
        return LONGEST_PEM
    if any(sign in line for sign in _PEM_ENDS):
        return 0
    return max(left - 1, 0)


def _safest(places: Sequence[int], lines: tuple[bytes, ...]) -> int:
    """The first of the places where a cut parts no secret from what it is known by; else the first of all."""
    tried = places[:MOST_TRIES]
    return next((at for at in tried if _hides_as_much(lines, at)), tried[0])


def _hides_as_much(lines: tuple[bytes, ...], at: int) -> bool:
    before = b"".join(lines[max(at - _AROUND_LINES, 0) : at])[-_AROUND_BYTES:]
    after = b"".join(lines[at : at + _AROUND_LINES])[:_AROUND_BYTES]
    return _masked(before + after) == _masked(before) + _masked(after)


def _masked(text: bytes) -> str:
    """The text as it would leave, whatever number a secret has there."""
    header = "@@ -1 +1 @@\n"
    hidden = mask(header + text.decode("utf-8", "replace")).text
    return _PLACEHOLDER.sub(r"\1»", hidden).removeprefix(header)


def _begins_block(line: bytes) -> bool:
    """Whether a line could be the first of something: it is neither blank, nor indented, nor a remark of diff's."""
    return line[:1] in (b" ", b"+", b"-") and line[1:2].strip() not in (b"", b"}", b")", b"]")


def _grouped(hunks: Iterable[Hunk]) -> Iterator[list[Hunk]]:
    """Neighbours together as long as they fit into one piece."""
    group: list[Hunk] = []
    total = 0
    for hunk in hunks:
        tokens = _tokens(hunk.text)
        if group and total + tokens > PIECE_TOKENS:
            yield group
            group, total = [], 0
        group.append(hunk)
        total += tokens
    if group:
        yield group

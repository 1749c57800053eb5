"""A large diff is cut so that every piece can be read by itself, and all of them are the whole change."""

from __future__ import annotations

from itertools import accumulate, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.git.diff_pieces import PIECE_TOKENS, FileText, cut_change
from shared.git.patch import FilePatch, parse_patch
from shared.models.subject import DiffPiece
from shared.text.masking.mask import mask
from shared.text.tokens import estimated_tokens

HEAD = b"diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n"


class Store(dict[str, bytes]):
    """Documents by a name of their own."""

    def put(self, content: bytes) -> str:
        name = str(len(self))
        self[name] = content
        return name


def cut(text: bytes) -> tuple[tuple[DiffPiece, ...], list[bytes]]:
    store = Store()
    pieces = cut_change([FileText("a.py", text)], store.put)
    return pieces, [store[piece.document] for piece in pieces]


def added(count: int, line: str = "value = compute()") -> bytes:
    body = b"".join(b"+%s\n" % line.encode() for _ in range(count))
    return HEAD + b"@@ -0,0 +1,%d @@\n" % count + body


def changed_lines(patches: list[FilePatch]) -> list[tuple[bytes, bytes]]:
    return [(line.tag, line.text) for p in patches for hunk in p.hunks for line in hunk.lines]


def parsed(texts: list[bytes]) -> list[FilePatch]:
    return [patch for text in texts for patch in parse_patch(text)]


def test_a_small_change_is_not_cut() -> None:
    assert cut(added(20)) == ((), [])


def test_every_piece_is_a_diff_and_together_they_are_the_change() -> None:
    text = added(3_000)
    pieces, texts = cut(text)
    assert len(pieces) > 3
    assert changed_lines(parsed(texts)) == changed_lines(parsed([text]))
    assert next(piece.lines.first for piece in pieces if piece.lines) == 1
    ends = [(piece.lines.first, piece.lines.last) for piece in pieces if piece.lines]
    assert all(after[0] == before[1] + 1 for before, after in pairwise(ends))
    assert ends[-1][1] == 3_000


def test_a_piece_is_about_as_large_as_it_says_and_not_much_larger_than_wanted() -> None:
    pieces, texts = cut(added(3_000))
    for piece, text in zip(pieces, texts, strict=True):
        assert piece.tokens == estimated_tokens(text.decode())
        assert piece.tokens <= PIECE_TOKENS * 1.2


def test_a_line_that_looks_like_a_header_within_a_hunk_is_a_line() -> None:
    body = b"".join(b"-- x %d\n+++ y\n-@@ -1 +1 @@\n" % n for n in range(2_000))
    text = HEAD + b"@@ -1,4000 +1,2000 @@\n" + body
    _, texts = cut(text)
    assert changed_lines(parsed(texts)) == changed_lines(parsed([text]))


def test_a_pem_block_is_never_cut() -> None:
    key = b"".join(b"+%064d\n" % n for n in range(40))
    block = b"+-----BEGIN PRIVATE KEY-----\n" + key + b"+-----END PRIVATE KEY-----\n"
    filler = b"+value = compute(1)\n"
    for before in range(560, 720, 4):
        body = filler * before + block + filler * 400
        count = body.count(b"\n")
        _, texts = cut(HEAD + b"@@ -0,0 +1,%d @@\n" % count + body)
        assert any(block in text for text in texts), before


def test_a_file_that_only_changes_its_mode_is_in_a_piece() -> None:
    store = Store()
    mode = b"diff --git a/run b/run\nold mode 100644\nnew mode 100755\n"
    pieces = cut_change([FileText("a.py", added(2_000)), FileText("run", mode)], store.put)
    assert pieces[-1].path == "run"
    assert store[pieces[-1].document] == mode


HUNKS = st.lists(
    st.lists(st.sampled_from([" keep", "-old", "+new", "+", "-", " "]), min_size=1, max_size=30),
    min_size=1,
    max_size=6,
)


@settings(max_examples=60)
@given(HUNKS, st.integers(40, 400))
def test_whatever_the_hunks_nothing_is_lost_or_invented(
    hunks: list[list[str]], repeated: int
) -> None:
    text, old, new = HEAD, 1, 1
    for lines in hunks:
        body = lines * repeated
        before = sum(line[0] in " -" for line in body)
        after = sum(line[0] in " +" for line in body)
        text += f"@@ -{old},{before} +{new},{after} @@\n".encode()
        text += "".join(f"{line}\n" for line in body).encode()
        old, new = old + before + 5, new + after + 5
    pieces, texts = cut(text)
    if pieces:
        assert changed_lines(parsed(texts)) == changed_lines(parsed([text]))


@pytest.mark.parametrize(
    "secret",
    [
        ("Private-Lines: 6", *("Ab3d" * 16 for _ in range(6)), "Private-MAC: 0123"),
        ("<password>", "   Xk9aB7qLm2Pz8Rt5Vw3Yc1Dn", "</password>"),
        ('"client_secret":', '   "Xk9aB7qLm2Pz8Rt5Vw3Yc1Dn"'),
    ],
)
def test_no_cut_parts_a_secret_from_what_it_is_known_by(secret: tuple[str, ...]) -> None:
    hidden = [line for line in secret if "Ab3d" in line or "Xk9a" in line]
    before = [f"    x_{n} = compute({n}) + another_call({n})" for n in range(400)]
    # The first cut falls behind the line that fills a piece: wherever the secret stands around it.
    sizes = accumulate(estimated_tokens(f"+{line}\n") for line in before)
    full = next(n for n, size in enumerate(sizes) if size > PIECE_TOKENS)
    for lines in range(full - len(secret) - 1, full + 1):
        body = [*before[:lines], *secret, *before[:40]]
        text = "".join(f"+{line}\n" for line in body)
        _, pieces = cut(HEAD + b"@@ -0,0 +1,%d @@\n" % len(body) + text.encode())
        assert len(pieces) > 1
        sent = "\n".join(mask(piece.decode()).text for piece in pieces)
        assert not [line for line in hidden if line.strip(' "') in sent], lines

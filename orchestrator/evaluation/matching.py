"""Which finding names which labelled defect: one to one, as many pairs as can be, the surest first.

| the finding's place | the label has words | they are one when |
| --- | --- | --- |
| in the labelled lines, or at most `NEAR_LINES` beside them | no | the place is enough |
| the same | yes | a term occurs in the finding, or a sentence reads like it (`AT_THE_PLACE`) |
| elsewhere in the file, nowhere, or the label has no line | yes | two terms occur, or a sentence (`BY_WORDS_ALONE`) |
| elsewhere, or nowhere | no | never |
| in another file | any | never |

Of a label's words a *term* has up to `FEW_WORDS` words. It occurs where each of them begins a word of the finding, in
any order ("lock release" in "never releases the lock"); a Korean one anywhere, because particles are glued to it. What
is longer is a *sentence*: how alike it reads is `sameness.text_alike`, for which opposites are not alike.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.core.findings.sameness import NEAR_LINES, ComparableClaim, plain_path, text_alike
from orchestrator.evaluation.cases import ExpectedFinding
from shared.models.findings import Finding
from shared.patterns import regex

AT_THE_PLACE = 0.40
BY_WORDS_ALONE = 0.60
FEW_WORDS = 3
OCCURS_ALONE = 2  # terms that a finding needs which is not at the place
_PIECE = regex(r"[가-힣]+|[^\W가-힣_]+")
_SHORTEST_STEM = 3


def matched(expected: Sequence[ExpectedFinding], findings: Sequence[Finding]) -> dict[int, int]:
    """The finding (its index) that names each label (its index); labels that nobody found are left out.

    Ties go to the finding that stands first.
    """
    scores = {
        (label, at): score
        for label, wanted in enumerate(expected)
        for at, finding in enumerate(findings)
        if (score := likeness(wanted, finding)) > 0
    }
    ordered = sorted(scores, key=lambda pair: (-scores[pair], pair[1], pair[0]))
    choices: dict[int, list[int]] = {}
    for label, at in ordered:
        choices.setdefault(label, []).append(at)
    holder: dict[int, int] = {}
    for label in dict.fromkeys(label for label, _ in ordered):
        _place(label, choices, holder, set())
    return {label: at for at, label in holder.items()}


def _place(
    label: int, choices: Mapping[int, Sequence[int]], holder: dict[int, int], tried: set[int]
) -> bool:
    """Give the label a finding; whoever has it already moves to another one if there is one."""
    for at in choices[label]:
        if at in tried:
            continue
        tried.add(at)
        if at not in holder or _place(holder[at], choices, holder, tried):
            holder[at] = label
            return True
    return False


def likeness(expected: ExpectedFinding, finding: Finding) -> float:
    """How surely the finding names the labelled defect: 0 for not at all, the more the surer."""
    if _elsewhere(expected, finding):
        return 0.0
    at_place = _at_place(expected, finding)
    if not expected.words:
        return 1.0 if at_place else 0.0
    alike, occurring = _alike(expected, finding), _occurring(expected, finding)
    likely, enough = (AT_THE_PLACE, 1) if at_place else (BY_WORDS_ALONE, OCCURS_ALONE)
    return alike + occurring + at_place if alike >= likely or occurring >= enough else 0.0


def _elsewhere(expected: ExpectedFinding, finding: Finding) -> bool:
    if expected.path is None or finding.place is None:
        return False
    return plain_path(expected.path) != plain_path(finding.place.path)


def _at_place(expected: ExpectedFinding, finding: Finding) -> bool:
    wanted, place = expected.place, finding.place
    if wanted is None or place is None:
        return False
    gap = max(wanted.line, place.line) - min(wanted.last_line, place.last_line)
    return gap <= NEAR_LINES


def _alike(expected: ExpectedFinding, finding: Finding) -> float:
    named = _claim(finding.title, finding.detail)
    others = [_claim(title, "") for title in finding.titles.values()]
    sentences = [words for words in expected.words if not _is_term(words)]
    return max(
        (text_alike(_claim(words, ""), claim) for words in sentences for claim in (named, *others)),
        default=0.0,
    )


def _occurring(expected: ExpectedFinding, finding: Finding) -> int:
    """How many of the terms occur in the finding."""
    pieces = _pieces(" ".join((finding.title, finding.detail, *finding.titles.values())))
    return sum(_occurs(words, pieces) for words in expected.words if _is_term(words))


def _is_term(words: str) -> bool:
    return 0 < len(_pieces(words)) <= FEW_WORDS


def _occurs(words: str, pieces: Sequence[str]) -> bool:
    return all(any(_begins(piece, word) for piece in pieces) for word in _pieces(words))


def _begins(piece: str, word: str) -> bool:
    if "가" <= word[0] <= "힣":
        return word in piece
    return piece == word or (len(word) >= _SHORTEST_STEM and piece.startswith(word))


def _pieces(text: str) -> list[str]:
    return _PIECE.findall(text.casefold())


def _claim(title: str, detail: str) -> ComparableClaim:
    return ComparableClaim(title, detail, rule=None, place=None, turn=None)

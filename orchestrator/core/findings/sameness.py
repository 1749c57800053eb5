"""Do two claims name the same defect? A score in 0..1, 0 for no, by place, rule and text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from rapidfuzz import fuzz, process

from orchestrator.core.findings.kinds import (
    are_about_names,
    kind_of_rule,
    kinds_of_consequence,
    kinds_of_title,
    quoted_names,
    warns_of_import,
)
from orchestrator.core.findings.polarity import opposed
from shared.models.findings import Place
from shared.patterns import regex

NEAR_LINES = 3  # models miscount by a line or two
SAME_LINES_ALIKE = 0.55
NEAR_LINES_ALIKE = 0.65
TEXT_ALONE_ALIKE = 0.80
TEXTS_MATCH = 0.90
OF_ONE_KIND = 0.90
_READ_UNLIKE = 0.1

_WORD_ALIKE = 77.0  # validate and validation are one word, test and text are two
_SHORT = 3  # names as short as this are compared exactly, and so are numbers
_COMPARED_WORDS = 60
# Recorded reviews have up to some hundred words that may vary; with these bounds a look-up of all takes about a second.
MAX_VOCABULARY = 4_000
MAX_GROUP = 500
_START = 3

_FILLER = frozenset(
    "a an and are as at be been being but by can could does for from has have in into is it its may might of on or "
    "should so than that the their then there these this those to too too use used uses using via was were when "
    "which while will with would".split()
)
# Words that many defects share say little about which one is meant.
_GENERIC = frozenset(
    "bug code error function issue line lines method missing possible potential problem unused value variable "
    "input output no not never".split()
)
_GENERIC_WEIGHT = 0.5
# Languages name the same absence differently, and reviewers mix them.
_ONE_WORD = dict.fromkeys("none nil undefined nullptr npe nullpointerexception".split(), "null")
_KO_ENDINGS = frozenset("습니 니다 합니 입니 됩니 있습 없습 않습 있다 없다 하는 하지 지않".split())
_HYPHEN = regex(r"(?<=\w)-(?=\w)")
_NAME = regex(r"\w+")
_PIECE = regex(r"[가-힣]+|[^\W가-힣]+")


@dataclass(frozen=True)
class ComparableClaim:
    """What is compared; `turn` says when it was raised (None: it was known before)."""

    title: str
    detail: str
    rule: str | None
    place: Place | None
    turn: tuple[str, int, str] | None
    quote: str = ""

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of defects that its rule finds, or without one its title names, or what comes of its quotation."""
        if self.rule is None:
            return kinds_of_title(self.title) or kinds_of_consequence(self.title, self.quote)
        kind = kind_of_rule(self.rule)
        return frozenset() if kind is None else frozenset((kind,))

    @property
    def warns_of_import(self) -> bool:
        """Whether its rule only warns of a module's import."""
        return self.rule is not None and warns_of_import(self.rule)

    @cached_property
    def whole(self) -> str:
        """Title and detail: one text for all comparisons, because long ones are costly to make and to look up."""
        return f"{self.title} {self.detail}"


class Spellings:
    """Near spellings among the words of some claims, looked up once for a word instead of for each pair of claims.

    Up to `MAX_VOCABULARY` words each is compared with each. Beyond that, words are compared that begin alike, in groups
    of at most `MAX_GROUP`: claims longer than people write lose some of their spellings, and take no more time.
    """

    def __init__(self, claims: Iterable[ComparableClaim]) -> None:
        """Of everything that these claims say."""
        words = {word for claim in claims for word in _words(claim.whole)}
        vocabulary = sorted(word for word in words if _may_vary(word))
        self._start = None if len(vocabulary) <= MAX_VOCABULARY else _START
        self._groups: dict[str, list[str]] = {}
        for word in vocabulary:
            self._groups.setdefault(word[: self._start] if self._start else "", []).append(word)
        self._near: dict[str, tuple[str, ...]] = {}
        self._varied: dict[frozenset[str], frozenset[str]] = {}

    def varied(self, words: frozenset[str]) -> frozenset[str]:
        """Those of a text's words that something else is spelt nearly like."""
        if words not in self._varied:
            self._varied[words] = frozenset(word for word in words if self.near(word))
        return self._varied[words]

    def near(self, word: str) -> tuple[str, ...]:
        """The words that are spelt nearly like it, the nearest first, then by the alphabet."""
        if word not in self._near:
            matches = process.extract(
                word, self._group(word), scorer=fuzz.ratio, score_cutoff=_WORD_ALIKE, limit=None
            )
            self._near[word] = tuple(other for other, _, _ in matches if other != word)
        return self._near[word]

    def _group(self, word: str) -> list[str]:
        if not _may_vary(word):
            return []
        group = self._groups.get(word[: self._start] if self._start else "", [])
        return group if self._start is None or len(group) <= MAX_GROUP else []


def comparable(a: ComparableClaim, b: ComparableClaim) -> bool:
    """False when place, rule and turn alone tell the claims apart; no text is read for that."""
    if _name_two_things(a, b):
        return False
    if _of_one_kind(a, b):
        return True
    if _in_one_breath(a, b):
        return a.place == b.place and a.rule == b.rule
    if a.place is None or b.place is None:
        return True
    return gap_of(a.place, b.place) <= NEAR_LINES and plain_path(a.place.path) == plain_path(
        b.place.path
    )


def _name_two_things(a: ComparableClaim, b: ComparableClaim) -> bool:
    """Whether two rules' messages quote different names: each unused import of a line is a defect of its own.

    One rule's messages differ in nothing else. Of two rules of such a kind, one may quote what the other one only says.
    """
    if a.rule is None or b.rule is None:
        return False
    names, others = quoted_names(a.title), quoted_names(b.title)
    if a.rule.casefold() == b.rule.casefold():
        return bool(names and others) and names != others
    if not are_about_names(a.kinds & b.kinds):
        return False
    return not (_any_named(names, b.title) and _any_named(others, a.title))


def _any_named(names: frozenset[str], title: str) -> bool:
    """True when the title has one of the names, or there are none; of `os.path` the last part is enough."""
    words = frozenset(_NAME.findall(title))
    return not names or any(not words.isdisjoint(_NAME.findall(name)[-1:]) for name in names)


def _in_one_breath(a: ComparableClaim, b: ComparableClaim) -> bool:
    return a.turn is not None and a.turn == b.turn


def in_the_same_words(a: ComparableClaim, b: ComparableClaim) -> bool:
    """True when two comparable claims read the same, letter by letter, or are one rule's."""
    same_rule = bool(a.rule and b.rule) and a.place is not None and a.rule == b.rule
    return same_rule or (a.title == b.title and a.detail == b.detail)


def same_defect(
    a: ComparableClaim, b: ComparableClaim, spellings: Spellings | None = None
) -> float:
    """0 when the claims are (or must be taken as) different, else how surely they are the same.

    What one participant lists twice in one turn is two defects, unless place, rule and text are the same; without
    a place to tell them apart the same words, not only similar ones (the two may differ in one name, and it counts).
    A caller that compares many claims gives the `spellings` of all of them.
    """
    if not comparable(a, b):
        return 0.0
    if _of_one_kind(a, b):
        return 0.0 if _opposites(a, b) else _sure_of_kind(a, b, spellings)
    if _in_one_breath(a, b):
        if a.place is None and _words(a.whole) != _words(b.whole):
            return 0.0
        return _by_text(a, b, TEXTS_MATCH, 1.0, spellings)
    if a.place is None or b.place is None:
        return _by_text(a, b, TEXT_ALONE_ALIKE, 0.0, spellings)
    return _by_place(a, b, gap_of(a.place, b.place), spellings)


def _of_one_kind(a: ComparableClaim, b: ComparableClaim) -> bool:
    """Whether both name one kind of defect at one place: two rules, two reviewers, or a rule and a reviewer.

    The places share a line; beside a rule's, a reviewer's may be miscounted. What only warns of an import belongs to a
    use in the file.
    """
    if a.place is None or b.place is None or not _in_one_file(a, b):
        return False
    if a.kinds.isdisjoint(b.kinds) or _are_listed_apart(a, b):
        return False
    may_be_off = (a.rule is None) is not (b.rule is None)
    most = NEAR_LINES if may_be_off else 0
    return a.warns_of_import or b.warns_of_import or gap_of(a.place, b.place) <= most


def _are_listed_apart(a: ComparableClaim, b: ComparableClaim) -> bool:
    """Two sites of one rule, and what a reviewer lists twice."""
    return a.rule == b.rule and (a.rule is not None or _in_one_breath(a, b))


def _in_one_file(a: ComparableClaim, b: ComparableClaim) -> bool:
    paths = {plain_path(claim.place.path) for claim in (a, b) if claim.place is not None}
    return len(paths) == 1


def _sure_of_kind(a: ComparableClaim, b: ComparableClaim, spellings: Spellings | None) -> float:
    """What reads alike, too, belongs together first: a line may have two defects of the kind."""
    assert a.place is not None
    assert b.place is not None
    gap = min(gap_of(a.place, b.place), NEAR_LINES + 1)
    unlike = 1.0 - _likeness(a, b, spellings)
    return (OF_ONE_KIND + 1.0 - gap / (NEAR_LINES + 1) - _READ_UNLIKE * unlike) / 2


def _by_place(
    a: ComparableClaim, b: ComparableClaim, gap: int, spellings: Spellings | None
) -> float:
    closeness = 1.0 - gap / (NEAR_LINES + 1)
    if a.rule and b.rule:
        if a.rule.casefold() == b.rule.casefold() and gap == 0:
            return 1.0
        # Different rules on one line, and one rule on neighbouring lines, are the same only in the same words.
        return _by_text(a, b, TEXTS_MATCH, closeness, spellings)
    needed = SAME_LINES_ALIKE if gap == 0 else NEAR_LINES_ALIKE
    return _by_text(a, b, needed, closeness, spellings)


def _by_text(
    a: ComparableClaim,
    b: ComparableClaim,
    needed: float,
    closeness: float,
    spellings: Spellings | None,
) -> float:
    if a.whole == b.whole and a.title == b.title:
        return (1.0 + closeness) / 2
    alike = _likeness(a, b, spellings)
    return (alike + closeness) / 2 if alike >= needed and not _opposites(a, b) else 0.0


def text_alike(a: ComparableClaim, b: ComparableClaim, spellings: Spellings | None = None) -> float:
    """How alike the claims read: the better of their titles and of title with detail, 0..1; opposites are 0."""
    return 0.0 if _opposites(a, b) else _likeness(a, b, spellings)


def _opposites(a: ComparableClaim, b: ComparableClaim) -> bool:
    return opposed(a.title, b.title) or opposed(a.whole, b.whole)


def _likeness(a: ComparableClaim, b: ComparableClaim, spellings: Spellings | None) -> float:
    known = spellings or Spellings((a, b))
    titles = _alike(a.title, b.title, known)
    return titles if titles == 1.0 else max(titles, _alike(a.whole, b.whole, known))


def _alike(a: str, b: str, spellings: Spellings) -> float:
    """Mean of Dice and overlap coefficients of the weighted words, near spellings taken as one word."""
    # Pairing near spellings is greedy: a fixed order makes it symmetric.
    left, right = (_words(text) for text in sorted((a, b)))
    if not left or not right:
        return float(a.strip().casefold() == b.strip().casefold())
    common, varied = left & right, spellings.varied(left) - right
    if not common and not varied:
        return 0.0
    shared = sum(map(_weight, common))
    for word, partner in _partners(varied, set(right - left), spellings):
        shared += min(_weight(word), _weight(partner))
    size_left, size_right = _size(left), _size(right)
    return (2 * shared / (size_left + size_right) + shared / min(size_left, size_right)) / 2


def _partners(
    varied: Iterable[str], others: set[str], spellings: Spellings
) -> Iterator[tuple[str, str]]:
    """Words with the nearest spelling among the others, each of which is taken once."""
    for word in sorted(varied):
        partner = next((near for near in spellings.near(word) if near in others), None)
        if partner is not None:
            others.remove(partner)
            yield word, partner


def _may_vary(word: str) -> bool:
    return len(word) > _SHORT and not word.isdigit()


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    words: dict[str, None] = {}
    for piece in _PIECE.findall(_HYPHEN.sub("", text.casefold())):
        if "가" <= piece[0] <= "힣":
            pairs = [piece[at : at + 2] for at in range(len(piece) - 1)] or [piece]
            words.update(dict.fromkeys(pair for pair in pairs if pair not in _KO_ENDINGS))
        elif piece not in _FILLER:
            words[_ONE_WORD.get(piece, piece)] = None
    return frozenset(list(words)[:_COMPARED_WORDS])


def _weight(word: str) -> float:
    return _GENERIC_WEIGHT if word in _GENERIC or word.isdigit() else 1.0


@lru_cache(maxsize=4096)
def _size(words: frozenset[str]) -> float:
    return sum(map(_weight, words))


def gap_of(a: Place, b: Place) -> int:
    """Lines between two ranges, 0 when they share one."""
    return max(0, max(a.line, b.line) - min(a.last_line, b.last_line))


def plain_path(path: str) -> str:
    """A path as the subject spells it: forward slashes, no leading `./`."""
    return path.replace("\\", "/").removeprefix("./")

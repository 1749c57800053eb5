"""What a sentence says, in a form that can be compared: terms with their polarity, amount, direction and order.

`read_claim` takes a wording apart. Comparing is done in `wordings`. English roles come from order and prepositions,
Korean ones from particles.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from sys import getsizeof

from orchestrator.core.consensus.detectors.korean_words import (
    particle_role,
    verb_root,
    without_particle,
)
from orchestrator.core.consensus.detectors.lexicon import (
    SAYS_NOTHING,
    Sense,
    direction_of,
    english_sense,
    korean_sense,
    says_nothing_in_korean,
    with_phrases,
)
from orchestrator.core.consensus.detectors.quantities import (
    amount_in,
    measures,
    number_word,
    spell_of,
    unit_of,
)
from shared.patterns import regex
from shared.text.bounded_cache import ENTRY_BYTES, BoundedCache

LONGEST_READ = 2_000  # characters; an answer is a line or two


@dataclass(frozen=True)
class Term:
    """A word that says something: what it stands for, whether it is denied, its role.

    `role`: where a preposition or particle points. `place`: counted within the clause; what is listed together shares
    one. `amount`: of what, for a number.
    """

    concept: str
    denied: bool = False
    role: str = ""
    place: int = 0
    amount: float | None = None

    @property
    def meaning(self) -> tuple[str, bool, float | None]:
        """What makes two terms the same, apart from their part in the clause."""
        return self.concept, self.denied, self.amount


@dataclass(frozen=True)
class Clause:
    """Terms that stand together. `conditional`: it says when the rest holds; `ordered`: their order matters."""

    terms: tuple[Term, ...]
    conditional: bool = False
    ordered: bool = False


@dataclass(frozen=True)
class WordedClaim:
    """A wording taken apart."""

    clauses: tuple[Clause, ...]

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms but those of conditions."""
        return tuple(
            term for clause in self.clauses if not clause.conditional for term in clause.terms
        )

    @property
    def conditions(self) -> tuple[Term, ...]:
        """The terms of its conditions."""
        return tuple(term for clause in self.clauses if clause.conditional for term in clause.terms)


# The same turns are read again after every round. A term takes about so many bytes besides the text.
_CLAIMS: BoundedCache[str, WordedClaim] = BoundedCache(16 * 1024 * 1024)
_TERM_BYTES = 250


def read_claim(text: str) -> WordedClaim:
    """The terms of a wording, clause by clause; reasons are left out."""
    beginning = text[:LONGEST_READ]
    kept = _CLAIMS.get(beginning)
    if kept is not None:
        return kept
    claim = _read(beginning)
    terms = sum(len(clause.terms) for clause in claim.clauses)
    return _CLAIMS.keep(beginning, claim, ENTRY_BYTES + getsizeof(beginning) + terms * _TERM_BYTES)


def _read(text: str) -> WordedClaim:
    plain = _REASON.sub(" ", text.replace("’", "'"))
    clauses = []
    for sentence in _SENTENCE.split(_kept_names(plain)):
        for part, conditional in _parts(with_phrases(sentence.lower())):
            clause = _clause(part, conditional=conditional)
            if clause.terms:
                clauses.append(clause)
    return WordedClaim(_joined(clauses))


# ---- sentences and clauses ----------------------------------------------------------------------

_REASON = regex(
    r"(?i)[,;]?\s*\b(?:because|since (?=\w+ \w+ \w+)|given that|so that|in order to|due to"
    r"|thanks to"
    r"|, as (?=\w+ \w+)|for (?:the|these|those|that|this|all) (?:\w+ )?reasons?)\b[^.!?;\n]*"
    r"|(?i:,\s+as\s)[^.!?;\n]*|(?:(?<=[.,!]\s)|^)[^.,!?\n]*(?:니까요?|때문[가-힣]*"
    r"|덕분[가-힣]*)(?=[.,!?\s]|$)"
)
_SENTENCE = regex(r"[;!?\n]+|(?<!\d)\.(?!\w)|(?<=\d)\.(?=\s|$)")
_IF = regex(
    r"\b(?:if(?! so\b| that(?:'s| is) (?:so|the case))|unless|when|once|whenever|except when"
    r"|until)\b"
)
_CONJUNCTION = regex(
    r"\s*,\s*(?!\s*THEN)(?:and |but |so |or )?|\s+(?:and|but|while|whereas|&|plus)\s+|\s+\+\s+"
)
_NAME = regex(
    r"`([^`\n]{1,60})`|\"([^\"\n]{1,60})\"|“([^”\n]{1,60})”|(?<!\w)'([^'\n]{2,60})'(?!\w)"
)
_UNSAFE = regex(r"[^\w가-힣]+")


def _kept_names(text: str) -> str:
    """Names in code or quotes become one word each, that no ending is taken off."""
    return _NAME.sub(
        lambda match: (
            " ‹" + _UNSAFE.sub("_", next(filter(None, match.groups())).strip(" .,!?")) + "›"
        ),
        text,
    )


def _parts(sentence: str) -> Iterator[tuple[str, bool]]:
    """The clauses of a sentence, and whether each is a condition."""
    for piece in _CONJUNCTION.split(sentence):
        starts = _IF.search(piece)
        if starts is None:
            yield from _korean_parts(piece)
        else:
            yield piece[: starts.start()], False
            yield piece[starts.start() :], True


# Any word in 면, but for nouns that end so and words that only link.
_KO_IF = regex(
    r"(?<!\S)(?!그렇다면|그러면|그렇다고|아니면|반면|\S{0,2}(?:화면|측면|정면|표면|장면|단면|전면|지면|서면|도면|양면|대면)(?!\S))"
    r"\S*(?:[가-힣]면|때만|때에만|경우에?만?|조건으로만?|조건 ?하에서?만?|한해서?|한하여|거든|다는 전제"
    r"|[어아여해려져와워]야만?(?! ?(?:합|해|한|할|하|됩|되|돼|된)))(?![가-힣])"
)
_KO_AND = regex(r"(?<=[가-힣]{2}고)\s+(?!나서|나면|난)|(?<=[가-힣]며)\s+|(?<=지만)\s+|(?<=는데)\s+")


def _korean_parts(piece: str) -> Iterator[tuple[str, bool]]:
    ends = [condition.end() for condition in _KO_IF.finditer(piece)]
    if ends:
        yield piece[: ends[-1]], True
        piece = piece[ends[-1] :]
    for part in _KO_AND.split(piece):
        yield part, False


def _joined(clauses: list[Clause]) -> tuple[Clause, ...]:
    """A single term after "and" is listed with the last term of the clause before."""
    joined: list[Clause] = []
    for clause in clauses:
        before = joined[-1] if joined else None
        if before and len(clause.terms) == 1 and not clause.conditional and not before.conditional:
            last = before.terms[-1]
            (term,) = clause.terms
            listed = replace(term, place=last.place, role=term.role or last.role)
            if not clause.ordered:
                joined[-1] = replace(before, terms=(*before.terms, listed))
                continue
        joined.append(clause)
    return tuple(joined)


# ---- the terms of a clause ----------------------------------------------------------------------

_TOKEN = regex(
    r"(?P<number>\d+(?:[.,]\d+)*)(?P<unit>[a-z%]+|[가-힣]+)?(?P<of_unit>[가-힣]*)"
    r"|‹(?P<name>[^›]*)›(?P<of_name>[가-힣]*)"
    r"|(?P<korean>[가-힣]+)|(?P<word>[A-Za-z][A-Za-z_']*)(?P<of_word>[가-힣]*)"
)
_NEGATORS = frozenset("not no never neither nor without hardly nt".split())
_ORDERING = frozenset(
    "THEN INSTEAD before after to from into onto than over by for via until against first last between under above"
    " below".split()
)
_KO_NEGATES_LAST = regex(
    r"^(?:않|아니|아닌|아닙|말고|말자|말아|맙시|마세|마십|못[하합해했함할]|없|불가)"
)
_KO_HOLDS_NEGATION = regex(r"(?:지 ?)?(?:않|말[자아고]|맙시)")
_KO_WISH = regex(r"^(?:좋겠|좋을|낫겠|좋다고|낫다고|좋습니다$)")
_KO_NEGATES_NEXT = frozenset(("안", "못"))
_KO_STRESS = frozenset(("절대", "결코", "절대로"))
_ONLY_ORDER = frozenset(("THEN", "INSTEAD"))
_KO_ONLY_ORDER = frozenset(("보다", "다음", "나서", "난", "대신"))
_KO_ORDERING = frozenset("전 후 먼저 나중 대신 보다 다음 나서 난 뒤 이후 이전에".split())
_POSSESSIVE = regex(r"'s?$")


class _Clause:
    """Terms as they are collected, with what waits for the next or falls back on the last."""

    def __init__(self) -> None:
        self.terms: list[Term] = []
        self.ordered = False
        self.denies = False
        self.role = ""

    def add(
        self, concept: str, *, denied: bool = False, role: str = "", amount: float | None = None
    ) -> None:
        self.terms.append(
            Term(concept, denied != self.denies, role or self.role, len(self.terms), amount)
        )
        self.denies, self.role = False, ""

    @property
    def noun_before(self) -> str:
        """What a number without a noun of its own belongs to: "line 88"."""
        return f"{self.terms[-1].concept}#" if self.terms else "#"

    def deny_last(self) -> None:
        if self.terms:
            self.terms[-1] = replace(self.terms[-1], denied=not self.terms[-1].denied)


def _clause(text: str, *, conditional: bool) -> Clause:
    reading = _Clause()
    tokens = list(_TOKEN.finditer(text))
    skip = -1
    for at, token in enumerate(tokens):
        if at == skip:
            continue
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        if token["number"]:
            skip = at + _number(reading, token, after)
        elif token["name"] is not None:
            reading.add(f"‹{token['name'].lower()}›", role=particle_role(token["of_name"]))
        elif token["korean"]:
            skip = at + _korean(reading, token["korean"], after)
        else:
            skip = at + _english(reading, token, after)
    if reading.denies:
        reading.deny_last()
    return Clause(tuple(reading.terms), conditional, reading.ordered)


def _number(reading: _Clause, token: re.Match[str], after: re.Match[str] | None) -> int:
    """A number with its noun: the one it is glued to, else the one that follows, else the one before."""
    written = token["unit"] or ""
    glued = unit_of(written)
    following = "" if glued or after is None else _counted_by(after)
    amount, unit = amount_in(
        float(token["number"].replace(",", "")), glued or following or reading.noun_before
    )
    ending = after["korean"] if following and after is not None else token["of_unit"] or written
    reading.add(unit, role=particle_role(ending or ""), amount=amount)
    return int(bool(following))


def _counted_by(after: re.Match[str]) -> str:
    if after["korean"]:
        return unit_of(after["korean"])
    return _counted(after["word"]) if after["word"] else ""


def _counted(word: str) -> str:
    if word in SAYS_NOTHING or word in _NEGATORS or direction_of(word) or word in _ORDERING:
        return ""
    return unit_of(word) or english_sense(word).concept


def _english(reading: _Clause, token: re.Match[str], after: re.Match[str] | None) -> int:
    """Read a Latin word; 1 when the next token was part of it."""
    word = _POSSESSIVE.sub("", token["word"])
    if after is not None and after["word"] and _count(reading, word, _counted(after["word"])):
        return 1
    reading.denies ^= word in _NEGATORS
    reading.ordered |= word in _ORDERING
    if direction := direction_of(word):
        reading.role = direction
    elif word not in _ONLY_ORDER and word not in SAYS_NOTHING and word not in _NEGATORS:
        sense = english_sense(word)
        reading.add(sense.concept, denied=sense.denied, role=particle_role(token["of_word"]))
    return 0


def _count(reading: _Clause, word: str, unit: str) -> bool:
    """Take in a number in words with its noun: "five minutes", "an hour", but not "a plan"."""
    number = number_word(word)
    if number is None or not unit or (word in ("a", "an") and not measures(unit)):
        return False
    amount, unit = amount_in(number, unit)
    reading.add(unit, amount=amount)
    return True


# ---- Korean words -------------------------------------------------------------------------------


def _korean(reading: _Clause, word: str, after: re.Match[str] | None) -> int:
    """Read a Korean word; 1 when the next token was part of it."""
    if word in _KO_NEGATES_NEXT:
        reading.denies = not reading.denies
    elif _KO_NEGATES_LAST.match(word):
        reading.deny_last()
    elif (number := number_word(word)) is not None and after is not None and after["korean"]:
        amount, unit = amount_in(number, unit_of(after["korean"]) or after["korean"])
        reading.add(unit, amount=amount, role=particle_role(after["korean"]))
        return 1
    elif (spell := spell_of(word)) is not None:
        amount, unit = amount_in(*spell)
        reading.add(unit, amount=amount)
    elif not (_KO_WISH.match(word) or word in _KO_STRESS):
        _korean_term(reading, word)
    return 0


def _korean_term(reading: _Clause, word: str) -> None:
    stem, role = without_particle(word)
    root = verb_root(stem)
    reading.ordered |= role in ("than", "only") or not _KO_ORDERING.isdisjoint((stem, word))
    sense = korean_sense(stem) or korean_sense(word) or korean_sense(root)
    if sense is None and not any(map(says_nothing_in_korean, (stem, word, root))):
        sense = Sense(root)
    if sense is None or stem in _KO_ONLY_ORDER:
        return
    reading.add(sense.concept, denied=sense.denied, role=role)
    if role == "only":
        reading.add("오직")
    if _KO_HOLDS_NEGATION.search(word[1:]):
        reading.deny_last()

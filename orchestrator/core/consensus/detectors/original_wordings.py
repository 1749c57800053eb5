"""How the first rules (`RulesVersion.ORIGINAL`) compare wordings: kept so that stored runs are judged as they were.

Do two worded answers say the same? Only where nothing was exchanged: "ship today" is not "ship tomorrow".

A false yes ends a discussion that goes on, a false no costs a round: so whatever cannot be told apart from another
answer counts as another one.
"""

from __future__ import annotations

from orchestrator.core.consensus.detectors.pairs import original_model, relation_of
from orchestrator.core.findings.likeness import letters, similarity
from shared.patterns import regex
from shared.text.bounded_cache import kept_by_texts

# How alike two wordings must be when one of them adds something; without additions their words are the same.
ALIKE_FROM = 0.7
CONTRADICTS_FROM = 0.5

_WORD = regex(r"[가-힣]+|[a-z]+(?:'[a-z]+)?|\d+(?:[.,]\d+)*")
_NEGATION = regex(
    r"\b(?:not|no|never|cannot|neither|nor|without)\b|n't\b|않|없|아니|아닙|아닌|불가|말[고자아]|맙시다|마세요|마십시오"
    r"|(?<![가-힣])[안못] ?(?=[가-힣])|못[하합해한할했함]"
)
_SAYS_NOTHING = frozenset(
    "a an the this that these those it its is are be been am was were i we you they he she us our my me your let let's"
    " should would could will shall must can may might do does did to of and so then just also please maybe perhaps"
    " think believe suggest propose say vote answer final option ok okay yes yeah well i'd i'll we'd we'll as at in"
    " go with not no never cannot don't doesn't won't shouldn't needn't have has need".split()
)
_SAYS_NOTHING_KO = regex(
    r"(?:저는|저도|우리|저희|그럼|그러면|따라서|최종|결론|의견|생각|합니|합시|하죠|하자|해야|하는|하겠|한다|됩니|좋겠|좋습|좋을|같습|같아"
    r"|봅니|있습|없습|맙시|마세|말고|말아|않[아는은을습])|(?:제|네|예|그|이|답|것|수|안|못|않)[은는이가을를도]?$"
)
_ENDS = regex(r"(?:ing|ed|es|s)$")
SHORTEST_ROOT = 3
LONGEST_COMPARED = 2_000  # characters
FINALS = 28  # forms of a Hangul syllable that differ in the final consonant only
_OF_ENDINGS = frozenset({4, 8, 17, 20})  # ㄴ ㄹ ㅂ ㅆ


def says_the_same(text: str, other: str) -> bool:
    """The same words in another order or form, or with an addition; never with a word or a negation exchanged."""
    if letters(text) == letters(other):
        return True
    if not _comparable(text, other):
        return False
    additions = _new_in(text, other), _new_in(other, text)
    if all(additions) or (any(additions) and (similarity(text, other) or 0.0) < ALIKE_FROM):
        return False
    model = original_model()
    relations = relation_of(text, other, model), relation_of(other, text, model)
    return all(relation.contradicts < CONTRADICTS_FROM for relation in relations)


def _comparable(text: str, other: str) -> bool:
    """Whether both say something, briefly, and with as many negations."""
    # Answers are a line or two. Longer texts are compared word by word in every direction, which takes minutes.
    if max(len(text), len(other)) > LONGEST_COMPARED or not (_meaning(text) and _meaning(other)):
        return False
    return len(_NEGATION.findall(text.lower())) % 2 == len(_NEGATION.findall(other.lower())) % 2


def _new_in(text: str, other: str) -> bool:
    """True when `text` has a word that says something and that `other` has not."""
    known = _meaning(other)
    return any(not any(_match(word, other_word) for other_word in known) for word in _meaning(text))


@kept_by_texts(16_000_000, times=8)
def _meaning(text: str) -> tuple[str, ...]:
    words = _WORD.findall(text.lower().replace("’", "'"))
    return tuple(
        word for word in words if word not in _SAYS_NOTHING and not _SAYS_NOTHING_KO.match(word)
    )


def _match(text: str, other: str) -> bool:
    """Korean words by their beginnings, English ones without their endings, numbers by themselves."""
    if "가" <= text[0] <= "힣" and "가" <= other[0] <= "힣":
        if min(len(text), len(other)) == 1:
            return text == other
        return text[0] == other[0] and _stem_syllable(text[1]) == _stem_syllable(other[1])
    return _root(text) == _root(other)


def _stem_syllable(syllable: str) -> str:
    """Without the final consonant that an ending brings (미룹시다, 미룬다, 미루자)."""
    final = (ord(syllable) - ord("가")) % FINALS
    return chr(ord(syllable) - final) if final in _OF_ENDINGS else syllable


def _root(word: str) -> str:
    root = _ENDS.sub("", word)
    return root if len(root) >= SHORTEST_ROOT else word

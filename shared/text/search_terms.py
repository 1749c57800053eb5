"""What a text is searched by: stems of English words, pairs of Korean syllables, numbers.

The same terms are made of texts and of queries, here and nowhere else: Postgres stores and matches them, and ranks what
it finds (shared/store/passages.py), but its dictionaries take no part. `TERMS_VERSION` goes up with every change, so
that what was stored under other rules is not compared with what is asked under these.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from shared.patterns import regex
from shared.text.stemming import stem

TERMS_VERSION = 1
_LONGEST = 40
_WORD = regex(
    r"\d+(?:[.,]\d+)*|[가-힣]+|[\u3040-\u30ff\u4e00-\u9fff]+"
    r"|[^\W\d_가-힣\u3040-\u30ff\u4e00-\u9fff][^\W_가-힣\u3040-\u30ff\u4e00-\u9fff]*"
)
# Words that say how something is told and not what. Negations are judged by the support of a passage.
_STOP = frozenset(
    "a about after again all also am an and any are as at be because been before being both but by can could did do "
    "does doing during each few for from further had has have having he her here hers him his how i if in into is it "
    "its me more most my no nor not of off on once only or other our out over own per s same she should so some such t "
    "than that the their them then there these they this those through to too under until up very was we were what "
    "when where which while who whom why will with would you your".split()
)
_PARTICLES = tuple(
    sorted(
        (
            "은 는 이 가 을 를 의 에 로 와 과 도 만 으로 에서 에게 까지 부터 처럼 보다 이나 마다 "
            "에는 에도 에서는 에서도 으로는 으로도 으로서 으로써 로서 로써 이고 이며 이다 입니다 "
            "이었다 였다 이라고 라고 에게서 하고 하며 하여 해서 하는 하였다 하였으며 하였고 "
            "하였음 했다 했으며 했고 했음 합니다 했습니다 하였습니다 한다 함 되고 되며 되어 되는 "
            "되었다 되었으며 되었음 됐다 됩니다 되었습니다 된다 됨"
        ).split(),
        key=len,
        reverse=True,
    )
)
_KOREAN_STOP = frozenset(
    "및 등 수 것 그 이 저 그리고 또는 또한 그러나 하지만 대한 대해 위해 위한 통해 있다 있음 있는 있으며 있었다 "
    "있습니다 없다 없음 없는 없으며 없었다 없습니다 않음 않는 않았다 않습니다".split()
)


def search_terms(text: str) -> list[str]:
    """The terms of `text` in its order, repeated as there; none has a blank or a quotation mark.

    A decimal number is one term, `5mg` two, `HbA1c` one. Of a Korean word the particle or the ending is left out, and
    each pair of neighbouring syllables is a term: 고혈압이 is found by 고혈압 and by 혈압. Chinese characters and kana
    are paired, too.
    """
    terms: list[str] = []
    after_latin = -1
    normal = unicodedata.normalize("NFKC", text).casefold()
    for match in _WORD.finditer(normal):
        word = match.group()
        if "가" <= word[0] <= "힣":
            if match.start() != after_latin or word not in _PARTICLES:
                terms.extend(_korean(word))
        elif "\u3040" <= word[0] <= "\u9fff":
            terms.extend(_pairs(word))
        else:
            terms.extend(_plain(word))
            after_latin = match.end()
    return terms


def _plain(word: str) -> tuple[str, ...]:
    if word[0].isdigit():
        return (word[:_LONGEST],)
    return () if word in _STOP else (stem(word[:_LONGEST]),)


def _korean(word: str) -> Iterator[str]:
    if word in _KOREAN_STOP:
        return iter(())
    ending = next((part for part in _PARTICLES if word.endswith(part)), "")
    root = word[: len(word) - len(ending)]
    return _pairs(root if len(root) > 1 else word)


def _pairs(word: str) -> Iterator[str]:
    if len(word) == 1:
        return iter((word,))
    return (word[start : start + 2] for start in range(len(word) - 1))

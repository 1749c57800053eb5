"""What a question about code asks for: names as they stand in code, words with what else they are called, and kinds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from shared.models.code_graph import SymbolKind
from shared.patterns import regex
from shared.text.stemming import stem
from workers.tools.agent.programming_words import KOREAN, MEANINGS

_NAME = r"[A-Za-z_$](?:(?![가-힣])[\w$])*"  # Korean has its particles right after a name
_TOKEN = regex(rf"[가-힣]+|{_NAME}(?:(?:\.|::|#|->){_NAME})*|[A-Za-z_]?\w+")
_HANGUL = regex(r"[가-힣]+")
_LATIN = regex(r"[A-Za-z0-9_$.:#>-]+")
_PART = regex(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[가-힣]+")
_KINDS = {
    SymbolKind.CLASS: "class classes type struct interface 클래스 타입 인터페이스 구조체",
    SymbolKind.FUNCTION: "function functions func 함수",
    SymbolKind.METHOD: "method methods 메서드 메소드",
}
_KIND_WORDS = {word: kind for kind, words in _KINDS.items() for word in words.split()}
_STOP = frozenset(
    "a about all an and any are as at be by can code codebase could defined definition do does feature file find for "
    "from functionality get handled handles happen happens have how i implementation implemented implements in into is "
    "it its list locate located logic look me module my of on or part place please project repo repository responsible "
    "see show source tell that the there this to us use used uses using want we what when where which who why with you "
    "add create write make change fix".split()
)
_KOREAN_STOP = (
    "어디 어떻게 어느 무엇 무슨 누가 왜 언제 기능 코드 부분 로직 관련 관련된 위치 구현 정의 있어 있는 "
    "있나 있지 있습니다 있나요 찾아 찾아줘 찾아주세요 찾기 찾고 알려 알려줘 알려주세요 보여 보여줘 "
    "보여주세요 설명 설명해 설명해줘 하는 하는지 해줘 해주세요 되어 되는 되는지 이루어지는 담당 담당하는 "
    "그 이 저 것 곳 좀 모든 전체 에서 호출 호출하는 부르는 사용 사용하는 쓰는 쓰이는 추가 추가해 추가해줘 "
    "추가해주세요 만들어 만들어줘 수정 수정해 수정해줘 고쳐 고쳐줘 작성 작성해줘 변경 변경해줘 프로젝트 "
    "소스 모듈 파일"
).split()
_KOREAN_ENDINGS = (
    "은 는 이 가 을 를 의 에 로 와 과 도 만 으로 에서 에게 까지 부터 처럼 하고 이나 하는 하는지 할 한 해 "
    "해줘 해주세요 합니다 했다 된 되는 되는지 됩니다 에는 에도 으로는 이랑 랑 들 들을 들이 들의 시 용 인 "
    "이야 야 지 나요 냐 요 줘"
).split()
_ENDINGS = tuple(sorted(_KOREAN_ENDINGS, key=len, reverse=True))
_PREFERENCE = (1.0, 0.95, 0.85)
"""What the word itself counts for, what is most often meant by it, and what else may be."""
LEAST_OF_QUERY = 0.4
"""What the rest of a sentence counts for beside the target that was named in it."""


@dataclass(frozen=True)
class SearchWord:
    """Something that is asked for. `variants` are all that it may be called, in small letters, itself first."""

    variants: tuple[str, ...]
    weight: float = 1.0


@dataclass(frozen=True)
class SearchQuery:
    """What is asked for. `names` are written as in code."""

    names: tuple[str, ...]
    words: tuple[SearchWord, ...]
    kinds: frozenset[SymbolKind] = frozenset()
    tests: bool = False


@lru_cache(maxsize=200_000)
def name_parts(name: str) -> tuple[str, ...]:
    """The words of an identifier or a path, in small letters: `validateEmail_v2` is validate, email, v, 2."""
    return tuple(part.casefold() for part in _PART.findall(name))


def read_query(query: str, target: str = "") -> SearchQuery:
    """What a sentence asks for; where a `target` is named, the rest of it only helps to choose."""
    tokens = list(_tokens(query))
    aimed = list(_tokens(target))
    kinds = frozenset(
        _KIND_WORDS[token.casefold()]
        for token in (*aimed, *tokens)
        if token.casefold() in _KIND_WORDS
    )
    words = _words(aimed, 1.0) or ()
    words += _words(tokens, LEAST_OF_QUERY if words else 1.0)
    chosen: dict[str, SearchWord] = {}
    for word in words:
        chosen.setdefault(word.variants[0], word)
    names = _written_names(aimed, tokens)
    asked = tuple(chosen.values())
    return SearchQuery(
        tuple(dict.fromkeys(names)),
        asked,
        kinds,
        tests=any("test" in word.variants for word in asked),
    )


def _written_names(aimed: Sequence[str], tokens: Sequence[str]) -> list[str]:
    """What may be a name in the code as it is written."""
    if aimed_names := [token for token in aimed if token.isascii()]:
        return aimed_names
    common = _STOP | _KIND_WORDS.keys()
    return [token for token in tokens if token.isascii() and token.casefold() not in common]


def _tokens(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        yield match.group()


def _words(tokens: Sequence[str], weight: float) -> tuple[SearchWord, ...]:
    """The words of tokens; of a sentence that has nothing else, also those that say little."""
    telling = [
        word
        for token in tokens
        for word in _of_token(token, weight)
        if not _says_little(token, word)
    ]
    if telling:
        return tuple(telling)
    return tuple(word for token in tokens for word in _of_token(token, weight))


def _says_little(token: str, word: SearchWord) -> bool:
    first = word.variants[0]
    return (
        first in _STOP
        or first in _KIND_WORDS
        or first in _KOREAN_STOP
        or any(
            token == stop or (token.startswith(stop) and token[len(stop) :] in _ENDINGS)
            for stop in _KOREAN_STOP
        )
    )


def _of_token(token: str, weight: float) -> Iterator[SearchWord]:
    if _HANGUL.fullmatch(token):
        for word in _korean_words(token):
            yield SearchWord((word, *MEANINGS.get(word, ())), weight)
        return
    for part in name_parts(token):
        if len(part) > 1 or token == part:
            stems = (stem(part),) if len(part) > 4 and len(stem(part)) > 3 else ()
            variants = (part, *stems, *MEANINGS.get(part, ()), *_singular(part))
            yield SearchWord(tuple(dict.fromkeys(variants)), weight)


def _singular(part: str) -> tuple[str, ...]:
    single = part.removesuffix("s")
    return (single, *MEANINGS.get(single, ())) if single != part and len(single) > 2 else ()


def _korean_words(token: str) -> Iterator[str]:
    """Known words at the beginning of a Korean one (사용자인증을: 사용자, 인증), and the rest without its ending."""
    rest, known = token, False
    while rest:
        word = next((word for word in KOREAN if rest.startswith(word)), None)
        if word is None:
            break
        known = True
        yield word
        rest = rest[len(word) :]
    if rest and rest not in _ENDINGS:
        plain = _without_ending(rest)
        if len(plain) > 1 and not (known and len(plain) < 3):
            yield plain


def _without_ending(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 2:
            return word[: -len(ending)]
    return word


def quality(word: SearchWord, name: str) -> float:
    """How well an identifier or a part of a path has the word: 1 for a whole part, less for a part of one, 0."""
    lowered = name.casefold()
    best = 0.0
    for number, variant in enumerate(word.variants):
        plain = variant.replace("_", "")
        if plain not in lowered.replace("_", ""):
            continue
        found = _aligned(plain, name_parts(name))
        best = max(best, found * _PREFERENCE[min(number, 2)])
        if best == 1.0:
            break
    return best


def _aligned(plain: str, parts: Sequence[str]) -> float:
    """1 where neighbouring parts make up the word, 0.7 where a part begins with it, 0.4 where it is inside, if long."""
    for start in range(len(parts)):
        joined = ""
        for part in parts[start:]:
            joined += part
            if joined == plain:
                return 1.0
            if len(joined) > len(plain):
                break
    if any(part.startswith(plain) for part in parts):
        return 0.7 if len(plain) > 3 else 0.0
    return 0.4 if len(plain) > 3 else 0.0

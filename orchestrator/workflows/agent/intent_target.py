"""The names of code in a request: symbols and files, as people write them between words of two languages."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import IntEnum


class NameKind(IntEnum):
    """How sure a name is one; the first is the surest."""

    QUOTED = 0
    FRAME = 1
    CLASS = 2
    PATH = 3
    SYMBOL = 4
    FUNCTION = 5
    BARE = 6


@dataclass(frozen=True)
class CodeName:
    """A name with its place in the request. `known`: everyone knows it, so it says something about the request.

    `is_new`: it is to be made, as `full_name` in "User should have a full_name method".
    `is_raised`: it is an error that was seen, no place to look at.
    """

    text: str
    kind: NameKind
    start: int
    end: int
    known: bool = False
    is_new: bool = False
    is_raised: bool = False

    @property
    def is_path(self) -> bool:
        """It names a file or a folder."""
        return self.kind in (NameKind.PATH, NameKind.FRAME) or "/" in self.text


_IDENTIFIER = r"[A-Za-z_$][A-Za-z0-9_$]*"
_DOTTED = rf"{_IDENTIFIER}(?:(?:\.|::|#){_IDENTIFIER})*"
_FUNCTIONS = r"function\b|method\b|호출부|함수|메서드|메소드|변수|컴포넌트"
_IMPERATIVES = "refactor|simplify|profile|debug|document|test|fix|optimi[sz]e|inline|rename"
_SUFFIXES = (
    "py|pyi|js|jsx|ts|tsx|mjs|cjs|vue|svelte|go|rs|java|kt|rb|php|c|h|cc|cpp|hpp|cs|swift|scala|sh|bash|sql|md|rst|txt"
    "|toml|cfg|ini|ya?ml|json|html|css|scss|tf|proto|graphql|lock|env|xml|gradle|ipynb|po"
)
_PATTERNS = (
    (NameKind.QUOTED, re.compile(r"`([^`\n]{1,200})`")),
    (NameKind.FRAME, re.compile(r'File "([^"\n]+)", line \d+')),
    (NameKind.FRAME, re.compile(rf"([\w./@-]+\.(?:{_SUFFIXES})):\d+")),
    (NameKind.PATH, re.compile(rf"(?<![\w./-])([\w.@-]*(?:/[\w.@-]+)*\.(?:{_SUFFIXES}))(?![A-Za-z0-9_])", re.A)),
    (NameKind.PATH, re.compile(r"(?<![\w./-])([A-Za-z_][\w.-]*(?:/[\w.-]+)+)", re.A)),
    (NameKind.PATH, re.compile(r"(?<![\w.])((?:Dockerfile|Makefile|Jenkinsfile|Procfile)(?:\.\w+)?)(?![A-Za-z0-9_])")),
    (NameKind.CLASS, re.compile(r"\b(?:class|interface|struct|클래스)\s+['\"]?([A-Z]\w*)", re.A)),
    (NameKind.CLASS, re.compile(rf"(?<![\w.])({_DOTTED})['\"]?\s*(?:class\b|interface\b|클래스|인터페이스)", re.A)),
    (NameKind.SYMBOL, re.compile(rf"(?<![\w.])({_DOTTED})(?=\()", re.A)),
    (NameKind.SYMBOL, re.compile(rf"(?<![\w./])({_IDENTIFIER}(?:(?:\.|::|#){_IDENTIFIER})+)", re.A)),
    (NameKind.SYMBOL, re.compile(r"(?<![\w./])(_*[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+_*)", re.A)),
    (NameKind.SYMBOL, re.compile(r"(?<![\w./])([a-z]+[A-Z]\w*|[A-Z]+[a-z0-9]+[A-Z]\w*)", re.A)),
    (NameKind.FUNCTION, re.compile(rf"\b(?:function|method|def|func)\s+['\"]?({_DOTTED})", re.A)),
    (NameKind.FUNCTION, re.compile(rf"(?<![\w.])({_DOTTED})['\"]?\s*(?:{_FUNCTIONS})", re.A)),
    (NameKind.BARE, re.compile(r"(?<=\s)([A-Z][a-z]+)(?=[\s?!.,;]|$)")),
    (NameKind.BARE, re.compile(r"^([A-Z]\w+) (?:needs?|should|must|has|에|에게|의|도)(?=\s)", re.A)),
    (NameKind.BARE, re.compile(r"(?:^|(?<=\s))([A-Za-z]\w+)(?=[\uac00-\ud7a3])", re.A)),
    (NameKind.BARE, re.compile(rf"^\W*(?:{_IMPERATIVES})\s+([a-z]\w+)\s*[.!?]?$", re.I | re.A)),
    (NameKind.BARE, re.compile(r"^([a-z]\w+) (?:returns?|raises?|throws?|should|fails|crashes|hangs|does|is)\b", re.A)),
)  # fmt: skip

# Words that are no name in a project: English ones that begin like names, and technologies.
_WORDS = frozenset(
    """a an and are be can class could does don't do done each every everything find for function has have he help here
    how i if in is it its let method my own no nobody not one our please she show so some somebody something somewhere
    test tests that the their them then there these they this those to type we what when where which who why will with
    would you your
    english korean monday tuesday wednesday thursday friday saturday sunday""".split()
)
_KNOWN = frozenset(
    """nonetype python java javascript typescript node nodejs go golang rust ruby php kotlin swift scala c html css json
    yaml toml xml csv pdf excel django flask fastapi rails spring react vue angular svelte next nextjs
    express nestjs sqlalchemy pydantic celery redis kafka rabbitmq postgres postgresql mysql sqlite mongodb
    elasticsearch opensearch grpc rest graphql http https oauth jwt saml api ui ux url uri sql orm ci cd pr
    mr qa docker kubernetes k8s helm terraform ansible nginx aws gcp azure s3 github gitlab actions git
    jenkins circleci readme changelog license docstring docstrings mypy pyright ruff eslint tsc pylint
    flake8 prettier jest vitest pytest unittest hypothesis clippy npm yarn pnpm pip poetry uv conda cargo
    webpack vite babel numpy pandas pytorch torch tensorflow keras sklearn scikit huggingface hugging openai
    llm gpu cpu oom ram main master develop head branch logger print import async await lodash requests
    axios websocket webassembly wasm linux windows macos android ios chrome safari email sms todo utf eu us
    rfc cors csrf xss tls ssl dns cdn smtp uuid regex lint linter mock fixture fixtures app web pull push
    merge rebase commit log logs db fix bug error dev prod staging""".split()
)
_KNOWN_FILES = re.compile(
    r"(?:.*/)?(?:readme|changelog|license|contributing|dockerfile|makefile|docker-compose|compose|requirements|pyproject"
    r"|setup|package|package-lock|pipfile|go|cargo|tsconfig|spec|specification|openapi|swagger)(?:[.-][\w.-]*)?$",
    re.I,
)
_EXCEPTIONS = re.compile(r"(?:Error|Exception|Warning)$")
_OF_LANGUAGES = frozenset(
    (
        *(name for name in dir(builtins) if _EXCEPTIONS.search(name)),
        *("ReferenceError", "RangeError", "EvalError", "URIError", "NullPointerException"),
        *("IllegalArgumentException", "IllegalStateException", "ClassCastException"),
        *("ClassNotFoundException", "IndexOutOfBoundsException", "NumberFormatException"),
        *("OutOfMemoryError", "NullReferenceException", "NoMethodError", "ArgumentError"),
    )
)
_MADE_BEFORE = re.compile(r"\b(?:an?|new|another)\s+[`'\"]?$", re.I)
_MADE_AFTER = re.compile(
    r"[`'\"]?\s+(?:method|property|function|field|attribute|argument|parameter|option|flag|helper)\b",
    re.I,
)
_VERSION = re.compile(r"v?\d[\d.x]*$")


def code_names(request: str) -> tuple[CodeName, ...]:
    """The names in a request in their order; where two overlap, the surer one."""
    names: list[CodeName] = []
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(request):
            start, end = match.span(1)
            if any(start < name.end and name.start < end for name in names):
                continue
            if (name := _code_name(match.group(1), kind, start, end)) is not None:
                is_raised = _is_raised(name, request[end : end + 1])
                names.append(
                    replace(
                        name,
                        known=name.known or is_raised,
                        is_new=_is_made(request, start, end),
                        is_raised=is_raised,
                    )
                )
    return tuple(sorted(names, key=lambda name: name.start))


def _is_raised(name: CodeName, following: str) -> bool:
    """An error of a language, or one with its message; one of the project's own is a class like any other."""
    if name.kind in (NameKind.CLASS, NameKind.PATH, NameKind.FRAME):
        return False
    if not _EXCEPTIONS.search(name.text):
        return False
    return following == ":" or name.text in _OF_LANGUAGES


def _is_made(request: str, start: int, end: int) -> bool:
    before, after = request[:start], request[end:]
    return bool(_MADE_BEFORE.search(before) and _MADE_AFTER.match(after))


def _code_name(text: str, kind: NameKind, start: int, end: int) -> CodeName | None:
    trimmed = text.rstrip(".").removeprefix("./")
    word = trimmed.casefold()
    if word in _WORDS or _VERSION.match(word) or not trimmed:
        return None
    if word in _KNOWN and kind is not NameKind.QUOTED:
        return None
    if kind is NameKind.PATH and _is_word_pair(trimmed):
        return None
    return CodeName(trimmed, kind, start, end, known=bool(_KNOWN_FILES.match(trimmed)))


def _is_word_pair(text: str) -> bool:
    """`and/or`, `CI/CD`: words with a slash between them."""
    parts = text.casefold().split("/")
    return len(parts) == 2 and all(part in _KNOWN | _WORDS | {"or", "cd"} for part in parts)


def pick_target(names: Iterable[CodeName], mode: str) -> CodeName | None:
    """What the request is about: the surest name, the innermost frame of a trace, else the first.

    A place to look in is a path; where code is looked for, a symbol comes before it.
    """
    candidates = [name for name in names if not name.is_raised]
    frames = [name for name in candidates if name.kind is NameKind.FRAME]
    if frames:
        own = [name for name in frames if not _is_foreign(name.text)]
        return _shown((own or frames)[-1])
    symbols_first = mode in ("context_navigation", "impact_analysis")
    sureness = _SYMBOLS_FIRST if symbols_first else _PLACES_FIRST
    return min(
        candidates, key=lambda name: (name.is_new, sureness[name.kind], name.start), default=None
    )


_PLACES_FIRST = {kind: min(kind, NameKind.SYMBOL) for kind in NameKind} | {NameKind.BARE: 6}
_SYMBOLS_FIRST = _PLACES_FIRST | {NameKind.PATH: 5}


def _is_foreign(path: str) -> bool:
    return any(part in path for part in ("site-packages", "node_modules", "/lib/python", "node:"))


def _shown(frame: CodeName) -> CodeName:
    """A frame by its file's name where the path is another machine's."""
    text = frame.text.rsplit("/", 1)[-1] if frame.text.startswith("/") else frame.text
    return CodeName(text, frame.kind, frame.start, frame.end)

"""What a document asks for: the items of a checklist, the sentences that oblige, or the items of its lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from workers.tools.agent.search_words import name_parts

LONGEST_ITEM = 400
_FENCE = re.compile(r"^\s*(?:```|~~~)")
_BOX = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+\[(?P<mark>[ xX])\]\s+(?P<text>\S.*)$")
_LIST = re.compile(r"^\s*(?:[-*+]|\d+[.)]|\(\w\))\s+(?P<text>\S.*)$")
_HEADING = re.compile(r"^#{1,6}\s+(?P<text>.*)$")
_OBLIGES = re.compile(
    r"\b(?:must|shall|should|required?|has to|have to|needs? to|will|may not|cannot|is able to)\b"
    r"|해야|하여야|되어야|야 (?:한다|합니다)|필수|않(?:는다|습니다)|반드시|할 수 있(?:다|어야|습니다)|금지",
    re.IGNORECASE,
)
_SAYS_LITTLE = re.compile(
    r"\b(?:must|shall|should|will|required?|ha(?:s|ve) to|needs? to|may not|cannot|is able to|be able to|can|users?|"
    r"system|application|app|product|service)\b|(?:할|될|수|있(?:어야|다|습니다)|(?:하여|해|되어)야|한다|합니다|된다|됩니다|"
    r"않(?:는다|습니다)|반드시|필수|금지)(?=\W|$)|(?:사용자|시스템|제품|서비스)(?:들)?(?:은|는|이|가|의|에게)?(?=\W|$)",
    re.IGNORECASE,
)
_CHAPTER = re.compile(
    r"requirement|acceptance|criteria|specification|must|shall|feature|scope|요구|인수|조건|명세|기능|체크",
    re.IGNORECASE,
)
_CODE = re.compile(r"`([^`\n]{2,80})`")
_QUOTED = re.compile(r"[\"“「']([^\"”」'\n]{3,60})[\"”」']")
_WRITTEN = re.compile(
    r"--[a-z][\w-]+|/[\w{}:<>-]+(?:/[\w{}:<>-]+)+|\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\b|\b[a-z]+(?:_\w+)+\b|\b[A-Z_]{3,}_[A-Z_]+\b"
    r"|\b[A-Z][a-z]+(?:[A-Z]\w*)+\b|\b[a-z]+[A-Z]\w+\b"
)


@dataclass(frozen=True)
class Requirement:
    """Something that is asked for, with its line. `ticked` is None where nothing can be ticked off."""

    text: str
    line: int
    ticked: bool | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What is written as in code: between backticks, options, paths, identifiers."""
        coded = [_plain(each) for each in _CODE.findall(self.text)]
        rest = _CODE.sub(" ", self.text)
        return tuple(dict.fromkeys(filter(None, (*coded, *_WRITTEN.findall(rest)))))

    @property
    def wording(self) -> str:
        """What it is about, without the words that only say that it is asked for, or of whom."""
        return _SAYS_LITTLE.sub(" ", self.text)

    @property
    def phrases(self) -> tuple[str, ...]:
        """What stands between quotation marks: what the product says or takes."""
        return tuple(dict.fromkeys(_QUOTED.findall(_CODE.sub(" ", self.text))))


def _plain(code: str) -> str:
    """A call without what it is given."""
    return code.split("(", maxsplit=1)[0].strip() if re.match(r"[\w.]+\(", code) else code.strip()


def requirements(text: str) -> list[Requirement]:
    """The items of the checklist where there is one, else what obliges, else the items of lists in telling chapters."""
    return _boxes(text) or _obliging(text) or _chapters(text)


def _boxes(text: str) -> list[Requirement]:
    return [
        Requirement(match["text"][:LONGEST_ITEM], number, match["mark"] != " ")
        for number, line, _ in _lines(text)
        if (match := _BOX.match(line))
    ]


def _obliging(text: str) -> list[Requirement]:
    plain = ((number, _unmarked(line)[:LONGEST_ITEM]) for number, line, _ in _lines(text))
    return [Requirement(line, number) for number, line in plain if _OBLIGES.search(line)]


def _chapters(text: str) -> list[Requirement]:
    return [
        Requirement(match["text"][:LONGEST_ITEM], number)
        for number, line, chapter in _lines(text)
        if (match := _LIST.match(line)) and _CHAPTER.search(chapter)
    ]


def listed(text: str) -> list[Requirement]:
    """Every item of the lists of a text, whatever it says."""
    return [
        Requirement(match["text"][:LONGEST_ITEM], number)
        for number, line, _ in _lines(text)
        if (match := _LIST.match(line))
    ]


def _lines(text: str) -> Iterator[tuple[int, str, str]]:
    """Lines outside blocks of code, with their numbers and the heading above them."""
    inside, chapter = False, ""
    for number, line in enumerate(text.split("\n"), 1):
        if _FENCE.match(line):
            inside = not inside
        elif heading := _HEADING.match(line[:LONGEST_ITEM]):
            chapter = heading["text"]
        elif not inside and name_parts(line[:LONGEST_ITEM]) and not line.lstrip().startswith("|"):
            yield number, line[: 2 * LONGEST_ITEM], chapter


def _unmarked(line: str) -> str:
    match = _LIST.match(line)
    return match["text"] if match else line.strip()

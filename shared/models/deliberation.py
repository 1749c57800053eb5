"""Questions put to a panel, and what its members answer in `ask` and `forum`: answers, rankings, bids, ballots.

Models that answer in words ("REQUEST", "SELECT: Gemini", "END: ...") are understood as well: each reply has a text
form, `from_text`. Its words count as whole tokens at the start of a line and nowhere else: "I RECOMMEND: ..." contains
`END:` and ends nothing, "I do not REQUEST" is no request.
"""

from __future__ import annotations

import re
from typing import Any, Literal, Self

from pydantic import Field, ValidationError, field_validator, model_validator

from shared.models.proportions import Proportion
from shared.models.wire import ForeignWire, Wire
from shared.patterns import regex

TITLE_CHARS = 80


class Context(Wire):
    """A file that was given along with the question: its path as it was named, its content as a document."""

    path: str
    document: str


class Question(Wire):
    """What a panel is asked: stored as a JSON document, the `subject` of an `ask` or `forum` run."""

    text: str = Field(min_length=1)
    contexts: tuple[Context, ...] = ()

    @property
    def title(self) -> str:
        """The first line with words, cut to a title's length."""
        lines = (line.strip(" #\t") for line in self.text.splitlines())
        first = next((line for line in lines if line), self.text.strip())
        return first if len(first) <= TITLE_CHARS else first[: TITLE_CHARS - 1].rstrip() + "…"


# ---- text forms ---------------------------------------------------------------------------------

_THOUGHTS = regex(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_MARKUP = r"[*_`]*+"
_LEFT_OVER = " \t\r\n:：.,;!*_`-–—("


def _words(text: str) -> str:
    """What was said, without a leading block of thoughts."""
    return _THOUGHTS.sub("", text.lstrip("\ufeff"), count=1).strip()


def _line_tokens(*tokens: str) -> re.Pattern[str]:
    """The tokens at the start of a line, ended by the line's end, a punctuation mark or a spaced dash."""
    return regex(
        rf"^[ \t]*{_MARKUP}(?P<token>{'|'.join(tokens)}){_MARKUP}"
        r"(?=[ \t]*(?:$|[\r:：.,;!(])|[ \t]+[-–—])",
        re.MULTILINE,
    )


def _only_token(pattern: re.Pattern[str], text: str) -> tuple[str, str] | None:
    """The one token that the lines begin with and what follows it; None when there is none, or two that differ."""
    words = _words(text)
    tokens = list(pattern.finditer(words))
    if len({match["token"] for match in tokens}) != 1:
        return None
    return tokens[0]["token"], words[tokens[0].end() :].lstrip(_LEFT_OVER).strip()


class SpokenReply(ForeignWire):
    """A reply that has a text form beside its JSON form."""

    @classmethod
    def from_text(cls, text: str) -> Self | None:
        """The reply that a text without JSON means; None when it means none."""
        raise NotImplementedError

    @classmethod
    def _of(cls, fields: dict[str, Any]) -> Self | None:
        try:
            return cls.model_validate(fields)
        except ValidationError:
            return None


# ---- ask ----------------------------------------------------------------------------------------


class Answer(SpokenReply):
    """A participant's own answer to the question."""

    answer: str = Field(min_length=1)
    confidence: Proportion = None

    @classmethod
    def from_text(cls, text: str) -> Self | None:
        """All of it is the answer."""
        return cls._of({"answer": _words(text)})


_NUMBERED = regex(
    rf"^[ \t]*\d+[.)][ \t]*{_MARKUP}(?:[^\W\d]+[ \t]+)?([A-Z]{{1,2}}){_MARKUP}[ \t]*\r?$", re.M
)
_FINAL_RANKING = regex(r"^[ \t#*_]*FINAL RANKING[*_]*[:：]?", re.MULTILINE)


class Ranking(SpokenReply):
    """The labels of others' answers, best first. Equal ones share an entry (`A=B`); those left out come last."""

    ranking: tuple[str, ...] = Field(min_length=1)
    reason: str = ""

    @classmethod
    def from_text(cls, text: str) -> Self | None:
        """Numbered lines of one label each, after `FINAL RANKING:` where that stands."""
        words = _words(text)
        headings = list(_FINAL_RANKING.finditer(words))
        start = headings[-1].end() if headings else 0
        labels = _NUMBERED.findall(words[start:])
        reason = words[: headings[-1].start()].strip() if headings else ""
        return cls._of({"ranking": labels, "reason": reason})


# ---- forum --------------------------------------------------------------------------------------


class Opening(SpokenReply):
    """What a participant holds before it has heard anybody."""

    position: str = Field(min_length=1)
    confidence: Proportion = None
    reason: str = ""

    @classmethod
    def from_text(cls, text: str) -> Self | None:
        """All of it is the position."""
        return cls._of({"position": _words(text)})


_BID = _line_tokens("REQUEST", "PASS")


class Bid(SpokenReply):
    """Whether a participant wants the floor, and for what."""

    action: Literal["REQUEST", "PASS"]
    reason: str = ""

    @classmethod
    def from_text(cls, text: str) -> Self | None:
        """`REQUEST` or `PASS` at the start of a line; both is neither."""
        token = _only_token(_BID, text)
        return None if token is None else cls._of({"action": token[0], "reason": token[1]})


_SELECTION = regex(
    rf"^[ \t]*{_MARKUP}(SELECT|END){_MARKUP}[ \t]*[:：]{_MARKUP}[ \t]*([^\r\n]*)", re.MULTILINE
)


class Selection(SpokenReply):
    """Who speaks next, or the end of the discussion with its conclusion."""

    action: Literal["SELECT", "END"]
    speaker: str | None = Field(default=None, max_length=200)
    conclusion: str | None = None
    reason: str = ""

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        if self.action == "SELECT" and not self.speaker:
            raise ValueError("SELECT needs the name of the speaker in `speaker`")
        if self.action == "END" and not self.conclusion:
            raise ValueError("END needs the `conclusion`")
        return self

    @classmethod
    def from_text(cls, text: str) -> Self | None:
        """`SELECT: name` or `END: conclusion` (all that follows); what stands before it is the reason."""
        words = _words(text)
        choices = list(_SELECTION.finditer(words))
        if not choices:
            return None
        first = choices[0]
        reason = words[: first.start()].strip()
        names = {match[2].strip(" \t*_`\"'.{}[]") for match in choices}
        match first[1], {match[1] for match in choices}:
            case "END", kinds if kinds == {"END"}:
                conclusion = words[first.start(2) :]
                return cls._of({"action": "END", "conclusion": conclusion, "reason": reason})
            case "SELECT", kinds if kinds == {"SELECT"} and len(names) == 1:
                return cls._of({"action": "SELECT", "speaker": names.pop(), "reason": reason})
        return None


class Speech(SpokenReply):
    """What a participant says when it has the floor."""

    speech: str = Field(min_length=1)

    @classmethod
    def from_text(cls, text: str) -> Self | None:
        """All of it is the speech."""
        return cls._of({"speech": _words(text)})


class Conclusion(SpokenReply):
    """What the orchestrator makes of a discussion that is over, and what was left open."""

    conclusion: str = Field(min_length=1)
    open_points: tuple[str, ...] = ()

    @classmethod
    def from_text(cls, text: str) -> Self | None:
        """All of it, or what follows `END:`; the choice of a speaker is no conclusion."""
        words = _words(text)
        if _SELECTION.search(words) is None:
            return cls._of({"conclusion": words})
        chosen = Selection.from_text(words)
        return None if chosen is None else cls._of({"conclusion": chosen.conclusion or ""})


_POSITIONS = {
    "AGREE": "agree",
    "동의": "agree",
    "PARTIAL": "partial",
    "부분 동의": "partial",
    "DISAGREE": "disagree",
    "반대": "disagree",
    "ABSTAIN": "abstain",
    "기권": "abstain",
}
_BALLOT = _line_tokens(*_POSITIONS)


class Ballot(SpokenReply):
    """A blind vote on a conclusion.

    `before` is the vote that the voter's opening position amounts to; where it is another one, `changed_because` and
    `quote` name the evidence.
    """

    position: Literal["agree", "partial", "disagree", "abstain"]
    confidence: Proportion = None
    reason: str = ""
    before: Literal["agree", "partial", "disagree", "abstain"] | None = None
    changed_because: str = ""
    quote: str | None = None

    @field_validator("before", mode="before")
    @classmethod
    def _known_or_unsaid(cls, value: object) -> object:
        """What is no position says nothing about the past, and the vote itself counts."""
        position = value.strip().lower() if isinstance(value, str) else None
        return position if position in _POSITIONS.values() else None

    @classmethod
    def from_text(cls, text: str) -> Self | None:
        """`AGREE`, `PARTIAL`, `DISAGREE` or `ABSTAIN` at the start of a line (or 동의, 부분 동의, 반대, 기권)."""
        token = _only_token(_BALLOT, text)
        if token is None:
            return None
        return cls._of({"position": _POSITIONS[token[0]], "reason": token[1]})


DELIBERATION_REPLIES: dict[str, type[ForeignWire]] = {
    "opening.forum": Opening,
    "answer": Answer,
    "ranking": Ranking,
    "bid": Bid,
    "selection": Selection,
    "speech": Speech,
    "conclusion": Conclusion,
    "ballot": Ballot,
}

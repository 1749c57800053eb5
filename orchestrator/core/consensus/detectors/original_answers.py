"""How the first rules (`RulesVersion.ORIGINAL`) follow answers: kept so that stored runs are judged as they were.

An answer is a set of options (letters, numbers, names in quotes or code) or, without any, the words of a proposal.
Anyone who agrees takes over the answer that is on the floor. Anyone who holds several options and talks about one of
them still holds them all. Only what was said counts: someone who said nothing about an answer holds none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from orchestrator.core.consensus.detectors.acts import LONG_TURN, OPTION, Act, options_in
from orchestrator.core.consensus.detectors.answers import FollowedAnswer
from orchestrator.core.consensus.detectors.floor import AnswerTurn, HeldAnswer, taken_over
from orchestrator.core.consensus.detectors.original_wordings import says_the_same
from shared.patterns import regex

MOST_OPTIONS = 6
STATES_WITHIN = 40  # words: a longer turn reasons about options rather than choosing some
AGREES_FROM = 0.3
PROPOSES_FROM = 0.5
WITHDRAWS_FROM = 0.5
EVERYTHING = "*"


def likeness_of(answer: FollowedAnswer, other: FollowedAnswer) -> float:
    """1 for the same answer; the share of options in common; for words, whether they say the same."""
    if answer.options or other.options:
        both = answer.options | other.options
        return len(answer.options & other.options) / len(both)
    return float(says_the_same(answer.words, other.words))


# ---- what one turn states -----------------------------------------------------------------------

_ANSWER_LINE = regex(
    r"(?im)^[ \t*_#>-]*(?:(?:my |the |our )?(?:final |revised )?(?:answer|vote|choice|decision|verdict|position)"
    r"|(?:제 |최종 |나의 )?(?:답|답변|결론|선택|투표|입장))[*_ \t]*[:：][*_ \t]*(\S.{0,200})$"
)
_NO_ANSWER = regex(
    r"(?i)\W*(?:undecided|unsure|not sure|unclear|unknown|none|n/?a|no (?:answer|opinion|preference|position)"
    r"|(?:it )?depends|abstain|모르|미정|기권|없음|없습니다|판단 ?(?:불가|유보))\b"
)
_NAMED = regex(r"\"([^\"\n]{1,60})\"|“([^”\n]{1,60})”|`([^`\n]{1,60})`|'([^'\n]{2,60})'(?!\w)")
_LISTED = regex(
    r"(?<![a-z0-9_'])([a-z]|\d{1,3})\s*(?:,|&|\+|/|and|or|와|과|랑|하고)\s*([a-z]|\d{1,3})(?![a-z0-9_'])",
    re.I,
)
_TAKES_OUT = regex(
    r"(?i)\b(?:not|don'?t|doesn'?t|isn'?t|no|without|irrelevant|unnecessary|never|nothing|except|leave|ignore"
    r"|rule out)\b|말고|빼고|제외|아니"
)
_PASSED_OVER = regex(
    r"(?i)\b(?:over|instead of|rather than|not|without|except|against)\s+(?:option\s+|plan\s+)?[a-z0-9]{1,3}\b"
    r"|(?<![a-z0-9])[a-z0-9]{1,3}(?:번|안)?[을를]?\s?(?:말고|대신|보다|빼고|제외)"
)
_ARTICLE = regex(r"\s+(?!(?:and|or|is|as|to|for|with|only|too)\b)[a-z]{2,}")
_I_LISTED = regex(r"\s*[,&+]|\s+and\s+(?:\d|[A-Z]\b)")
_ALL = regex(
    r"(?i)\ball (?:of (?:them|the \w+|these)|four|three|five|\d)\b|\b(?:them|pick|choose|select) all\b"
    r"|(?:전부|모두) ?(?:다|선택|고르)"
)


def known_options(texts: Iterable[str]) -> frozenset[str]:
    """Letters and numbers that a discussion uses as options: capitals, numbers, and what is listed with them."""
    options: set[str] = set()
    for text in texts:
        options |= options_in(text)
        for pair in _LISTED.findall(text):
            options |= {option.upper() for option in pair}
    return frozenset(options)


def stated_answer(text: str, act: Act, known: frozenset[str]) -> FollowedAnswer | None:
    """The answer that a turn states for its speaker, None when it states none.

    A line `Answer: ...` states it in a turn of any length; otherwise the turn is short and takes nothing out.
    """
    if lines := _ANSWER_LINE.findall(text):
        return _declared_answer(lines[-1].strip(" .*_"), known)
    words = len(text.split())
    if words > STATES_WITHIN or act.disagree >= 0.3:
        return None
    options = _options_in(text, known) | _named_in(text)
    if options and len(options) <= MOST_OPTIONS and not _TAKES_OUT.search(text):
        return FollowedAnswer(options)
    if act.propose >= PROPOSES_FROM and not options:
        if _ALL.search(text):
            return FollowedAnswer(frozenset({EVERYTHING}))
        return FollowedAnswer(frozenset(), text.strip())
    return None


def _declared_answer(line: str, known: frozenset[str]) -> FollowedAnswer | None:
    if _NO_ANSWER.match(line):
        return None
    options = _options_in(line, known) | _named_in(line)
    short = len(line.split()) <= 2 * MOST_OPTIONS
    return FollowedAnswer(options) if options and short else FollowedAnswer(frozenset(), line)


def _options_in(text: str, known: frozenset[str]) -> frozenset[str]:
    text = _PASSED_OVER.sub(" ", text)
    return frozenset(
        match[1].upper()
        for match in OPTION.finditer(text)
        if match[1].upper() in known and not _is_a_word(match, text)
    )


def _is_a_word(match: re.Match[str], text: str) -> bool:
    """The article `a`, and the speaker's `I`."""
    if match[1] == "a":
        return bool(_ARTICLE.match(text, match.end()))
    return match[1] in "Ii" and not _I_LISTED.match(text, match.end())


def _named_in(text: str) -> frozenset[str]:
    if len(text.split()) > LONG_TURN:
        return frozenset()
    names = (next(filter(None, groups)) for groups in _NAMED.findall(text))
    return frozenset(name.strip(" .,!?").lower() for name in names if len(name.strip()) > 1)


# ---- what everybody holds -----------------------------------------------------------------------


@dataclass
class OriginalFloor:
    """Who holds what, as a discussion is read turn by turn."""

    known: frozenset[str]
    answers: dict[str, HeldAnswer] = field(default_factory=dict)
    spoken: list[tuple[FollowedAnswer, str]] = field(default_factory=list)

    def add_turn(self, turn: AnswerTurn, heard: int | None) -> None:
        """Take in the next turn.

        `heard`: how many stated answers its speaker could know, where several spoke at once; None for all.
        """
        before = self.answers.get(turn.speaker)
        stated = stated_answer(turn.text, turn.act, self.known)
        if before is not None and stated is not None and _only_mentions(turn, stated, before):
            wavers = not stated.options <= before.answer.options
            self.answers[turn.speaker] = before.kept(moved=wavers)
            return
        if stated is not None:
            stated = self._as_before(stated)
            self.spoken.append((stated, turn.speaker))
        taken = stated or self._taken_over(turn, heard)
        if taken is not None:
            now = _now(taken, before, stated=stated is not None)
            self.answers[turn.speaker] = replace(now, declared=_declares(turn))
        elif turn.act.disagree >= WITHDRAWS_FROM:
            self.answers.pop(
                turn.speaker, None
            )  # someone who says no holds nothing until they say what
        elif before is not None:
            self.answers[turn.speaker] = before.kept()

    def _taken_over(self, turn: AnswerTurn, heard: int | None) -> FollowedAnswer | None:
        if turn.act.agree < AGREES_FROM:
            return None
        return taken_over(self.spoken[:heard], turn, all_heard=heard is None)

    def _as_before(self, stated: FollowedAnswer) -> FollowedAnswer:
        """Words that repeat the last proposal are that proposal."""
        if self.spoken and likeness_of(self.spoken[-1][0], stated) == 1.0:
            return self.spoken[-1][0]
        return stated


def _only_mentions(turn: AnswerTurn, stated: FollowedAnswer, before: HeldAnswer) -> bool:
    """Someone who holds several options and names one, without choosing it, is reasoning: "Why 4?"."""
    several = len(before.answer.options) > 1 and len(stated.options) == 1
    return several and turn.act.propose < PROPOSES_FROM and not _declares(turn)


def _declares(turn: AnswerTurn) -> bool:
    return bool(_ANSWER_LINE.search(turn.text))


def _now(taken: FollowedAnswer, before: HeldAnswer | None, *, stated: bool) -> HeldAnswer:
    if before is None:
        return HeldAnswer(taken, stated)
    if likeness_of(before.answer, taken) == 1.0:
        return HeldAnswer(taken, before.stated or stated, stayed=before.stayed + 1)
    return HeldAnswer(taken, stated, moved=True, joined=not stated)


def follow(rounds: Sequence[Sequence[AnswerTurn]]) -> dict[str, HeldAnswer]:
    """The answer of everybody who has one after these rounds.

    Those who speak in the same round have not heard one another in it.
    """
    floor = OriginalFloor(known_options(turn.text for turns in rounds for turn in turns))
    for turns in rounds:
        heard = len(floor.spoken) if len(turns) > 1 else None
        for turn in turns:
            floor.add_turn(turn, heard)
    return floor.answers

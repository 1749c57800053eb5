"""Who holds which answer, as a discussion is read turn by turn.

Anyone who agrees takes over the answer that is on the floor. Anyone who holds several options and talks about one of
them still holds them all. Only what was said counts: someone who said nothing about an answer holds none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from orchestrator.core.consensus.detectors.acts import Act
from orchestrator.core.consensus.detectors.answers import (
    PROPOSES_FROM,
    FollowedAnswer,
    declares,
    likeness_of,
    opening_of,
    opens_with,
    refuses,
    stated_answer,
)
from orchestrator.core.consensus.detectors.claims import read_claim
from orchestrator.core.consensus.detectors.commitments import Commitment, commitment_of
from orchestrator.core.consensus.detectors.options import known_options
from orchestrator.core.consensus.detectors.wordings import at_odds, restates

AGREES_FROM = 0.3
WITHDRAWS_FROM = 0.5


@dataclass(frozen=True)
class AnswerTurn:
    """A turn as the detector reads it."""

    speaker: str
    text: str
    act: Act


@dataclass(frozen=True)
class HeldAnswer:
    """What somebody holds: whether they said it themselves, and what their last turn did to it.

    `declared`: said in a line of its own ("Answer: ...") or in a round of several. `moved`: it was another answer
    before that turn, or that turn names another. `joined`: moved by taking over somebody else's. `stayed`: how many
    of their turns since left it as it is.
    """

    answer: FollowedAnswer
    stated: bool
    declared: bool = False
    moved: bool = False
    joined: bool = False
    stayed: int = 0

    def kept(self, *, moved: bool = False) -> HeldAnswer:
        """The same after another turn of its speaker, which may have named something else (`moved`)."""
        return replace(self, moved=moved, joined=False, stayed=self.stayed + 1)


@dataclass(frozen=True)
class FollowedTurn:
    """What a turn did: whether its speaker holds something else since, and whether all then held the same."""

    speaker: str
    agree: float
    changed: bool
    alike: bool


@dataclass
class AnswerFloor:
    """Who holds what, as a discussion is read turn by turn."""

    known: frozenset[str]
    names: tuple[str, ...] = ()
    answers: dict[str, HeldAnswer] = field(default_factory=dict)
    spoken: list[tuple[FollowedAnswer, str]] = field(default_factory=list)
    trail: list[FollowedTurn] = field(default_factory=list)

    def add_turn(self, turn: AnswerTurn, heard: int | None) -> None:
        """Take in the next turn.

        `heard`: how many stated answers its speaker could know, where several spoke at once; None for all.
        """
        before = self.answers.get(turn.speaker)
        commitment = Commitment.UNSAID if declares(turn.text) else commitment_of(turn.text)
        if commitment is Commitment.ON_CONDITION:
            after = None
        elif commitment is Commitment.NOTHING_YET:
            after = before and before.kept()
        else:
            accepts = commitment is Commitment.ACCEPTS or (
                turn.act.agree >= AGREES_FROM and not read_claim(turn.text).conditions
            )
            agrees = accepts and not refuses(turn.text, self.known)
            after = self._after(turn, before, heard, agrees=agrees)
        self.answers.pop(turn.speaker, None)
        if after is not None:
            self.answers[turn.speaker] = after
        changed = _differs(before, after)
        alike = self._all_alike()
        self.trail.append(FollowedTurn(turn.speaker, turn.act.agree, changed, alike))

    def _all_alike(self) -> bool:
        """Whether everybody of the discussion holds the same answer."""
        answers = [self.answers[name].answer for name in self.names if name in self.answers]
        complete = bool(answers) and len(answers) == len(self.names)
        return complete and all(likeness_of(answers[0], other) == 1.0 for other in answers[1:])

    def _after(
        self, turn: AnswerTurn, before: HeldAnswer | None, heard: int | None, *, agrees: bool
    ) -> HeldAnswer | None:
        """What the speaker of a turn holds after it."""
        stated = stated_answer(turn.text, turn.act, self.known)
        if before and stated and _only_mentions(turn, stated, before):
            return before.kept(moved=not stated.options <= before.answer.options)
        on_floor = self._on_floor(stated, turn, heard, agrees=agrees)
        taken = self._joined(turn, heard, stated) if agrees and on_floor is None else on_floor
        if on_floor is not None:
            self.spoken.append((on_floor, turn.speaker))
        if taken is None:
            return _left(before, turn)
        now = _now(taken, before, stated=on_floor is not None)
        return replace(now, declared=declares(turn.text) or _answers(on_floor, heard))

    def _joined(
        self, turn: AnswerTurn, heard: int | None, stated: FollowedAnswer | None
    ) -> FollowedAnswer | None:
        """What somebody who agrees takes over; nothing that their own words are at odds with."""
        taken = taken_over(self.spoken[:heard], turn, all_heard=heard is None)
        return None if taken is None or _contradicts(stated, taken) else taken

    def _on_floor(
        self, stated: FollowedAnswer | None, turn: AnswerTurn, heard: int | None, *, agrees: bool
    ) -> FollowedAnswer | None:
        """The answer as it stands on the floor already, or a new one; a word in passing is none."""
        if stated is None:
            return None
        known = self._repeated(stated, turn, heard, agrees=agrees)
        if known is not stated or _answers(stated, heard) or declares(turn.text):
            return known
        if stated.options or stated.proposed:
            return known
        proposals = any(answer.proposed for answer, _ in self.spoken)
        return None if stated.is_a_word or proposals else known

    def _repeated(
        self, stated: FollowedAnswer, turn: AnswerTurn, heard: int | None, *, agrees: bool
    ) -> FollowedAnswer:
        """The answer that a turn repeats with its words or with its first claim; otherwise the answer itself."""
        known = self._as_before(stated, turn.speaker, heard, agrees=agrees)
        opening = opening_of(stated, turn.text)
        if known is not stated or opening is None:
            return known
        repeated = self._as_before(opening, turn.speaker, heard, agrees=agrees)
        return stated if repeated is opening else repeated

    def _as_before(
        self, stated: FollowedAnswer, speaker: str, heard: int | None, *, agrees: bool
    ) -> FollowedAnswer:
        """Words that repeat what is on the floor are that answer; anyone who agrees may say it in their own words."""
        known = self.spoken[:heard]
        if known and likeness_of(known[-1][0], stated) == 1.0:
            return known[-1][0]
        others = _answers_of(known, speaker, own=False)
        if agrees and others and _says_after(stated, others[-1]):
            return others[-1]
        own = reversed(_answers_of(known, speaker, own=True))
        return next((answer for answer in own if _says_less(stated, answer)), stated)


def taken_over(
    spoken: Sequence[tuple[FollowedAnswer, str]], turn: AnswerTurn, *, all_heard: bool
) -> FollowedAnswer | None:
    """Anyone who agrees takes over the answer of the one they name, else the last one, unless it is their own.

    In a round of several, where nobody had heard the others (not `all_heard`), it is the last one of somebody else.
    """
    others = [(answer, speaker) for answer, speaker in spoken if speaker != turn.speaker]
    named = {speaker: answer for answer, speaker in others if _names(turn.text, speaker)}
    if len(named) == 1:
        return next(iter(named.values()))
    if all_heard and spoken[-1:] != others[-1:]:
        return None
    return others[-1][0] if others else None


def _answers_of(
    spoken: Sequence[tuple[FollowedAnswer, str]], speaker: str, *, own: bool
) -> list[FollowedAnswer]:
    return [answer for answer, other in spoken if (other == speaker) is own]


def _says_less(stated: FollowedAnswer, answer: FollowedAnswer) -> bool:
    """Whether a wording only repeats a part of another."""
    return not (stated.options or answer.options) and restates(stated.claim, answer.claim)


def _says_after(stated: FollowedAnswer, answer: FollowedAnswer) -> bool:
    """Whether somebody who agrees says what they agree to in fewer or in more words."""
    longer = _says_less(answer, stated) and not at_odds(stated.claim, answer.claim)
    return longer or _says_less(stated, answer)


def _answers(stated: FollowedAnswer | None, heard: int | None) -> bool:
    """Where several speak at once everybody is asked for their answer: anyone who states one declares it."""
    return stated is not None and heard is not None


def _contradicts(stated: FollowedAnswer | None, answer: FollowedAnswer) -> bool:
    """Whether what somebody who agrees says themselves is at odds with the answer: "raising it is right"."""
    if stated is None or answer.options:
        return False
    return at_odds(stated.claim, answer.claim)


def _only_mentions(turn: AnswerTurn, stated: FollowedAnswer, before: HeldAnswer) -> bool:
    """Someone who holds several options and names one, without choosing it, is reasoning: "Why 4?"."""
    several = len(before.answer.options) > 1 and len(stated.options) == 1
    return several and turn.act.propose < PROPOSES_FROM and not declares(turn.text)


def _now(taken: FollowedAnswer, before: HeldAnswer | None, *, stated: bool) -> HeldAnswer:
    if before is None:
        return HeldAnswer(taken, stated)
    if likeness_of(before.answer, taken) == 1.0 or opens_with(before.answer, taken):
        return HeldAnswer(taken, before.stated or stated, stayed=before.stayed + 1)
    return HeldAnswer(taken, stated, moved=True, joined=not stated)


def _differs(before: HeldAnswer | None, after: HeldAnswer | None) -> bool:
    if before is None or after is None:
        return before is not after
    return after.moved or likeness_of(before.answer, after.answer) < 1.0


def _left(before: HeldAnswer | None, turn: AnswerTurn) -> HeldAnswer | None:
    """What remains after a turn that states no answer; anyone who says no holds nothing until they state one."""
    return None if before is None or turn.act.disagree >= WITHDRAWS_FROM else before.kept()


def _names(text: str, speaker: str) -> bool:
    return len(speaker) > 1 and bool(
        re.search(rf"(?<!\w){re.escape(speaker)}(?!\w|[가-힣]{{3}})", text, re.I)
    )


def follow_floor(rounds: Sequence[Sequence[AnswerTurn]], names: tuple[str, ...]) -> AnswerFloor:
    """The floor after these rounds, where `names` take part.

    Those who speak in the same round have not heard one another in it.
    """
    floor = AnswerFloor(known_options(turn.text for turns in rounds for turn in turns), names)
    for turns in rounds:
        heard = len(floor.spoken) if len(turns) > 1 else None
        for turn in turns:
            floor.add_turn(turn, heard)
    return floor

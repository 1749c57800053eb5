"""Which findings are likely to be true and matter: an order, never a verdict.

Theory of operation. Merging is strict, so one defect can stay several findings. Ranking counts voices softly: a
voice supports a finding by raising it, by a stance, or by raising something near it (`affinity`). Findings are then
taken one after another, each time the one with the most support that those before it do not explain, so that of
several wordings of one defect the first carries the votes and the others sink. Copies of one model family are one
voice; an entry of a long list weighs less than one of a short list. Evidence that code has checked adds to the
votes, denials take from them. Severity then says what is at stake. Of that order the text shows the first few, and
of those only what is not faint beside the best carried one (`foremost`).

Nothing is dropped and no status, severity or gate depends on any of this. Weights: docs/design/findings.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from operator import attrgetter
from typing import TypeVar

from orchestrator.core.findings.affinity import affinities
from orchestrator.core.findings.evidence import is_unproven
from orchestrator.core.findings.grounds import Checks, evidence
from orchestrator.core.findings.grounds import votes as votes_of
from orchestrator.core.findings.polarity import opposed
from orchestrator.core.findings.sameness import plain_path
from shared.models.findings import Finding, FindingStatus, Ground, Position, Severity

T = TypeVar("T")

NEAR_ENOUGH = 20  # lines: wider than for merging, where a wrong line must not hide a defect
AT_STAKE = {Severity.CRITICAL: 4, Severity.MAJOR: 3, Severity.MINOR: 2, Severity.INFO: 1}
ALONE = 1.5  # voices below which a finding without grounds is weak ...
SMALL_PANEL = 3  # ... in a panel of at least so many voices: two reviewers seldom see the same
GRAVE = frozenset({Severity.CRITICAL, Severity.MAJOR})
MOST_COMPARED = 150  # findings whose texts are compared; more have their own voices only


@dataclass(frozen=True)
class Weights:
    """What a vote is made of; the unit is one voice that raised the finding itself."""

    lends_from: float = 0.44
    """Affinity above which a finding begins to lend its voices to another, ..."""
    lends_all: float = 0.50
    """... and from which it lends as much as it can, ..."""
    lent: float = 0.84
    """... which is less than a vote: so raising a finding counts more than raising one near it, although it makes
    the list longer (0.84 < (1/2) ** list_exponent)."""
    says_the_same: float = 0.5
    """Share of its voices that a finding lends when it says nearly the same."""
    repeats: float = 0.50
    """Affinity from which a participant says again what it said earlier in its list, ..."""
    repeated: float = 2.0
    """... and the votes by which such a repetition is held back."""
    typical_list: float = 3.5
    """Length of a list whose entries weigh one vote each; a list of n: (typical / n) ** exponent."""
    list_exponent: float = 0.25
    late: float = 0.1
    """Votes by which an entry is held back, times log(length of its list) + its place in it (0 to 1)."""
    doubt: float = 2.0
    """Votes at which a finding is as likely true as not: likelihood = votes / (votes + doubt)."""
    beside_the_best: float = 0.4
    """Share of the best carried one's votes below which a minor finding without evidence is faint."""


WEIGHTS = Weights()


def likelihood(score: float, weights: Weights = WEIGHTS) -> float:
    """How likely a finding with so many votes is to be true, 0 to 1."""
    return score / (score + weights.doubt)


_SAYS = {Position.AGREE: 1.0, Position.PARTIAL: 0.5}
_DENIES = frozenset({Position.DISAGREE, Position.WITHDRAW})


@dataclass(frozen=True)
class Ranked:
    """A finding with its rank (1 is the first), what it rests on, and what makes it doubtful.

    `score` is in votes, after what stands before it in the order; `supporters` are the names that carry it;
    `like` is the id of one further up that says nearly the same; `weak` means one voice and nothing to show.
    `evidence` is what code has checked of it. `faint` is a minor one without evidence that has few votes beside the
    best carried one: most of these are wrong.
    """

    finding: Finding
    rank: int
    score: float
    supporters: tuple[str, ...]
    evidence: tuple[Ground, ...]
    weak: bool
    faint: bool
    like: str | None


def rank(
    findings: Sequence[Finding],
    voices: Mapping[str, str] | None = None,
    checks: Checks | None = None,
    size: int | None = None,
    weights: Weights = WEIGHTS,
    trusted: Mapping[str, float] | None = None,
) -> tuple[Ranked, ...]:
    """The findings, likely and grave ones first, rejected ones last.

    `voices` maps the panel's names to the voice each belongs to (its family); a name that is not in it is its
    own. `checks` is the evidence that is not in the findings themselves, `size` is how many voices could have raised
    something (all that are known). `trusted` is what a participant's vote counts where its own record says more or less
    than 1. The order in which findings come does not matter.
    """
    taken = _in_turn(_Panel(findings, voices or {}, checks or {}, size, weights, trusted or {}))
    best = max((place.score for place in taken if not _rejected(place)), default=0.0)
    last = sorted(range(len(taken)), key=lambda at: (*_standing(taken[at], weights), at))
    return tuple(
        Ranked(
            finding=taken[at].finding,
            rank=place,
            score=round(taken[at].score, 2),
            supporters=supporters(taken[at].finding),
            evidence=taken[at].evidence,
            weak=taken[at].weak,
            faint=_is_faint(taken[at], weights.beside_the_best * best),
            like=taken[at].like,
        )
        for place, at in enumerate(last, start=1)
    )


def supporters(finding: Finding) -> tuple[str, ...]:
    """Who carries a finding: those who raised it and did not take it back, and those who agreed, even in part."""
    agreeing = [
        participant for participant, position in finding.stances.items() if position in _SAYS
    ]
    raisers = [
        participant
        for participant in finding.raised_by
        if finding.stances.get(participant) not in _DENIES
    ]
    return tuple(dict.fromkeys((*raisers, *agreeing)))


def foremost(
    ranked: Sequence[T], most: int | None, is_faint: Callable[[T], bool] = attrgetter("faint")
) -> list[T]:
    """What a reader is shown of a ranking: at most the first so many (None: all), and none of them that is faint."""
    return [each for each in ranked[:most] if not is_faint(each)]


# ---- who speaks for what --------------------------------------------------------------------------


class _Panel:
    """The findings in a fixed order, with the voices for each and how near each is to the others."""

    def __init__(
        self,
        findings: Sequence[Finding],
        voices: Mapping[str, str],
        checks: Checks,
        size: int | None,
        weights: Weights,
        trusted: Mapping[str, float],
    ) -> None:
        self.findings = sorted(findings, key=_appearance)
        self.voices = voices
        self.weights = weights
        self.evidence = [evidence(finding, checks) for finding in self.findings]
        self.votes = [self._votes(finding, trusted) for finding in self.findings]
        self.support = [self._support(finding) for finding in self.findings]
        self.denials = [self._denials(finding) for finding in self.findings]
        self.lists = self._lists()
        self.near = _nearness(self.findings, weights)
        self.lent = [
            {other: lent for other, alike in near.items() if (lent := _lent(alike, weights)) > 0}
            for near in self.near
        ]
        self.size = len(self._everybody()) if size is None else size

    def _everybody(self) -> set[str]:
        return set(self.voices.values()).union(*self.support)

    def _voice(self, name: str) -> str:
        return self.voices.get(name, name)

    def _support(self, finding: Finding) -> dict[str, float]:
        """How firmly each voice carries it: in full, or in part."""
        return self._votes(finding, {})

    def _votes(self, finding: Finding, trusted: Mapping[str, float]) -> dict[str, float]:
        """The same as votes; of copies that are one voice the most trusted one's counts."""
        votes: dict[str, float] = {}
        for participant in supporters(finding):
            says = 1.0 if participant in finding.raised_by else _SAYS[finding.stances[participant]]
            voice = self._voice(participant)
            votes[voice] = max(votes.get(voice, 0.0), says * trusted.get(participant, 1.0))
        return votes

    def _denials(self, finding: Finding) -> int:
        against = {
            self._voice(participant)
            for participant, position in finding.stances.items()
            if position in _DENIES
        }
        return len(against - self._support(finding).keys())

    def _lists(self) -> dict[str, list[int]]:
        """What each participant raised, in its order. An analyser's rules make no list: it tires nobody out."""
        lists: dict[str, list[int]] = {}
        for index, finding in enumerate(self.findings):
            for participant in finding.raised_by:
                if not finding.rule:
                    lists.setdefault(participant, []).append(index)
        return lists

    def vote_weights(self) -> dict[str, float]:
        """What one vote of each voice weighs: the longer its longest list, the less."""
        longest: dict[str, int] = {}
        for participant, raised in self.lists.items():
            voice = self._voice(participant)
            longest[voice] = max(longest.get(voice, 0), len(raised))
        return {
            voice: (self.weights.typical_list / length) ** self.weights.list_exponent
            for voice, length in longest.items()
        }

    def late(self, index: int) -> float:
        """Votes by which it is held back as a late entry, or as a repetition by everybody who raised it."""
        kept = [
            self._lateness(self.lists[participant], index)
            for participant in self.findings[index].raised_by
            if index in self.lists.get(participant, ())
        ]
        return min(kept, default=0.0)

    def _lateness(self, listed: list[int], index: int) -> float:
        place = listed.index(index)
        repeats = any(
            self.near[index].get(before, 0.0) >= self.weights.repeats
            and self.support[before].keys() >= self.support[index].keys()
            for before in listed[:place]
        )
        late = self.weights.late * (math.log(len(listed)) + place / len(listed))
        return late + (self.weights.repeated if repeats else 0.0)


def _appearance(finding: Finding) -> tuple[int, int, str]:
    digits = finding.id.rpartition("F")[2]
    return (finding.raised_in_round, int(digits) if digits.isdecimal() else 0, finding.id)


def _nearness(findings: Sequence[Finding], weights: Weights) -> list[dict[int, float]]:
    compared = findings[:MOST_COMPARED]
    near: list[dict[int, float]] = [{} for _ in findings]
    for index, others in enumerate(affinities([f"{f.title} {f.detail}" for f in compared])):
        for other, alike in others.items():
            if alike >= min(weights.lends_from, weights.repeats) and _may_be_one(
                findings[index], findings[other]
            ):
                near[index][other] = alike
    return near


def _may_be_one(finding: Finding, other: Finding) -> bool:
    """Whether the two could be one defect at all: not far apart, not two rules, not opposites."""
    if finding.rule and other.rule:
        return False
    if finding.place and other.place:
        if plain_path(finding.place.path) != plain_path(other.place.path):
            return False
        if abs(finding.place.line - other.place.line) > NEAR_ENOUGH:
            return False
    return not opposed(finding.title, other.title)


def _lent(alike: float, weights: Weights) -> float:
    share = (alike - weights.lends_from) / (weights.lends_all - weights.lends_from)
    return min(1.0, max(0.0, share))


# ---- one after another ----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Taken:
    finding: Finding
    score: float
    weak: bool
    evidence: tuple[Ground, ...]
    like: str | None


def _in_turn(panel: _Panel) -> list[_Taken]:
    votes = panel.vote_weights()
    explained = [0.0] * len(panel.findings)
    left = set(range(len(panel.findings)))
    fixed = [
        votes_of(checked) - panel.denials[index] - panel.late(index)
        for index, checked in enumerate(panel.evidence)
    ]
    now = {index: _unexplained(panel, panel.votes, index, votes, explained) for index in left}

    def turn(index: int) -> tuple[bool, float, tuple[str, int, str, str, int], int]:
        rejected = panel.findings[index].status is FindingStatus.REJECTED  # it shadows no other
        return (rejected, -round(now[index] + fixed[index], 9), _content(panel, index), index)

    queue = [turn(index) for index in left]
    heapify(queue)
    taken: list[_Taken] = []
    leaders: list[int] = []
    while left:
        entry = heappop(queue)
        best = entry[-1]
        if best not in left or entry != turn(best):
            continue  # it was taken, or stands elsewhere in the queue by now
        left.discard(best)
        taken.append(
            _Taken(
                finding=panel.findings[best],
                score=max(0.0, now[best] + fixed[best]),
                weak=_is_weak(panel, best),
                evidence=panel.evidence[best],
                like=_leader_of(panel, leaders, best),
            )
        )
        if panel.lent[best]:
            leaders.append(best)
        explained[best] = 1.0
        touched = {best}
        for other, lent in panel.lent[best].items():
            explained[other] = max(explained[other], lent)
            touched |= {other, *panel.lent[other]}
        for index in touched & left:
            now[index] = _unexplained(panel, panel.votes, index, votes, explained)
            heappush(queue, turn(index))
    return taken


def _leader_of(panel: _Panel, leaders: Sequence[int], index: int) -> str | None:
    """The first of those before it that says nearly the same."""
    least = panel.weights.says_the_same
    near = (at for at in leaders if panel.lent[at].get(index, 0.0) >= least)
    return next((panel.findings[at].id for at in near), None)


def _unexplained(
    panel: _Panel,
    carried: Sequence[Mapping[str, float]],
    index: int,
    weights: Mapping[str, float],
    explained: Sequence[float],
) -> float:
    """Votes for a finding, its own and lent ones, of which no finding before it has the use already.

    `carried` has each finding's votes by voice, `weights` what one of each voice weighs.
    """
    votes: dict[str, float] = {}
    for source, lent in ((index, 1.0), *panel.lent[index].items()):
        unused = lent - explained[source]
        if unused <= 0.0:
            continue
        share = 1.0 if source == index else panel.weights.lent
        for voice, says in carried[source].items():
            votes[voice] = max(votes.get(voice, 0.0), says * share * unused)
    return sum(weights.get(voice, 1.0) * votes[voice] for voice in sorted(votes))


def _is_weak(panel: _Panel, index: int) -> bool:
    if is_unproven(panel.findings[index]):
        return True
    support = _unexplained(panel, panel.support, index, {}, [0.0] * len(panel.findings))
    if panel.denials[index] > support:
        return True
    return panel.size >= SMALL_PANEL and support < ALONE and not panel.evidence[index]


def _content(panel: _Panel, index: int) -> tuple[str, int, str, str, int]:
    """Breaks ties by place and by what is said, never by who was listed first."""
    finding = panel.findings[index]
    place = finding.place
    where = (place.path, place.line) if place else ("", 0)
    return (*where, finding.title, finding.detail, index)


def _is_faint(taken: _Taken, least: float) -> bool:
    return taken.score < least and not taken.evidence and taken.finding.severity not in GRAVE


def _rejected(taken: _Taken) -> bool:
    return taken.finding.status is FindingStatus.REJECTED


def _standing(taken: _Taken, weights: Weights) -> tuple[bool, bool, float]:
    likely = likelihood(taken.score, weights)
    return (_rejected(taken), taken.weak, -likely * AT_STAKE[taken.finding.severity])

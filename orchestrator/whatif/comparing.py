"""What differs between two runs: what they were asked to do, how it went, and what they came to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from statistics import fmean
from typing import Any

from orchestrator.core.findings.likeness import letters, similarity
from orchestrator.core.findings.pairing import Pair, pair_up
from orchestrator.core.findings.stances import stated
from orchestrator.core.results import RankedText, WorkflowResult
from orchestrator.whatif.recording import Recording
from orchestrator.whatif.results import RunResult, stored_result
from orchestrator.workflows.registry import workflow_of
from shared.models.assessment import Assessment
from shared.models.findings import Finding
from shared.models.notices import Notice, notice
from shared.models.panel import Participant
from shared.models.rows import UsageRow
from shared.models.run import RunSpec


@dataclass(frozen=True)
class Both:
    """A thing by its name, as it is in the first run and in the second; None where there is none."""

    name: str
    first: Any
    second: Any

    @property
    def same(self) -> bool:
        """Whether there is nothing to tell."""
        return bool(self.first == self.second)


@dataclass(frozen=True)
class PositionDifference:
    """A participant stands elsewhere on what is the same finding in both runs."""

    finding: str
    participant: str
    first: str | None
    second: str | None


@dataclass(frozen=True)
class Answers:
    """Two sets of answers to one question.

    `likeness` of each participant's two answers, `places` in the peers' ranking; `within` each run how alike its
    answers are. None where there is nothing to compare.
    """

    likeness: Mapping[str, float | None]
    places: tuple[Both, ...]
    within: tuple[float | None, float | None]


@dataclass(frozen=True)
class Comparison:
    """Everything that differs; the tuples hold what is not the same, except `findings`, which holds all."""

    relation: Notice | None
    options: tuple[Both, ...]
    participants: tuple[Both, ...]
    rounds: tuple[Both, ...]
    findings: tuple[Pair, ...]
    mended: tuple[frozenset[str], frozenset[str]]
    positions: tuple[PositionDifference, ...]
    votes: tuple[Both, ...]
    answers: Answers | None
    conclusion: tuple[Both, ...]
    usage: tuple[Both, ...]
    _choices: tuple[str | None, str | None] = field(default=(None, None))

    @property
    def same(self) -> bool:
        """The same verdict, the same position chosen, and the same findings with the same severity and status."""
        verdict = next(one for one in self.conclusion if one.name == "verdict")
        first, second = self._choices
        return (
            verdict.same and first == second and all(not self.changed(one) for one in self.findings)
        )

    def changed(self, pair: Pair) -> bool:
        """True when a finding is in one run only, or weighs or stands otherwise in the other."""
        one, other = pair.first, pair.second
        if one is None or other is None:
            return True
        mended = (one.id in self.mended[0], other.id in self.mended[1])
        return (one.severity, one.status, mended[0]) != (other.severity, other.status, mended[1])


@dataclass(frozen=True)
class Side:
    """One of the two runs."""

    recording: Recording
    usage: UsageRow

    @cached_property
    def result(self) -> WorkflowResult:
        """What its workflow came to; an empty result before the end, and where this version cannot read it."""
        workflow = workflow_of(self.recording.spec)
        return workflow.result_of(self.recording.run.outcome) or WorkflowResult()


def compare(first: Side, second: Side) -> Comparison:
    """What differs between two runs, as they are stored."""
    pictures = stored_result(first.recording), stored_result(second.recording)
    specs = first.recording.spec, second.recording.spec
    pairs = pair_up(pictures[0].findings, pictures[1].findings)
    return Comparison(
        relation=relation(first.recording, second.recording),
        options=_differing(_options(specs[0]), _options(specs[1])),
        participants=_differing(_participants(specs[0]), _participants(specs[1])),
        rounds=_rounds(*pictures),
        findings=pairs,
        mended=(_mended(pictures[0]), _mended(pictures[1])),
        positions=tuple(_positions(pairs)),
        votes=_differing(first.result.votes_cast, second.result.votes_cast),
        answers=_answers(first.result.answers_given, second.result.answers_given),
        conclusion=_conclusion(*pictures),
        usage=_usage(first, second),
        _choices=(_letters(first.result.chosen), _letters(second.result.chosen)),
    )


def relation(first: Recording, second: Recording) -> Notice | None:
    """How the two belong together."""
    one, other = first.run.id, second.run.id
    if one == other:
        return notice("same_run")
    origins = first.spec.labels.get("forked_from"), second.spec.labels.get("forked_from")
    if origins[1] == one:
        return notice("is_fork", run=other, origin=one, at=str(second.spec.labels.get("forked_at")))
    if origins[0] == other:
        return notice("is_fork", run=one, origin=other, at=str(first.spec.labels.get("forked_at")))
    if origins[0] is not None and origins[0] == origins[1]:
        return notice("both_forks", origin=str(origins[0]))
    if first.spec.workflow != second.spec.workflow:
        return notice("two_workflows", one=first.spec.workflow, other=second.spec.workflow)
    return notice("same_subject" if first.spec.subject == second.spec.subject else "two_subjects")


def _differing(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[Both, ...]:
    names = dict.fromkeys((*first, *second))
    pairs = (Both(name, first.get(name), second.get(name)) for name in names)
    return tuple(one for one in pairs if not one.same)


# ---- what they were asked to do -----------------------------------------------------------------

_APART = frozenset({"options", "panel", "seed", "labels", "prompts", "subject", "watched"})


def _options(spec: RunSpec) -> dict[str, Any]:
    content = spec.model_dump(mode="json")
    # As it would be typed, and without the participants among them, which are compared by themselves.
    seated = {part.name for part, _ in workflow_of(spec).parts_of(spec) if part.in_options}
    options = workflow_of(spec).options_of(spec).model_dump(mode="json").items()
    own = {key: value for key, value in options if key not in seated}
    leaves = dict(_leaves({key: one for key, one in content.items() if key not in _APART}))
    leaves |= _leaves(own, f"{spec.workflow}.")
    return {**leaves, "subject": spec.subject[:12], "prompts": spec.prompts[:12]}


def _leaves(content: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for key, value in content.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _participants(spec: RunSpec) -> dict[str, str]:
    """Who sits where and how they are reached, by part and name."""
    return {f"{part.name} {one.name}": _who(one) for part, one in workflow_of(spec).parts_of(spec)}


def _who(one: Participant) -> str:
    shown = f"{one.provider}:{one.model or one.tool}" if one.model or one.tool else one.provider
    return f"{shown} ({one.persona})" if one.persona else shown


# ---- how it went --------------------------------------------------------------------------------


def _rounds(first: RunResult, second: RunResult) -> tuple[Both, ...]:
    return _differing(first.rounds, second.rounds)


def figures_of(one: Assessment | None) -> tuple[str, ...] | None:
    """Agreement, stability, recommendation and ending of a round, as they are shown."""
    if one is None:
        return None
    stability = one.metrics.avg_stability
    return (
        f"{one.metrics.agreement_ratio:.2f}",
        "-" if stability is None else f"{stability:.2f}",
        one.metrics.recommendation.value,
        one.ending.value if one.ending else "-",
    )


def _positions(pairs: Sequence[Pair]) -> Iterable[PositionDifference]:
    for pair in pairs:
        if pair.first is None or pair.second is None:
            continue
        for both in _differing(_stances(pair.first), _stances(pair.second)):
            name = _both_names(pair.first, pair.second)
            yield PositionDifference(name, both.name, both.first, both.second)


def _stances(finding: Finding) -> dict[str, str]:
    """Stated positions: abstaining is as good as saying nothing."""
    return {who: position.value for who, position in stated(finding.stances).items()}


def _both_names(first: Finding, second: Finding) -> str:
    return first.id if first.id == second.id else f"{first.id}/{second.id}"


def _letters(title: str | None) -> str | None:
    """The position that a debate chose, by its letters."""
    return None if title is None else letters(title)


def _answers(first: Mapping[str, RankedText], second: Mapping[str, RankedText]) -> Answers | None:
    if not first or not second:
        return None
    places = ({name: answer.place for name, answer in side.items()} for side in (first, second))
    texts = [[answer.text for answer in side.values()] for side in (first, second)]
    return Answers(
        likeness={
            name: _alike(answer.text, second[name].text)
            for name, answer in first.items()
            if name in second
        },
        places=_differing(*places),
        within=(_within(texts[0]), _within(texts[1])),
    )


def _alike(one: str, other: str) -> float | None:
    return 1.0 if one == other else similarity(one, other)


def _within(texts: Sequence[str]) -> float | None:
    """How alike the answers of one run are: the mean over all pairs."""
    found = [alike for a, b in combinations(texts, 2) if (alike := _alike(a, b)) is not None]
    return fmean(found) if found else None


# ---- what they came to --------------------------------------------------------------------------


def _mended(picture: RunResult) -> frozenset[str]:
    standing = {one.id for one in picture.standing}
    return frozenset(one.id for one in picture.findings if one.id not in standing)


def _conclusion(first: RunResult, second: RunResult) -> tuple[Both, ...]:
    return (
        Both("verdict", first.verdict, second.verdict),
        Both("ending", first.ending, second.ending),
        Both("gate", first.gate.outcome, second.gate.outcome),
        Both("rounds", first.rounds_held, second.rounds_held),
    )


def _usage(first: Side, second: Side) -> tuple[Both, ...]:
    one, other = first.usage, second.usage
    tokens = [usage.input_tokens + usage.output_tokens for usage in (one, other)]
    elapsed = [round(side.recording.run.elapsed_s, 1) for side in (first, second)]
    return (
        Both("calls", one.calls, other.calls),
        Both("tokens", *tokens),
        Both("cost_usd", one.cost_usd, other.cost_usd),
        Both("unknown_costs", one.unknown_costs, other.unknown_costs),
        Both("elapsed_s", *elapsed),
    )

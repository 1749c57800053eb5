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
from orchestrator.workflows.display import result_of
from orchestrator.workflows.registry import workflow_of
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
        return not self.differing

    @property
    def differing(self) -> tuple[str, ...]:
        """Of what is compared (`verdict`, `position`, `findings`) that which is not the same."""
        verdict = next(both for both in self.conclusion if both.name == "verdict")
        first, second = self._choices
        changed = any(map(self.changed, self.findings))
        differs = {"verdict": not verdict.same, "position": first != second, "findings": changed}
        return tuple(name for name, is_so in differs.items() if is_so)

    def changed(self, pair: Pair) -> bool:
        """True when a finding is in one run only, or weighs or stands otherwise in the other."""
        first, second = pair.first, pair.second
        if first is None or second is None:
            return True
        mended = (first.id in self.mended[0], second.id in self.mended[1])
        return (first.severity, first.status, mended[0]) != (
            second.severity,
            second.status,
            mended[1],
        )


@dataclass(frozen=True)
class Side:
    """One of the two runs."""

    recording: Recording
    usage: UsageRow

    @cached_property
    def result(self) -> WorkflowResult:
        """What its workflow came to; an empty result before the end, and where this version cannot read it."""
        workflow = workflow_of(self.recording.spec)
        return result_of(workflow, self.recording.run.outcome) or WorkflowResult()


def compare(first: Side, second: Side) -> Comparison:
    """What differs between two runs, as they are stored."""
    results = stored_result(first.recording), stored_result(second.recording)
    specs = first.recording.spec, second.recording.spec
    pairs = pair_up(results[0].findings, results[1].findings)
    return Comparison(
        relation=relation(first.recording, second.recording),
        options=_differing(_options(specs[0]), _options(specs[1])),
        participants=_differing(_participants(specs[0]), _participants(specs[1])),
        rounds=_rounds(*results),
        findings=pairs,
        mended=(_mended(results[0]), _mended(results[1])),
        positions=tuple(_positions(pairs)),
        votes=_differing(first.result.votes_cast, second.result.votes_cast),
        answers=_answers(first.result.answers_given, second.result.answers_given),
        conclusion=_conclusion(*results),
        usage=_usage(first, second),
        _choices=(_letters(first.result.chosen), _letters(second.result.chosen)),
    )


def relation(first: Recording, second: Recording) -> Notice | None:
    """How the two belong together."""
    first_id, second_id = first.run.id, second.run.id
    if first_id == second_id:
        return notice("same_run")
    origins = first.spec.labels.get("forked_from"), second.spec.labels.get("forked_from")
    if origins[1] == first_id:
        return notice(
            "is_fork", run=second_id, origin=first_id, at=str(second.spec.labels.get("forked_at"))
        )
    if origins[0] == second_id:
        return notice(
            "is_fork", run=first_id, origin=second_id, at=str(first.spec.labels.get("forked_at"))
        )
    if origins[0] is not None and origins[0] == origins[1]:
        return notice("both_forks", origin=str(origins[0]))
    if first.spec.workflow != second.spec.workflow:
        return notice("two_workflows", one=first.spec.workflow, other=second.spec.workflow)
    return notice("same_subject" if first.spec.subject == second.spec.subject else "two_subjects")


def _differing(first: Mapping[str, Any], second: Mapping[str, Any]) -> tuple[Both, ...]:
    names = dict.fromkeys((*first, *second))
    pairs = (Both(name, first.get(name), second.get(name)) for name in names)
    return tuple(both for both in pairs if not both.same)


# ---- what they were asked to do -----------------------------------------------------------------

_APART = frozenset({"options", "panel", "seed", "labels", "prompts", "subject", "watched"})


def _options(spec: RunSpec) -> dict[str, Any]:
    content = spec.model_dump(mode="json")
    # As it would be typed, and without the participants among them, which are compared by themselves.
    seated = {part.name for part, _ in workflow_of(spec).parts_of(spec) if part.in_options}
    options = workflow_of(spec).options_of(spec).model_dump(mode="json").items()
    own = {key: value for key, value in options if key not in seated}
    leaves = dict(_leaves({key: value for key, value in content.items() if key not in _APART}))
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
    return {
        f"{part.name} {holder.name}": _who(holder)
        for part, holder in workflow_of(spec).parts_of(spec)
    }


def _who(holder: Participant) -> str:
    shown = (
        f"{holder.provider}:{holder.model or holder.tool}"
        if holder.model or holder.tool
        else holder.provider
    )
    return f"{shown} ({holder.persona})" if holder.persona else shown


# ---- how it went --------------------------------------------------------------------------------


def _rounds(first: RunResult, second: RunResult) -> tuple[Both, ...]:
    return _differing(first.rounds, second.rounds)


def _positions(pairs: Sequence[Pair]) -> Iterable[PositionDifference]:
    for pair in pairs:
        if pair.first is None or pair.second is None:
            continue
        for both in _differing(_stances(pair.first), _stances(pair.second)):
            name = _both_names(pair.first, pair.second)
            yield PositionDifference(name, both.name, both.first, both.second)


def _stances(finding: Finding) -> dict[str, str]:
    """Stated positions: abstaining is as good as saying nothing."""
    return {name: position.value for name, position in stated(finding.stances).items()}


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


def _alike(first: str, second: str) -> float | None:
    return 1.0 if first == second else similarity(first, second)


def _within(texts: Sequence[str]) -> float | None:
    """How alike the answers of one run are: the mean over all pairs."""
    likeness = [alike for a, b in combinations(texts, 2) if (alike := _alike(a, b)) is not None]
    return fmean(likeness) if likeness else None


# ---- what they came to --------------------------------------------------------------------------


def _mended(result: RunResult) -> frozenset[str]:
    standing = {finding.id for finding in result.standing}
    return frozenset(finding.id for finding in result.findings if finding.id not in standing)


def _conclusion(first: RunResult, second: RunResult) -> tuple[Both, ...]:
    return (
        Both("verdict", first.verdict, second.verdict),
        Both("ending", first.ending, second.ending),
        Both("gate", first.gate.outcome, second.gate.outcome),
        Both("rounds", first.rounds_held, second.rounds_held),
    )


def _usage(first: Side, second: Side) -> tuple[Both, ...]:
    tokens = [usage.input_tokens + usage.output_tokens for usage in (first.usage, second.usage)]
    elapsed = [round(side.recording.run.elapsed_s, 1) for side in (first, second)]
    return (
        Both("calls", first.usage.calls, second.usage.calls),
        Both("tokens", *tokens),
        Both("cost_usd", first.usage.cost_usd, second.usage.cost_usd),
        Both("unknown_costs", first.usage.unknown_costs, second.usage.unknown_costs),
        Both("elapsed_s", *elapsed),
    )

"""Rounds about one version of the plan, until an assessment ends them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from orchestrator.core.consensus.convergence import ConvergenceRule, Detector, assess
from orchestrator.core.discussion.contested import agenda, unanswered
from orchestrator.core.discussion.hearing import Spoken, absences, over_budget
from orchestrator.core.discussion.rounds import Contribution, RoundTaken, ledger_of
from orchestrator.core.discussion.said import Said
from orchestrator.core.discussion.wording import reply_text, spoken_text
from orchestrator.core.findings.evidence import (
    absorb_proven,
    check_denials,
    check_words,
    unchecked,
    weighty,
)
from orchestrator.core.findings.merging import Raised
from orchestrator.core.findings.stances import RAISING, settle
from orchestrator.core.replay.commands import Effect, RoundRecord, Turn, record, together
from orchestrator.workflows.plan.context import History, PlanContext, PlanVersion
from orchestrator.workflows.plan.prompts import PlanView, ShownContribution, labelled
from orchestrator.workflows.plan.quoting import sources
from orchestrator.workflows.plan.strategies import Part
from shared.models.assessment import Assessment, Recommendation
from shared.models.findings import Stance
from shared.models.outcomes import Ending
from shared.models.panel import Role
from shared.models.planning import Defense, PlanCritique
from shared.models.replies import REPLY_MODELS

# What a cross-reviewer is shown of the other lens.
_OTHER_LENS = {Role.RISK: Role.INNOVATION, Role.INNOVATION: Role.RISK}


def discuss(context: PlanContext, plan: PlanVersion) -> Effect[History]:
    """Rounds until an assessment ends them."""
    history = History()
    for number in range(1, context.rounds + 1):
        cast = context.strategy.casting(number)(context.critics, context.planner)
        labels = context.labels(plan.number, f"round/{number}")
        results = yield from together(
            speak(context, plan, part, number, history, labels) for part in cast
        )
        spoken = [
            Spoken(part.speaker, part.role, result)
            for part, result in zip(cast, results, strict=True)
        ]
        heard = hear(number, spoken)
        written = yield from record(
            plan.key("round", number), RoundRecord, partial(judge, context, plan, history, heard)
        )
        history = followed_by(history, written, heard, spoken, {str(number): labels})
        if written.assessment.ending is not None:
            break
    return history


def speak(
    context: PlanContext,
    plan: PlanVersion,
    part: Part,
    number: int,
    history: History,
    labels: Mapping[str, str],
) -> Turn:
    """One participant's contribution to a round."""
    return Turn(
        key=plan.key(part.role.value, number, part.speaker.name),
        participant=part.speaker,
        role=part.role,
        round=number,
        reply_model=part.role.value,
        prompt=lambda: context.prompts.turn(
            part.speaker, part.role, view(context, plan, part, number, history, labels)
        ),
    )


def view(
    context: PlanContext,
    plan: PlanVersion,
    part: Part,
    number: int,
    history: History,
    labels: Mapping[str, str],
) -> PlanView:
    """What a speaker sees: contested objections, what others last said of them, and the other lens's text."""
    due = unanswered(history.findings, history.ledger) if part.role is Role.DEFENSE else ()
    points = agenda(history.findings, history.assessment, due)
    return PlanView(
        number=number,
        plan=plan.text,
        critics=len(context.critics),
        agenda=points,
        reasons=reasons(points.contested, history.ledger, part, labels),
        contributions=other_lens(history, part, labels),
        proposal=history.proposal if part.role is Role.CHALLENGE else "",
    )


def reasons(
    contested: Sequence[Any], ledger: Sequence[Stance], part: Part, labels: Mapping[str, str]
) -> tuple[tuple[str, Stance], ...]:
    """What everybody else last said about each contested objection, under their letters."""
    known = [finding.id for finding in contested]
    last = {
        (line.finding, line.participant): line
        for line in ledger
        if line.finding in known and line.participant != part.speaker.name
    }
    given = [line for line in last.values() if line.reason not in ("", RAISING)]
    ordered = sorted(given, key=lambda line: known.index(line.finding))
    return tuple((labelled(labels, line.participant), line) for line in ordered)


def other_lens(
    history: History, part: Part, labels: Mapping[str, str]
) -> tuple[ShownContribution, ...]:
    """The analyses through the lens that is not the reviewer's; who held both sees both."""
    if part.role is not Role.CROSS_REVIEW:
        return ()
    own = {one.role for one in history.said if one.participant == part.speaker.name}
    wanted = {other for lens, other in _OTHER_LENS.items() if lens in own} or set(_OTHER_LENS)
    return tuple(
        ShownContribution(labelled(labels, one.participant), one.role, one.round, one.text)
        for one in history.said
        if one.role in wanted
    )


# ---- what a round brought -----------------------------------------------------------------------


@dataclass(frozen=True)
class RoundRead:
    """A round's replies, read."""

    taken: RoundTaken
    said: tuple[Said, ...]
    raised: tuple[Raised, ...]
    over_budget: bool


def hear(number: int, spoken: Sequence[Spoken]) -> RoundRead:
    """Read the replies of a round; a failure is a contribution that is missing."""
    contributions: list[Contribution] = []
    said: list[Said] = []
    raised: list[Raised] = []
    for one in spoken:
        name, role = one.speaker.name, one.role.value
        reply = one.result.reply
        if reply is None:
            contributions.append(Contribution(name, role, answered=False))
            continue
        stated = REPLY_MODELS[role].model_validate(reply)
        stances = getattr(stated, "stances", ())
        contributions.append(Contribution(name, role, spoken_text(reply), True, stances))
        said.append(
            Said(
                participant=name,
                role=one.role,
                round=number,
                text=reply_text(reply),
                sections=reply,
                verdict=stated.verdict if isinstance(stated, PlanCritique) else None,
                proposal=stated.revised_plan if isinstance(stated, Defense) else "",
            )
        )
        if isinstance(stated, PlanCritique):
            raised.extend(Raised(name, number, finding, role) for finding in stated.raised())
    role = spoken[0].role.value if spoken else Role.CHALLENGE.value
    return RoundRead(
        taken=RoundTaken(number, role, tuple(contributions)),
        said=tuple(said),
        raised=tuple(raised),
        over_budget=over_budget(one.result for one in spoken),
    )


def judge(
    context: PlanContext, plan: PlanVersion, history: History, heard: RoundRead
) -> RoundRecord:
    """What a round brought: merged objections, the ledger's new lines, the figures.

    An objection that rests on an invented quotation is recorded with the reason and has no weight.
    """
    rounds = (*history.rounds, heard.taken)
    quotable = sources(context, plan, (*history.said, *heard.said), rounds)
    merged = absorb_proven(check_words(heard.raised, quotable.found), history.findings)
    known = {finding.id for finding in merged.findings}
    stated = check_denials(
        (line for line in ledger_of([heard.taken]) if line.finding in known),
        merged.findings,
        quotable.found,
    )
    stances = (*merged.stances, *stated)
    ledger = (*history.ledger, *stances)
    options = context.options
    findings = settle(merged.findings, ledger, threshold=options.thresholds.agreement)
    assessment = assess(
        rounds,
        weighty(findings),
        ledger,
        rule=ConvergenceRule(options.thresholds, Detector(options.detector), options.quorum),
        new_findings=merged.new,
        is_last_round=heard.taken.number == context.rounds,
        over_budget=heard.over_budget,
        unchecked=unchecked(findings, ledger),
    )
    return RoundRecord(
        prefix=plan.prefix,
        assessment=not_too_early(context, assessment),
        findings=findings,
        stances=stances,
    )


def not_too_early(context: PlanContext, assessment: Assessment) -> Assessment:
    """The assessment, without an agreement that comes before everybody has had the word."""
    early = assessment.round < context.strategy.fewest_rounds
    if not early or assessment.ending is not Ending.CONVERGED:
        return assessment
    metrics = assessment.metrics.model_copy(update={"recommendation": Recommendation.CONFIRM})
    reason = f"{assessment.reason}; nobody has reviewed the other lens yet"
    return assessment.model_copy(update={"metrics": metrics, "ending": None, "reason": reason})


def followed_by(
    history: History,
    written: RoundRecord,
    heard: RoundRead,
    spoken: Sequence[Spoken],
    labels: Mapping[str, Mapping[str, str]],
) -> History:
    """The history with one more round."""
    bill = tuple(one.heard for one in spoken)
    return History(
        rounds=(*history.rounds, heard.taken),
        said=(*history.said, *heard.said),
        findings=written.findings,
        ledger=(*history.ledger, *written.stances),
        assessment=written.assessment,
        assessments=(*history.assessments, written.assessment),
        labels={**history.labels, **labels},
        heard=(*history.heard, *bill),
        blind=history.blind if history.rounds else bill,
        warnings=(*history.warnings, *absences(spoken, f"round {heard.taken.number}")),
        over_budget=heard.over_budget,
    )

"""Rounds of critique and rebuttal until an assessment ends them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from orchestrator.core.consensus.convergence import ConvergenceRule, Detector, assess
from orchestrator.core.discussion.contested import Agenda, agenda, unanswered
from orchestrator.core.discussion.hearing import Spoken, absences, over_budget
from orchestrator.core.discussion.portions import files_in, holds_whole, portions
from orchestrator.core.discussion.rounds import Contribution, RoundTaken, joined, ledger_of
from orchestrator.core.discussion.said import Said
from orchestrator.core.discussion.spending import TurnResult
from orchestrator.core.discussion.wording import reply_text, spoken_text
from orchestrator.core.findings.coverage import FilesRead, shown_files
from orchestrator.core.findings.evidence import absorb_checked, check_stances, weighty
from orchestrator.core.findings.merging import Raised, check_places
from orchestrator.core.findings.quotations import SubjectTexts
from orchestrator.core.findings.stances import settle
from orchestrator.core.replay.commands import Effect, RoundRecord, ToolRun, Turn, record, together
from orchestrator.workflows.review.context import History, ReviewContext
from orchestrator.workflows.review.prompts import WHOLE, ChangeView
from shared.models.coverage import Coverage
from shared.models.panel import Panel, Participant, Role
from shared.models.replies import REPLY_MODELS, Critique
from shared.models.subject import DiffPiece
from shared.tools.inputs import AnalyserInput


def discuss(context: ReviewContext) -> Effect[History]:
    """Rounds until an assessment ends them."""
    history = History()
    for number in range(1, context.options.rounds + 1):
        role = Role.CRITIQUE if number % 2 else Role.REBUTTAL
        speakers = context.spec.panel.critics if number % 2 else (context.spec.panel.author,)
        asked = [
            contribution
            for speaker in speakers
            for contribution in speak(context, speaker, role, number, history)
        ]
        results = yield from together(one.step for one in asked)
        spoken = [
            Spoken(one.speaker, role, result) for one, result in zip(asked, results, strict=True)
        ]
        heard = hear(context, number, role, asked, spoken)
        bill = tuple(map(paid_for, spoken))
        written = yield from record(
            context.key("round", number), RoundRecord, partial(judge, context, history, heard)
        )
        history = History(
            rounds=(*history.rounds, heard.taken),
            said=(*history.said, *heard.said),
            blind=history.blind if history.rounds else bill,
            after=(*history.after, *(bill if history.rounds else ())),
            findings=written.findings,
            ledger=(*history.ledger, *written.stances),
            assessment=written.assessment,
            warnings=(*history.warnings, *heard.warnings),
            over_budget=heard.over_budget,
            readings=(*history.readings, *heard.readings),
        )
        if written.assessment.ending is not None:
            break
    return history


@dataclass(frozen=True)
class PlannedStep:
    """A step of a round: whose it is, and what of the change it is shown."""

    speaker: Participant
    step: Turn | ToolRun
    shown: ChangeView = WHOLE


def speak(
    context: ReviewContext, speaker: Participant, role: Role, number: int, history: History
) -> tuple[PlannedStep, ...]:
    """One participant's contribution to a round: a turn, or one for each portion of the change that it reads.

    Analysers look with their tool first, then argue by rule. An analyser whose tool has failed looks again: what
    never looked has nothing to argue about.
    """
    strategy = context.options.strategy
    reply_model = f"{role.value}.{strategy}"
    key = context.key(role.value, number, speaker.name)
    if speaker.tool is not None and looks(context, speaker, number, history.analysed):
        look = ToolRun(
            key=key,
            tool=speaker.tool,
            participant=speaker.name,
            role=role.value,
            round=number,
            reply_model=reply_model,
            inputs=lambda: AnalyserInput.model_validate(
                {"subject": context.subject_hash, "reply_model": reply_model}
            ),
            timeout_s=speaker.timeout_s,
        )
        return (PlannedStep(speaker, look),)

    def turn(key: str, shown: ChangeView) -> PlannedStep:
        asked = Turn(
            key=key,
            participant=speaker,
            role=role,
            round=number,
            reply_model=reply_model,
            prompt=lambda: context.prompts.discussion(
                speaker,
                role,
                number,
                context.subject,
                points_for(role, history),
                history.ledger,
                len(context.spec.panel.critics),
                shown,
            ),
            brief=lambda: context.prompts.discussion_brief(
                speaker, role, context.subject, history.findings, history.ledger
            ),
        )
        return PlannedStep(speaker, asked, shown)

    if number > 1:
        return (turn(key, excerpt_for(context, speaker, role, history)),)
    read = portions(context.subject, speaker)
    if not read:
        return (turn(key, WHOLE),)
    return tuple(
        turn(f"{key}/{at}", ChangeView.portion(portion, at, len(read)))
        for at, portion in enumerate(read, start=1)
    )


def excerpt_for(
    context: ReviewContext, speaker: Participant, role: Role, history: History
) -> ChangeView:
    """What a turn about known findings is shown of the change."""
    if not context.subject.pieces:
        return WHOLE
    return ChangeView.excerpt(context.subject, speaker, points_for(role, history).contested)


def looks(
    context: ReviewContext, speaker: Participant, number: int, analysed: frozenset[str]
) -> bool:
    """True when an analyser runs its tool in this round: in the first one, and until it has succeeded once.

    Runs that were captured before coverage counted have one tool run, as they were recorded.
    """
    if speaker.tool is None:
        return False
    return number == 1 or (context.subject.counts_unread and speaker.name not in analysed)


def points_for(role: Role, history: History) -> Agenda:
    """What a round is about: what is contested, and for the author all that it has not answered yet."""
    due = unanswered(history.findings, history.ledger) if role is Role.REBUTTAL else ()
    return agenda(history.findings, history.assessment, due)


@dataclass(frozen=True)
class RoundRead:
    """A round's replies, read. What is `objected` stands outside of the replies' findings."""

    taken: RoundTaken
    raised: tuple[Raised, ...]
    objected: tuple[Raised, ...]
    said: tuple[Said, ...]
    warnings: tuple[str, ...]
    over_budget: bool
    readings: tuple[FilesRead, ...] = ()


def hear(
    context: ReviewContext,
    number: int,
    role: Role,
    asked: Sequence[PlannedStep],
    spoken: Sequence[Spoken],
) -> RoundRead:
    """Read the replies of a round; a failure is a contribution that is missing."""
    contributions: list[Contribution] = []
    raised: list[Raised] = []
    objected: list[Raised] = []
    words: list[Said] = []
    for one in spoken:
        speaker, reply = one.speaker, one.result.reply
        if reply is None:
            contributions.append(Contribution(speaker.name, role.value, answered=False))
            continue
        said = REPLY_MODELS[f"{role.value}.{context.options.strategy}"].model_validate(reply)
        stances = getattr(said, "stances", ())
        contributions.append(
            Contribution(speaker.name, role.value, spoken_text(reply), True, stances)
        )
        verdict = said.verdict if isinstance(said, Critique) else None
        words.append(Said(speaker.name, role, number, reply_text(reply), reply, verdict))
        if isinstance(said, Critique):
            raised.extend(Raised(speaker.name, number, finding) for finding in said.findings)
            if number == 1 and not said.findings:
                # Later on what is objected elsewhere is about findings that are known, and positions say it.
                objected.extend(Raised(speaker.name, number, finding) for finding in said.raised())
    return RoundRead(
        taken=RoundTaken(number, role.value, joined(contributions)),
        raised=tuple(raised),
        objected=tuple(objected),
        said=tuple(words),
        warnings=absences(spoken, f"round {number}"),
        over_budget=over_budget(one.result for one in spoken),
        readings=readings(context, asked, spoken) if role is Role.CRITIQUE else (),
    )


def readings(
    context: ReviewContext, asked: Sequence[PlannedStep], spoken: Sequence[Spoken]
) -> tuple[FilesRead, ...]:
    """What each critic took in with its turns; nothing of those that compute from what was raised."""
    found: list[FilesRead] = []
    shown: dict[str, list[DiffPiece]] = {}
    for one, heard in zip(asked, spoken, strict=True):
        name, failure = one.speaker.name, heard.result.failure
        if isinstance(one.step, ToolRun):
            told = (heard.result.reply or {}).get("coverage")
            coverage = None if told is None else Coverage.model_validate(told)
            found.append(FilesRead(name, computes=True, coverage=coverage, failure=failure))
        elif one.speaker.rule_based:
            continue
        elif one.shown.pieces is None or failure is not None:
            # Where not even one piece fits, all of it was sent, and nobody knows what was taken in.
            held = None if holds_whole(context.subject, one.speaker) else ()
            found.append(
                FilesRead(name, coverage=shown_files(context.subject, held), failure=failure)
            )
        else:
            shown.setdefault(name, []).extend(one.shown.pieces)
    found += (
        FilesRead(name, coverage=shown_files(context.subject, files_in(context.subject, pieces)))
        for name, pieces in shown.items()
    )
    return tuple(found)


def paid_for(one: Spoken) -> TurnResult:
    """A result as the bill shows it: what computes and calls nobody costs nothing."""
    if not one.speaker.rule_based:
        return one.heard
    free = one.result.model_copy(update={"tokens": 0, "cost_usd": 0.0})
    return TurnResult(one.speaker.name, free)


def judge(context: ReviewContext, history: History, heard: RoundRead) -> RoundRecord:
    """What a round brought: merged findings, the ledger's new lines, the figures.

    Only what its evidence shows has weight; the rest is recorded with the reason.
    """
    texts = SubjectTexts(context.subject, context.document)
    computing = rule_based_in(context.spec.panel)
    analysers = computing if context.subject.counts_unread else ()
    merged = absorb_checked(heard.raised, history.findings, texts, heard.objected, analysers)
    known = {finding.id for finding in merged.findings}
    stated = check_stances(
        (line for line in ledger_of([heard.taken]) if line.finding in known),
        merged.findings,
        texts,
        computing,
    )
    stances = (*merged.stances, *stated)
    ledger = (*history.ledger, *stances)
    findings = settle(
        check_places(merged.findings, context.subject),
        ledger,
        threshold=context.options.thresholds.agreement,
    )
    options = context.options
    assessment = assess(
        (*history.rounds, heard.taken),
        weighty(findings),
        ledger,
        rule=ConvergenceRule(options.thresholds, Detector(options.detector), options.quorum),
        new_findings=merged.new,
        is_last_round=heard.taken.number == options.rounds,
        over_budget=heard.over_budget,
    )
    return RoundRecord(
        prefix=context.prefix, assessment=assessment, findings=findings, stances=stances
    )


def rule_based_in(panel: Panel) -> frozenset[str]:
    """Names of the participants that compute: their grounds are rules, which code checks."""
    everybody = (*panel.critics, panel.author)
    return frozenset(one.name for one in everybody if one.rule_based)

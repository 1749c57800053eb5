"""Rounds of critique and rebuttal until an assessment ends them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from orchestrator.core.commands import Doing, RoundRecord, ToolRun, Turn, record, together
from orchestrator.core.contested import Agenda, agenda, unanswered
from orchestrator.core.convergence import Rule, assess
from orchestrator.core.coverage import Reading
from orchestrator.core.evidence import absorb_checked, check_stances, weighty
from orchestrator.core.findings import Raised, check_places
from orchestrator.core.hearing import Spoken, absences, over_budget
from orchestrator.core.quotations import SubjectTexts
from orchestrator.core.rounds import Contribution, RoundTaken, ledger_of
from orchestrator.core.said import Said
from orchestrator.core.spending import Heard
from orchestrator.core.stances import settle
from orchestrator.core.wording import reply_text, spoken_text
from orchestrator.workflows.review.case import Case, History
from shared.models.coverage import Coverage
from shared.models.panel import Panel, Participant, Role
from shared.models.replies import REPLY_MODELS, Critique


def discuss(case: Case) -> Doing[History]:
    """Rounds until an assessment ends them."""
    history = History()
    for number in range(1, case.options.rounds + 1):
        role = Role.CRITIQUE if number % 2 else Role.REBUTTAL
        speakers = case.spec.panel.critics if number % 2 else (case.spec.panel.author,)
        results = yield from together(
            speak(case, speaker, role, number, history) for speaker in speakers
        )
        spoken = [
            Spoken(speaker, role, result) for speaker, result in zip(speakers, results, strict=True)
        ]
        heard = hear(case, number, role, spoken, history.analysed)
        bill = tuple(map(paid_for, spoken))
        written = yield from record(case.key("round", number), partial(judge, case, history, heard))
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


def speak(
    case: Case, speaker: Participant, role: Role, number: int, history: History
) -> Turn | ToolRun:
    """One participant's contribution to a round; analysers look with their tool first, then argue by rule.

    An analyser whose tool has failed looks again: what never looked has nothing to argue about.
    """
    strategy = case.options.strategy
    reply_model = f"{role.value}.{strategy}"
    key = case.key(role.value, number, speaker.name)
    if speaker.tool is not None and looks(case, speaker, number, history.analysed):
        return ToolRun(
            key=key,
            tool=speaker.tool,
            participant=speaker.name,
            role=role.value,
            round=number,
            reply_model=reply_model,
            inputs=lambda: {"subject": case.subject_hash, "reply_model": reply_model},
            timeout_s=speaker.timeout_s,
        )
    return Turn(
        key=key,
        participant=speaker,
        role=role,
        round=number,
        reply_model=reply_model,
        prompt=lambda: case.prompts.discussion(
            speaker,
            role,
            number,
            case.subject,
            points_for(role, history),
            history.ledger,
            len(case.spec.panel.critics),
        ),
        brief=lambda: case.prompts.discussion_brief(
            speaker, role, case.subject, history.findings, history.ledger
        ),
    )


def looks(case: Case, speaker: Participant, number: int, analysed: frozenset[str]) -> bool:
    """True when an analyser runs its tool in this round: in the first one, and until it has succeeded once.

    Runs that were captured before coverage counted have one tool run, as they were recorded.
    """
    if speaker.tool is None:
        return False
    return number == 1 or (case.subject.counts_unread and speaker.name not in analysed)


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
    readings: tuple[Reading, ...] = ()


def hear(
    case: Case,
    number: int,
    role: Role,
    spoken: Sequence[Spoken],
    analysed: frozenset[str] = frozenset(),
) -> RoundRead:
    """Read the replies of a round; a failure is a contribution that is missing.

    `analysed` are the analysers whose tool has run to its end before.
    """
    contributions: list[Contribution] = []
    raised: list[Raised] = []
    objected: list[Raised] = []
    words: list[Said] = []
    for one in spoken:
        speaker, reply = one.speaker, one.result.reply
        if reply is None:
            contributions.append(Contribution(speaker.name, role.value, answered=False))
            continue
        said = REPLY_MODELS[f"{role.value}.{case.options.strategy}"].model_validate(reply)
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
        taken=RoundTaken(number, role.value, tuple(contributions)),
        raised=tuple(raised),
        objected=tuple(objected),
        said=tuple(words),
        warnings=absences(spoken, f"round {number}"),
        over_budget=over_budget(one.result for one in spoken),
        readings=tuple(
            reading
            for one in spoken
            if role is Role.CRITIQUE
            and (reading := reading_of(case, one, looks(case, one.speaker, number, analysed)))
        ),
    )


def reading_of(case: Case, one: Spoken, looked: bool) -> Reading | None:
    """What a critic took in with this turn; None for one that computes from what was raised and reads nothing."""
    name, failure = one.speaker.name, one.result.failure
    if looked:
        told = (one.result.reply or {}).get("coverage")
        coverage = None if told is None else Coverage.model_validate(told)
        return Reading(name, computes=True, coverage=coverage, failure=failure)
    if one.speaker.rule_based:
        return None
    return Reading(name, coverage=case.prompts.shown(case.subject), failure=failure)


def paid_for(one: Spoken) -> Heard:
    """A result as the bill shows it: what computes and calls nobody costs nothing."""
    if not one.speaker.rule_based:
        return one.heard
    free = one.result.model_copy(update={"tokens": 0, "cost_usd": 0.0})
    return Heard(one.speaker.name, free)


def judge(case: Case, history: History, heard: RoundRead) -> RoundRecord:
    """What a round brought: merged findings, the ledger's new lines, the figures.

    Only what its evidence shows has weight; the rest is recorded with the reason.
    """
    texts = SubjectTexts(case.subject, case.document)
    merged = absorb_checked(heard.raised, history.findings, texts, heard.objected)
    known = {finding.id for finding in merged.findings}
    stated = check_stances(
        (line for line in ledger_of([heard.taken]) if line.finding in known),
        merged.findings,
        texts,
        rule_based_in(case.spec.panel),
    )
    stances = (*merged.stances, *stated)
    ledger = (*history.ledger, *stances)
    findings = settle(
        check_places(merged.findings, case.subject),
        ledger,
        threshold=case.options.thresholds.agreement,
    )
    assessment = assess(
        (*history.rounds, heard.taken),
        weighty(findings),
        ledger,
        rule=Rule.of(case.options),
        new_findings=merged.new,
        is_last_round=heard.taken.number == case.options.rounds,
        over_budget=heard.over_budget,
    )
    return RoundRecord(
        prefix=case.prefix, assessment=assessment, findings=findings, stances=stances
    )


def rule_based_in(panel: Panel) -> frozenset[str]:
    """Names of the participants that compute: their grounds are rules, which code checks."""
    everybody = (*panel.critics, panel.author)
    return frozenset(one.name for one in everybody if one.rule_based)

"""A critique: what the lenses found and what every critic says, as one round of a discussion of findings.

The lenses' points come first, under their names, so that whoever reads can take a position on them; all critics speak
at once and see nothing of one another's new points. What is claimed is merged, weighed by its evidence and settled by
`core.findings`, as in a review. A point that code computed stands unless somebody who reads denies it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from orchestrator.core.consensus.convergence import ConvergenceRule, assess
from orchestrator.core.discussion.cycles import Cycle
from orchestrator.core.discussion.turn_results import over_budget
from orchestrator.core.findings.evidence import absorb_proven, check_denials, is_unproven, weighty
from orchestrator.core.findings.stances import STATED_QUORUM, VALUES, latest, settle, stated
from orchestrator.core.replay.commands import Effect, RoundRecord, record
from orchestrator.core.rounds import Contribution, RoundTaken, ledger_of
from orchestrator.core.wording import spoken_text
from orchestrator.workflows.case.context import CaseContext
from orchestrator.workflows.case.critics import SpokenCritique, ask_critics, incomplete
from orchestrator.workflows.case.points import (
    ChartText,
    CheckedPoint,
    PointReader,
    joined_ground,
    lens_points,
)
from orchestrator.workflows.case.proceedings import Proceedings
from orchestrator.workflows.case.prompts import CritiqueView
from orchestrator.workflows.case.records import CritiqueRecord, PointGround
from orchestrator.workflows.case.roles import LENSES, CaseRole
from orchestrator.workflows.case.routing import lens_cards
from orchestrator.workflows.case.state import GraphState
from shared.models.assessment import Assessment
from shared.models.critique import CaseCritique
from shared.models.findings import Finding, Position, Stance
from shared.models.notices import Notice, notice


@dataclass(frozen=True)
class CritiqueHistory:
    """What has been said so far, and what became of it. `last` are the critics' latest replies, by name.

    `raised_tools` are those whose points were raised; `missing` are the critics of whose latest turns one failed.
    `read` has the portions of the chart that each critic has read, by number; 0 is all of it at once.
    """

    rounds: tuple[RoundTaken, ...] = ()
    findings: tuple[Finding, ...] = ()
    ledger: tuple[Stance, ...] = ()
    grounds: Mapping[str, PointGround] = field(default_factory=dict)
    last: Mapping[str, CaseCritique] = field(default_factory=dict)
    raised_tools: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    read: Mapping[str, frozenset[int]] = field(default_factory=dict)
    written: CritiqueRecord | None = None
    broke: bool = False

    @property
    def standing(self) -> tuple[Finding, ...]:
        """The findings that count: shown by evidence."""
        return weighty(self.findings)

    @property
    def unshown(self) -> tuple[Finding, ...]:
        """Those that nobody has shown: they are told, and count for nothing."""
        return tuple(finding for finding in self.findings if is_unproven(finding))

    def positions(self, finding: Finding) -> Mapping[str, Position]:
        """Everybody's last position on a finding."""
        return latest(self.ledger, finding)

    @cached_property
    def substance(self) -> frozenset[tuple[str, ...]]:
        """What a later critique is compared with: findings with weight, severity, places and positions."""
        facts: set[tuple[str, ...]] = set()
        for finding in self.standing:
            facts.add(("severity", finding.id, finding.severity))
            facts |= {
                ("position", finding.id, name, position)
                for name, position in self.positions(finding).items()
            }
            ground = self.grounds.get(finding.id)
            facts |= {
                ("place", finding.id, span.source, str(span.start))
                for span in (ground.spans if ground else ())
            }
        return frozenset(facts)


@dataclass(frozen=True)
class CritiqueTask:
    """What a critique is asked for: in which iteration, after how many rounds of feedback, with what to mend."""

    cycle: Cycle
    feedback: int = 0
    instructions: tuple[Notice, ...] = ()
    memory: tuple[Notice, ...] = ()
    note: str = ""


def criticise(
    context: CaseContext,
    proceedings: Proceedings,
    state: GraphState,
    history: CritiqueHistory,
    task: CritiqueTask,
) -> Effect[CritiqueHistory]:
    """One round: the lenses' new points, then every critic that reads, in parallel."""
    number = len(history.rounds) + 1
    reader = reader_of(context, state, number)
    tools = tuple(tool for tool in state.results if tool not in history.raised_tools)
    computed = lens_points(reader, state.results, tools)
    known = absorb_proven([point.checked for point in computed], history.findings)
    view = CritiqueView(
        findings=weighty(known.findings),
        cycle=task.cycle,
        feedback=task.feedback,
        instructions=task.instructions,
        memory=task.memory,
        note=task.note,
    )
    spoken = yield from ask_critics(context, proceedings, state, view, number, history.read)
    replies = {each.critic.name: each.reply for each in spoken if each.reply is not None}
    taken = _round(number, computed, spoken)
    weigh = _Weighing(context, state, history, reader, computed, replies, taken)
    # Rounds and findings are counted through all iterations: the key of a round says no iteration.
    written = yield from record(f"round/{number}", RoundRecord, lambda: weigh.round)
    grounds = yield from record(
        task.cycle.key("critic", number),
        CritiqueRecord,
        lambda: weigh.critique(task.cycle.number, task.feedback),
    )
    return CritiqueHistory(
        rounds=(*history.rounds, taken),
        findings=written.findings,
        ledger=(*history.ledger, *written.stances),
        grounds={ground.finding: ground for ground in grounds.grounds},
        last={**history.last, **replies},
        raised_tools=(*history.raised_tools, *tools),
        missing=incomplete(spoken),
        read=_read(history, spoken),
        written=grounds,
        broke=over_budget([result for each in spoken for result in each.results]),
    )


def _read(history: CritiqueHistory, spoken: Sequence[SpokenCritique]) -> dict[str, frozenset[int]]:
    """The portions that each critic has read, with those of a round."""
    read = dict(history.read)
    for each in spoken:
        read[each.critic.name] = read.get(each.critic.name, frozenset()) | each.read
    return read


def reader_of(context: CaseContext, state: GraphState, number: int) -> PointReader:
    """What reads the points of a round."""
    spans = {span.id: span for span in state.preprocessing.evidence.spans if span.id}
    names = frozenset(card.name for card in lens_cards())
    return PointReader(ChartText(context.text), spans, number, names)


def _round(
    number: int,
    computed: Sequence[CheckedPoint],
    spoken: Sequence[SpokenCritique],
) -> RoundTaken:
    """The round as the figures see it: the lenses, then everybody who was asked."""
    role = CaseRole.CRITIQUE
    text = "\n".join(point.checked.claim.finding.title for point in computed)
    contributions = [Contribution(LENSES, role, text, round=number, computes=True)]
    for each in spoken:
        name, reply = each.critic.name, each.reply
        if reply is None:
            contributions.append(Contribution(name, role, answered=False, round=number))
            continue
        body = reply.model_dump(mode="json", exclude_defaults=True)
        contributions.append(
            Contribution(
                name,
                role,
                spoken_text(body),
                stances=reply.stances,
                round=number,
                reply=body,
                stated=reply,
            )
        )
    return RoundTaken(number, role, tuple(contributions))


@dataclass(frozen=True)
class _Weighing:
    """What a round is worth, worked out once and only where it is not written yet."""

    context: CaseContext
    state: GraphState
    history: CritiqueHistory
    reader: PointReader
    computed: Sequence[CheckedPoint]
    replies: Mapping[str, CaseCritique]
    taken: RoundTaken

    @cached_property
    def points(self) -> list[CheckedPoint]:
        """The critics' points, in their order."""
        return [
            self.reader.of_critic(name, point)
            for name, reply in self.replies.items()
            for point in reply.critique_points
        ]

    @cached_property
    def _merged(self) -> tuple[tuple[Finding, ...], int, int, tuple[Stance, ...], tuple[str, ...]]:
        """All findings, how many are new, how many of those by critics, the ledger's lines, where each point went."""
        first = absorb_proven([each.checked for each in self.computed], self.history.findings)
        second = absorb_proven([each.checked for each in self.points], first.findings)
        lines = (*first.stances, *second.stances)
        homes = (*first.homes, *second.homes)
        return second.findings, first.new + second.new, second.new, lines, homes

    @cached_property
    def round(self) -> RoundRecord:
        """Findings, stances and figures of the round."""
        findings, _, new, raising, _ = self._merged
        rule = ConvergenceRule(rules=self.context.spec.rules_version)
        known = {finding.id for finding in findings}
        stated = check_denials(
            (line for line in ledger_of([self.taken]) if line.finding in known),
            findings,
            lambda quote, _name: self.reader.chart.locate(quote) is not None,
        )
        stances = tuple(rule.counted((*raising, *stated), findings))
        ledger = (*self.history.ledger, *stances)
        settled = self._settled(findings, ledger)
        assessment = assess(
            (*self.history.rounds, self.taken),
            self._discussed(settled, ledger),
            ledger,
            rule=rule,
            new_findings=new,
            is_last_round=False,
            over_budget=False,
        )
        # When the critic ends is for its confidence to say, not for the figures of a round.
        assessment = assessment.model_copy(update={"ending": None, **_reason(assessment, settled)})
        return RoundRecord(assessment=assessment, findings=settled, stances=stances)

    @staticmethod
    def _discussed(findings: Sequence[Finding], ledger: Sequence[Stance]) -> tuple[Finding, ...]:
        """What there is to agree on. What code computed is no matter of discussion until somebody denies it."""
        return tuple(
            finding
            for finding in weighty(findings)
            if LENSES not in finding.raised_by
            or not all(VALUES[each] for each in stated(latest(ledger, finding)).values())
        )

    def _settled(
        self, findings: Sequence[Finding], ledger: Sequence[Stance]
    ) -> tuple[Finding, ...]:
        """What code computed needs nobody's support; what is said needs a second voice where there are several."""
        votes = min(STATED_QUORUM, max(1, len(self.context.models)))
        rules = self.context.spec.rules_version
        return tuple(
            settled
            for finding in findings
            for settled in settle(
                [finding],
                ledger,
                quorum=1 if LENSES in finding.raised_by else votes,
                rules=rules,
            )
        )

    def critique(self, iteration: int, feedback: int) -> CritiqueRecord:
        """The grounds of all findings, and how many points name places that exist."""
        _, new, _, _, homes = self._merged
        points = (*self.computed, *self.points)
        grounds = dict(self.history.grounds)
        for point, home in zip(points, homes, strict=True):
            ground = point.ground.model_copy(update={"finding": home})
            grounds[home] = joined_ground(grounds.get(home), ground)
        return CritiqueRecord(
            iteration=iteration,
            feedback=feedback,
            raised=len(points),
            shown=sum(point.shown for point in points),
            new=new,
            grounds=tuple(grounds.values()),
        )


def _reason(assessment: Assessment, findings: Sequence[Finding]) -> dict[str, Notice]:
    """Where there are findings and nothing to discuss, nobody denied what was computed."""
    reason = assessment.reason
    if reason is None or reason.code != "nothing_raised" or not weighty(findings):
        return {}
    return {"reason": notice("case_nobody_denies", n=len(weighty(findings)))}


def without_round(history: CritiqueHistory, later: CritiqueHistory) -> CritiqueHistory:
    """The history before a critique that was refused; that it was made is kept."""
    return replace(
        history, rounds=later.rounds, missing=later.missing, read=later.read, broke=later.broke
    )

"""From points to solutions: what the critics propose (B), what the verifier makes of it (A), or both (C).

Every citation of the verifier is looked up by code: an id of an evidence span, a similar case, a document. What does
not exist is left out, and a solution that cites nothing that exists is no solution.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain

from orchestrator.core.discussion.cycles import Cycle
from orchestrator.core.replay.commands import Effect, Turn
from orchestrator.workflows.case.context import CaseContext
from orchestrator.workflows.case.critique import CritiqueHistory
from orchestrator.workflows.case.options import SolutionsOption
from orchestrator.workflows.case.proceedings import (
    PlannedNode,
    Proceedings,
    read_reply,
    take_nodes,
)
from orchestrator.workflows.case.records import PointGround
from orchestrator.workflows.case.result import Priority, SolutionEntry
from orchestrator.workflows.case.roles import LENSES, CaseRole
from orchestrator.workflows.case.state import GraphState
from shared.models.case import ChartSpan
from shared.models.critique import Solution, Solutions
from shared.models.findings import Finding, FindingStatus, Severity
from shared.models.notices import Notice, notice, verbatim
from shared.models.panel import Participant

OPTION_NAMES = {
    SolutionsOption.VERIFIER: "A",
    SolutionsOption.CRITICS: "B",
    SolutionsOption.BOTH: "C",
}
"""What the design calls them."""
PRIORITIES: dict[Severity, Priority] = {
    Severity.CRITICAL: "high",
    Severity.MAJOR: "high",
    Severity.MINOR: "medium",
    Severity.INFO: "low",
}


@dataclass(frozen=True)
class Verified:
    """The solutions, what is to be told of them, and by which of the design's options they were made."""

    solutions: tuple[SolutionEntry, ...] = ()
    warnings: tuple[Notice, ...] = ()
    option: str = ""


def standing_points(history: CritiqueHistory) -> tuple[Finding, ...]:
    """What a solution may be for: everything that counts and was not rejected, the gravest first."""
    points = (each for each in history.standing if each.status is not FindingStatus.REJECTED)
    return tuple(sorted(points, key=lambda finding: finding.severity.rank))


def verify(
    context: CaseContext,
    proceedings: Proceedings,
    state: GraphState,
    history: CritiqueHistory,
    cycle: Cycle,
) -> Effect[Verified]:
    """Solutions of the points that stand."""
    option, verifier = SolutionsOption(context.options.solutions), context.verifier
    points = standing_points(history)
    proposals: tuple[SolutionEntry, ...] = ()
    if option is not SolutionsOption.VERIFIER:
        proposals = tuple(proposed(points, history))
    if option is SolutionsOption.CRITICS or not points:
        return Verified(proposals, option=OPTION_NAMES[option])
    by_critics = Verified(
        proposals, option=OPTION_NAMES[SolutionsOption.CRITICS] if proposals else ""
    )
    if verifier is None:
        proceedings.abstain("verifier", "verifier", notice("case_no_verifier"))
        return by_critics
    reply = yield from _asked(context, verifier, proceedings, state, points, proposals, cycle)
    if reply is None:
        return by_critics
    own, warnings = SolutionCheck(context, state, points, verifier.name).read(reply.solutions)
    addressed = {solution.finding for solution in own}
    kept = (each for each in proposals if each.finding not in addressed)
    return Verified((*own, *kept), warnings, OPTION_NAMES[option])


def _asked(
    context: CaseContext,
    verifier: Participant,
    proceedings: Proceedings,
    state: GraphState,
    points: Sequence[Finding],
    proposals: Sequence[SolutionEntry],
    cycle: Cycle,
) -> Effect[Solutions | None]:
    part = context.excerpt(verifier, points)
    turn = Turn(
        key=cycle.key("verifier", verifier.name),
        participant=verifier,
        role=CaseRole.VERIFICATION,
        round=cycle.number,
        reply_model="case.solutions",
        prompt=partial(context.prompts.verification, verifier, state, points, proposals, part),
        temperature=0.2,
    )
    nodes = [PlannedNode("verifier", turn, part)]
    (result,) = yield from take_nodes(proceedings, nodes, cycle.number)
    reply = read_reply(result, Solutions)
    return None if reply is None else context.unmasked(verifier, reply)


def proposed(points: Sequence[Finding], history: CritiqueHistory) -> Iterator[SolutionEntry]:
    """Option B: what the critics and the lenses would do about each point, each proposal once."""
    for finding in points:
        ground = history.grounds.get(finding.id) or PointGround(finding=finding.id)
        actions: list[tuple[str, Notice]] = []
        if finding.advice is not None:
            actions.append((LENSES, finding.advice))
        actions += [(name, verbatim(action)) for name, action in ground.actions]
        seen = set()
        for name, action in actions:
            if action.model_dump_json() not in seen:
                seen.add(action.model_dump_json())
                yield solution_entry(finding, action, name, citation_of(ground), ground.sources)


def solution_entry(
    finding: Finding,
    action: Notice,
    by: str,
    citation: str,
    sources: Sequence[ChartSpan] = (),
    priority: Priority | None = None,
) -> SolutionEntry:
    """A solution in the design's form."""
    return SolutionEntry(
        finding=finding.id,
        issue=finding.message or verbatim(finding.title),
        severity=finding.severity,
        category=finding.category,
        action=action,
        citation=citation,
        priority=priority or PRIORITIES[finding.severity],
        sources=tuple(sources),
        by=by,
    )


def citation_of(ground: PointGround) -> str:
    """Where a point stands, in one line: `chart:12 "BP 80/40"`."""
    if not ground.spans:
        return ground.reference
    first = ground.spans[0]
    return f'{first.source}:{first.line} "{" ".join(first.text.split())}"'


@dataclass(frozen=True)
class SolutionCheck:
    """Looks up what the verifier cites."""

    context: CaseContext
    state: GraphState
    points: Sequence[Finding]
    by: str

    def read(
        self, solutions: Sequence[Solution]
    ) -> tuple[tuple[SolutionEntry, ...], tuple[Notice, ...]]:
        """The solutions of points that stand and that cite something that exists; and what was left out."""
        entries: list[SolutionEntry] = []
        warnings: list[Notice] = []
        for solution in solutions:
            entry, remarks = self._entry(solution)
            entries += [] if entry is None else [entry]
            warnings += remarks
        return tuple(entries), tuple(warnings)

    def _entry(self, solution: Solution) -> tuple[SolutionEntry | None, tuple[Notice, ...]]:
        finding = self.known.get(solution.point.strip())
        if finding is None:
            return None, (notice("case_solution_astray", who=self.by, point=solution.point[:80]),)
        names = dict.fromkeys(map(str.strip, solution.citations))
        cited = {name: self.places[name] for name in names if name in self.places}
        unknown = tuple(name for name in names if name not in cited)
        fact = {"who": self.by, "finding": finding.id}
        if not cited:
            return None, (notice("case_solution_uncited", **fact),)
        entry = solution_entry(
            finding,
            verbatim(solution.action),
            self.by,
            ", ".join(cited),
            tuple(chain.from_iterable(cited.values())),
            solution.priority,
        )
        return entry, (notice("case_citation_unknown", **fact, names=unknown),) if unknown else ()

    @cached_property
    def known(self) -> dict[str, Finding]:
        """The points that stand, by their names."""
        return {finding.id: finding for finding in self.points}

    @cached_property
    def places(self) -> dict[str, tuple[ChartSpan, ...]]:
        """What may be cited: spans of the chart by their ids, similar cases and documents with what was found there."""
        case, passages = self.context.case, self.state.evidence.passages
        named: dict[str, tuple[ChartSpan, ...]] = {
            source.name: tuple(each.span for each in passages if each.span.source == source.name)
            for source in (*case.similar, *case.documents)
        }
        spans = self.state.preprocessing.evidence.spans
        return named | {span.id: (span,) for span in spans if span.id}

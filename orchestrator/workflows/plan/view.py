"""How a plan run is shown: the plan, who decided what about it, and the objections that still stand."""

from __future__ import annotations

from orchestrator.core.discussion.synthesis import FALLBACK
from orchestrator.core.document import (
    SEVERITY_STYLES,
    Block,
    FindingEntry,
    Heading,
    Item,
    Words,
    remark,
)
from orchestrator.core.lines import Span, Style
from orchestrator.core.views.context import (
    ViewContext,
    WorkflowView,
    decided_by,
    figures,
    listed,
    synthesis,
    texts,
    titled,
)
from orchestrator.core.views.feedback import feedback
from orchestrator.core.views.impact import ImpactView, impact
from orchestrator.workflows.display import WorkflowDisplay
from orchestrator.workflows.plan.context import PlanVersion
from orchestrator.workflows.plan.live import LIVE
from orchestrator.workflows.plan.options import PlanOptions
from orchestrator.workflows.plan.result import PlanContribution, PlanResult, PlanRevision
from orchestrator.workflows.plan.roles import PlanRole
from shared.models.findings import Finding
from shared.models.outcomes import Ending

PlanView = ViewContext[PlanResult]
# After these the silence about a plan says nothing about it.
UNHEARD = frozenset({Ending.DEGRADED, Ending.OVER_BUDGET})


def body(view: PlanView) -> list[Block]:
    """The plan is the result; what was said against it follows."""
    if view.brief:
        return [*_plan(view), *_standing(view)]
    result = view.result
    return [
        *_accepted(view),
        *matter(view),
        *([] if result is None else _versions(view, result)),
        *(
            []
            if result is None or result.receipt is None
            else impact(view, ImpactView.of_findings(result.receipt))
        ),
    ]


def matter(view: PlanView) -> list[Block]:
    """What is decided on: the version that was debated, the objections to it, and what the panel makes of them."""
    return [*_plan(view), *_standing(view), *_merged(view)]


def _plan(view: PlanView) -> list[Block]:
    latest = _latest(view)
    if latest is None:
        return [remark(view.message("plan_none" if view.facts.final else "plan_pending"))]
    written = view.message("plan_by", who=latest.by) if latest.by else view.message("plan_given")
    note = figures(view.message("plan_version", n=latest.number), written)
    head: list[Block] = [] if view.brief else [Heading(view.message("plan"), note)]
    return [*head, Words(latest.text), *titled(view.message("assumptions"), latest.assumptions)]


def _latest(view: PlanView) -> PlanVersion | None:
    """The last version, as far as it is known; None without one."""
    result, shown = view.result, view.facts.matter
    if result is not None and result.plan:
        last = result.revisions[-1]
        return PlanVersion(last.number, result.plan, result.plan_by, last.assumptions)
    written = view.facts.replies(PlanRole.PLAN)
    reply = (written[-1].reply or {}) if written else {}
    if shown is not None and shown.plan:
        by = written[-1].participant if reply.get("plan") == shown.plan else None
        return PlanVersion(shown.version or 1, shown.plan, by)
    if not written:
        return None
    # A plan that was given is version 1 without a step.
    given = PlanOptions.model_validate(view.facts.spec.options).given
    return PlanVersion(len(written) + given, str(reply["plan"]), written[-1].participant)


def _standing(view: PlanView) -> list[Block]:
    objections = _objections(view)
    if objections:
        return listed(view.message("standing"), [_objection(view, entry) for entry in objections])
    if not view.facts.assessments or view.brief:
        return []
    absent = view.facts.assessments[-1][1].ending in UNHEARD
    word, style = ("too_few_objected", Style.WARNING) if absent else ("no_standing", Style.DIM)
    return [remark(""), remark(Span(view.message(word), style))]


def _objections(view: PlanView) -> list[FindingEntry]:
    """What stands against the plan; while it is debated, against its last version."""
    facts = view.facts
    standing = [entry for entry in facts.findings if entry.finding.id in facts.standing]
    if view.result is not None:
        return standing
    latest = _latest(view)
    number = 1 if latest is None else latest.number
    return [entry for entry in standing if _is_of(entry.finding, number)]


def _is_of(finding: Finding, version: int) -> bool:
    """Findings of later versions carry their version's number: `R2F1`."""
    return finding.id.startswith(f"R{version}F" if version > 1 else "F")


def _objection(view: PlanView, entry: FindingEntry) -> Item:
    finding = entry.finding
    detail = "" if view.brief or not finding.detail else f" — {finding.detail}"
    facts = (entry.support, "" if entry.evident else entry.status, finding.id)
    return Item(
        f"{finding.title}{detail}{entry.caveat}",
        finding.severity.value,
        ", ".join(filter(None, facts)),
        SEVERITY_STYLES[finding.severity],
    )


def _merged(view: PlanView) -> list[Block]:
    shown = view.result or view.facts.matter
    if shown is None or shown.synthesis is None:
        return []
    is_fallback = shown.synthesised_by == FALLBACK
    if is_fallback and not view.everything:
        return []  # the contributions one after another: no synthesis, and a reader has seen what they came to
    return synthesis(view, shown.synthesis, None if is_fallback else shown.synthesised_by)


def _versions(view: PlanView, result: PlanResult) -> list[Block]:
    entries = [_version(view, revision) for revision in result.revisions]
    blocks = listed(view.message("revisions"), entries)
    if not view.spoken or not blocks:
        return blocks
    earlier = texts(
        (Heading(view.message("plan_version", n=revision.number)), revision.text)
        for revision in result.revisions[:-1]
    )
    spoken = [block for revision in result.revisions for block in _contributions(view, revision)]
    return [*blocks, *feedback(view), *earlier, *spoken]


def _contributions(view: PlanView, revision: PlanRevision) -> list[Block]:
    version = view.message("plan_version", n=revision.number)

    def heading(contribution: PlanContribution) -> Heading:
        name = f"{contribution.participant}, {view.word(f'role_{contribution.role}', contribution.role)}"
        return Heading(name, figures(version, view.message("round_n", n=contribution.round)))

    return texts((heading(contribution), contribution.content) for contribution in revision.rounds)


def _version(view: PlanView, revision: PlanRevision) -> Item:
    answer = revision.decision
    summary = figures(
        view.message("plan_by", who=revision.by) if revision.by else view.message("plan_given"),
        view.message("rounds", n=len({contribution.round for contribution in revision.rounds})),
        view.message(f"how_{revision.ending.value}") if revision.ending else "-",
        view.message("objections", n=len(revision.findings)),
        decided_by(view, answer) if answer else None,
    )
    message = f" — {answer.message}" if answer and answer.message else ""
    return Item(f"{summary}{message}", view.message("plan_version", n=revision.number))


def _accepted(view: PlanView) -> list[Block]:
    if view.result is None:
        return []
    accepted = view.result.accepted
    word = view.message("accepted" if accepted else "not_accepted")
    return [remark(Span(word, Style.GOOD if accepted else Style.WARNING))]


DISPLAY = WorkflowDisplay(PlanResult, WorkflowView(body, matter=matter), LIVE)

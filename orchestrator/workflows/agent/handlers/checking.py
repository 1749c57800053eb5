"""Modes that run and judge: the project's tests, its verifiers, a measured command, a review by the panel."""

from __future__ import annotations

from statistics import median

from orchestrator.core.replay.commands import (
    ChildOutcome,
    ChildRequest,
    Effect,
    child_request,
    spawn,
)
from orchestrator.workflows.agent.handlers.examining import examine
from orchestrator.workflows.agent.handlers.surveying import searched, tests_command
from orchestrator.workflows.agent.mode_context import MOST_ERROR, AgentMessage
from orchestrator.workflows.agent.modes import AgentMode
from orchestrator.workflows.agent.result import WrittenEntry, how_ended
from orchestrator.workflows.agent.roles import AgentRole
from orchestrator.workflows.agent.transitions import DONE
from orchestrator.workflows.agent.work import ModeResult, Visit, may_run, use_tool
from shared.models.agent import ChangeSubject, CommandReport
from shared.models.findings import Finding, FindingStatus, Severity
from shared.models.notices import Notice, notice
from shared.models.outcomes import Verdict
from shared.models.workspace import OwnChange, Workspace
from shared.tools.agent_inputs import CommandRunInput, WorkspaceInput

NOISE = 0.1
"""A command is slower or faster when the medians differ by more than this share, and by more than their spread."""
MOST_LAST = 200
MOST_TOLD = 8
NOT_FOUND = 127
"""What a shell ends with where a program is not there."""
"""How many failures or findings the next attempt is told."""
_MEASURING = (AgentMode.PROFILING, AgentMode.BENCHMARK)
STOPPED = {"time": "it did not end in its time", "output": "it wrote too much, or filled the disk"}
"""Why a command was stopped, for a coder."""
PASSED = frozenset({Verdict.APPROVED, Verdict.CHECKS_PASSED, Verdict.NOTHING_TO_REVIEW})


def test(visit: Visit) -> Effect[ModeResult]:
    """The project's own tests, on a copy of the work."""
    command, context = visit.agent.options.tests, visit.context
    if command is None or not context.auto_test:
        code = "agent_needs_tests" if command is None else "agent_tests_off"
        return (yield from _untested(visit, code))
    report = yield from _run(visit, "tests", command, context.workspace)
    if report is None:
        return visit.falls_short("tests_skipped" if context.pending_files else DONE)
    visit = visit.at(
        context.done("tests", visit.key("tests"), succeeded=report.succeeded).updated(
            last_test_results=report.tests,
            coverage_data=report.coverage or context.coverage_data,
            last_error=None if report.succeeded else next(iter(report.errors), None),
            error_text="" if report.succeeded else report.output[-MOST_ERROR:],
        )
    )
    return _passed(visit, report) if report.succeeded else _failed(visit, report)


def _untested(visit: Visit, code: str) -> Effect[ModeResult]:
    missing = notice(code)
    if visit.context.pending_files:
        visit.proceedings.warn(missing)
        return visit.ends("tests_skipped", missing)
    visit.proceedings.need(missing)
    yield from _propose_command(visit, "--tests")
    return visit.ends(DONE, missing)


def _propose_command(visit: Visit, flag: str) -> Effect[None]:
    """Say which command seems to be meant, where none was entered."""
    if command := (yield from tests_command(visit)):
        visit.proceedings.facts.append(notice("agent_command_meant", flag=flag, command=command))


def _passed(visit: Visit, report: CommandReport) -> ModeResult:
    passed = 0 if report.tests is None else report.tests.passed
    trigger = "tests_passed" if visit.context.pending_files else DONE
    return visit.ends(trigger, notice("agent_tests_passed", n=passed))


def _failed(visit: Visit, report: CommandReport) -> ModeResult:
    """The next attempt is told what failed."""
    failures = () if report.tests is None else report.tests.failures
    lines = [f"{failure.name}: {failure.message}" for failure in failures[:MOST_TOLD]]
    text = "\n".join(lines) or _said(report)
    visit = visit.at(visit.context.remembering(AgentMessage(source="tests", text=text)))
    why = _why_failed(report)
    if visit.agent.coder is None:
        if report.code == NOT_FOUND:
            visit.proceedings.need(notice("agent_command_not_found"))
        else:
            visit.needs("agent_needs_coder")
        return visit.ends(DONE, why)
    return visit.ends("test_failed" if failures else "tests_broke", why)


def _said(report: CommandReport) -> str:
    """The end of what a command wrote; one that was stopped need not have written anything."""
    stopped = "" if report.stopped is None else f"{report.command}: {STOPPED[report.stopped]}\n"
    return f"{stopped}{report.output[-2000:]}"


def _why_failed(report: CommandReport) -> Notice:
    """How many failed; where no test is known to have failed, the last that the command said."""
    failed = 0 if report.tests is None else report.tests.failed + report.tests.errors
    if failed:
        return notice("agent_tests_failed", n=failed, end=how_ended(report))
    rows = report.output.strip().splitlines() or [""]
    return notice("agent_tests_broke", end=how_ended(report), last=rows[-1][:MOST_LAST])


def _run(
    visit: Visit, name: str, command: str, workspace: Workspace, times: int = 1
) -> Effect[CommandReport | None]:
    """The command's report; None where it may not be run, or could not be."""
    allowed = yield from may_run(visit, command)
    if not allowed:
        return None
    report = yield from use_tool(
        visit,
        name,
        "agent.command",
        AgentRole.RUNNING,
        CommandReport,
        lambda: CommandRunInput(workspace=workspace, command=command, times=times),
        timeout_s=visit.agent.options.command_timeout_s,
    )
    if report is not None:
        visit.proceedings.commands.append(report)
    return report


def review(visit: Visit) -> Effect[ModeResult]:
    """The panel reviews the work, or what the task's author has changed, in a run of its own."""
    context, own = visit.context, visit.agent.task.own_change
    if not context.pending_files and own is not None:
        return (yield from _review_own(visit, own))
    if not context.pending_files:
        return visit.ends(DONE, notice("agent_nothing_to_review"))
    change = yield from use_tool(
        visit,
        "change",
        "agent.change",
        AgentRole.CAPTURE,
        ChangeSubject,
        lambda: WorkspaceInput(workspace=context.workspace),
    )
    if change is None:
        return visit.falls_short("unjudged")
    child = yield from spawn(visit.key("review"), "review", lambda: _review_of(visit, change))
    visit.proceedings.children.append(("review", child))
    visit = visit.at(context.done("review", visit.key("review"), succeeded=child.completed))
    return _judged(visit, child)


def _review_own(visit: Visit, own: OwnChange) -> Effect[ModeResult]:
    """The person's own change: what was found is the answer, and nothing is mended unasked."""
    change = ChangeSubject(subject=own.subject, title=own.title, files=own.paths)
    visit.proceedings.facts.append(notice("agent_reviews_own", title=own.title, n=len(own.paths)))
    child = yield from spawn(visit.key("review"), "review", lambda: _review_of(visit, change))
    visit.proceedings.children.append(("review", child))
    visit = visit.at(visit.context.done("review", visit.key("review"), succeeded=child.completed))
    why = notice("agent_reviewed", run=child.run, verdict=child.verdict or child.status.value)
    standing = _standing(child)
    if standing:
        text = _raised(standing).text
        visit.proceedings.texts.append(WrittenEntry(title="review", by="panel", text=text))
    if child.verdict in PASSED or child.verdict is Verdict.NEEDS_FIX:
        return visit.ends(DONE, why)
    return visit.falls_short(DONE, why)


def _judged(visit: Visit, child: ChildOutcome) -> ModeResult:
    """What follows from the panel's verdict: no judgement is no approval."""
    why = notice("agent_reviewed", run=child.run, verdict=child.verdict or child.status.value)
    standing, coder = _standing(child), visit.agent.coder
    if child.verdict is Verdict.NEEDS_FIX and coder is not None:
        return visit.at(visit.context.remembering(_raised(standing))).ends("issues_found", why)
    if child.verdict not in PASSED:
        visit.proceedings.warn(notice("agent_unjudged", run=child.run))
        return visit.ends("unjudged", why)
    minor = [each for each in standing if each.severity is Severity.MINOR]
    if minor and coder is not None and _may_improve(visit):
        return visit.at(visit.context.remembering(_raised(minor))).ends("improvement_needed", why)
    return visit.ends("approved", why)


def _may_improve(visit: Visit) -> bool:
    """A refactoring is improved once."""
    history = visit.context.mode_history
    return visit.context.goal is AgentMode.REFACTOR and history.count(AgentMode.REFACTOR) < 2


def _standing(child: ChildOutcome) -> list[Finding]:
    """The findings that the panel did not reject."""
    stored = (child.outcome or {}).get("findings")
    findings = [Finding.model_validate(each) for each in stored] if isinstance(stored, list) else []
    return [each for each in findings if each.status is not FindingStatus.REJECTED]


def _review_of(visit: Visit, change: ChangeSubject) -> ChildRequest:
    agent = visit.agent
    request = child_request(change.title, agent.spec, "review", agent.templates.texts)
    # What the child's panel would mend is mended here: nobody is asked twice.
    decision = agent.spec.decision.model_copy(update={"mode": "skip"})
    spec = request.spec.model_copy(update={"subject": change.subject, "decision": decision})
    return ChildRequest(request.title, spec, request.documents)


def _raised(findings: list[Finding]) -> AgentMessage:
    lines = []
    for each in sorted(findings, key=lambda finding: finding.severity.rank)[:MOST_TOLD]:
        place = f" ({each.place.shown})" if each.place else ""
        lines.append(f"{each.severity}: {each.title}{place} {each.suggestion or ''}".rstrip())
    return AgentMessage(source="review", text="\n".join(lines))


def verify(visit: Visit) -> Effect[ModeResult]:
    """What the project verifies itself with; the command that was entered is run."""
    visit = yield from examine(visit, "verification")
    command = visit.agent.options.command or visit.agent.options.tests
    if command is None:
        return (yield from _without_command(visit))
    report = yield from _run(visit, "command", command, visit.context.workspace)
    if report is None:
        return visit.falls_short(DONE)
    why = _ran(report)
    context = visit.context.done("command", visit.key("command"), succeeded=report.succeeded)
    if report.succeeded:
        return visit.at(context).ends("verified", why)
    failed = context.updated(
        error_text=report.output[-MOST_ERROR:], last_error=next(iter(report.errors), None)
    ).remembering(AgentMessage(source="tests", text=_said(report)))
    return visit.at(failed).falls_short("verification_failed", why)


def _without_command(visit: Visit) -> Effect[ModeResult]:
    """Nothing was entered to be run: the command that is meant is proposed, and what is asked about is looked for."""
    visit.needs("agent_needs_command")
    yield from _propose_command(visit, "--command")
    if visit.mode in _MEASURING:
        visit = yield from searched(visit)
    return visit.ends(DONE)


def profile(visit: Visit) -> Effect[ModeResult]:
    """How long the command takes; with changes pending it is compared with the state before."""
    command, context = visit.agent.options.command, visit.context
    if command is None:
        return (yield from _without_command(visit))
    report = yield from _run(
        visit, "command", command, context.workspace, visit.agent.options.repeats
    )
    if report is None:
        return visit.falls_short(DONE)
    if not report.succeeded:
        return visit.falls_short(DONE, _ran(report))
    visit = visit.at(context.done("profile", visit.key("command")))
    why = measured(report)
    visit.proceedings.facts.append(why)
    if context.pending_files and AgentMode.BENCHMARK not in context.mode_history:
        return visit.ends("comparison_needed", why)
    if context.wants_change and visit.agent.coder and not context.pending_files:
        text = f"{command}: median {median(report.seconds):.3f} s"
        return visit.at(visit.context.remembering(AgentMessage(source="tests", text=text))).ends(
            "hot_spot_found", why
        )
    return visit.ends(DONE, why)


def benchmark(visit: Visit) -> Effect[ModeResult]:
    """The command on the state before and on the work, one after the other; the noise is said."""
    command, context = visit.agent.options.command, visit.context
    if command is None:
        return (yield from _without_command(visit))
    times = visit.agent.options.repeats
    base = context.workspace.model_copy(update={"files": ()})
    before = yield from _run(visit, "before", command, base, times)
    after = yield from _run(visit, "after", command, context.workspace, times)
    if before is None or after is None:
        return visit.falls_short(DONE)
    for report in (before, after):
        if not report.succeeded:
            return visit.falls_short(DONE, _ran(report))
    return _compared(visit.at(context.done("benchmark", visit.key("after"))), before, after)


def _compared(visit: Visit, before: CommandReport, after: CommandReport) -> ModeResult:
    """Slower is what is so by more than the noise, in every run."""
    ratio = median(after.seconds) / max(median(before.seconds), 1e-9)
    why = notice(
        "agent_compared",
        before=f"{median(before.seconds):.3f}",
        after=f"{median(after.seconds):.3f}",
        ratio=f"{ratio:.2f}",
        spread=f"{spread(before):.2f}",
    )
    visit.proceedings.facts.append(why)
    if not visit.context.pending_files:
        visit.proceedings.warn(notice("agent_same_state"))
        return visit.ends("no_slower", why)
    if ratio <= 1 + NOISE or min(after.seconds) <= max(before.seconds):
        return visit.ends("no_slower", why)
    profiled = AgentMode.PROFILING in visit.context.mode_history
    return visit.ends(DONE if profiled else "slower", why)


def measured(report: CommandReport) -> Notice:
    """The median of the runs, and how far they lie apart."""
    return notice(
        "agent_measured",
        command=report.command,
        seconds=f"{median(report.seconds):.3f}",
        spread=f"{spread(report):.2f}",
        n=len(report.seconds),
    )


def spread(report: CommandReport) -> float:
    """The slowest run over the fastest."""
    return max(report.seconds) / max(min(report.seconds), 1e-9)


def _ran(report: CommandReport) -> Notice:
    return notice("agent_ran", command=report.command, end=how_ended(report))


def reproduce(visit: Visit) -> Effect[ModeResult]:
    """What a checkout needs, as code sees it; the command is run in a clean copy."""
    visit = yield from examine(visit, "environment")
    command = visit.agent.options.command or visit.agent.options.tests
    if command is None:
        return (yield from _without_command(visit))
    clean = visit.context.workspace.model_copy(update={"files": ()})
    report = yield from _run(visit, "command", command, clean)
    if report is None:
        return visit.falls_short(DONE)
    why = _ran(report)
    context = visit.context.done("command", visit.key("command"), succeeded=report.succeeded)
    if report.succeeded:
        return visit.at(context).ends(DONE, why)
    failed = context.updated(error_text=report.output[-MOST_ERROR:])
    trigger = "not_reproducible" if AgentMode.DEBUG not in context.mode_history else DONE
    return visit.at(failed).falls_short(trigger, why)

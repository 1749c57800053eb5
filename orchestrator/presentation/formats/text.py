"""A run's result as lines: verdict, convergence, findings one a line, synthesis, decision, warnings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from orchestrator.core.document import Line, Span, Style, block, line
from orchestrator.core.findings.verdict import GateOutcome
from orchestrator.presentation.choices import asked
from orchestrator.presentation.coverage import unread
from orchestrator.presentation.locale.sentences import told
from orchestrator.presentation.locale.words import count, say
from orchestrator.presentation.money import spent
from orchestrator.presentation.report import RunReport
from shared.models.findings import Finding, FindingStatus, RaisedFinding, Severity
from shared.models.outcomes import RunStatus, Verdict
from shared.models.replies import Applied
from shared.models.rows import DecisionRow

SEVERITY_STYLES = {
    Severity.CRITICAL: Style.BAD,
    Severity.MAJOR: Style.WARNING,
    Severity.MINOR: Style.PLAIN,
    Severity.INFO: Style.DIM,
}
VERDICT_STYLES = {
    Verdict.APPROVED: Style.GOOD,
    Verdict.NEEDS_FIX: Style.BAD,
    Verdict.INCONCLUSIVE: Style.WARNING,
}
DEFAULT_MAX_FINDINGS = 5


def result(
    report: RunReport, *, language: str, max_findings: int | None, debate: Iterable[Line] = ()
) -> list[Line]:
    """The whole result; `max_findings` None shows all that the panel did not reject.

    `debate` is what the discussion brought beside the findings, and whether it helped.
    """
    return [
        headline(report, language),
        *state_lines(report, language),
        *_findings(report, language, max_findings),
        *_synthesis(report, language),
        *debate,
        *decision_lines(report, language),
        *(part for one in report.applied for part in applied(one, report.run.id, language)),
        *warnings(report, language),
        *spent(report.usage, language),
        line(say("details", language), f": quorate show {report.run.id} --rounds"),
    ]


def headline(report: RunReport, language: str) -> Line:
    """Verdict, convergence, rounds and time in one line."""
    verdict = report.verdict
    shown = (
        Span(say("running", language), Style.STRONG)
        if verdict is None
        else Span(verdict.value, VERDICT_STYLES.get(verdict, Style.STRONG))
    )
    n = report.rounds
    return line(
        shown,
        " · ",
        *convergence(report, language),
        f" · {count('rounds', language, n)} · {say('seconds', language, s=report.run.elapsed_s)}",
    )


def convergence(report: RunReport, language: str) -> tuple[Span, ...]:
    """`Convergence: 0.82 · converged`."""
    name = say("convergence", language)
    if report.assessment is None:
        return (Span(f"{name}: {say('no_convergence', language)}"),)
    metrics = report.assessment.metrics
    how = report.ending or metrics.recommendation
    return (Span(f"{name}: {metrics.overall_score:.2f} · {say(f'how_{how.value}', language)}"),)


def finding_line(finding: Finding, report: RunReport, language: str) -> Line:
    """`path:line: SEVERITY rule title (2/3)`; a status follows when the panel did not accept it or
    an applied fix has mended it; then `weak` (one voice says it and shows nothing) and `like F2` (which stands
    further up and says nearly the same)."""
    support = f"{report.supporters(finding)}/{len(report.critics)}"
    state = [status_of(finding, language)]
    if finding not in report.standing:
        state = [say("finding_fixed", language)]
    place = report.place_in_ranking(finding)
    state += [say("finding_weak", language)] if place.weak else []
    state += [say("finding_like", language, other=place.like)] if place.like else []
    told_state = "".join(f", {one}" for one in state if one)
    return line(
        Span(_where(finding), Style.PLACE),
        ": ",
        Span(finding.severity.value, SEVERITY_STYLES[finding.severity]),
        f" {finding.rule} " if finding.rule else " ",
        Span(finding.title, Style.STRONG),
        Span(f" ({support}{told_state}) {finding.id}{caveat(finding, language)}", Style.DIM),
    )


def status_of(finding: Finding, language: str) -> str:
    """What the panel makes of a finding; nothing where it accepted it."""
    accepted = finding.status is FindingStatus.ACCEPTED
    return "" if accepted else say(f"finding_{finding.status.value}", language)


def caveat(finding: Finding, language: str) -> str:
    """` [what is wrong with its evidence]`, or nothing."""
    return f" [{told(finding.caveat, language)}]" if finding.caveat else ""


def raised_line(finding: RaisedFinding, participant: str) -> Line:
    """A finding as one participant raised it, before the panel has judged it."""
    return line(
        "  ",
        Span(_where(finding), Style.PLACE),
        ": ",
        Span(finding.severity.value, SEVERITY_STYLES[finding.severity]),
        f" {finding.rule} " if finding.rule else " ",
        finding.title,
        Span(f" — {participant}", Style.DIM),
    )


def _where(finding: Finding | RaisedFinding) -> str:
    place = finding.place
    return f"{place.path}:{place.line}" if place else "-"


def _findings(report: RunReport, language: str, limit: int | None) -> list[Line]:
    kept = report.ranked
    shown = kept if limit is None else kept[:limit]
    lines = [finding_line(finding, report, language) for finding in shown]
    if not kept and report.assessments:
        lines.append(line(Span(say("no_findings", language), Style.DIM)))
    if len(kept) > len(shown):
        lines.append(line(Span(count("more", language, len(kept) - len(shown)), Style.DIM)))
    rejected = len(report.findings) - len(kept)
    if rejected:
        lines.append(line(Span(say("rejected", language, n=rejected), Style.DIM)))
    return lines


def state_lines(report: RunReport, language: str) -> list[Line]:
    """What became of the run, and what its gate says."""
    lines: list[Line] = []
    status = report.run.status
    if status in (RunStatus.CANCELLED, RunStatus.FAILED, RunStatus.EXPIRED):
        lines.append(line(Span(say(f"status_{status.value}", language), Style.WARNING)))
    if status is RunStatus.BLOCKED:
        reason = report.run.blocked_reason or ""
        text = say("status_blocked", language, reason=reason)
        lines.append(line(Span(text, Style.BAD)))
    gate = report.gate
    if gate.outcome is not GateOutcome.NOT_SET and report.verdict is not None:
        style = Style.GOOD if gate.outcome is GateOutcome.PASSED else Style.BAD
        said = say(f"gate_{gate.outcome.value}", language)
        lines.append(line(Span(said, style), f": {told(gate.reason, language)}"))
    if report.verdict is not None:
        texts = unread(report.coverage, language)
        lines += [line(Span(f"⚠ {text}", Style.WARNING)) for text in texts]
    return lines


def _synthesis(report: RunReport, language: str) -> list[Line]:
    synthesis = report.synthesis
    unmade = report.detail.get("synthesised_by") == "fallback"  # then code counted the findings
    if synthesis is None or (unmade and not report.findings):
        return []
    lines = [line(Span(f"{say('synthesis', language)}:", Style.STRONG))]
    lines += block(synthesis.summary, indent="  ")
    sections = (
        ("consensus", synthesis.consensus),
        ("resolved", synthesis.resolved_issues),
        ("concerns", synthesis.remaining_concerns),
    )
    for name, items in sections:
        lines += [line(f"  {say(name, language)}: {item}") for item in items]
    return lines


def decision_lines(report: RunReport, language: str) -> list[Line]:
    """The open decision, else the last answer."""
    decision = report.open_decision
    if decision is not None:
        return open_decision(decision, language)
    answer = report.detail.get("decision")
    if not answer:
        return []
    said = decided_by(answer, language)
    version = _last_decided(report.detail)
    about = (
        say("decision", language) if version is None else say("decision_about", language, n=version)
    )
    return [line(Span(f"{about}: ", Style.STRONG), said)]


def _last_decided(detail: Mapping[str, Any]) -> int | None:
    """The version of a plan that the last answer was about, where later ones were not decided on."""
    versions = detail.get("revisions") or ()
    if not versions or versions[-1]["decision"]:
        return None
    return next((one["number"] for one in reversed(versions) if one["decision"]), None)


def decided_by(answer: Mapping[str, Any], language: str) -> str:
    """`accept, by ada (cli)`; a policy is its own channel."""
    choice, actor, channel = (answer.get(name) for name in ("choice", "actor", "channel"))
    word = "decided_by_itself" if actor == channel else "decided"
    return say(word, language, choice=choice, actor=actor, channel=channel)


def open_decision(decision: DecisionRow, language: str) -> list[Line]:
    """What is asked, how to answer and until when."""
    question = decision.question
    options = "|".join(question.get("options") or ())
    lines = [
        line(
            Span(f"{say('decision', language)}: {asked(decision, language)}", Style.STRONG),
            f" — {say('answer_with', language)}: quorate decide {decision.run_id} {options}",
        )
    ]
    if decision.deadline_at is not None:
        when = f"{decision.deadline_at:%Y-%m-%d %H:%M %Z}"
        until = say("until", language, when=when, choice=question.get("on_timeout"))
        lines.append(line(Span(f"  {until}", Style.DIM)))
    return lines


def applied(one: Applied, run: str, language: str) -> list[Line]:
    """Where a fix went and how to take it back."""
    files = ", ".join(one.files)
    where = (
        say(
            "applied_branch",
            language,
            branch=one.branch,
            commit=(one.commit or "")[:12],
            files=files,
        )
        if one.branch
        else say("applied_files", language, files=files)
    )
    return [
        line(Span(where, Style.GOOD), f" — {say('undo_with', language)}: quorate undo {run}"),
    ]


def warnings(report: RunReport, language: str) -> list[Line]:
    """One loud line for each."""
    return warned(report.warnings(language), language)


def warned(texts: Iterable[str], language: str) -> list[Line]:
    """The texts as loud lines; what happened in several rounds is one line."""
    return [line(Span(f"⚠ {text}", Style.WARNING)) for text in gathered(texts, language)]


_ROUND = re.compile(r"(?<=\bround )\d+")


def gathered(texts: Iterable[str], language: str) -> list[str]:
    """The texts in the reader's language; those that differ in the number of their round only are one."""
    alike: dict[str, list[str]] = {}
    for text in texts:
        alike.setdefault(_ROUND.sub("#", text, count=1), []).append(text)
    return [
        told(first, language) + (_also(more, language) if more else "")
        for first, *more in alike.values()
    ]


def _also(texts: Iterable[str], language: str) -> str:
    numbers = [found[0] for text in texts if (found := _ROUND.search(text)) is not None]
    if not numbers:
        return ""
    return say("also_in_rounds", language, n=len(numbers), rounds=", ".join(numbers))

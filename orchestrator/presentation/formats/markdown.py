"""A run's result as Markdown. Everything that models or files wrote is escaped: no image, link or tag of theirs."""

from __future__ import annotations

from orchestrator.core.document import clean, drop_unseen, plain
from orchestrator.presentation.coverage import unread
from orchestrator.presentation.formats.markdown_text import escape, fenced, uncalled
from orchestrator.presentation.formats.text import convergence, gathered
from orchestrator.presentation.locale.words import say
from orchestrator.presentation.money import spent
from orchestrator.presentation.report import RunReport
from shared.models.findings import Finding


def result(report: RunReport, *, language: str, debate: str = "") -> str:
    """The whole result as one Markdown document; `debate` is what the discussion brought, and whether it helped."""
    parts = [
        _head(report, language),
        _unread(report, language),
        _table(report, language),
        *(_details(finding, language) for finding in report.ranked),
        _synthesis(report, language),
        _patch(report),
        _rounds(report, language),
        debate.strip(),
        _warnings(report, language),
        escape(plain(spent(report.usage, language)).strip()),
        f"`quorate show {report.run.id}`",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(report: RunReport, language: str) -> str:
    verdict = report.verdict or say("running", language)
    figures = plain([convergence(report, language)]).strip()
    return (
        f"# {verdict}\n\n**{escape(figures)}** — {escape(report.run.title)} (`{report.run.id}`, "
        f"{report.strategy})"
    )


def _unread(report: RunReport, language: str) -> str:
    texts = unread(report.coverage, language) if report.verdict is not None else []
    return "\n".join(f"- ⚠ {escape(text)}" for text in texts)


def _table(report: RunReport, language: str) -> str:
    if not report.kept:
        return say("no_findings", language) if report.assessments else ""
    rows = [
        f"| {f.severity} | {escape(_where(f))} | {escape(f.title)} "
        f"| {report.supporters(f)}/{len(report.critics)} "
        f"| {_state(f, report, language)} | {f.id} |"
        for f in report.ranked
    ]
    return "\n".join([_head_of(_FINDING_HEADS, language), *rows])


_FINDING_HEADS = (
    *("head_severity", "head_where", "head_finding", "head_support", "head_status", "head_id"),
)
_ROUND_HEADS = (
    *("head_round", "head_agreement", "head_stability", "head_score"),
    *("head_recommendation", "head_answered"),
)


def _head_of(words: tuple[str, ...], language: str) -> str:
    names = " | ".join(say(word, language) for word in words)
    return f"| {names} |\n| {' | '.join('---' for _ in words)} |"


def _state(finding: Finding, report: RunReport, language: str) -> str:
    status = say(f"finding_{finding.status.value}", language)
    weak = report.place_in_ranking(finding).weak
    return f"{status}, {say('finding_weak', language)}" if weak else status


def _details(finding: Finding, language: str) -> str:
    body = [_paragraphs(finding.detail)] if finding.detail else []
    if finding.suggestion:
        body.append(f"{say('suggestion', language)}: {escape(finding.suggestion)}")
    if finding.quote:
        body.append(fenced(finding.quote))
    if not body:
        return ""
    summary = _html(f"{finding.id} {_where(finding)} {finding.title}")
    inner = "\n\n".join(body)
    return f"<details><summary>{summary}</summary>\n\n{inner}\n\n</details>"


def _synthesis(report: RunReport, language: str) -> str:
    synthesis = report.synthesis
    if synthesis is None:
        return ""
    sections = (
        ("consensus", synthesis.consensus),
        ("resolved", synthesis.resolved_issues),
        ("concerns", synthesis.remaining_concerns),
    )
    items = [
        f"- {say(name, language)}: {escape(item)}" for name, items in sections for item in items
    ]
    parts = [f"## {say('synthesis', language)}", _paragraphs(synthesis.summary), "\n".join(items)]
    return "\n\n".join(part for part in parts if part)


def _patch(report: RunReport) -> str:
    fixes = report.fixes
    return fenced(fixes.patch, "diff") if fixes is not None and fixes.patch else ""


def _rounds(report: RunReport, language: str) -> str:
    rows = [
        f"| {recorded.figures.round} | {recorded.figures.metrics.agreement_ratio:.2f} "
        f"| {_figure(recorded.figures.metrics.avg_stability)} "
        f"| {recorded.figures.metrics.overall_score:.2f} "
        f"| {say(f'how_{recorded.figures.metrics.recommendation.value}', language)} "
        f"| {recorded.figures.answered}/{recorded.figures.expected} |"
        for recorded in report.assessments
    ]
    return "\n".join([_head_of(_ROUND_HEADS, language), *rows]) if rows else ""


def _warnings(report: RunReport, language: str) -> str:
    warnings = gathered(report.warnings(language), language)
    return "\n".join(f"- ⚠ {escape(text)}" for text in warnings)


def _paragraphs(text: str) -> str:
    paragraphs = drop_unseen(text).split("\n\n")
    return "\n\n".join(escape(paragraph) for paragraph in paragraphs if paragraph.strip())


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _where(finding: Finding) -> str:
    return f"{finding.place.path}:{finding.place.line}" if finding.place else "-"


def _html(text: str) -> str:
    return uncalled(clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))

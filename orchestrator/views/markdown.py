"""A run's result as Markdown. Everything that models or files wrote is escaped: no image, link or tag of theirs."""

from __future__ import annotations

import re

from orchestrator.views.lines import clean, drop_unseen, plain, spell_unseen
from orchestrator.views.report import RunReport
from orchestrator.views.text import convergence
from orchestrator.views.words import say
from shared.models.findings import Finding

# What makes emphasis, code, links, images, tags, headings, tables, mentions and addresses.
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#!|~&@]|:(?=//)|(?<=www)\.)", re.IGNORECASE)
_LEADING = re.compile(r"^(\s*)([-+=]|\d+[.)])")


def result(report: RunReport, *, language: str) -> str:
    """The whole result as one Markdown document."""
    parts = [
        _head(report, language),
        _table(report, language),
        *(_details(finding) for finding in report.ranked),
        _synthesis(report, language),
        _patch(report),
        _rounds(report),
        _warnings(report, language),
        f"`quorate show {report.run.id}`",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def escape(text: str) -> str:
    """One line of somebody's text as Markdown that shows exactly that text."""
    escaped = _SPECIAL.sub(r"\\\1", clean(text))
    return _LEADING.sub(lambda found: f"{found[1]}{found[2][:-1]}\\{found[2][-1]}", escaped)


def fenced(text: str, kind: str = "") -> str:
    """A block of code that its content cannot close."""
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{kind}\n{spell_unseen(text).rstrip()}\n{fence}"


def _head(report: RunReport, language: str) -> str:
    verdict = report.verdict or say("running", language)
    figures = plain([convergence(report, language)]).strip()
    return (
        f"# {verdict}\n\n**{escape(figures)}** — {escape(report.run.title)} (`{report.run.id}`, "
        f"{report.options.strategy})"
    )


def _table(report: RunReport, language: str) -> str:
    if not report.kept:
        return say("no_findings", language) if report.assessments else ""
    rows = [
        f"| {f.severity} | {escape(_where(f))} | {escape(f.title)} "
        f"| {report.supporters(f)}/{len(report.critics)} | {f.status} | {f.id} |"
        for f in report.ranked
    ]
    head = "| severity | place | finding | support | status | id |\n| --- | --- | --- | --- | --- | --- |"
    return "\n".join([head, *rows])


def _details(finding: Finding) -> str:
    body = [_paragraphs(finding.detail)] if finding.detail else []
    if finding.suggestion:
        body.append(f"Suggestion: {escape(finding.suggestion)}")
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


def _rounds(report: RunReport) -> str:
    rows = [
        f"| {recorded.figures.round} | {recorded.figures.metrics.agreement_ratio:.2f} "
        f"| {_figure(recorded.figures.metrics.avg_stability)} "
        f"| {recorded.figures.metrics.overall_score:.2f} "
        f"| {recorded.figures.metrics.recommendation} "
        f"| {recorded.figures.answered}/{recorded.figures.expected} |"
        for recorded in report.assessments
    ]
    head = (
        "| round | agreement | stability | score | recommendation | answered |\n"
        "| --- | --- | --- | --- | --- | --- |"
    )
    return "\n".join([head, *rows]) if rows else ""


def _warnings(report: RunReport, language: str) -> str:
    return "\n".join(f"- ⚠ {escape(text)}" for text in report.warnings(language))


def _paragraphs(text: str) -> str:
    paragraphs = drop_unseen(text).split("\n\n")
    return "\n\n".join(escape(paragraph) for paragraph in paragraphs if paragraph.strip())


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _where(finding: Finding) -> str:
    return f"{finding.place.path}:{finding.place.line}" if finding.place else "-"


def _html(text: str) -> str:
    return clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

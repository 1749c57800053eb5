"""An analyser's findings as a critique, with the sections that its strategy names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import metadata
from typing import Literal

from shared.models.findings import RaisedFinding, Severity
from shared.models.reply_bounds import MAX_LISTED
from shared.models.review_replies import Critique, RedTeamAnalysis, ReviewAnalysis
from shared.models.sections import Disagreement, Risk
from shared.text.masking.mask import mask
from shared.tools.inputs import AnalyserInput
from shared.tools.rules import AnalyserRules
from workers.tools.analysers.sources import Examined, python_sources
from workers.tools.registry import Documents, ToolContext
from workers.tools.sandbox.sandbox import Countdown
from workers.tools.snapshot import load_subject

RED_TEAM = "critique.red-team"
# Findings of this severity or worse ask for a change; INFO is only said.
NEEDS_FIX = Severity.MINOR
# Category of a finding -> section of a red-team critique. All others are in `issue_summary` only.
EDGE_CASES = "correctness"
SCALABILITY = "performance"
SECURITY = "security"
MAINTENANCE = ("maintainability", "style")


def analyser_label(name: str) -> str:
    """`name` with its installed version, as the summary calls it."""
    try:
        return f"{name} {metadata.version(name)}"
    except metadata.PackageNotFoundError:
        return name


@dataclass(frozen=True)
class Examination:
    """What an analyser looks with: the documents, the time that is left, and which rules count."""

    documents: Documents
    countdown: Countdown
    rules: AnalyserRules


Examine = Callable[[Examined, Examination], tuple[Examined, list[RaisedFinding]]]
"""Looks at the files: what could be read of them in the end, and what is wrong there."""


def python_critique(
    inputs: AnalyserInput, context: ToolContext, label: str, examine: Examine
) -> Critique:
    """The critique of an analyser of Python; raises `ToolError` when the subject holds none."""
    examination = Examination(context.documents, context.countdown(), inputs.rules)
    sources = python_sources(load_subject(inputs.subject, context.documents), context.documents)
    examined, findings = examine(sources, examination)
    return write_critique(inputs, label, examined, findings, "Python")


def write_critique(
    inputs: AnalyserInput,
    label: str,
    examined: Examined,
    raised: Iterable[RaisedFinding],
    kind: str,
) -> Critique:
    """The critique of one analyser run. `label` is its name and version, `kind` the files it reads."""
    every = in_order(_without_patches_of_cells(raised, examined))
    counting = in_order(map(_without_secrets, inputs.rules.applied(every)))
    findings = inputs.rules.without_known(counting)
    shown = findings[:MAX_LISTED]
    objects = any(finding.severity.rank <= NEEDS_FIX.rank for finding in findings)
    verdict: Literal["APPROVED", "NEEDS_FIX"] = "NEEDS_FIX" if objects else "APPROVED"
    off = len(every) - len(findings)
    coverage = examined.coverage.model_copy(
        update={
            "known": len(counting) - len(findings),
            "off": sum(map(inputs.rules.ignores, every)),
            "unlisted": len(findings) - len(shown),
        }
    )
    summary = _summary(label, examined, len(findings), len(shown), kind, off)
    if inputs.reply_model == RED_TEAM:
        return RedTeamAnalysis(
            coverage=coverage,
            verdict=verdict,
            summary=summary,
            findings=shown,
            security_risks=tuple(_risk(f) for f in shown if f.category == SECURITY),
            edge_cases=_lines(shown, EDGE_CASES),
            scalability_concerns=_lines(shown, SCALABILITY),
            maintenance_burden=_lines(shown, *MAINTENANCE),
            missing_requirements=examined.left_out,
            issue_summary=tuple(_risk(f) for f in shown),
        )
    return ReviewAnalysis(
        coverage=coverage,
        verdict=verdict,
        summary=summary,
        findings=shown,
        points_of_agreement=_clean_files(examined, findings),
        points_of_disagreement=tuple(
            Disagreement(claim=_line(f), explanation=f.detail, alternative=f.suggestion or "")
            for f in shown
        ),
        unexamined_assumptions=examined.left_out,
        missing_considerations=_not_looked_at(examined, kind),
    )


def _without_patches_of_cells(
    raised: Iterable[RaisedFinding], examined: Examined
) -> Iterator[RaisedFinding]:
    """The findings; a patch of a notebook's view does not fit the file."""
    cells = {source.path for source in examined.files if source.change.cells}
    for finding in raised:
        in_cells = finding.place is not None and finding.place.path in cells
        yield finding.model_copy(update={"patch": None}) if in_cells else finding


def _without_secrets(finding: RaisedFinding) -> RaisedFinding:
    """The finding without the secret that it is about: more people read reports and build logs than the change."""
    texts = {name: getattr(finding, name) for name in ("title", "detail", "quote", "suggestion")}
    hidden = {name: mask(text).text for name, text in texts.items() if text}
    changed = {name: text for name, text in hidden.items() if text != texts[name]}
    return finding.model_copy(update=changed) if changed else finding


def in_order(raised: Iterable[RaisedFinding]) -> tuple[RaisedFinding, ...]:
    """Worst first, then by place and rule, without exact doubles: the same run gives the same order."""
    unique = {(_line(f), f.rule, f.patch): f for f in raised}
    return tuple(sorted(unique.values(), key=_rank))


def _rank(finding: RaisedFinding) -> tuple[int, str, int, str, str]:
    place = finding.place
    return (
        finding.severity.rank,
        place.path if place else "",
        place.line if place else 0,
        finding.rule or "",
        finding.title,
    )


def _summary(label: str, examined: Examined, count: int, shown: int, kind: str, off: int) -> str:
    noun = "finding" if count == 1 else "findings"
    files = f"{len(examined.files)} {kind} {'file' if len(examined.files) == 1 else 'files'}"
    parts = [f"rule-based analyser {label}: {count} {noun} on changed lines of {files}."]
    if shown < count:
        parts.append(f"Only the worst {shown} are listed.")
    if off:
        parts.append(f"Left out because their rules are switched off, or as known: {off}.")
    if examined.left_out:
        parts.append(f"Not looked at: {len(examined.left_out)}.")
    return " ".join(parts)


def _line(finding: RaisedFinding) -> str:
    place = f"{finding.place.shown}: " if finding.place else ""
    return f"{place}{finding.title}"


def _lines(findings: Iterable[RaisedFinding], *categories: str) -> tuple[str, ...]:
    return tuple(_line(finding) for finding in findings if finding.category in categories)


def _risk(finding: RaisedFinding) -> Risk:
    return Risk(description=_line(finding), severity=finding.severity)


def _clean_files(examined: Examined, findings: Iterable[RaisedFinding]) -> tuple[str, ...]:
    blamed = {finding.place.path for finding in findings if finding.place}
    clean = [source.path for source in examined.files if source.path not in blamed]
    if not clean:
        return ()
    more = f" and {len(clean) - 5} more" if len(clean) > 5 else ""
    return (f"No rule objects to the changed lines of {', '.join(clean[:5])}{more}.",)


def _not_looked_at(examined: Examined, kind: str) -> tuple[str, ...]:
    if not examined.others:
        return ()
    return (f"Only {kind} files were analysed; files of other kinds: {examined.others}.",)

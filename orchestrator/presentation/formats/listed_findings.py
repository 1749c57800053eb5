"""The findings of a run as programs read them: what stands, each under a fixed rule and with a lasting fingerprint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from orchestrator.core.findings.callers import CallMap, CallSite
from orchestrator.core.findings.defect_catalogue import Defect, defect_of
from orchestrator.core.findings.identity import fingerprints, source_line
from orchestrator.core.findings.ranking import Ranked
from orchestrator.core.lines import clean, drop_unseen
from orchestrator.presentation.formats.suggestions import suggested_lines
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.positions import Voices
from orchestrator.presentation.report import RunReport
from shared.models.findings import Finding, Ground, Place
from shared.patterns import regex

_ENDS = ".!?…。:"
_STOPPED = regex(r"\.( \([A-Z]+\d+\))\Z")
"""A sentence that ended before its rule's name: `a security issue. (B602)`."""
_MOST = 4_000  # characters of what one participant says


@dataclass(frozen=True)
class ListedFinding:
    """A finding that stands, in words; `line` is the reviewed line that it begins at.

    `callers` are those that it names; `ignored` says why no gate counts it.
    """

    finding: Finding
    defect: Defect
    fingerprint: str
    ranked: Ranked
    voices: Voices
    line: str | None
    callers: tuple[CallSite, ...] = ()
    ignored: str | None = None

    @property
    def place(self) -> Place | None:
        """Where it is."""
        return self.finding.place

    @cached_property
    def title(self) -> str:
        """What is wrong, as a sentence in one line."""
        return _sentence(" ".join(clean(self.finding.title).split()))

    @cached_property
    def message(self) -> str:
        """What is wrong and why, and what to do about it."""
        detail = _sentence(drop_unseen(self.finding.detail).strip()[:_MOST])
        advice = _sentence(drop_unseen(self.finding.suggestion or "").strip()[:_MOST])
        return "\n\n".join(filter(None, (self.title, detail, advice)))

    @cached_property
    def replacement(self) -> str | None:
        """The text that its own patch puts in the place of its lines, where that is all that it does."""
        patch, place = self.finding.patch, self.place
        return suggested_lines(patch, place) if patch and place is not None else None


def listed_findings(report: RunReport, words: Translator) -> tuple[ListedFinding, ...]:
    """What stands, the likely and grave ones first. Rejected and mended ones, and repetitions, are not listed."""
    standing = {finding.id for finding in report.standing}
    marks = fingerprints(report.findings, report.sources)
    has_callers = Ground.CALLERS in chain.from_iterable(report.checks.values())
    calls = CallMap.of(report.sources) if has_callers else CallMap((), ())
    return tuple(
        _listed(report.place_in_ranking(finding), report, marks, calls, words)
        for finding in report.ranked
        if finding.id in standing and finding.id not in report.raised_again
    )


def _listed(
    ranked: Ranked, report: RunReport, marks: Mapping[str, str], calls: CallMap, words: Translator
) -> ListedFinding:
    finding = ranked.finding
    return ListedFinding(
        finding=words.finding(finding),
        defect=defect_of(finding),
        fingerprint=marks[finding.id],
        ranked=ranked,
        voices=Voices.on(report, finding),
        line=source_line(finding, report.sources),
        callers=calls.named_callers(finding) if Ground.CALLERS in ranked.evidence else (),
        ignored=report.excused.get(finding.id),
    )


def _sentence(text: str) -> str:
    text = _STOPPED.sub(r"\1", text)
    return f"{text}." if text and text[-1] not in _ENDS else text

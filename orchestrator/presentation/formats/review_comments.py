"""A review as comments of a code host: one for the whole, and one at the lines of each grave finding."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from orchestrator.presentation.finding_entries import named_rules, rule_pages, without_pages
from orchestrator.presentation.formats.listed_findings import ListedFinding, listed_findings
from orchestrator.presentation.formats.markdown import as_comment
from orchestrator.presentation.formats.markdown_text import escape, fenced, linked, prose, with_code
from orchestrator.presentation.formats.posting import MOST_CHARACTERS
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from shared.models.findings import Severity
from shared.patterns import regex

MARK = "<!-- quorate:review -->"
"""How the one comment is known again; a finding's words cannot hold it, since they are escaped."""
MOST_INLINE = 20
_FINDING = regex(r"\s*<!-- quorate:finding ([0-9a-f]+) -->")
_ROOM = 2_000  # for the mark and what became of findings


@dataclass(frozen=True)
class InlineComment:
    """A comment at lines of the reviewed state."""

    path: str
    line: int
    last_line: int
    fingerprint: str
    body: str


def whole_comment(report: RunReport, words: Translator, notes: Iterable[str]) -> str:
    """The comment on the request; `notes` say what became of findings."""
    text = as_comment(report, words, MOST_CHARACTERS - _ROOM, for_others=True)
    noted = "\n".join(f"- {escape(note)}" for note in notes)[: _ROOM - 100]
    return "\n\n".join(filter(None, (MARK, text.strip(), noted)))


def inline_comments(report: RunReport, words: Translator) -> tuple[InlineComment, ...]:
    """Those at or above the gate's severity (without a gate: MAJOR), the ones ranked first."""
    bound = report.gate_rule.fail_on or Severity.MAJOR
    pages = rule_pages(report)
    shown = (
        _inline(each, pages)
        for each in listed_findings(report, words)
        if each.place and each.ignored is None and each.finding.severity.rank <= bound.rank
    )
    return tuple(shown)[:MOST_INLINE]


def known_fingerprints(bodies: Iterable[str]) -> frozenset[str]:
    """The findings that comments are about."""
    marks = (_FINDING.match(body) for body in bodies)
    return frozenset(mark[1] for mark in marks if mark is not None)


def is_whole(body: str) -> bool:
    """Whether a comment is the one on the whole review."""
    return re.match(rf"\s*{re.escape(MARK)}", body) is not None


def _inline(each: ListedFinding, pages: Mapping[str, str]) -> InlineComment:
    place = each.place
    assert place is not None
    rules = named_rules(each.finding, pages)
    _, _, more = without_pages(each.message, rules).partition("\n\n")
    seen_in = ", ".join(linked(rule.code, rule.page) for rule in rules if rule.page)
    parts = (
        f"<!-- quorate:finding {each.fingerprint} -->",
        f"**{each.finding.severity}** {with_code(each.title)} `{each.defect.rule_id}` {seen_in}".rstrip(),
        prose(more.strip("\n")),
        fenced(each.replacement, "suggestion") if each.replacement is not None else "",
    )
    body = "\n\n".join(filter(None, parts))
    return InlineComment(place.path, place.line, place.last_line, each.fingerprint, body)

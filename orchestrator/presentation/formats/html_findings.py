"""Findings as cards, and the text that they are about with its places highlighted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from orchestrator.core.document import FindingEntry, FindingList, NamedRule, Objection
from orchestrator.core.pictures import AnnotatedLine, AnnotatedPiece, AnnotatedText
from orchestrator.presentation.formats.html_text import attribute, preformatted, prose, text
from orchestrator.presentation.formats.markdown_text import looks_like_code
from shared.models.findings import Severity


@dataclass(frozen=True)
class FindingCards:
    """A list of findings; `placed` makes links of the places in escaped text."""

    shown: FindingList
    placed: Callable[[str], str]

    def render(self) -> str:
        """A card each."""
        return f'<div class="findings">{"".join(map(self._card, self.shown.entries))}</div>'

    def _card(self, entry: FindingEntry) -> str:
        finding, name = entry.finding, text(entry.finding.id)
        severity = finding.severity.value
        states = ", ".join(state for state in (entry.support, *entry.states) if state)
        rules = ", ".join(map(_rule, entry.rules))
        about = f"{states}{entry.caveat}".strip()
        head = (
            f'<p class="about"><b class="severity">{severity}</b> '
            f"{self.placed(text(entry.where))} {rules} <span>{name}</span></p>"
        )
        title = f'<h3 id="{name}-title">{text(entry.title_beside_rule)}</h3>'
        parts = (
            f'<p class="states">{text(about)}</p>' if about else "",
            _quotation(finding.quote or ""),
            self.placed(prose(entry.why)) if entry.why.strip() else "",
            self._terms(entry),
        )
        body = f"{title}{''.join(parts)}"
        if finding.severity is Severity.INFO and any(parts):
            # What is only for information takes a line, so that what is wrong is not lost among it.
            body = f"<details><summary>{title}</summary>{''.join(parts)}</details>"
        return (
            f'<article class="finding {severity.lower()}" id="{name}" '
            f'aria-labelledby="{name}-title">{head}{body}</article>'
        )

    def _terms(self, entry: FindingEntry) -> str:
        words = self.shown.words
        terms = [
            (words.suggestion, _advice(entry.suggestion)),
            (words.carried, f"<p>{text(entry.carried)}</p>" if entry.carried else ""),
            *((words.objections, _objection(each)) for each in entry.objections),
        ]
        rows = "".join(
            f"<dt>{text(term)}</dt><dd>{markup}</dd>" for term, markup in terms if markup
        )
        return f"<dl>{rows}</dl>" if rows else ""


def _rule(rule: NamedRule) -> str:
    """The rule, and where an analyser of ours names its page, the way there."""
    shown = f"<code>{text(rule.code)}</code>"
    return f"<a{attribute('href', rule.page)}>{shown}</a>" if rule.page else shown


def _quotation(quote: str) -> str:
    if not quote.strip():
        return ""
    if looks_like_code(quote):
        return preformatted(quote)
    return f"<blockquote>{text(' '.join(quote.split()))}</blockquote>"


def _advice(suggestion: str) -> str:
    if not suggestion.strip():
        return ""
    return preformatted(suggestion) if looks_like_code(suggestion) else prose(suggestion)


def _objection(objection: Objection) -> str:
    how = f" ({text(objection.how)})" if objection.how else ""
    reason = f": {text(objection.reason)}" if objection.reason else ""
    return f"<p>{text(objection.participant)}{how}{reason}</p>"


# ---- a text with its places ---------------------------------------------------------------------


def annotated(shown: AnnotatedText) -> str:
    """The text's lines, numbered; what is said of a place follows it as a link."""
    rows = "".join(map(_line, shown.lines()))
    name = text(shown.path)
    head = f'<h2 id="{name}">{text(shown.name)}</h2>'
    return (
        f'<section class="text" aria-labelledby="{name}">{head}'
        f'<div class="lines" tabindex="0" role="group" aria-labelledby="{name}">{rows}</div></section>'
    )


def _line(row: AnnotatedLine) -> str:
    content = "".join(map(_piece, row.pieces()))
    number = f'<a class="number" href="#L{row.number}">{row.number}</a>'
    marked = ' class="marked"' if row.highlights else ""
    return f'<div id="L{row.number}"{marked}>{number}<span>{content}</span></div>'


def _piece(piece: AnnotatedPiece) -> str:
    shown, links = text(piece.text), "".join(map(_reference, piece.ended))
    if not piece.highlights:
        return shown + links
    worst = min(piece.highlights, key=lambda mark: mark.severity.rank)
    return f'<mark class="{worst.severity.value.lower()}">{shown}</mark>{links}'


def _reference(label: str) -> str:
    return f'<a class="reference" href="#{text(label)}">{text(label)}</a>'

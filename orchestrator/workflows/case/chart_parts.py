"""What a turn shows of a chart: all of it, one portion after another, or the places that known points stand at.

A chart that is longer than what a participant can be shown at once is read in portions, a turn each, as large changes
are in reviews (docs/design/large-changes.md); turns about what is known already are shown where that stands. What code
has read out of the chart is shown with the part that it was read from.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, groupby

from orchestrator.core.discussion.estimate import INSTRUCTIONS_TOKENS
from orchestrator.core.discussion.portions import PORTION_TOKENS, room
from orchestrator.workflows.case.points import ChartText
from orchestrator.workflows.case.state import GraphState, Preprocessing
from shared.models.case import (
    CHART,
    CaseEvidence,
    ChartSpan,
    EvidenceSpans,
    InterventionCoverage,
    LensResult,
    Timeline,
)
from shared.models.critique import AnalysisPoint
from shared.models.findings import Finding
from shared.models.panel import Participant
from shared.text.tokens import estimated_tokens

READINGS = 2
"""How often a turn shows the chart: as it is, and as the sentences that code read out of it."""
_SHARE = 4
"""A portion's part of the room: sentences with their places are longer than the text, and findings come with them."""
_LEAST_TOKENS = 250
"""Less of a chart at once says too little to be judged."""


@dataclass(frozen=True)
class ChartPart:
    """Pieces of a chart: `number` of `count` portions; an excerpt, for what is known already, has no number."""

    pieces: tuple[ChartSpan, ...]
    number: int = 0
    count: int = 0

    def shows(self, spans: Iterable[ChartSpan]) -> bool:
        """Whether one of the chart's spans begins in it."""
        return any(
            piece.start <= span.start < piece.end
            for span in spans
            if span.source == CHART
            for piece in self.pieces
        )

    def holds(self, finding: Finding) -> bool:
        """Whether the finding stands in it; what stands nowhere is shown once."""
        if finding.place is None:
            return self.number <= 1
        lines = ((piece.line, last_line(piece)) for piece in self.pieces)
        return any(first <= finding.place.line <= last for first, last in lines)


def last_line(piece: ChartSpan) -> int:
    """The line in which a piece ends."""
    return piece.line + piece.text.rstrip("\n").count("\n")


# ---- how much -----------------------------------------------------------------------------------


def holds_whole(participant: Participant, chart_tokens: int) -> bool:
    """Whether the participant, and whoever may speak in its place, can be shown the whole chart at once."""
    shown = READINGS * chart_tokens
    return not participant.is_model or (
        shown <= PORTION_TOKENS
        and all(
            each.context_tokens is None
            or INSTRUCTIONS_TOKENS + shown + each.max_output_tokens <= each.context_tokens
            for each in (participant, *participant.fallback)
        )
    )


def part_tokens(participant: Participant) -> int:
    """How many tokens of a longer chart it is shown at once; 0 where that would be too little to judge."""
    tokens = room(participant) // _SHARE
    return tokens if tokens >= _LEAST_TOKENS else 0


def expected_parts(participant: Participant, chart_tokens: int) -> int:
    """In how many turns it reads a chart of that length; 0 where it cannot."""
    if holds_whole(participant, chart_tokens):
        return 1
    tokens = part_tokens(participant)
    return -(-chart_tokens // tokens) if tokens else 0


# ---- cutting ------------------------------------------------------------------------------------


def portions(text: str, tokens: int) -> tuple[ChartPart, ...]:
    """All of the text in parts of at most `tokens`: cut between paragraphs, else lines, else words."""
    ends: list[int] = []
    left = 0
    for end, size in _pieces(text, tokens):
        if ends and size <= left:
            ends[-1] = end
        else:
            ends.append(end)
            left = tokens
        left -= size
    parts = enumerate(_spans(text, ends), start=1)
    return tuple(ChartPart((piece,), number, len(ends)) for number, piece in parts)


def excerpt(text: str, tokens: int, findings: Sequence[Finding]) -> ChartPart:
    """The pieces where findings stand, the gravest first, as far as they fit; without any the beginning."""
    pieces = [part.pieces[0] for part in portions(text, max(_LEAST_TOKENS, tokens // 8))]
    firsts = [piece.line for piece in pieces]
    ranked = sorted(findings, key=lambda finding: finding.severity.rank)
    wanted = dict.fromkeys(
        bisect_right(firsts, finding.place.line) - 1
        for finding in ranked
        if finding.place is not None
    )
    taken, left = [], tokens
    for at in wanted or range(len(pieces)):
        size = estimated_tokens(pieces[at].text)
        if size <= left:
            taken.append(at)
            left -= size
    return ChartPart(tuple(pieces[at] for at in sorted(taken)))


def _spans(text: str, ends: Sequence[int]) -> Iterator[ChartSpan]:
    """The text from each end to the next."""
    start, line = 0, 1
    for end in ends:
        words = text[start:end]
        yield ChartSpan(start=start, end=end, line=line, text=words)
        start, line = end, line + words.count("\n")


def _pieces(text: str, tokens: int) -> Iterator[tuple[int, int]]:
    """The text without a gap: the end and the tokens of paragraphs; of what is too long, of lines, then of words."""
    at = 0
    for paragraph in _joined(text.splitlines(keepends=True)):
        size = estimated_tokens(paragraph)
        if size <= tokens:
            at += len(paragraph)
            yield at, size
            continue
        for line in paragraph.splitlines(keepends=True):
            for words in _cut(line, tokens):
                at += len(words)
                yield at, estimated_tokens(words)


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """Paragraphs, each with the empty lines after it."""
    paragraph = ""
    for blank, group in groupby(lines, key=lambda line: not line.strip()):
        paragraph += "".join(group)
        if blank:
            yield paragraph
            paragraph = ""
    if paragraph:
        yield paragraph


def _cut(line: str, tokens: int) -> Iterator[str]:
    """A line in pieces of at most `tokens`, between words where there are any."""
    start = 0
    while estimated_tokens(line[start : start + 4 * tokens]) > tokens:
        end = start + tokens - 1
        space = line.rfind(" ", start + tokens // 2, end)
        yield line[start : (end := space + 1 if space > 0 else end)]
        start = end
    yield line[start:]


# ---- what was read out of it ----------------------------------------------------------------------


def within(state: GraphState, part: ChartPart | None) -> GraphState:
    """What code and the analyst have read out of that part of the chart, and nothing of the rest."""
    if part is None:
        return state
    text = "\n".join(piece.text for piece in part.pieces)
    diagnosis, treatment = state.diagnosis, state.treatment
    items = (
        item for item in state.coverage.items if part.shows(chain(item.problem, item.interventions))
    )
    passages = (each for each in state.evidence.passages if part.shows((each.span,)))
    return replace(
        state,
        preprocessing=_preprocessed(state.preprocessing, part),
        coverage=InterventionCoverage(items=tuple(items)),
        evidence=CaseEvidence(passages=tuple(passages), weak=state.evidence.weak),
        diagnosis=diagnosis.model_copy(
            update={
                "diagnoses": _quoted(diagnosis.diagnoses, text),
                "differentials": _quoted(diagnosis.differentials, text),
            }
        ),
        treatment=treatment.model_copy(update={"treatments": _quoted(treatment.treatments, text)}),
        results={name: _result(result, part) for name, result in state.results.items()},
    )


def _preprocessed(done: Preprocessing, part: ChartPart) -> Preprocessing:
    events = (event for event in done.timeline.events if part.shows((event.span,)))
    spans = (span for span in done.evidence.spans if part.shows((span,)))
    return Preprocessing(
        Timeline(events=tuple(events)), EvidenceSpans(spans=tuple(spans)), done.gaps
    )


def _quoted(points: Iterable[AnalysisPoint], text: str) -> tuple[AnalysisPoint, ...]:
    chart = ChartText(text)
    return tuple(point for point in points if any(map(chart.locate, point.quotes)))


def _result(result: LensResult, part: ChartPart) -> LensResult:
    points = (point for point in result.points if part.shows(point.spans))
    return result.model_copy(update={"points": tuple(points)})

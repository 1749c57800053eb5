"""How a case is shown: what is wrong first, with the words of the chart; then what is missing and what was measured.

Last comes what nobody looked at, and why. With everything: the grounds, how it was arrived at, and the chart itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from orchestrator.core.document import (
    Block,
    FindingEntry,
    FindingList,
    Folded,
    Grid,
    Heading,
    Item,
    Items,
    Words,
    remark,
)
from orchestrator.core.lines import Span, Style
from orchestrator.core.views.context import WorkflowView, figures, listed, shortened, titled
from orchestrator.core.views.findings import counted, findings
from orchestrator.workflows.case.chart_so_far import chart_so_far
from orchestrator.workflows.case.drawings import chart, place, places, timeline, values
from orchestrator.workflows.case.live import LIVE
from orchestrator.workflows.case.names import CaseView, by_whom, check, concept, node, quantity
from orchestrator.workflows.case.proceedings_view import confidence, proceedings
from orchestrator.workflows.case.records import (
    CritiqueRecord,
    FeedbackRecord,
    ReflectionRecord,
    RoutingRecord,
)
from orchestrator.workflows.case.result import CaseResult, CritiqueEntry, SolutionEntry, TraceEntry
from orchestrator.workflows.display import WorkflowDisplay
from shared.models.case import CoverageItem, LensResult, Passage, Score
from shared.models.critique import AnalysisPoint
from shared.models.findings import Severity

_SHORT = 80
_FIRST_PLACES = 3


def headline(view: CaseView) -> str:
    """`5 findings: 1 CRITICAL, 4 MINOR · confidence 0.83`"""
    reached = view.result.confidence if view.result else None
    confidence_text = None if reached is None else confidence(view, reached)
    return figures(counted(view), confidence_text)


def body(view: CaseView) -> list[Block]:
    """What to read first on top."""
    result = view.result
    if result is None:
        return [*points(view), *(chart_so_far(view) if view.everything else ())]
    blocks = [
        *points(view),
        *_gaps(view, result),
        *_coverage(view, result),
        *_scores(view, result),
        *_unseen(view, result),
        *_readings(view, result),
    ]
    return [*blocks, *_grounds(view, result)] if view.everything else blocks


def matter(view: CaseView) -> list[Block]:
    """What a person decides on: the chart with the places of the points, then the points."""
    return [*chart_so_far(view), *points(view)]


def points(view: CaseView) -> list[Block]:
    """Each point with its quotation, its line, its advice and who said it."""
    grounds = {entry.finding: entry for entry in view.result.critique} if view.result else {}
    entries = tuple(
        _point(view, entry, grounds.get(entry.finding.id)) for entry in view.facts.findings
    )
    shown = findings(replace(view, facts=replace(view.facts, findings=entries)), detailed=True)
    return [part for block in shown for part in _quoted(view, block)]


def _quoted(view: CaseView, shown: Block) -> list[Block]:
    """With its quotation each; what is only for information is a line, unless all is shown."""
    if not isinstance(shown, FindingList):
        return [shown]
    words = replace(shown.words, carried=view.message("case_raised_by"))
    wholly = view.everything or view.deciding
    grave = tuple(e for e in shown.entries if wholly or e.finding.severity is not Severity.INFO)
    rest = tuple(entry for entry in shown.entries if entry not in grave)
    lists = (
        FindingList(grave, words, detailed=True, quoted=True),
        FindingList(rest, words),
    )
    return [block for block in lists if block.entries]


def _point(view: CaseView, entry: FindingEntry, ground: CritiqueEntry | None) -> FindingEntry:
    """Also of rules alone it is told who says it, and by which tool."""
    carried = entry.carried or ", ".join(entry.finding.raised_by)
    if ground is None:
        return replace(entry, carried=carried)
    lens = f" ({node(view, ground.lens)})" if ground.lens else ""
    rules = tuple(replace(rule, code=check(view, rule.code)) for rule in entry.rules)
    source = ground.reference if view.everything else shortened(ground.reference, _SHORT)
    reference = view.message("case_reference", source=source) if source else ""
    compared = places(ground.sources)
    reasons = (entry.why, ground.cohort, _besides(view, entry, ground), reference, compared)
    between = "\n" if view.everything else " · "
    why = between.join(dict.fromkeys(filter(None, map(str.strip, reasons))))
    return replace(entry, carried=f"{carried}{lens}", why=why, rules=rules)


def _besides(view: CaseView, entry: FindingEntry, ground: CritiqueEntry) -> str:
    """The other places in the chart that it rests on, with their words."""
    others = [
        f"{place(span)} “{shortened(span.text, _SHORT)}”"
        for span in ground.spans
        if (f"{place(span)}", span.text) != (entry.where, entry.finding.quote)
    ]
    first = others if view.everything else others[:_FIRST_PLACES]
    return view.message("case_besides", places="; ".join(first)) if first else ""


def _gaps(view: CaseView, result: CaseResult) -> list[Block]:
    gaps = result.record_gaps.gaps
    items = [Item(view.translate(gap.message), note=places(gap.spans)) for gap in gaps]
    return listed(view.message("case_gaps"), items)


def _coverage(view: CaseView, result: CaseResult) -> list[Block]:
    """What has no plan and what no finding; what is covered is only counted, unless everything is shown."""
    items = result.intervention_coverage.items
    if not items:
        return []
    heading = Heading(view.message("case_coverage"), _share(view, items))
    if view.everything:
        rows = tuple(_covered(view, item) for item in items)
        return [heading, Grid(_heads(view, "problem", "state", "where", "plan"), rows)]
    opened = tuple(_opened(view, item) for item in items if item.status != "covered")
    return [heading, Items(opened)] if opened else [heading]


def _share(view: CaseView, items: Iterable[CoverageItem]) -> str:
    states = [item.status for item in items if item.status != "unfounded"]
    done = sum(state == "covered" for state in states)
    return view.message("case_covered", n=done, all=len(states)) if states else ""


def _opened(view: CaseView, item: CoverageItem) -> Item:
    return Item(
        concept(view, item.concept),
        _status(view, item),
        places((*item.problem, *item.interventions)),
    )


def _covered(view: CaseView, item: CoverageItem) -> tuple[str, ...]:
    where, plan = places(item.problem), places(item.interventions)
    return concept(view, item.concept), _status(view, item), where, plan


def _status(view: CaseView, item: CoverageItem) -> str:
    return view.word(f"case_status_{item.status}", item.status)


def _scores(view: CaseView, result: CaseResult) -> list[Block]:
    scores = [score for lens in _lenses(result) for score in lens.scores]
    return listed(view.message("case_scores"), [_score(view, score) for score in scores])


def _score(view: CaseView, score: Score) -> Item:
    parts = ", ".join(f"{quantity(view, name)} {points}" for name, points in score.parts.items())
    missing = ", ".join(quantity(view, name) for name in score.missing)
    gaps = view.message("case_missing", names=missing) if missing else ""
    known = score.points is not None
    counted = score.points if known else sum(score.parts.values())
    text = view.message("case_points" if known else "case_no_score", n=counted)
    source = score.citation if view.everything else ""
    name = view.word(f"score_{score.name.lower()}", score.name)
    return Item(text, name, "; ".join(filter(None, (parts, gaps, source))))


def _lenses(result: CaseResult) -> Iterable[LensResult]:
    return (*result.lens_results.values(), *result.behavior_results.values())


def _readings(view: CaseView, result: CaseResult) -> list[Block]:
    """Who has read how much of a chart that somebody could not be shown at once."""
    if all(reading.portions == 1 for reading in result.readings):
        return []
    items = [
        Item(
            view.message(
                "case_read_whole" if not each.unread else "case_lines_unread", lines=lines
            ),
            each.by,
            view.message("case_portions", n=each.portions),
        )
        for each in result.readings
        for lines in [", ".join(f"{first}-{last}" for first, last in each.unread)]
    ]
    return listed(view.message("case_readings"), items)


def _unseen(view: CaseView, result: CaseResult) -> list[Block]:
    """What was not looked at or could not be said, by whom and why; the same reason stands once."""
    lenses = {**result.lens_results, **result.behavior_results}
    rows = [
        *((each.node, view.translate(each.why), each.by) for each in result.abstentions),
        *(
            (name, view.translate(why), "")
            for name, lens in lenses.items()
            for why in lens.abstains
        ),
        *(
            ("preprocess.record_gaps", view.translate(why), "")
            for why in result.record_gaps.abstains
        ),
        *((entry.node, view.translate(entry.why), entry.by) for entry in _failed(result)),
        *(("evidence", _weak(view, query), "") for query in result.evidence.weak),
        *(("input", view.translate(each), "") for each in result.patient_case.remarks),
    ]
    items = [
        Item(why, node(view, name), "" if by in ("", name) else by_whom(view, by))
        for name, why, by in rows
    ]
    return listed(view.message("case_unseen"), list(dict.fromkeys(items)))


def _weak(view: CaseView, query: str) -> str:
    return view.message("case_weak_query", query=concept(view, query))


def _failed(result: CaseResult) -> list[TraceEntry]:
    return [entry for entry in result.trace if entry.state == "failed" and entry.why is not None]


# ---- everything ---------------------------------------------------------------------------------


def _grounds(view: CaseView, result: CaseResult) -> list[Block]:
    return [
        *_solutions(view, result),
        *titled(view.message("case_risk_factors"), result.risk_factors),
        *titled(view.message("case_recommendations"), result.recommendations),
        *_text(view, "case_analysis", result.analysis),
        *_values(view, result),
        *_timeline(view, result),
        *_evidence(view, result),
        *_analyses(view, result),
        *_sources(view, result),
        *_proceedings(view, result),
        chart(view, result),
    ]


def _proceedings(view: CaseView, result: CaseResult) -> list[Block]:
    shown = tuple(proceedings(view, result))
    return [Folded(view.message("case_proceedings"), shown)] if shown else []


def _text(view: CaseView, title: str, text: str) -> list[Block]:
    return [Heading(view.message(title)), Words(text)] if text.strip() else []


def _solutions(view: CaseView, result: CaseResult) -> list[Block]:
    spans = {span.id: f"{span.id} {place(span)}" for span in result.evidence_spans.spans}
    items = [
        Item(
            view.translate(solution.action),
            solution.finding,
            "; ".join(filter(None, _about(view, solution, spans))),
        )
        for solution in result.solutions
    ]
    note = view.message("case_option", option=result.verified_by) if result.verified_by else ""
    return listed(view.message("case_solutions"), items, note)


def _about(view: CaseView, solution: SolutionEntry, spans: Mapping[str, str]) -> tuple[str, ...]:
    """Its priority, the places that it cites (spans by name and line), and whose it is."""
    cited = ", ".join(spans.get(name, name) for name in solution.citation.split(", "))
    priority = view.word(f"case_priority_{solution.priority}", solution.priority)
    return priority, cited or places(solution.sources), solution.by


def _values(view: CaseView, result: CaseResult) -> list[Block]:
    read = result.structured_chart
    if read is None or not read.measurements:
        return []
    sources = sorted({each.range_source for each in read.measurements if each.range_source})
    source_text = view.message("case_range_sources", names="; ".join(sources))
    return [
        Heading(view.message("case_values")),
        values(view, read.measurements),
        *([remark(Span(source_text, Style.DIM))] if sources else ()),
    ]


def _timeline(view: CaseView, result: CaseResult) -> list[Block]:
    events = result.timeline.events
    return [Heading(view.message("case_timeline")), timeline(view, events)] if events else []


def _evidence(view: CaseView, result: CaseResult) -> list[Block]:
    passages = [_passage(view, passage) for passage in result.evidence.passages]
    queries = len({query.text for query in result.evidence.queries})
    note = view.message("case_queries", n=queries) if queries else ""
    return listed(view.message("case_evidence"), passages, note)


def _passage(view: CaseView, passage: Passage) -> Item:
    support = view.word(f"case_support_{passage.support.value}", passage.support.value)
    note = f"{support}, {passage.relevance:.2f}; {concept(view, passage.query)}"
    return Item(f"“{' '.join(passage.span.text.split())}”", place(passage.span), note)


def _analyses(view: CaseView, result: CaseResult) -> list[Block]:
    diagnosis, treatment = result.diagnosis_analysis, result.treatment_analysis
    named = (*diagnosis.diagnoses, *diagnosis.differentials)
    return [
        *_analysis(view, "case_diagnoses", named, diagnosis.analysis),
        *_analysis(view, "case_treatments", treatment.treatments, treatment.analysis),
    ]


def _analysis(
    view: CaseView, title: str, points: Iterable[AnalysisPoint], text: str
) -> list[Block]:
    items = tuple(_statement(view, point) for point in points)
    parts = (*([Items(items)] if items else ()), *([Words(text)] if text.strip() else ()))
    return [Heading(view.message(title)), *parts] if parts else []


def _statement(view: CaseView, point: AnalysisPoint) -> Item:
    quotes = " / ".join(f"“{' '.join(quote.split())}”" for quote in point.quotes)
    status = view.word(f"case_status_{point.status}", point.status)
    text = "; ".join(filter(None, (quotes, point.concern)))
    return Item(text or status, concept(view, point.statement), status if text else "")


def _sources(view: CaseView, result: CaseResult) -> list[Block]:
    texts = (*result.patient_case.similar, *result.patient_case.documents)
    items = [
        Item(source.origin or "-", source.name, _similarity(view, source.similarity))
        for source in texts
    ]
    return listed(view.message("case_sources"), items)


def _similarity(view: CaseView, similarity: float | None) -> str:
    return "" if similarity is None else view.message("case_similarity", value=similarity)


def _heads(view: CaseView, *names: str) -> tuple[str, ...]:
    return tuple(view.message(f"case_head_{name}") for name in names)


RECORDS = (RoutingRecord, CritiqueRecord, FeedbackRecord, ReflectionRecord)
VIEW = WorkflowView(
    body,
    headline=headline,
    matter=matter,
    always_whole=True,
    tells=frozenset(record.kind for record in RECORDS),
)
DISPLAY = WorkflowDisplay(CaseResult, VIEW, LIVE)

"""Answers about the graph of a repository's code, as lines and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.presentation.json_rows import SCHEMA_VERSION
from orchestrator.presentation.locale.translator import Translator
from orchestrator.workflows.graph.options import GraphOptions
from shared.models.code_answers import CodeLink, CodeSymbol, GraphAnswer
from shared.models.findings import Place
from shared.models.workspace import Workspace

_OUTSIDE = "-"
SHOWN_LINES = 3
MOST_PATHS = 50


def answer_json(answer: GraphAnswer, workspace: Workspace, options: GraphOptions) -> dict[str, Any]:
    """The answer with what was asked of which state (`quorate docs graph`)."""
    return {
        "schema_version": SCHEMA_VERSION,
        "repository": workspace.repository,
        "commit": workspace.commit,
        **options.model_dump(mode="json"),
        **answer.model_dump(mode="json", exclude={"portions"}),
    }


def figure_lines(answer: GraphAnswer, words: Translator) -> list[Line]:
    """How large the graph is, and what was read for it."""
    counts = {"files": answer.files, "symbols": answer.symbols, "edges": answer.edges}
    return [line(words.message("graph_made", **counts))]


def link_lines(answer: GraphAnswer, words: Translator) -> list[Line]:
    """What was asked about, and a line a place from which, or at which, it is called."""
    rows = [row for link in answer.links for row in _site_lines(link)]
    return [*_asked(answer), *(rows or [_nothing(words)]), *_rest(answer, len(answer.links), words)]


def chain_lines(answer: GraphAnswer, words: Translator) -> list[Line]:
    """The chains of names, each with the place of its last call."""
    rows = [
        line(Span(" -> ".join(link.chain), Style.STRONG), *_at(link.sites)) for link in answer.links
    ]
    return [*(rows or [_nothing(words)]), *_rest(answer, len(answer.links), words)]


def impact_lines(answer: GraphAnswer, words: Translator) -> list[Line]:
    """Who depends on what was asked about, in which files, and the tests that reach it."""
    lists = (("graph_files", answer.paths), ("graph_tests", answer.tests))
    return [
        *link_lines(answer, words),
        *(row for code, paths in lists for row in _paths(code, paths, words)),
    ]


def hit_lines(answer: GraphAnswer, words: Translator) -> list[Line]:
    """What was found: its place, its name, and the first lines that stand there."""
    rows: list[Line] = []
    for hit in answer.hits:
        place = Span(hit.place.shown, Style.PLACE)
        rows.append(line(place, "  ", Span(hit.symbol or "", Style.STRONG), f"  {hit.kind}"))
        texts = [text for text in hit.text.splitlines() if text.strip()][:SHOWN_LINES]
        rows += [line(Span(f"    {text}", Style.DIM)) for text in texts]
    return [*(rows or [_nothing(words)]), *_rest(answer, len(answer.hits), words)]


def candidate_lines(answer: GraphAnswer, words: Translator) -> list[Line]:
    """What a name that is not clear may mean."""
    rows = [_symbol_line(symbol) for symbol in answer.candidates]
    return [*rows, *(_rest(answer, len(rows), words) if answer.total else ())]


def _asked(answer: GraphAnswer) -> Iterator[Line]:
    return map(_symbol_line, answer.asked)


def _symbol_line(symbol: CodeSymbol) -> Line:
    return line(_placed(symbol.place), "  ", Span(symbol.symbol, Style.STRONG), f"  {symbol.kind}")


def _site_lines(link: CodeLink) -> Iterator[Line]:
    """A line a place; a chain is shown where it has more than the two ends."""
    chain = f"  {' -> '.join(link.chain)}" if len(link.chain) > 2 else ""
    for site in link.sites:
        yield line("  ", _placed(site), f"  {link.symbol}", Span(chain, Style.DIM))


def _placed(place: Place | None) -> Span:
    return Span(_OUTSIDE if place is None else place.shown, Style.PLACE)


def _at(sites: Sequence[Place]) -> Iterable[Span]:
    return (Span(f"  {site.shown}", Style.PLACE) for site in sites[:1])


def _paths(code: str, paths: Sequence[str], words: Translator) -> Iterator[Line]:
    if paths:
        yield line(words.message(code, n=len(paths)))
        for path in paths[:MOST_PATHS]:
            yield line("  ", Span(path, Style.PLACE))
        if len(paths) > MOST_PATHS:
            yield line(words.message("graph_more", n=len(paths) - MOST_PATHS))


def _nothing(words: Translator) -> Line:
    return line(Span(words.message("graph_nothing"), Style.DIM))


def _rest(answer: GraphAnswer, shown: int, words: Translator) -> list[Line]:
    more = answer.total - shown
    return [line(Span(words.message("graph_more", n=more), Style.DIM))] if more > 0 else []

"""What a participant is shown of a case: whoever leaves this machine sees placeholders for identifiers.

Their replies are read with the identifiers put back, so a quotation is found in the chart as it is.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pydantic import JsonValue

from shared.models.case import CHART, Case, ChartSpan
from shared.models.panel import Participant
from shared.patterns import regex
from shared.providers.locality import leaves_machine
from shared.text.masking.identifiers import mask_identifiers, original_places, unmask

Place = tuple[int, int, str]
_PIECES = regex(r"[,;\n]|\.\s")
_LEAST_REPLACED = 3
"""Shorter identifiers are replaced only where they stand as words of their own."""


def _end(place: Place) -> int:
    return place[1]


@dataclass(frozen=True)
class Disclosure:
    """The chart's document for those on this machine and for others, and the identifiers (placeholder -> words)."""

    chart: str
    masked: str | None = None
    identifiers: Mapping[str, str] = field(default_factory=dict, repr=False)
    places: tuple[Place, ...] = ()
    """Where identifiers stand in the chart, with their placeholders, in order."""

    def document_for(self, participant: Participant) -> str:
        """The chart as that one may see it."""
        if self.masked is not None and self.hides_from(participant):
            return self.masked
        return self.chart

    def hides_from(self, participant: Participant) -> bool:
        """Whether identifiers are masked for it: it, or whoever may speak in its place, is elsewhere."""
        if self.masked is None:
            return False
        return any(map(leaves_machine, (participant, *participant.fallback)))

    def text_for(self, participant: Participant, text: str) -> str:
        """Any other text as that one may see it: what a tool quotes, and what those wrote who read the chart itself.

        The longest identifiers first, for one may hold another; then parts of names, birth dates written in another
        way, and whatever the rules find in this text alone. Without a placeholder of its own it is `[NAME]` and so on.
        """
        if not self.hides_from(participant):
            return text
        for placeholder, words in sorted(
            self.identifiers.items(), key=lambda each: len(each[1]), reverse=True
        ):
            if len(words) >= _LEAST_REPLACED:
                text = text.replace(words, placeholder)
        masked, mapping = mask_identifiers(text, self.identifiers, self._words)
        others = {new: new.rpartition("-")[0] + "]" for new in mapping.keys() - self.identifiers}
        return unmask(masked, others) if others else masked

    def quoted_for(self, participant: Participant, span: ChartSpan) -> str:
        """What stands there in the chart, as that one may see it."""
        if not self.hides_from(participant):
            return span.text
        return self.text_for(participant, "".join(self._pieces(span.start, span.end, span.text)))

    def content_for(self, participant: Participant, content: JsonValue) -> JsonValue:
        """A record as that one may see it: every text in it, before quotation marks and line ends are escaped."""
        match content:
            case str():
                return self.text_for(participant, content)
            case list():
                return [self.content_for(participant, each) for each in content]
            case dict():
                shown = self._quotation(content) if self.hides_from(participant) else content
                return {name: self.content_for(participant, each) for name, each in shown.items()}
        return content

    def _quotation(self, content: dict[str, JsonValue]) -> dict[str, JsonValue]:
        """A quotation of the chart, by its place: it may end within an identifier, which nothing else would show."""
        match content:
            case {"start": int(start), "end": int(end), "text": str(text)} if content.get(
                "source", CHART
            ) == CHART and end - start == len(text):
                return {**content, "text": "".join(self._pieces(start, end, text))}
        return content

    def _pieces(self, start: int, end: int, text: str) -> Iterator[str]:
        at = start
        for place, after, placeholder in self.places[bisect_left(self.places, start, key=_end) :]:
            if place >= end:
                break
            if after > start:
                yield text[at - start : max(place, at) - start]
                yield placeholder
                at = min(after, end)
        yield text[at - start :]

    @cached_property
    def _words(self) -> tuple[str, ...]:
        """What stands for identifiers, and the lines and sentences of an address, which a quotation may end after."""
        words = [*self.identifiers.values()]
        pieces = (piece.strip() for each in words for piece in _PIECES.split(each))
        return tuple(dict.fromkeys((*words, *(piece for piece in pieces if len(piece) > 3))))

    def unmasked(self, text: str) -> str:
        """A text with the identifiers in the places of their placeholders."""
        return unmask(text, self.identifiers)


def disclosure_of(case: Case, document: Callable[[str], str]) -> Disclosure:
    """Who may see what of a case."""
    identifiers = {} if case.identifiers is None else json.loads(document(case.identifiers))
    places = () if case.masked is None else original_places(document(case.masked), identifiers)
    return Disclosure(case.chart, case.masked, identifiers, tuple(places))

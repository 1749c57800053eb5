"""A chart as a text with its divisions and sentences: what every stage and lens starts from.

Places are code points of the text as it was captured, end excluded; lines end with a line feed and are counted from 1.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property, lru_cache

from pydantic import ValidationError

from shared.errors import ToolError
from shared.models.case import Case, ChartSection, ChartSpan, Division
from shared.patterns import regex
from workers.tools.clinical.languages import find_language
from workers.tools.clinical.sections import divide
from workers.tools.clinical.sentences import split_sentences
from workers.tools.registry import ToolContext

_LINE_FEED = regex(r"\n")


@dataclass(frozen=True)
class Chart:
    """A text that was read. `language` is `en`, `ko` or another ISO code; `sentences` are ranges in their order."""

    text: str
    language: str
    sections: tuple[ChartSection, ...]
    sentences: tuple[tuple[int, int], ...]

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """Where each line begins."""
        return (0, *(match.end() for match in _LINE_FEED.finditer(self.text)))

    @cached_property
    def _section_lines(self) -> tuple[int, ...]:
        return tuple(section.first_line for section in self.sections)

    @cached_property
    def _sentence_starts(self) -> tuple[int, ...]:
        return tuple(start for start, _ in self.sentences)

    def line_at(self, start: int) -> int:
        """The line of that character, from 1."""
        return bisect_right(self.line_starts, start)

    def span(self, start: int, end: int, id: str = "") -> ChartSpan:
        """The quotation of that range."""
        line = self.line_at(start)
        return ChartSpan(id=id, start=start, end=end, line=line, text=self.text[start:end])

    def section_at(self, start: int) -> ChartSection | None:
        """The section of that character; None in an empty chart."""
        number = bisect_right(self._section_lines, self.line_at(start)) - 1
        return self.sections[max(number, 0)] if self.sections else None

    def division_at(self, start: int) -> Division:
        """The division of that character."""
        section = self.section_at(start)
        return section.division if section else Division.SUBJECTIVE

    def sentence_at(self, start: int) -> tuple[int, int]:
        """The sentence of that character, or the last one before it."""
        number = bisect_right(self._sentence_starts, start) - 1
        return self.sentences[max(number, 0)] if self.sentences else (0, len(self.text))


@lru_cache(maxsize=4)
def read_chart(text: str) -> Chart:
    """Divide a text. The same text is read once, as several tools of a process ask for it."""
    return Chart(text, find_language(text), divide(text), split_sentences(text))


def load_case(context: ToolContext, subject: str) -> Case:
    """The captured case of that document. Raises `ToolError` for a document that is none."""
    try:
        return Case.model_validate_json(context.documents.get(subject))
    except ValidationError:
        raise ToolError(
            "The document {subject} is no captured case.", subject=subject[:12]
        ) from None


def load_chart(context: ToolContext, subject: str) -> Chart:
    """The chart of that case. Raises `ToolError` when it is not UTF-8."""
    document = load_case(context, subject).chart
    try:
        return read_chart(context.documents.get(document).decode())
    except UnicodeDecodeError:
        raise ToolError("The chart {document} is not UTF-8.", document=document[:12]) from None

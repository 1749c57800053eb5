"""A clinical case as it was captured, and what is read out of its chart: the state of the workflow `case`.

The names are those of the clinical critic's design (`patient_case`, `similar_cases`, `structured_chart`, ...). All
places are counted in characters (code points) of the chart's text, end excluded; lines are counted from 1.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import Field, StringConstraints

from shared.models.findings import Severity
from shared.models.mentions import MentionKind
from shared.models.notices import Notice
from shared.models.wire import ForeignWire, Verbatim, Wire

DocumentHash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
CHART = "chart"
"""The source of what stands in the chart itself."""


class Sex(StrEnum):
    """As a chart states it; reference ranges depend on it."""

    FEMALE = "female"
    MALE = "male"


class SourceText(Wire):
    """A text that belongs to a case and is no chart: another case, or a document of the folder of evidence.

    `name` is what citations call it (`similar/2`, `documents/guideline.md`), `origin` the file and line that it was
    read from, or the run that it was stored with. `similarity` 0 to 1 where it was retrieved.
    """

    name: str
    text: DocumentHash
    origin: str = ""
    similarity: float | None = Field(default=None, ge=0, le=1)


class Case(Wire):
    """The subject of a run: `chart` is the document of the chart's text, and of nothing else.

    `masked` is the same text with placeholders for identifiers, for participants that are reached over the network;
    `identifiers` (placeholder -> what stood there) is a document of its own, which no prompt shows.
    `sex` and `birth_date` (ISO) where the input stated them in fields of their own.
    """

    title: str
    chart: DocumentHash
    patient: str = ""
    sex: Sex | None = None
    birth_date: str | None = None
    similar: tuple[SourceText, ...] = ()
    documents: tuple[SourceText, ...] = ()
    masked: DocumentHash | None = None
    identifiers: DocumentHash | None = None
    remarks: tuple[Notice, ...] = ()


class ChartSpan(ForeignWire):
    """A quotation: `text` is exactly what stands from `start` to `end` in `source`. `line` is that of its start."""

    id: str = ""
    source: str = CHART
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    line: int = Field(ge=1)
    text: Verbatim


# ---- the chart, read by code --------------------------------------------------------------------


class Division(StrEnum):
    """The parts of a note that tell different things (the divisions of the ACI-BENCH notes)."""

    SUBJECTIVE = "subjective"
    EXAM = "objective_exam"
    RESULTS = "objective_results"
    PLAN = "assessment_and_plan"


class ChartSection(ForeignWire):
    """Lines under one heading; `heading` is empty where the text has none and the lines speak for themselves."""

    heading: str
    division: Division
    first_line: int = Field(ge=1)
    last_line: int = Field(ge=1)


class Mention(ForeignWire):
    """A medical concept where it is named. `concept` is its name in lower-case English, synonyms made one.

    `negated`: it is denied or excluded; `uncertain`: it is suspected or possible; `family`: somebody else has it;
    `past`: it is history; `planned`: it is ordered, recommended or intended. `dose` as written.
    """

    span: ChartSpan
    kind: MentionKind
    concept: str
    division: Division
    negated: bool = False
    uncertain: bool = False
    family: bool = False
    past: bool = False
    planned: bool = False
    side: str | None = None
    dose: str | None = None

    @property
    def asserted(self) -> bool:
        """The patient has it now, as far as the chart says."""
        return not (self.negated or self.uncertain or self.family or self.past or self.planned)


class Measurement(ForeignWire):
    """A value as it is written, and in the unit of its reference range.

    `name` is the quantity in lower-case English (`heart_rate`, `potassium`); `value` in `unit`, None where it is no
    number or its unit is not known. `low` and `high` are the reference range that applies to this patient; `source`
    of the range says where it comes from (`chart` where the chart states it). `date` is ISO, or None.
    """

    span: ChartSpan
    name: str
    value: float | None
    unit: str | None
    low: float | None = None
    high: float | None = None
    range_source: str = ""
    date: str | None = None
    division: Division = Division.RESULTS


class PatientFacts(ForeignWire):
    """What the chart says of the patient, with the words that say it."""

    age_years: float | None = None
    sex: Sex | None = None
    birth_date: str | None = None
    spans: tuple[ChartSpan, ...] = ()


class StructuredChart(ForeignWire):
    """`structured_chart`: which lines tell what, who the patient is, what is mentioned and measured.

    `language` is `en`, `ko`, or another ISO code of a chart whose lenses will abstain.
    """

    language: str
    sections: tuple[ChartSection, ...] = ()
    patient: PatientFacts = PatientFacts()
    mentions: tuple[Mention, ...] = ()
    measurements: tuple[Measurement, ...] = ()


# ---- the critic's preprocessing -----------------------------------------------------------------


class TimelineEvent(ForeignWire):
    """Something with a time. `date` is ISO as far as it is known (`2024`, `2024-03`, `2024-03-07`, with `T14:30`).

    `offset_days` places what is told relative to the visit ("3 days ago" is -3.0). `kind` is a word: `visit`,
    `admission`, `discharge`, `onset`, `result`, `drug`, `procedure`, `birth`, `death`, `other`.
    """

    span: ChartSpan
    kind: str
    date: str | None = None
    offset_days: float | None = None
    text: str = ""


class Timeline(ForeignWire):
    """`preprocessing.timeline`: events in order of time; what has no time comes last."""

    events: tuple[TimelineEvent, ...] = ()


class EvidenceSpans(ForeignWire):
    """`preprocessing.evidence`: the sentences that something can be said about, with ids (`E1`, `E2`, ...)."""

    spans: tuple[ChartSpan, ...] = ()


class RecordGap(ForeignWire):
    """Something that a chart of this kind has and this one has not."""

    what: str
    message: Notice
    spans: tuple[ChartSpan, ...] = ()


class RecordGaps(ForeignWire):
    """`preprocessing.record_gaps`; `abstains` says why nothing could be looked for."""

    gaps: tuple[RecordGap, ...] = ()
    abstains: tuple[Notice, ...] = ()


# ---- lenses -------------------------------------------------------------------------------------


class LensPoint(ForeignWire):
    """What a lens found. `message` says it as a notice; `spans` show it in the chart, at least one.

    `kind` is the check's own name (`value_out_of_range`, `dates_contradict`, ...), `citation` the source of its
    formula or range. `sources` are spans of similar cases.
    """

    kind: str
    severity: Severity
    category: str
    message: Notice
    advice: Notice | None = None
    spans: tuple[ChartSpan, ...] = Field(min_length=1)
    sources: tuple[ChartSpan, ...] = ()
    citation: str = ""


class Score(ForeignWire):
    """An early-warning score: its parts with their points, and what was missing for it."""

    name: str
    points: int | None
    parts: dict[str, int] = Field(default_factory=dict)
    missing: tuple[str, ...] = ()
    citation: str = ""


class LensResult(ForeignWire):
    """What a tool of the critic answers: `lens_results` and `behavior_results` by the tool's name.

    `abstains` says what it cannot say, and why (no similar case, another language, a model's question); `looked` is
    False where that is everything: then having no points says nothing of the chart.
    """

    points: tuple[LensPoint, ...] = ()
    scores: tuple[Score, ...] = ()
    abstains: tuple[Notice, ...] = ()
    looked: bool = True


# ---- evidence -----------------------------------------------------------------------------------


class Support(StrEnum):
    """What a passage does for what was asked."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    MENTIONS = "mentions"


class EvidenceQuery(ForeignWire):
    """What was looked for. `attempt` 2 and later are the same in other words, because the first found too little.

    `best` is the relevance of the best passage, 0 to 1.
    """

    text: str
    purpose: str = ""
    attempt: int = 1
    best: float = 0.0


class Passage(ForeignWire):
    """A place that was found: `span.source` is `chart`, `similar/2` or `documents/guideline.md`.

    `nearness` is the cosine of its vector and the query's, where there are vectors.
    """

    span: ChartSpan
    query: str
    relevance: float = Field(ge=0, le=1)
    support: Support = Support.MENTIONS
    nearness: float | None = None


class CaseEvidence(ForeignWire):
    """`evidence`: what was retrieved, graded; `weak` are queries that found nothing good in any words."""

    queries: tuple[EvidenceQuery, ...] = ()
    passages: tuple[Passage, ...] = ()
    weak: tuple[str, ...] = ()


# ---- coverage of problems by interventions ------------------------------------------------------


class CoverageItem(ForeignWire):
    """A problem and what is done about it; `status` is `covered`, `open` (no plan) or `unfounded` (no finding)."""

    concept: str
    status: str
    problem: tuple[ChartSpan, ...] = ()
    interventions: tuple[ChartSpan, ...] = ()


class InterventionCoverage(ForeignWire):
    """`intervention_coverage`."""

    items: tuple[CoverageItem, ...] = ()

    @property
    def covered(self) -> float | None:
        """The share of problems that something is done about; None without problems."""
        problems = [item for item in self.items if item.status != "unfounded"]
        if not problems:
            return None
        return sum(item.status == "covered" for item in problems) / len(problems)

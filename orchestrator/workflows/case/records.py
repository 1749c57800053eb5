"""The facts that a case writes into its journal besides its rounds: choices of tools, grounds, feedback, reflection."""

from __future__ import annotations

from typing import ClassVar, Literal

from orchestrator.core.replay.commands import RecordBody, RoundRecord
from orchestrator.workflows.case.result import CaseConfidence, CaseRouting
from shared.models.case import ChartSpan
from shared.models.notices import Notice
from shared.models.wire import Wire


class RoutingRecord(RecordBody):
    """Which tools run next and why, and why the others do not."""

    kind: ClassVar[str] = "case.routing"

    routing: CaseRouting

    @property
    def picked(self) -> tuple[str, ...]:
        """The tools that run."""
        return tuple(choice.tool for choice in self.routing.tools if choice.run)


class PointGround(Wire):
    """What a finding rests on: `spans` in the chart, `sources` elsewhere, the lens and the source of its rule.

    `cohort` is the comparison with similar cases, `actions` are what its raisers would do, by their names.
    """

    finding: str
    spans: tuple[ChartSpan, ...] = ()
    sources: tuple[ChartSpan, ...] = ()
    reference: str = ""
    cohort: str = ""
    lens: str | None = None
    actions: tuple[tuple[str, str], ...] = ()


class CritiqueRecord(RecordBody):
    """What a critique brought besides its findings: their grounds, and how many of its points do not count.

    `shown` of `raised` points name places that exist. `repeats`: it says nothing that was not said before.
    """

    kind: ClassVar[str] = "case.critique"

    iteration: int
    feedback: int
    raised: int
    shown: int
    new: int
    repeats: bool = False
    grounds: tuple[PointGround, ...] = ()


class FeedbackRecord(RecordBody):
    """Whether a critique will do, by whom; else what is to run besides and what is to be mended."""

    kind: ClassVar[str] = "case.feedback"

    iteration: int
    feedback: int
    by: str
    ok: bool
    requested_tools: tuple[str, ...] = ()
    patch_instructions: tuple[Notice, ...] = ()


class ReflectionRecord(RecordBody):
    """Whether the critic is run again, why, and what it must improve then."""

    kind: ClassVar[str] = "case.reflection"

    iteration: int
    confidence: CaseConfidence
    decision: Literal["again", "enough", "repeats", "exhausted", "nothing_left", "stopped"]
    why: Notice
    memory: tuple[Notice, ...] = ()


RECORDS = (RoundRecord, RoutingRecord, CritiqueRecord, FeedbackRecord, ReflectionRecord)
"""Every kind of fact that a case writes."""

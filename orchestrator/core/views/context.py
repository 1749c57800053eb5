"""What a workflow's view is given, and the small parts that views are made of.

A view is pure: it makes blocks (core/document.py) of the workflow's typed result and of what all runs share. The head
of a document (verdict, gate, what nobody read) and its end (decision, warnings, costs) are made once for all workflows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from orchestrator.core.document import Block, FindingEntry, Heading, Item, Items, Remark, Words
from orchestrator.core.lines import Span, Style, line
from orchestrator.core.results import ShownMatter, WorkflowResult
from shared.models.assessment import Assessment
from shared.models.decision import DecisionAnswer
from shared.models.notices import Notice, notice, of_column, verbatim
from shared.models.outcomes import Ending, StepStatus
from shared.models.panel import Participant
from shared.models.rows import RecordRow, StepRow
from shared.models.run import RunSpec
from shared.text.amounts import dollars


class Vocabulary(Protocol):
    """The words of the reader's language (presentation/locale)."""

    def message(self, code: str, /, **params: object) -> str:
        """The words of a code of ours."""
        ...

    def translate(self, stored: object) -> str:
        """A notice, or what was stored as one, as one sentence."""
        ...

    def word(self, code: str, otherwise: str) -> str:
        """The word for a value, or the value itself where nobody has given it one."""
        ...

    def knows(self, code: str) -> bool:
        """Whether there are words for a code."""
        ...

    def named(self, prefix: str) -> tuple[str, ...]:
        """What has words under codes that begin with `prefix`, without it."""
        ...


@dataclass(frozen=True)
class RunFacts:
    """What all runs have: `findings` are those that the panel did not reject, what to read first on top.

    `standing` holds the ids of those that nothing has fixed, `assessments` a round's figures by the key of its record,
    `records` are the facts of other kinds; `is_cut`: more was found than the findings say.
    """

    spec: RunSpec
    steps: tuple[StepRow, ...]
    assessments: tuple[tuple[str, Assessment], ...]
    findings: tuple[FindingEntry, ...]
    titles: tuple[str, ...]
    standing: frozenset[str]
    ending: Ending | None
    rounds: int
    final: bool
    summary: str
    matter: ShownMatter | None
    records: tuple[RecordRow, ...] = ()
    is_cut: bool = False

    @property
    def critics(self) -> tuple[Participant, ...]:
        """Who judges."""
        return self.spec.panel.critics

    @property
    def rejected(self) -> int:
        """How many findings the panel rejected."""
        return len(self.titles) - sum(1 + len(entry.again) for entry in self.findings)

    def replies(self, role: str) -> tuple[StepRow, ...]:
        """The turns of a role that brought something, as they were asked for."""
        return tuple(
            step
            for step in self.steps
            if step.role == role and step.status == StepStatus.DONE and step.reply
        )


ResultT = TypeVar("ResultT", bound=WorkflowResult)


@dataclass(frozen=True)
class ViewContext(Generic[ResultT]):
    """A run and how it is to be shown; `result` is None while there is none.

    `brief`: only what was asked for; `most_findings` None: everything, with so many findings as are to be `listed`
    (None: all); `deciding`: all that a person decides on; `on_page`: turns, course and bill are shown beside it.
    """

    facts: RunFacts
    result: ResultT | None
    words: Vocabulary
    brief: bool = False
    most_findings: int | None = None
    listed: int | None = None
    deciding: bool = False
    on_page: bool = False

    @property
    def everything(self) -> bool:
        """Whether all that was said is to be shown."""
        return self.most_findings is None

    @property
    def spoken(self) -> bool:
        """Whether what was said in turns is to be shown in full."""
        return self.everything and not self.on_page

    def message(self, code: str, **params: object) -> str:
        """The sentence in the reader's language."""
        return self.words.message(code, **params)

    def word(self, code: str, otherwise: str) -> str:
        """The word for a value, or the value itself where nobody has given it one."""
        return self.words.word(code, otherwise)

    def translate(self, stored: object) -> str:
        """A notice, or what was stored as one, as a sentence."""
        return self.words.translate(stored)


@dataclass(frozen=True)
class WorkflowView(Generic[ResultT]):
    """How runs of a workflow are shown. See docs/design/results.md.

    `body` is the document between its head and its end; `headline` stands after the verdict (without one: convergence
    and rounds, where rounds are assessed); `matter` is what a person decides on; `course` is how it came about, known
    also while the run goes on. With `always_whole` no result is shortened to what was asked for. Records of the kinds
    in `tells` are in the body or the course.
    """

    body: Callable[[ViewContext[ResultT]], list[Block]]
    headline: Callable[[ViewContext[ResultT]], str] | None = None
    matter: Callable[[ViewContext[ResultT]], list[Block]] | None = None
    course: Callable[[ViewContext[ResultT]], list[Block]] | None = None
    always_whole: bool = False
    tells: frozenset[str] = frozenset()


# ---- parts --------------------------------------------------------------------------------------


def took_s(step: StepRow) -> float | None:
    """How long a step was worked on: from its (last) start to its end; None before the end."""
    if step.finished_at_s is None:
        return None
    began_s = step.leased_at_s if step.leased_at_s is not None else step.queued_at_s
    return max(0.0, step.finished_at_s - began_s)


def why_failed(step: StepRow) -> Notice | None:
    """Why a step has no reply; None where it has one, or is not over."""
    if step.status in (StepStatus.FAILED, StepStatus.CANCELLED):
        return failure_of(step)
    return None


def failure_of(step: StepRow) -> Notice:
    """A step's failure; its state where it has none."""
    if not step.failure_kind:
        return verbatim(step.status)
    return notice("failure", kind=step.failure_kind, message=of_column(step.failure_message))


def figures(*parts: str | None) -> str:
    """The parts that are known, one after another."""
    return " · ".join(part for part in parts if part)


def price(view: ViewContext[Any], cost_usd: float | None) -> str:
    """A cost; an unknown one is shown as unknown."""
    return view.message("cost_unknown") if cost_usd is None else dollars(cost_usd)


def confidence(view: ViewContext[Any], value: float | None) -> str:
    """A stated confidence; nothing when none was stated."""
    return "" if value is None else view.message("confidence", value=value)


def voices(view: ViewContext[Any], independent: int | None, votes: int) -> str:
    """A word where several votes are not so many independent ones: members of one family count as one."""
    if independent is None or independent >= votes:
        return ""
    return view.message("voices", n=independent)


def decided_by(view: ViewContext[Any], answer: DecisionAnswer) -> str:
    """`accept, by ada (cli)`; a policy is its own channel."""
    word = "decided_by_itself" if answer.actor == answer.channel else "decided"
    return view.message(word, choice=answer.choice, actor=answer.actor, channel=answer.channel)


def titled(title: str, texts: Sequence[str]) -> list[Block]:
    """A heading with a list below it; nothing without entries."""
    return [Heading(title), Items(tuple(Item(text) for text in texts))] if texts else []


def listed(title: str, entries: Sequence[Item], note: str = "") -> list[Block]:
    """The same of entries that are made already."""
    return [Heading(title, note), Items(tuple(entries))] if entries else []


def texts(entries: Iterable[tuple[Heading, str]]) -> list[Block]:
    """Texts in full, each below its heading."""
    return [block for heading, text in entries for block in (heading, Words(text))]


def sentence(title: str, text: str) -> list[Block]:
    """A short text on its title's line, a longer one below it."""
    if "\n" in text.strip():
        return [Heading(title), Words(text)]
    return [Remark(line(Span(f"{title}: ", Style.STRONG), text.strip()))]


class MergedText(Protocol):
    """A chair's text with its sections."""

    @property
    def summary(self) -> str:
        """What it comes to."""
        ...

    @property
    def consensus(self) -> tuple[str, ...]:
        """What is agreed."""
        ...

    @property
    def resolved_issues(self) -> tuple[str, ...]:
        """What was settled."""
        ...

    @property
    def remaining_concerns(self) -> tuple[str, ...]:
        """What was not."""
        ...


def synthesis(view: ViewContext[Any], merged: MergedText, by: str | None) -> list[Block]:
    """A merged text with its sections."""
    title = view.message("synthesis_by", who=by) if by else view.message("synthesis")
    sections = (
        ("consensus", merged.consensus),
        ("resolved", merged.resolved_issues),
        ("concerns", merged.remaining_concerns),
    )
    entries = tuple(Item(text, view.message(name)) for name, texts in sections for text in texts)
    blocks: list[Block] = [Heading(title), Words(merged.summary)]
    return [*blocks, Items(entries)] if entries else blocks


def shortened(text: str, most: int) -> str:
    """The beginning of a text on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"


def names(parts: Iterable[str], nobody: str) -> str:
    """`a, b, c`, or who nobody is."""
    return ", ".join(parts) or nobody

"""The review workflow's prompts, built from captured templates and parts that are stored by content."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from orchestrator.core.discussion.contested import Agenda, latest_lines, settled_line
from orchestrator.core.discussion.portions import Portion, excerpt
from orchestrator.core.discussion.strategies import DiscussionRole, Speaker
from orchestrator.core.discussion.templates import Templates, data
from orchestrator.core.findings.stances import AUTHOR_ROLES
from orchestrator.core.replay.commands import Prompt
from orchestrator.core.wording import findings_text
from shared.models.assessment import Assessment
from shared.models.findings import Finding, Position, Stance
from shared.models.panel import Participant
from shared.models.steps import PromptPart
from shared.models.subject import FileChange, Subject

PORTION = "portion"
CALLERS_TOKENS = 1500
"""What may be said about who calls what changed: the places of some dozens of calls."""


@dataclass(frozen=True)
class ChangeView:
    """What a turn sees of the change: all of it, or these pieces and the template that says which they are."""

    pieces: Portion | None = None
    template: str = ""
    values: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def portion(cls, pieces: Portion, number: int, count: int) -> ChangeView:
        """One of the portions in which a participant reads the whole change."""
        return cls(pieces, PORTION, {"number": str(number), "count": str(count)})

    @classmethod
    def excerpt(
        cls,
        subject: Subject,
        participant: Participant,
        findings: Sequence[Finding],
        share: float = 1.0,
    ) -> ChangeView:
        """The places of the findings, where the change is too large to be shown every time."""
        places = excerpt(subject, participant, findings, share)
        if places is None:
            return WHOLE
        return cls(places.pieces, "excerpt", {"omitted": str(places.omitted)})


WHOLE = ChangeView()


@dataclass(frozen=True)
class ReviewPrompts:
    """How each turn of a review is asked; with `tested` also for a test that shows each defect.

    `callers` is the document of who calls what changed, for the first critiques.
    """

    templates: Templates
    tested: bool = False
    callers: str | None = None

    def discussion(
        self,
        role: DiscussionRole,
        number: int,
        subject: Subject,
        points: Agenda,
        ledger: Sequence[Stance],
        critics: int,
        shown: ChangeView,
    ) -> Prompt:
        """A critique (the first one blind) or a rebuttal; what is settled is named in one line."""
        parts = [*self._subject(subject, shown)]
        if self.callers is not None and number == 1 and not role.answers:
            parts.append(data("callers", document=self.callers))
            parts.append(self.templates.part("callers"))
        if points.contested:
            parts.append(data("findings", text=findings_text(points.contested, critics)))
        if settled := settled_line(points):
            parts.append(self.templates.part("settled", settled=settled))
        if replies := _replies(points.contested, ledger, of_author=not role.answers):
            parts.append(data("answers", text=replies))
        task = self.templates.part(role.prompt(number), title=_kind(subject), number=number)
        parts.append(task)
        if self.tested and not role.answers:
            parts.append(self.templates.part("reproduce"))
        return Prompt((self.templates.part(role.system),), tuple(parts))

    def discussion_brief(
        self,
        speaker: Speaker,
        subject: Subject,
        findings: Sequence[Finding],
        ledger: Sequence[Stance],
    ) -> dict[str, Any]:
        """The same matter as data, for rule-based participants."""
        matter = {
            "findings": [finding.model_dump(mode="json") for finding in findings],
            "changed": {file.path: _lines(file, subject) for file in subject.files},
            "sources": {finding.id: finding.quote or "" for finding in findings},
        }
        if speaker.role.answers:
            return matter
        name = speaker.participant.name
        own = [finding.id for finding in findings if name in finding.raised_by]
        return {**matter, "own": own, "defences": _defences(ledger)}

    def synthesis(
        self,
        chair: Participant,
        subject: Subject,
        findings: Sequence[Finding],
        texts: Sequence[str],
        critics: int,
    ) -> Prompt:
        """The chair sees what was found and what was said."""
        parts = [
            data("findings", text=findings_text(findings, critics) or "none"),
            *(data("contribution", text=text) for text in texts),
            self.templates.part("synthesis", title=_kind(subject)),
        ]
        return self.templates.prompt(self.templates.part("chair"), chair, parts)

    def synthesis_brief(
        self, findings: Sequence[Finding], assessment: Assessment | None
    ) -> dict[str, Any]:
        """The same as data."""
        return {
            "findings": [finding.model_dump(mode="json") for finding in findings],
            "ending": None if assessment is None else assessment.ending,
            "assessment": None if assessment is None else assessment.model_dump(mode="json"),
        }

    def fix(
        self,
        speaker: Speaker,
        subject: Subject,
        findings: Sequence[Finding],
        critics: int,
        touched: Collection[str],
        shown: ChangeView,
    ) -> Prompt:
        """The author writes one patch a finding; the `touched` files are shown whole."""
        files = [
            data(f"file {file.path}", document=file.after)
            for file in subject.files
            if file.after is not None and file.path in touched
        ]
        parts = [
            *self._subject(subject, shown),
            *files,
            data("findings", text=findings_text(findings, critics)),
            self.templates.part("fix", title=_kind(subject)),
        ]
        return self.templates.prompt(
            self.templates.part(speaker.role.system), speaker.participant, parts
        )

    def _subject(self, subject: Subject, shown: ChangeView) -> tuple[PromptPart, ...]:
        """What every turn begins with: a provider that has read it once need not read it again.

        The diff shows nothing of a file that became code or executable as it was: it is given whole. Of a large change
        it is what this turn is about, and a sentence that says so.
        """
        if shown.pieces is not None:
            files = {(file.path, file.after) for file in subject.files if file.as_new}
            return (
                *(
                    data(
                        f"file {piece.path}" if (piece.path, piece.document) in files else "diff",
                        document=piece.document,
                    )
                    for piece in shown.pieces
                ),
                data("title", text=subject.title),
                self.templates.part(shown.template, **shown.values),
            )
        whole = (
            data(f"file {file.path}", document=file.after, stable=True)
            for file in subject.files
            if file.as_new
        )
        diff = data("diff", document=subject.diff, stable=True)
        return (diff, *whole, data("title", text=subject.title, stable=True))


def _defences(ledger: Sequence[Stance]) -> dict[str, dict[str, str]]:
    """What the author's side says against findings."""
    return {
        line.finding: {"reason": line.reason}
        for line in ledger
        if line.role in AUTHOR_ROLES and line.position is Position.DISAGREE
    }


def _lines(file: FileChange, subject: Subject) -> list[list[int]]:
    """The changed lines; a file that was left out is new to everybody, and named by its first one."""
    if file.skipped is not None and subject.counts_unread:
        return [[1, 1]]
    return [[lines.first, lines.last] for lines in file.changed]


def _kind(subject: Subject) -> str:
    """What kind of change it is, in our words: the rest of a title is somebody else's text and stands in a fence."""
    return subject.title.partition(":")[0]


def _replies(findings: Sequence[Finding], ledger: Sequence[Stance], *, of_author: bool) -> str:
    """What the other side said last about each finding, without names."""
    lines = (line for line in ledger if (line.role in AUTHOR_ROLES) == of_author and line.reason)
    return "\n".join(
        f"{line.finding}: {line.position} — {line.reason}" for line in latest_lines(findings, lines)
    )

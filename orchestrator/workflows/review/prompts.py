"""The review workflow's prompts, built from captured templates and parts that are stored by content."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from string import Template
from typing import Any

from orchestrator.core.discussion.contested import Agenda, settled_line
from orchestrator.core.discussion.portions import Portion, excerpt
from orchestrator.core.discussion.wording import findings_text
from orchestrator.core.replay.commands import Prompt
from shared.models.assessment import Assessment
from shared.models.findings import Finding, Position, Stance
from shared.models.panel import Participant, Role
from shared.models.steps import PromptPart
from shared.models.subject import FileChange, Subject


@dataclass(frozen=True)
class ChangeView:
    """What a turn sees of the change: all of it, or these pieces and the template that says which they are."""

    pieces: Portion | None = None
    template: str = ""
    values: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def portion(cls, pieces: Portion, number: int, count: int) -> ChangeView:
        """One of the portions in which a participant reads the whole change."""
        return cls(pieces, "portion", {"number": str(number), "count": str(count)})

    @classmethod
    def excerpt(
        cls,
        subject: Subject,
        participant: Participant,
        findings: Sequence[Finding],
        share: float = 1.0,
    ) -> ChangeView:
        """The places of the findings, where the change is too large to be shown every time."""
        found = excerpt(subject, participant, findings, share)
        if found is None:
            return WHOLE
        return cls(found.pieces, "excerpt", {"omitted": str(found.omitted)})


WHOLE = ChangeView()


@dataclass(frozen=True)
class ReviewPrompts:
    """Templates by name (see orchestrator/workflows/review/prompts) for one strategy."""

    templates: dict[str, str]
    strategy: str

    def discussion(
        self,
        speaker: Participant,
        role: Role,
        number: int,
        subject: Subject,
        points: Agenda,
        ledger: Sequence[Stance],
        critics: int,
        shown: ChangeView,
    ) -> Prompt:
        """A critique (the first one blind) or a rebuttal; what is settled is named in one line."""
        who = "critic" if role is Role.CRITIQUE else "author"
        task = "critique.first" if number == 1 else f"{role.value}.{number}"
        if number > 1:
            task = "critique.later" if role is Role.CRITIQUE else "rebuttal"
        parts = [*self._subject(subject, shown)]
        if points.contested:
            parts.append(self._data("findings", text=findings_text(points.contested, critics)))
        if settled := settled_line(points):
            parts.append(self._text("settled", settled=settled))
        said = _answers(
            points.contested, ledger, Role.REBUTTAL if role is Role.CRITIQUE else Role.CRITIQUE
        )
        if said:
            parts.append(self._data("answers", text=said))
        words = {"title": _kind(subject), "number": str(number)}
        parts.append(self._text(f"{task}.{self.strategy}", **words))
        return self._prompt(f"{who}.{self.strategy}", speaker, parts)

    def discussion_brief(
        self,
        speaker: Participant,
        role: Role,
        subject: Subject,
        findings: Sequence[Finding],
        ledger: Sequence[Stance],
    ) -> dict[str, Any]:
        """The same matter as data, for rule-based participants."""
        brief: dict[str, Any] = {
            "findings": [finding.model_dump(mode="json") for finding in findings],
            "changed": {file.path: _lines(file, subject) for file in subject.files},
            "sources": {finding.id: finding.quote or "" for finding in findings},
        }
        if role is Role.CRITIQUE:
            brief["own"] = [f.id for f in findings if speaker.name in f.raised_by]
            brief["defences"] = {
                line.finding: {"reason": line.reason}
                for line in ledger
                if line.role == Role.REBUTTAL and line.position is Position.DISAGREE
            }
        return brief

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
            self._data("findings", text=findings_text(findings, critics) or "none"),
            *(self._data("contribution", text=text) for text in texts),
            self._text("synthesis", title=_kind(subject)),
        ]
        return self._prompt("chair", chair, parts)

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
        author: Participant,
        subject: Subject,
        findings: Sequence[Finding],
        critics: int,
        touched: Collection[str],
        shown: ChangeView,
    ) -> Prompt:
        """The author writes one patch a finding; the `touched` files are shown whole."""
        files = [
            self._data(f"file {file.path}", document=file.after)
            for file in subject.files
            if file.after is not None and file.path in touched
        ]
        parts = [
            *self._subject(subject, shown),
            *files,
            self._data("findings", text=findings_text(findings, critics)),
            self._text("fix", title=_kind(subject)),
        ]
        return self._prompt("author." + self.strategy, author, parts)

    def _subject(self, subject: Subject, shown: ChangeView) -> tuple[PromptPart, ...]:
        """What every turn begins with: a provider that has read it once need not read it again.

        The diff shows nothing of a file that became code or executable as it was: it is given whole. Of a large change
        it is what this turn is about, and a sentence that says so.
        """
        if shown.pieces is not None:
            files = {(file.path, file.after) for file in subject.files if file.as_new}
            return (
                *(
                    self._data(
                        f"file {piece.path}" if (piece.path, piece.document) in files else "diff",
                        document=piece.document,
                    )
                    for piece in shown.pieces
                ),
                self._data("title", text=subject.title),
                self._text(shown.template, **shown.values),
            )
        whole = (
            self._data(f"file {file.path}", document=file.after)
            for file in subject.files
            if file.as_new
        )
        diff, title = (
            self._data("diff", document=subject.diff),
            self._data("title", text=subject.title),
        )
        parts = (diff, *whole, title)
        return tuple(part.model_copy(update={"stable": True}) for part in parts)

    def _prompt(self, system: str, speaker: Participant, parts: list[PromptPart]) -> Prompt:
        opening = [self._text(system)]
        if speaker.persona:
            opening.append(self._text("persona", persona=speaker.persona))
        return Prompt(system=tuple(opening), user=tuple(parts))

    def _text(self, name: str, **values: str) -> PromptPart:
        return PromptPart(text=Template(self.templates[name]).safe_substitute(values).strip())

    def _data(
        self, label: str, *, text: str | None = None, document: str | None = None
    ) -> PromptPart:
        return PromptPart(text=text, document=document, fence=label)


def _lines(file: FileChange, subject: Subject) -> list[list[int]]:
    """The changed lines; a file that was left out is new to everybody, and named by its first one."""
    if file.skipped is not None and subject.counts_unread:
        return [[1, 1]]
    return [[lines.first, lines.last] for lines in file.changed]


def _kind(subject: Subject) -> str:
    """What kind of change it is, in our words: the rest of a title is somebody else's text and stands in a fence."""
    return subject.title.partition(":")[0]


def _answers(findings: Sequence[Finding], ledger: Sequence[Stance], role: Role) -> str:
    """What the other side said last about each finding, without names."""
    known = [finding.id for finding in findings]
    last = {
        (line.finding, line.participant): line
        for line in ledger
        if line.role == role and line.reason and line.finding in known
    }
    ordered = sorted(last.values(), key=lambda line: known.index(line.finding))
    return "\n".join(f"{s.finding}: {s.position} — {s.reason}" for s in ordered)

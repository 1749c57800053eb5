"""What became of findings since the runs before: new, still there, back again, resolved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from orchestrator.core.findings.pairing import pair_up
from orchestrator.core.findings.sameness import plain_path
from shared.models.findings import Finding


class Persistence(StrEnum):
    """What a finding is, compared with the runs before."""

    NEW = "new"
    UNCHANGED = "unchanged"
    REOPENED = "reopened"


@dataclass(frozen=True)
class RunFindings:
    """What stood at the end of a run, by fingerprint; `conclusive`: what is not among it was looked for.

    `cut`: more was found than is here.
    """

    run: str
    findings: Mapping[str, Finding]
    conclusive: bool = True
    cut: bool = False

    @property
    def complete(self) -> bool:
        """Whether what it does not name was not there."""
        return self.conclusive and not self.cut


@dataclass(frozen=True)
class PushHistory:
    """The findings of the latest run by fingerprint; what it no longer has; what nobody could say of the rest.

    `earlier` has the run that first had each finding that is not new, `cut` the runs whose findings are not all here:
    what is new may have been in one of those.
    """

    states: Mapping[str, Persistence]
    resolved: tuple[Finding, ...] = ()
    unknown: tuple[Finding, ...] = ()
    earlier: Mapping[str, str] = field(default_factory=dict)
    cut: tuple[str, ...] = ()

    def count(self, state: Persistence) -> int:
        """How many findings are in that state."""
        return sum(each is state for each in self.states.values())


@dataclass(frozen=True)
class _Tracked:
    """A finding that some run had, the first run that had it, and whether the last one that could tell still had it."""

    finding: Finding
    origin: str
    is_open: bool = True


def compare_pushes(latest: RunFindings, before: Sequence[RunFindings]) -> PushHistory:
    """What became of the findings of the runs `before`, the oldest first; each of these has one successor at most.

    A run that is inconclusive or cut resolves nothing: what it does not name is unknown.
    """
    known: dict[str, _Tracked] = {}
    for run in before:
        known = _after(known, run)
    names = _successors(latest.findings, known)
    taken = set(names.values())
    left = tuple(each.finding for mark, each in known.items() if each.is_open and mark not in taken)
    return PushHistory(
        {mark: _state(known.get(names.get(mark, ""))) for mark in latest.findings},
        resolved=left if latest.complete else (),
        unknown=() if latest.complete else left,
        earlier={mark: known[name].origin for mark, name in names.items()},
        cut=_cut((*before, latest)),
    )


def _cut(runs: Sequence[RunFindings]) -> tuple[str, ...]:
    return tuple(run.run for run in runs if run.cut)


def _after(known: Mapping[str, _Tracked], run: RunFindings) -> dict[str, _Tracked]:
    """What is known after a run."""
    names = _successors(run.findings, known)
    taken = set(names.values())
    rest = {
        mark: replace(each, is_open=each.is_open and not run.complete)
        for mark, each in known.items()
        if mark not in taken
    }
    origins = {mark: known[name].origin for mark, name in names.items()}
    found = {
        mark: _Tracked(each, origins.get(mark, run.run)) for mark, each in run.findings.items()
    }
    return {**rest, **found}


def _state(before: _Tracked | None) -> Persistence:
    if before is None:
        return Persistence.NEW
    return Persistence.UNCHANGED if before.is_open else Persistence.REOPENED


def _successors(findings: Mapping[str, Finding], known: Mapping[str, _Tracked]) -> dict[str, str]:
    """The fingerprint that each finding had before: its own, else that of the likeliest one in its file."""
    names = {mark: mark for mark in findings if mark in known}
    fresh = {mark: finding for mark, finding in findings.items() if mark not in names}
    left = {mark: each.finding for mark, each in known.items() if mark not in names}
    for path in {_path(finding) for finding in fresh.values()}:
        names |= _pairs(_within(left, path), _within(fresh, path))
    return names


def _pairs(left: Mapping[str, Finding], fresh: Mapping[str, Finding]) -> dict[str, str]:
    """A fix moves lines, so the line says nothing: the words do."""
    marks = {id(finding): mark for mark, finding in (*left.items(), *fresh.items())}
    pairs = pair_up(tuple(left.values()), tuple(fresh.values()))
    return {
        marks[id(pair.second)]: marks[id(pair.first)]
        for pair in pairs
        if pair.first and pair.second
    }


def _within(findings: Mapping[str, Finding], path: str | None) -> dict[str, Finding]:
    return {
        mark: finding.model_copy(update={"place": None})
        for mark, finding in findings.items()
        if _path(finding) == path
    }


def _path(finding: Finding) -> str | None:
    return plain_path(finding.place.path) if finding.place else None

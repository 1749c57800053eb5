"""Which time through its stages a run's step belongs to, and what its findings are called in the whole run."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple

from shared.models.assessment import Assessment
from shared.models.notices import Notice, NoticeParam
from shared.patterns import regex

_NUMBERED = regex(r"([a-z]+)(\d+)/")


class CycleName(NamedTuple):
    """A review of a fix, a version of a plan, ...: its kind (not said by the keys of the first one) and its number."""

    kind: str
    number: int

    @property
    def prefix(self) -> str:
        """What makes a cycle's findings unique in the run: F1 of the second one is `R2F1`."""
        return "" if self.number == 1 else f"R{self.number}"


def cycle_at(key: str) -> CycleName:
    """The cycle that a step's or a record's key belongs to: the second review for `review2/critique/1/ada`."""
    numbered = _NUMBERED.match(key)
    return CycleName(numbered[1], int(numbered[2])) if numbered else CycleName("", 1)


def renamed(assessment: Assessment, name: Callable[[str], str]) -> Assessment:
    """The figures with other names of findings, also in the reason."""
    agreed = assessment.agreed_findings
    known = frozenset((*assessment.open_findings, *(agreed or ())))
    changes = {
        "open_findings": tuple(map(name, assessment.open_findings)),
        "agreed_findings": None if agreed is None else tuple(map(name, agreed)),
        "reason": assessment.reason and _renamed_in(assessment.reason, known, name),
    }
    return assessment.model_copy(update=changes)


def _renamed_in(reason: Notice, known: Collection[str], name: Callable[[str], str]) -> Notice:
    params = {key: _renamed_param(value, known, name) for key, value in reason.params.items()}
    return reason.model_copy(update={"params": params})


def _renamed_param(
    value: NoticeParam, known: Collection[str], name: Callable[[str], str]
) -> NoticeParam:
    match value:
        case Notice():
            return _renamed_in(value, known, name)
        case tuple():
            return tuple(_renamed_param(each, known, name) for each in value)  # type: ignore[return-value]
        case str() if value in known:
            return name(value)
    return value

"""What a change does to lines that it did not touch: it takes the quotation marks around them away, or an import.

An analyser's grave findings on unchanged lines are compared with those of the file before the change. What was not
there then is the change's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import TypeVar

from shared.models.findings import Place, RaisedFinding
from workers.tools.analysers.sources import SourceFile, read_change
from workers.tools.registry import Documents

_Found = TypeVar("_Found")


def earlier_state(source: SourceFile, documents: Documents) -> SourceFile | None:
    """The file before the change; None where there was none, or none that can be read."""
    change = source.change
    if change.before is None:
        return None
    before = read_change(change.model_copy(update={"after": change.before}), documents)
    return before if isinstance(before, SourceFile) else None


def earlier_states(sources: Iterable[SourceFile], documents: Documents) -> tuple[SourceFile, ...]:
    """The same for several files; those without are left out."""
    states = (earlier_state(source, documents) for source in sources)
    return tuple(state for state in states if state is not None)


def key_of(source: SourceFile, rule: str, line: int) -> Hashable:
    """What a finding at a program's `line` is recognised by in another state of the file."""
    lines = source.analysed_lines
    return rule, lines[line - 1].strip() if 1 <= line <= len(lines) else ""


def unknown_before(
    found: Iterable[tuple[Hashable, _Found]], before: Iterable[Hashable]
) -> tuple[_Found, ...]:
    """Those that are more than there were before."""
    known = Counter(before)
    fresh = []
    for key, one in found:
        known[key] -= 1
        if known[key] < 0:
            fresh.append(one)
    return tuple(fresh)


def from_elsewhere(source: SourceFile, finding: RaisedFinding, line: int) -> RaisedFinding:
    """The finding at a program's unchanged `line`, placed so that it reaches the nearest changed one.

    Where lines were only taken away it has no place, and its title says where it is.
    """
    number, near = source.number(line), source.nearest_changed(line)
    why = f" Line {number} is as it was, and had no such finding before this change."
    fields: dict[str, object] = {
        "detail": finding.detail + why,
        "quote": source.quote(number),
        "patch": None,
        "place": None,
    }
    if near is None:
        fields["title"] = f"{source.path}:{number}: {finding.title}"[:400]
    else:
        first, last = min(number, near), max(number, near)
        fields["place"] = Place(
            path=source.path, line=first, end_line=last if last > first else None
        )
    return finding.model_copy(update=fields)

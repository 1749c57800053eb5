"""Opposites never count as agreed, agreements do: the project's own debates, by kind and language.

The debates stand in `benchmarks/own_debates`; `python -m benchmarks.consensus_own` counts them.
"""

from __future__ import annotations

from itertools import groupby

import pytest

from benchmarks.consensus_own import (
    AGREEMENTS,
    OPPOSITES,
    OwnDebate,
    agrees,
    as_said,
    forms,
    own_debates,
    stays_open,
)

KINDS = 12
LEAST = 60
FOUND = 0.7


def kind_of(debate: OwnDebate) -> str:
    return f"{debate.kind} {debate.language}"


def by_kind(which: str) -> dict[str, list[OwnDebate]]:
    debates = sorted(own_debates(which), key=kind_of)
    return {kind: list(of_kind) for kind, of_kind in groupby(debates, key=kind_of)}


@pytest.mark.parametrize("debates", by_kind(OPPOSITES).values(), ids=by_kind(OPPOSITES))
def test_opposites_never_count_as_agreed(debates: list[OwnDebate]) -> None:
    agreed = [one.turns for one in debates for rounds in forms(one) if not stays_open(rounds)]
    assert agreed == []


@pytest.mark.parametrize("language", ["en", "ko"])
def test_most_agreements_are_found(language: str) -> None:
    found = [agrees(as_said(one)) for one in own_debates(AGREEMENTS) if one.language == language]
    assert sum(found) / len(found) >= FOUND


@pytest.mark.parametrize("which", [OPPOSITES, AGREEMENTS])
@pytest.mark.parametrize("language", ["en", "ko"])
def test_there_are_enough_debates_of_each_kind(which: str, language: str) -> None:
    debates = [debate for debate in own_debates(which) if debate.language == language]
    assert len(debates) >= LEAST
    assert len({debate.kind for debate in debates}) >= KINDS

"""Steps of one parallel group have one stage, portions of a large change among them."""

from __future__ import annotations

import pytest

from orchestrator.presentation.report import stage_of


@pytest.mark.parametrize(
    ("key", "participant", "stage"),
    [
        ("critique/1/bert", "bert", "critique/1"),
        ("critique/1/bert/4", "bert", "critique/1"),
        ("review2/critique/1/openai:m/12", "openai:m", "review2/critique/1"),
        ("synthesis/cleo", "cleo", "synthesis"),
        ("conclusion", "cleo", "conclusion"),
        ("critique/1/bert/4", "be", "critique/1/bert/4"),
    ],
)
def test_a_stage_is_what_a_group_shares(key: str, participant: str, stage: str) -> None:
    assert stage_of(key, participant) == stage

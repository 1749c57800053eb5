"""A linear model is a table of names and hundredths."""

from __future__ import annotations

import pytest

from orchestrator.core.consensus.detectors import act_weights, pair_weights
from orchestrator.core.consensus.detectors.acts import CLASSES
from orchestrator.core.consensus.detectors.linear import read_table, write_table
from orchestrator.core.consensus.detectors.pairs import RELATIONS


def test_a_table_that_is_written_reads_back_the_same() -> None:
    weights = {"w=yes": (1.25, -0.5), "q1": (0.0, 0.33), "nothing": (0.001, 0.002)}
    model = read_table(write_table(("agree", "other"), weights, width=20))
    assert model.classes == ("agree", "other")
    assert model.weights == {"w=yes": (1.25, -0.5), "q1": (0.0, 0.33)}


def test_probabilities_add_up_to_one_and_unknown_features_say_nothing() -> None:
    model = read_table("agree other\nyes 100 -100")
    assert model.probabilities(["never seen"]) == {"agree": 0.5, "other": 0.5}
    sure = model.probabilities(["yes"])
    assert sure["agree"] == pytest.approx(0.881, abs=0.001)
    assert sum(sure.values()) == pytest.approx(1)


def test_the_shipped_tables_are_of_the_classes_that_the_code_knows() -> None:
    assert read_table(act_weights.TABLE).classes == CLASSES
    assert read_table(pair_weights.TABLE).classes == RELATIONS

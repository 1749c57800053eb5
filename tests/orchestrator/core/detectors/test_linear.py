"""A linear model is a table of names and hundredths."""

from __future__ import annotations

import pytest

from orchestrator.core.consensus.detectors.acts import CLASSES
from orchestrator.core.consensus.detectors.linear import load_model, read_table, write_table
from orchestrator.core.consensus.detectors.pairs import RELATIONS


def test_a_table_that_is_written_reads_back_the_same() -> None:
    weights = {"w=yes": (1.25, -0.5), "q1": (0.0, 0.33), "nothing": (0.001, 0.002)}
    model = read_table(write_table(("agree", "other"), weights, width=20))
    assert model.classes == ("agree", "other")
    assert model.weights == {"w=yes": (1.25, -0.5), "q1": (0.0, 0.33)}


def test_a_table_says_what_it_was_trained_on() -> None:
    model = read_table("# Weights.\n#\n# trained on: 1234 5678\nagree other\nf=# 1 2 ; w=no 3 4\n")
    assert model.trained_on == ("1234", "5678")
    assert set(model.weights) == {"f=#", "w=no"}


def test_probabilities_add_up_to_one_and_unknown_features_say_nothing() -> None:
    model = read_table("agree other\nyes 100 -100")
    assert model.probabilities(["never seen"]) == {"agree": 0.5, "other": 0.5}
    sure = model.probabilities(["yes"])
    assert sure["agree"] == pytest.approx(0.881, abs=0.001)
    assert sum(sure.values()) == pytest.approx(1)


def test_the_shipped_tables_are_of_the_classes_that_the_code_knows() -> None:
    assert load_model("acts.weights").classes == CLASSES
    assert load_model("pairs.weights").classes == RELATIONS

"""Which rules judge a run: those of its submission, for good."""

import json

import pytest
from pydantic import ValidationError

from shared.models.run import NEWEST_RULES, RulesVersion, RunSpec
from tests.support.reports import make_spec


def test_a_specification_without_rules_is_judged_by_the_first_ones() -> None:
    stored = make_spec().model_dump(mode="json")
    del stored["rules_version"]

    assert RunSpec.model_validate(stored).rules_version is RulesVersion.ORIGINAL


def test_the_rules_of_a_run_are_stored_as_a_number_and_read_again() -> None:
    stored = make_spec().model_dump_json()

    assert json.loads(stored)["rules_version"] == NEWEST_RULES == 2
    assert RunSpec.model_validate_json(stored).rules_version is NEWEST_RULES


def test_rules_that_this_code_does_not_know_are_refused() -> None:
    stored = make_spec().model_dump(mode="json") | {"rules_version": NEWEST_RULES + 1}

    with pytest.raises(ValidationError):
        RunSpec.model_validate(stored)

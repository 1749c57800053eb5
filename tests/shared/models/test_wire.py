"""What is stored or sent as JSON: an error says what is wrong, and not with which text."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from shared.models.review_replies import Synthesis
from shared.models.steps import TurnRequest

SECRET = "hunter2-and-more"


@pytest.mark.parametrize("model", [TurnRequest, Synthesis])
def test_an_error_repeats_no_text_of_the_record(
    model: type[TurnRequest] | type[Synthesis],
) -> None:
    with pytest.raises(ValidationError) as raised:
        model.model_validate({"summary": [SECRET], "prompt": SECRET})
    assert SECRET not in str(raised.value)

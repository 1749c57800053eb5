"""The same slips in other words: a repeated measurement, a stay told shortly, a past operation, a denied history."""

from __future__ import annotations

import pytest

from benchmarks.case_notes import run_case_tools

MAN = "A 45-year-old man comes to the physician because of knee pain. He has hypertension. The left knee is swollen. "


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("Repeat blood pressure is 70/120 mm Hg.", "crossed_pressures"),
        ("Hospitalized on 12 June 2022, discharged on 3 June 2022.", "dates_contradict"),
        ("A hysterectomy was done in 2009.", "organ_of_other_sex"),
        ("There is no history of hypertension.", "asserted_and_denied"),
        ("An MRI of the right knee is scheduled.", "side_contradicts"),
    ],
)
def test_a_contradiction_is_found_in_other_words(sentence: str, kind: str) -> None:
    assert kind in {raised.point.kind for raised in run_case_tools(MAN + sentence)[1]}
    assert kind not in {raised.point.kind for raised in run_case_tools(MAN)[1]}

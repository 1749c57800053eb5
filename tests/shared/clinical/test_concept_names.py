"""One table says what a thing is called: every concept has a Korean word, and no name means two things."""

from __future__ import annotations

from collections import Counter
from itertools import chain

from shared.clinical.concept_names import concepts, korean_words
from shared.clinical.drug_classes import class_words
from shared.clinical.drug_tables import drugs
from workers.tools.clinical.drug_tables_classes import ALLERGY_CLASSES, SINGLE_CLASSES
from workers.tools.clinical.indications import INDICATIONS
from workers.tools.clinical.query_words import other_words

NO_KOREAN_NAME = {"thyroid extract", "bismuth subsalicylate", "benzonatate", "zaleplon"}


def test_every_concept_and_every_drug_has_a_korean_word_but_those_not_sold_in_korea() -> None:
    names = {*concepts(), *drugs()}
    assert names - korean_words().keys() == NO_KOREAN_NAME


def test_a_combination_of_drugs_is_told_by_its_ingredients() -> None:
    assert korean_words()["losartan/hydrochlorothiazide"] == "로사르탄/하이드로클로로티아지드"


def test_every_class_that_a_report_names_has_a_korean_word() -> None:
    told = SINGLE_CLASSES | ALLERGY_CLASSES | INDICATIONS.keys()
    assert {name for name in told if name not in korean_words()} == set()


def test_a_class_is_called_by_one_table_only() -> None:
    assert class_words().keys() & concepts().keys() == set()


def test_no_korean_name_stands_for_two_concepts() -> None:
    counted = Counter(chain.from_iterable(set(each.korean) for each in concepts().values()))
    assert {name for name, times in counted.items() if times > 1} == set()


def test_a_query_is_asked_in_all_words_of_the_table() -> None:
    [thing] = other_words("HTN")
    assert thing.names == concepts()["hypertension"].names

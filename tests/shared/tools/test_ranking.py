"""Cards are ranked by what they say."""

import pytest

from shared.tools.card import ToolCard, ToolKind
from shared.tools.catalogue import cards
from shared.tools.ranking import rank_cards

LENSES = cards(kind=ToolKind.LENS)


@pytest.mark.parametrize("card", LENSES, ids=lambda card: card.name)
def test_a_tool_comes_first_for_the_words_of_its_own_purpose(card: ToolCard) -> None:
    ranked = rank_cards(card.purpose, LENSES)

    assert ranked[0][0] is card
    assert all(0 <= score <= 1 for _, score in ranked)


def test_other_forms_of_a_word_find_its_tool() -> None:
    best, score = rank_cards("a duplicated drug, allergic patient, doses", LENSES)[0]

    assert (best.name, score > 0) == ("lens_monitoring_response", True)


def test_a_question_that_no_card_speaks_of_leaves_their_order_and_scores_nothing() -> None:
    assert rank_cards("?", LENSES) == [(card, 0.0) for card in LENSES]

"""The benchmark counts what it says: places of targets, texts that do not count, and twins by their sentences."""

import csv
from pathlib import Path

from benchmarks.case_comparison import measure
from benchmarks.case_retrieval import Query, read_medec, recall, turns
from shared.store.documents import address

COLUMNS = ("Text ID", "Text", "Error Flag", "Corrected Sentence", "Corrected Text")
CHART = "A man of {} years with asthma and cough. Albuterol was given in the ward."


def test_recall_is_the_share_of_targets_among_the_first() -> None:
    ranks = {"first": ["a", "b"], "second": ["b", "a"], "nowhere": ["b"]}
    queries = [Query(text, "a") for text in ranks]

    assert recall(queries, ranks.__getitem__) == {1: 1 / 3, 5: 2 / 3, 10: 2 / 3}


def test_a_text_that_has_the_query_word_for_word_does_not_count() -> None:
    query = Query("asked", "a", verbatim=frozenset({"b"}))

    assert recall([query], lambda _: ["b", "a"])[1] == 1.0


def test_the_longest_turns_are_asked_without_their_speaker() -> None:
    dialogue = "[doctor] hi\n[patient] my knee hurts\n[doctor] since when is that\n[patient] may"

    assert list(turns(dialogue)) == ["since when is that", "my knee hurts", "may"]


def test_twins_have_the_same_sentences_in_any_order(tmp_path: Path) -> None:
    rows = [
        ("1", "It is flu. He coughs.", "1", "It is a cold.", "It is a cold. He coughs."),
        ("2", "He coughs. It is a cold.", "0", "", ""),
        ("3", "She fell.", "0", "", ""),
    ]
    with (tmp_path / "data.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerows([COLUMNS, *rows])

    medec = read_medec(tmp_path)

    assert medec.twins == [(0, 1)]
    assert [query.target for query in medec.corrections] == [address(rows[0][1].encode())]


def test_what_is_planted_in_all_neighbours_is_told_and_what_is_in_one_is_not() -> None:
    texts = [f"{CHART.format(n)} Seen by {'xyzw'[n % 4] * 9} on floor {n}." for n in range(20, 26)]
    texts = [
        f"{text} {' '.join(f'{word}{n}' for word in 'abcdefgh')}" for n, text in enumerate(texts)
    ]

    figures = measure(texts, 3)

    assert (figures.compared, figures.seen, figures.single) == (6, 6, 0)

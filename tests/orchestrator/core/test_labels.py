"""Letters instead of names."""

from orchestrator.core.discussion.labels import letter, shuffled_labels

NAMES = [f"model{n}" for n in range(6)]


def test_letters_go_on_after_z() -> None:
    assert [letter(n) for n in (0, 1, 25, 26, 27, 52)] == ["A", "B", "Z", "AA", "AB", "BA"]


def test_every_name_has_one_letter_and_the_map_is_the_same_whatever_the_order_of_names() -> None:
    labels = shuffled_labels("seed", "reader", NAMES)

    assert list(labels) == list("ABCDEF")
    assert sorted(labels.values()) == NAMES
    assert shuffled_labels("seed", "reader", NAMES[::-1]) == labels


def test_readers_and_runs_see_different_orders() -> None:
    orders = {
        tuple(shuffled_labels(seed, reader, NAMES).values())
        for seed in ("one", "two", "three")
        for reader in ("claude", "gemini", "codex")
    }

    assert len(orders) == 9

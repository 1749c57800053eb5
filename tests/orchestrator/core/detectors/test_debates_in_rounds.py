"""Debates in rounds where everybody answers at once: opposites that must not agree, agreements that should."""

from __future__ import annotations

import pytest

from orchestrator.core.consensus.detectors.options import known_options
from orchestrator.core.consensus.detectors.text import assess_text
from orchestrator.core.rounds import Contribution, RoundTaken
from shared.models.assessment import Recommendation

NAMES = ("alice", "bernard", "carla")
Rounds = tuple[tuple[str, ...], ...]


def advised(rounds: Rounds) -> list[Recommendation]:
    """What is advised after every round."""
    taken = [
        RoundTaken(number, "debate", tuple(map(spoken, NAMES, texts)))
        for number, texts in enumerate(rounds, 1)
    ]
    return [assess_text(taken[:end]).recommendation for end in range(1, len(taken) + 1)]


def spoken(name: str, text: str) -> Contribution:
    return Contribution(name, "debate", text)


def twice(*texts: str) -> Rounds:
    return texts, texts


OPPOSITES = {
    "the same reason for another answer": twice(
        "Postgres. It saves money.", "MySQL. It saves money."
    ),
    "the same reason, Korean": twice(
        "포스트그레스입니다. 비용이 줄어듭니다.", "마이SQL입니다. 비용이 줄어듭니다."
    ),
    "the same fact before another answer": (
        ("The old parser is slow. It is worth keeping.", "The old parser is slow. It is a museum."),
        ("The old parser is slow. It is worth keeping.", "The old parser is slow."),
    ),
    "the same last item of a list": (
        (
            "The gateway calls the session service.\n\n- fewer secrets\n- one place to revoke",
            "The session service calls the gateway.\n\n- fewer hops\n- one place to revoke",
        ),
        ("The gateway calls the session service.", "The session service calls the gateway."),
    ),
    "who is which": (
        ("Redis is fast and Postgres is slow.", "Postgres is fast and Redis is slow."),
        ("Redis fast, Postgres slow.", "Postgres fast, Redis slow."),
    ),
    "who is which, Korean": twice(
        "버터가 먼저, 밀가루가 나중입니다.", "밀가루가 먼저, 버터가 나중입니다."
    ),
    "a condition that sounds like approval, Korean": (
        ("가처분을 인용해야 합니다.", "담보 없이는 가처분을 인용할 수 없습니다."),
        ("가처분 인용이 타당합니다.", "담보 제공을 조건으로만 가처분 인용이 타당합니다."),
    ),
    "a recommendation under its heading, Korean": (
        (
            "## 권고\n\n오늘 발관합니다.\n\n- 포화도가 좋습니다",
            "## 권고\n\n오늘은 발관하지 않습니다.\n\n- 포화도가 좋습니다",
        ),
        ("**권고:** 오늘 발관", "**권고:** 오늘 발관 보류"),
    ),
    "courtesy alone": (("Understood.", "Understood."), ("Understood.", "Thanks, noted.")),
    "courtesy alone, Korean": twice("확인했습니다.", "네, 확인했습니다. 감사합니다."),
    "two who give way to each other": (
        ("Tabs.", "Spaces."),
        ("I change my vote to spaces.", "I change my vote to tabs."),
        ("Spaces.", "Tabs."),
    ),
}

AGREEMENTS = {
    "the answer, then its reason": (
        ("Caffeine citrate. It has the widest margin.", "Theophylline. I know it best."),
        ("Caffeine citrate. The margin decides.", "Caffeine citrate. The margin is wider indeed."),
        ("Caffeine citrate.", "Caffeine citrate."),
    ),
    "the answer, then its reason, Korean": (
        ("카페인입니다. 안전역이 넓습니다.", "테오필린입니다. 익숙합니다."),
        ("카페인입니다. 안전역이 결정적입니다.", "제가 틀렸습니다. 카페인으로 하겠습니다."),
        ("카페인입니다.", "카페인입니다."),
    ),
    "three who say the same": twice(*["The peanut sauce stays in the kitchen."] * 3),
    "three who say the same, Korean": twice(*["땅콩 소스는 내지 맙시다."] * 3),
    "a recommendation under its heading": (
        (
            "## Recommendation\n\nArchive the repository.\n\n## Why\n\n- nobody commits",
            "## Recommendation\n\nThe repository should be archived.\n\n- its users moved on",
        ),
        ("**Recommendation:** archive the repository", "**Recommendation:** archive it"),
        ("**Recommendation:** archive the repository", "We should archive the repository."),
    ),
    "an objection withdrawn": (
        ("Merge it.", "I object: the leap second test is missing."),
        ("The test is at the bottom. Merge it.", "I withdraw my objection, merge it."),
        ("Merge.", "Merge it from my side."),
    ),
    "a verb, its noun and its adjective": twice(
        "The clause is unenforceable.", "The clause cannot be enforced."
    ),
    "another answer adopted": (
        ("Kafka, because we need replays.", "RabbitMQ, which the team already runs."),
        ("Kafka: replays are a hard requirement.", "I change my answer to Kafka."),
        ("Kafka.", "Kafka."),
    ),
    "another answer adopted, Korean": (
        ("50도입니다.", "57도입니다."),
        ("식감 때문에 50도입니다.", "50도로 바꾸겠습니다."),
        ("50도입니다.", "50도입니다."),
    ),
    "words that hold an option's letters": twice(*["More hands for a day."] * 3),
}


@pytest.mark.parametrize("kind", OPPOSITES)
def test_opposites_never_agree(kind: str) -> None:
    assert set(advised(OPPOSITES[kind])) == {Recommendation.CONTINUE}


def test_a_claim_that_sounds_like_assent_takes_nothing_over() -> None:
    said = (
        "풀 크기를 늘립시다.",
        "풀 크기를 줄입시다.",
        "풀 크기를 늘리는 것이 맞습니다.",
        "풀 크기를 줄이는 것이 맞습니다.",
    )
    taken = [
        RoundTaken(number, "debate", (spoken(NAMES[number % 2], text),))
        for number, text in enumerate(said, 1)
    ]
    assert assess_text(taken).recommendation is Recommendation.CONTINUE


@pytest.mark.parametrize("kind", AGREEMENTS)
def test_agreement_is_found_in_the_end(kind: str) -> None:
    assert advised(AGREEMENTS[kind])[-1] in (Recommendation.CONVERGED, Recommendation.CONFIRM)


@pytest.mark.parametrize("text", ["more work", "hands for a start", "the world forever"])
def test_a_list_of_options_is_not_found_inside_words(text: str) -> None:
    assert not known_options([text])


def test_options_are_listed_between_words() -> None:
    assert known_options(["a or d", "b와 e"]) == {"A", "D", "B", "E"}

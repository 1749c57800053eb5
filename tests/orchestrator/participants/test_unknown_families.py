"""Models of which nobody knows who trained them are voices of their own, not one family called `unknown`."""

from orchestrator.participants.cast_report import one_family
from orchestrator.participants.persona_assignment import different_families_first
from shared.models.panel import Participant


def unknown(name: str, model: str) -> Participant:
    return Participant(name=name, provider="command", model=model, family="unknown")


def test_two_of_them_are_no_family():
    assert one_family((unknown("one", "m1"), unknown("two", "m2"))) == ()


def test_copies_of_one_of_them_are():
    (warning,) = one_family((unknown("one", "m1"), unknown("two", "m1")))
    assert "command:m1" in str(warning.params["family"])


def test_a_persona_goes_to_another_of_them_before_it_goes_to_a_second_of_a_known_family():
    known = [
        Participant(name=name, provider="anthropic", model=name, family="anthropic")
        for name in ("opus", "haiku")
    ]
    strangers = [unknown("one", "m1"), unknown("two", "m2")]
    order = different_families_first([*known, *strangers])
    assert [one.name for one in order] == ["opus", "one", "two", "haiku"]

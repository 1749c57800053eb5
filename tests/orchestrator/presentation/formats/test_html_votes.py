"""Votes over rounds as SVG: who changed is drawn so, nobody covers another, and every text is text."""

from __future__ import annotations

from xml.etree import ElementTree

from rich.cells import cell_len

from orchestrator.core.pictures import VoterPath, VotesOverRounds
from orchestrator.presentation.formats.html_votes import votes

HOSTILE = "<script>alert(1)</script>\"'>&"


def shown(*voters: VoterPath, positions: tuple[str, ...] = ("P1 Yes", "P2 No")) -> VotesOverRounds:
    rounds = tuple(f"round {n}" for n in range(1, len(voters[0].held) + 1))
    return VotesOverRounds("Who held what", rounds, positions, voters)


def kinds(markup: str) -> list[str | None]:
    return [path.get("class") for path in ElementTree.fromstring(markup).iter("path")]


def test_a_line_is_bold_where_somebody_changes() -> None:
    markup = votes(shown(VoterPath("ada", (0, 0, 1)), VoterPath("bob", (1, 1, 1))))
    assert kinds(markup) == ["kept", "changed", "kept", "kept"]


def test_voters_of_one_position_stand_below_one_another() -> None:
    markup = votes(shown(*(VoterPath(name, (0, 0)) for name in ("ada", "bob", "cyd"))))
    dots = [
        (circle.get("cx"), circle.get("cy")) for circle in ElementTree.fromstring(markup).iter("circle")
    ]  # fmt: skip
    assert len(set(dots)) == len(dots) == 6


def test_a_round_that_somebody_missed_is_left_out_of_their_line() -> None:
    markup = votes(shown(VoterPath("ada", (0, None, 1))))
    assert kinds(markup) == ["changed"]
    assert markup.count("<circle") == 2


def test_who_never_voted_has_no_mark() -> None:
    markup = votes(shown(VoterPath("ada", (None, None)), VoterPath("bob", (0, 0))))
    assert markup.count("<circle") == 2
    ElementTree.fromstring(markup)


def test_a_long_name_ends_within_the_picture() -> None:
    for name in ("bob", "cyd-maintainability", "유지보수-전문가", "x" * 60):
        root = ElementTree.fromstring(votes(shown(VoterPath(name, (0, 0)))))
        width = float(root.attrib["viewBox"].split()[2])
        written = [text for text in root.iter("text") if text.get("class") is None][-1]
        assert float(written.attrib["x"]) + 7 * cell_len(str(written.text)) <= width, name
        assert str(written.text) == name or (len(name) == 60 and str(written.text).endswith("…"))


def test_nothing_in_it_is_markup() -> None:
    markup = votes(shown(VoterPath(HOSTILE, (0,)), positions=(HOSTILE * 5,)))
    assert "<script" not in markup
    ElementTree.fromstring(markup)

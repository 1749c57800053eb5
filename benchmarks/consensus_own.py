"""The project's own debates: opposites that must never count as agreed, and agreements that should.

    python -m benchmarks.consensus_own [--missed]

`own_debates/{opposites,agreements}[-later].{en,ko}.txt`: a kind (`== name`), then a debate a line, its turns between
` | `, two people in turn. Those in `-later` were written after the code and had no part in it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.core.consensus.detectors.text import assess_text
from orchestrator.core.rounds import Contribution, RoundTaken
from shared.models.assessment import Recommendation

OWN_DEBATES = Path(__file__).parent / "own_debates"
OPPOSITES, AGREEMENTS = "opposites", "agreements"
ROLE = "debate"
SPEAKERS = {"en": ("ann", "bob"), "ko": ("민수", "지영")}
_LINE = {"en": "Answer: ", "ko": "결론: "}


@dataclass(frozen=True)
class OwnDebate:
    """A debate of this project, with its kind; `later`: written after the code that reads it."""

    language: str
    kind: str
    turns: tuple[str, ...]
    later: bool


def own_debates(which: str) -> list[OwnDebate]:
    """All debates of `opposites` or of `agreements`, in their order."""
    return [
        debate
        for path in sorted(OWN_DEBATES.glob(f"{which}*.txt"))
        for debate in _debates(path, *path.stem.removeprefix(which).split("."))
    ]


def _debates(path: Path, suffix: str, language: str) -> Iterator[OwnDebate]:
    kind = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("== "):
            kind = line.removeprefix("== ")
        elif line and not line.startswith("#"):
            turns = tuple(turn.replace("\\n", "\n") for turn in line.split(" | "))
            yield OwnDebate(language, kind, turns, suffix.startswith("-later"))


def as_said(debate: OwnDebate) -> list[RoundTaken]:
    """One turn a round; two turns are said twice."""
    turns = debate.turns * 2 if len(debate.turns) == 2 else debate.turns
    names = SPEAKERS[debate.language]
    return [
        RoundTaken(number, ROLE, (Contribution(names[(number - 1) % 2], ROLE, text),))
        for number, text in enumerate(turns, 1)
    ]


def forms(debate: OwnDebate) -> Iterator[list[RoundTaken]]:
    """Two turns as they stand, as lines of their own, and both said at once, each twice."""
    yield as_said(debate)
    for opening in ("", _LINE[debate.language]):
        said = [
            Contribution(name, ROLE, opening + turn)
            for name, turn in zip(SPEAKERS[debate.language], debate.turns, strict=True)
        ]
        yield [RoundTaken(number, ROLE, tuple(said)) for number in (1, 2)]


def agrees(rounds: Sequence[RoundTaken]) -> bool:
    """Whether these rounds count as agreed at their end."""
    return assess_text(rounds, ended=True).recommendation is Recommendation.CONVERGED


def stays_open(rounds: Sequence[RoundTaken]) -> bool:
    """Whether nothing is agreed, not even unconfirmed."""
    return assess_text(rounds).recommendation is Recommendation.CONTINUE


def wrong(which: str) -> list[OwnDebate]:
    """Opposites that count as agreed in any form, or agreements that do not."""
    if which == OPPOSITES:
        return [one for one in own_debates(which) if not all(map(stays_open, forms(one)))]
    return [one for one in own_debates(which) if not agrees(as_said(one))]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--missed", action="store_true", help="name those that were read wrongly")
    options = parser.parse_args()
    for which, word in ((OPPOSITES, "called agreed"), (AGREEMENTS, "found agreed")):
        misread = wrong(which)
        for language in SPEAKERS:
            for later in (False, True):
                every = [
                    debate
                    for debate in own_debates(which)
                    if (debate.language, debate.later) == (language, later)
                ]
                mistakes = [debate for debate in every if debate in misread]
                agreed = len(mistakes) if which == OPPOSITES else len(every) - len(mistakes)
                when = "written after the code" if later else "written before the code"
                print(f"{which} {language}, {when}: {agreed} of {len(every)} {word}")
                for debate in mistakes if options.missed else []:
                    print(f"    {debate.kind}: {' | '.join(debate.turns)}")


if __name__ == "__main__":
    main()

"""How charts are read and masked that nobody wrote a rule for: little notes with what a reader expects of each.

    python -m benchmarks.case_fresh_notes [--set first|second|third] [--show]

`fresh_notes/notes_*.txt` are English and Korean notes in the style of hospitals, each with its expectations, which were
written down before any tool had read the note; `masking_*.txt` are sentences with their identifiers in double braces.
Expected are what is mentioned and how (`present`, `absent`, `possible`, `family`, `past`, `planned`, `none`), all
values, doses, dates, and the words of which a lens has to raise a point of MINOR or worse. Any other such point is a
false alarm, any other value a false value, and any other masked word wrongly masked.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.case_notes import RaisedPoint, run_case_tools
from shared.models.case import Measurement, Mention, StructuredChart
from shared.models.findings import Severity
from shared.text.masking.identifiers import mask_identifiers, original_places
from workers.tools.clinical.chart import read_chart
from workers.tools.clinical.dates import find_dates

FOLDER = Path(__file__).with_name("fresh_notes")
_STATES = ("present", "absent", "possible", "family", "past", "planned", "none")
_MARKED = re.compile(r"\{\{(.+?)\}\}")
Place = tuple[int, int]


@dataclass
class FreshNote:
    """A note and what a reader expects: pairs of words and a value, by the kind of the expectation."""

    id: str
    text: str
    expected: list[tuple[str, str, str]] = field(default_factory=list)

    def places(self, words: str) -> list[Place]:
        """Where the words stand (`fever@2` is the second time); several are divided by bars."""
        return [self._place(part.strip()) for part in words.split("|")]

    def _place(self, words: str) -> Place:
        wanted, _, number = words.partition("@")
        start = -1
        for _ in range(int(number or 1)):
            start = self.text.index(wanted, start + 1)
        return start, start + len(wanted)


@dataclass
class Tally:
    """Expectations that were met, by kind, and what came besides."""

    met: Counter[str] = field(default_factory=Counter)
    expected: Counter[str] = field(default_factory=Counter)
    besides: Counter[str] = field(default_factory=Counter)
    shown: list[str] = field(default_factory=list)

    def count(self, kind: str, met: bool, told: str) -> None:
        """One expectation."""
        self.expected[kind] += 1
        self.met[kind] += met
        if not met:
            self.shown.append(f"missed {kind}: {told}")

    def surplus(self, kind: str, told: str) -> None:
        """Something that nobody expected."""
        self.besides[kind] += 1
        self.shown.append(f"besides {kind}: {told}")


def read_fresh_notes(path: Path) -> Iterator[FreshNote]:
    """The notes of a file: `#### id`, the text, a line of dashes, the expectations."""
    for block in re.split(r"^#### ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        head, _, rest = block.partition("\n")
        text, _, lines = rest.partition("\n----\n")
        note = FreshNote(head.strip(), text)
        for line in lines.strip().splitlines():
            kind, _, items = line.partition(":")
            for item in items.split(";") if kind != "point" else [items]:
                words, _, value = item.partition(" = ")
                note.expected.append((kind, words.strip(), value.strip()))
        yield note


def judge(note: FreshNote, tally: Tally) -> None:
    """Run the tools on a note and count what they made of it."""
    chart, raised = run_case_tools(note.text)
    times = find_dates(read_chart(note.text))
    values = list(chart.measurements)
    points = [item for item in raised if item.point.severity is not Severity.INFO]
    for kind, words, wanted in note.expected:
        told = f"{note.id} {words!r} {wanted}".rstrip()
        places = note.places(words)
        if kind in _STATES:
            states = {_state(mention) for mention in _mentions(chart, places[0])}
            kind_of = "mention" if not states else "state"
            met = kind in states or (kind == "none" and "present" not in states)
            tally.count("mentions", met, f"{told} expected {kind}, {kind_of} {sorted(states)}")
        elif kind == "value":
            near = [value for value in values if _overlaps(value.span, places[0])]
            tally.count("values", any(_is_value(value, wanted) for value in near), told)
        elif kind == "dose":
            doses = [mention.dose or "" for mention in _mentions(chart, places[0])]
            tally.count("doses", any(_same_dose(dose, wanted) for dose in doses), f"{told} {doses}")
        elif kind == "date":
            near_times = [event for event in times if _overlaps(event.span, places[0])]
            met = any(
                (event.date or "").endswith(wanted) or _is_offset(event.offset_days, wanted)
                for event in near_times
            )
            tally.count("dates", met, told)
        else:
            tally.count("points", any(_is_about(item, places) for item in points), told)
    _surplus(note, values, points, tally)


def _surplus(
    note: FreshNote, values: list[Measurement], points: list[RaisedPoint], tally: Tally
) -> None:
    stated = [note.places(words)[0] for kind, words, _ in note.expected if kind == "value"]
    for value in values:
        if not any(_overlaps(value.span, place) for place in stated):
            tally.surplus("values", f"{note.id} {value.name} {value.span.text!r}")
    awaited = [
        place for kind, words, _ in note.expected if kind == "point" for place in note.places(words)
    ]
    for item in points:
        if not _is_about(item, awaited):
            quoted = [span.text for span in item.point.spans]
            tally.surplus("points", f"{note.id} {item.point.kind} {item.point.severity} {quoted}")


def _mentions(chart: StructuredChart, place: Place) -> list[Mention]:
    return [mention for mention in chart.mentions if _overlaps(mention.span, place)]


def _overlaps(span: object, place: Place) -> bool:
    start, end = getattr(span, "start"), getattr(span, "end")  # noqa: B009 - spans of two types
    return bool(start < place[1] and place[0] < end)


def _state(mention: Mention) -> str:
    flags = (
        ("family", mention.family),
        ("absent", mention.negated),
        ("possible", mention.uncertain),
        ("planned", mention.planned),
        ("past", mention.past),
    )
    return next((name for name, flag in flags if flag), "present")


def _is_value(value: Measurement, wanted: str) -> bool:
    number = float(wanted)
    return value.value is not None and abs(value.value - number) <= 0.01 * abs(number)


def _same_dose(dose: str, wanted: str) -> bool:
    return wanted.replace(" ", "").lower() in dose.replace(" ", "").lower()


def _is_offset(days: float | None, wanted: str) -> bool:
    return days is not None and re.fullmatch(r"-?\d+", wanted) is not None and days == int(wanted)


def _is_about(item: RaisedPoint, places: list[Place]) -> bool:
    return any(_overlaps(span, place) for span in item.point.spans for place in places)


def judge_masking(line: str, tally: Tally) -> None:
    """Whether each marked identifier is masked as a whole, and nothing else."""
    text, marked = "", []
    for i, part in enumerate(_MARKED.split(line)):
        if i % 2:
            marked.append((len(text), len(text) + len(part)))
        text += part
    masked = _masked_places(text)
    hidden = {i for start, end in masked for i in range(start, end)}
    language = "Korean" if re.search("[가-힣]", text) else "English"
    for start, end in marked:
        left = [i for i in range(start, end) if i not in hidden and text[i].isalnum()]
        tally.count(f"masking, {language}", not left, f"{text[start:end]!r} in {text!r}")
    for start, end in masked:
        if not any(start < last and first < end for first, last in marked):
            tally.surplus(f"masking, {language}", f"{text[start:end]!r} in {text!r}")


def _masked_places(text: str) -> list[Place]:
    """Where identifiers were replaced, in the text as it was."""
    masked, mapping = mask_identifiers(text)
    return [(start, end) for start, end, _ in original_places(masked, mapping)]


def main() -> int:
    """Print what was met, of how many, and what came besides, by language."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--set", choices=("first", "second", "third"), default="first", help="which notes"
    )
    parser.add_argument("--show", action="store_true", help="every miss and every surplus")
    options = parser.parse_args()
    tallies = {"English": Tally(), "Korean": Tally()}
    for note in read_fresh_notes(FOLDER / f"notes_{options.set}.txt"):
        judge(note, tallies["Korean" if note.id.startswith("ko") else "English"])
    masking = Tally()
    path = FOLDER / f"masking_{options.set}.txt"
    for line in path.read_text(encoding="utf-8").splitlines():
        judge_masking(line, masking)
    for name, tally in (*tallies.items(), ("masking", masking)):
        _print(name, tally, show=options.show)
    return 0


def _print(name: str, tally: Tally, *, show: bool) -> None:
    print(f"{name:<26}{'met':>6}{'of':>6}{'share':>8}{'besides':>9}")
    for kind, expected in tally.expected.items():
        met, besides = tally.met[kind], tally.besides[kind]
        print(f"  {kind:<24}{met:>6}{expected:>6}{met / expected:>8.2f}{besides:>9}")
    if show:
        print(*(f"    {line}" for line in tally.shown), sep="\n")


if __name__ == "__main__":
    sys.exit(main())

"""What the lenses of `case` find of planted contradictions, and what they say of notes that nobody touched.

    python -m benchmarks.case_contradictions --data DIR [--half kept|tuned|all] [--plants NAME] [--show] [--json FILE]

Code plants one contradiction into each note, of a kind that has a place in it, so that all kinds are planted about as
often; which is decided by the hash of the note's id. Recall is the share of plants for which a lens raises a point of
the plant's kinds that it does not raise for the untouched note. Alarms are points on untouched notes. Rules were tuned
on the half `tuned`; the half `kept`, by the hash of the id, was used to pick between variants of rules, so it is not
unseen either. The plants `second` are contradictions of other shapes, tried once after the rules were written.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from random import Random

from benchmarks.case_fourth_plants import FOURTH_PLANTS
from benchmarks.case_notes import CaseNote, RaisedPoint, read_notes, run_case_tools
from benchmarks.case_plants import PLANTS, Plant
from benchmarks.case_second_plants import SECOND_PLANTS
from benchmarks.case_third_plants import THIRD_PLANTS
from shared.models.findings import SEVERITY_ORDER, Severity

Plants = Mapping[str, tuple[Plant, frozenset[str]]]
_LISTS: Mapping[str, Plants] = {
    "first": PLANTS,
    "second": SECOND_PLANTS,
    "third": THIRD_PLANTS,
    "fourth": FOURTH_PLANTS,
}
_HALVES = {"kept": (True,), "tuned": (False,), "all": (True, False)}


def plant_one(
    note: CaseNote, planted: Counter[str], plants: Plants = PLANTS
) -> tuple[str, str] | None:
    """The note with one contradiction and its kind: of those that it has a place for the one planted least."""
    chance = Random(hashlib.sha256(note.id.encode()).digest())
    kinds = list(plants)
    chance.shuffle(kinds)
    for kind in sorted(kinds, key=lambda name: planted[name]):
        changed = plants[kind][0](note.text, chance)
        if changed is not None and changed != note.text:
            return kind, changed
    return None


def is_found(expected: frozenset[str], before: list[RaisedPoint], after: list[RaisedPoint]) -> bool:
    """Whether a point of one of the kinds is new."""
    known = {raised.key for raised in before}
    return any(raised.point.kind in expected for raised in after if raised.key not in known)


def main() -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, required=True, help="the folder with aci-bench and medec"
    )
    parser.add_argument("--half", choices=list(_HALVES), default="kept", help="which notes")
    parser.add_argument("--plants", choices=list(_LISTS), default="first", help="which list")
    parser.add_argument("--show", action="store_true", help="every alarm and every miss")
    parser.add_argument("--json", type=Path, help="keep the figures in this file")
    options = parser.parse_args()
    if options.show and options.half != "tuned":
        raise SystemExit("--show is for the half that rules are tuned on: --half tuned")
    notes = [note for note in read_notes(options.data) if note.kept_back in _HALVES[options.half]]
    figures = measure(notes, _LISTS[options.plants], show=options.show)
    _print(figures, len(notes))
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))
    return 0


def measure(
    notes: list[CaseNote], plants: Plants, *, show: bool
) -> dict[str, dict[str, list[int]]]:
    """`recall` by kind (found, planted), `alarms` by kind (points of each severity, worst first)."""
    planted: Counter[str] = Counter()
    found: Counter[str] = Counter()
    alarms: dict[str, Counter[Severity]] = defaultdict(Counter)
    for note in notes:
        _, before = run_case_tools(note.text)
        for raised in before:
            alarms[raised.point.kind][raised.point.severity] += 1
            if show and raised.point.severity is not Severity.INFO:
                print(
                    "alarm",
                    note.id,
                    raised.point.kind,
                    raised.point.message.params,
                    _quoted(raised),
                )
        plant = plant_one(note, planted, plants)
        if plant is None:
            continue
        kind, changed = plant
        planted[kind] += 1
        after = run_case_tools(changed)[1]
        seen = is_found(plants[kind][1], before, after)
        found[kind] += seen
        if show and not seen:
            print("missed", note.id, kind, _difference(note.text, changed))
    return {
        "recall": {kind: [found[kind], planted[kind]] for kind in plants},
        "alarms": {
            kind: [counts[severity] for severity in SEVERITY_ORDER]
            for kind, counts in sorted(alarms.items())
        },
    }


def _print(figures: dict[str, dict[str, list[int]]], notes: int) -> None:
    recall, alarms = figures["recall"], figures["alarms"]
    print(f"{'planted':<26}{'found':>7}{'of':>6}{'recall':>8}")
    for kind, (found, planted) in recall.items():
        print(f"{kind:<26}{found:>7}{planted:>6}{found / max(planted, 1):>8.2f}")
    found, planted = (sum(row[column] for row in recall.values()) for column in (0, 1))
    print(f"{'all':<26}{found:>7}{planted:>6}{found / max(planted, 1):>8.2f}\n")
    print(
        f"{'untouched notes: ' + str(notes):<26}"
        + "".join(f"{name:>10}" for name in SEVERITY_ORDER)
    )
    for kind, counts in alarms.items():
        print(f"{kind:<26}" + "".join(f"{count:>10}" for count in counts))
    sums = [
        sum(counts[place] for counts in alarms.values()) for place in range(len(SEVERITY_ORDER))
    ]
    print(f"{'per note':<26}" + "".join(f"{total / max(notes, 1):>10.3f}" for total in sums))
    print(f"\nMINOR or worse per untouched note: {sum(sums[:3]) / max(notes, 1):.3f}")


def _quoted(raised: RaisedPoint) -> list[str]:
    return [span.text for span in raised.point.spans]


def _difference(before: str, after: str) -> str:
    start = next(
        (i for i, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), 0
    )
    return repr(after[max(0, start - 60) : start + 100])


if __name__ == "__main__":
    sys.exit(main())

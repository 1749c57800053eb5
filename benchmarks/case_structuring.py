"""How much of a note `chart.structure` puts into the right division, beside a plain header rule.

    python benchmarks/case_structuring.py --data DIR [--folds 5]

DIR holds the ACI-BENCH notes (notes.tar.gz, or unpacked: `SPLIT_full.json` with `SPLIT_DIVISION.json`). A line counts
when it has a visible character; its right division is that of the part in which it stands. Headings count as lines.
Besides the splits it prints folds of all notes (by the hash of the file's name), and the notes without headings.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import tarfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.data import folder_of
from shared.models.case import ChartSection, Division
from workers.tools.clinical.chart import read_chart
from workers.tools.clinical.headings import divisions_by_heading, normalised

SPLITS = ("train", "valid")
Predict = Callable[[Sequence[str]], Sequence[Division]]


@dataclass(frozen=True)
class LabelledNote:
    """`gold` has None for lines without a visible character, and for those that stand in no part."""

    name: str
    split: str
    lines: tuple[str, ...]
    gold: tuple[Division | None, ...]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--folds", type=int, default=5)
    options = parser.parse_args()
    notes = load_notes(folder_of(options.data, "aci-bench"))
    for split in SPLITS:
        _print(split, [note for note in notes if note.split == split])
    for fold in range(options.folds):
        _print(f"fold {fold + 1}", [note for note in notes if _fold(note, options.folds) == fold])
    _print("without headings", [_without_headings(note) for note in notes])


def load_notes(folder: Path) -> list[LabelledNote]:
    """Every note of the splits whose parts are there."""
    files = _files(folder)
    notes: list[LabelledNote] = []
    for split in SPLITS:
        if f"{split}_full.json" in files:
            notes += _split(files, split)
    if not notes:
        raise SystemExit(f"--data {folder}: neither notes.tar.gz nor SPLIT_full.json is there")
    return notes


def _files(folder: Path) -> Mapping[str, bytes]:
    archive = folder / "notes.tar.gz"
    if not archive.exists():
        return {path.name: path.read_bytes() for path in sorted(folder.glob("*_*.json"))}
    with tarfile.open(fileobj=io.BytesIO(archive.read_bytes())) as packed:
        members = [member for member in packed.getmembers() if member.isfile()]
        return {
            Path(member.name).name: content.read()
            for member in members
            if (content := packed.extractfile(member))
        }


def _split(files: Mapping[str, bytes], split: str) -> Iterable[LabelledNote]:
    parts: dict[str, dict[Division, str]] = {}
    for division in Division:
        for row in json.loads(files[f"{split}_{division}.json"])["data"]:
            name = row["file"].removesuffix(f"-{division}")
            parts.setdefault(name, {})[division] = row["tgt"]
    for row in json.loads(files[f"{split}_full.json"])["data"]:
        lines = tuple(row["tgt"].split("\n"))
        gold = _gold(lines, parts.get(row["file"], {}))
        yield LabelledNote(row["file"], split, lines, gold)


def _gold(lines: Sequence[str], parts: Mapping[Division, str]) -> tuple[Division | None, ...]:
    """Parts hold the note's lines in their order: each line is the next of a part, that of the line before first."""
    waiting = {
        division: [line.strip() for line in reversed(text.split("\n")) if line.strip()]
        for division, text in parts.items()
    }
    gold: list[Division | None] = []
    current: Division | None = None
    for line in lines:
        text = line.strip()
        fitting = [name for name, rest in waiting.items() if text and rest and rest[-1] == text]
        if not fitting:
            gold.append(None)
            continue
        part = current if current in fitting else fitting[0]
        waiting[part].pop()
        gold.append(part)
        current = part
    return tuple(gold)


def _without_headings(note: LabelledNote) -> LabelledNote:
    kept = [
        number
        for number, line in enumerate(note.lines)
        if normalised(line) not in divisions_by_heading()
    ]
    return LabelledNote(
        note.name,
        note.split,
        tuple(note.lines[number] for number in kept),
        tuple(note.gold[number] for number in kept),
    )


def _structured(lines: Sequence[str]) -> Sequence[Division]:
    return _by_line(read_chart("\n".join(lines)).sections, len(lines))


def _by_line(sections: Iterable[ChartSection], number: int) -> Sequence[Division]:
    divisions = [Division.SUBJECTIVE] * number
    for section in sections:
        for line in range(section.first_line, section.last_line + 1):
            divisions[line - 1] = section.division
    return divisions


def _header_rule(lines: Sequence[str]) -> Sequence[Division]:
    """A line that is a heading of the table, alone, begins its division."""
    divisions, current = [], Division.SUBJECTIVE
    for line in lines:
        current = divisions_by_heading().get(normalised(line), current)
        divisions.append(current)
    return divisions


def _print(title: str, notes: Sequence[LabelledNote]) -> None:
    print(f"{title}: {len(notes)} notes")
    for name, predict in (("structured", _structured), ("header rule", _header_rule)):
        right, lines = _counted(notes, predict)
        shares = ", ".join(f"{part} {right[part] / lines[part]:.3f}" for part in lines)
        total = sum(right.values()) / max(1, sum(lines.values()))
        print(f"  {name:12} {total:.4f} of {sum(lines.values())} lines ({shares})")


def _counted(
    notes: Sequence[LabelledNote], predict: Predict
) -> tuple[Counter[Division], Counter[Division]]:
    right: Counter[Division] = Counter()
    lines: Counter[Division] = Counter()
    for note in notes:
        for division, gold in zip(predict(note.lines), note.gold, strict=True):
            if gold is not None:
                lines[gold] += 1
                right[gold] += division == gold
    return right, lines


def _fold(note: LabelledNote, folds: int) -> int:
    return int(hashlib.sha256(note.name.encode()).hexdigest(), 16) % folds


if __name__ == "__main__":
    main()

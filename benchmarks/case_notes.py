"""Notes of ACI-BENCH and MEDEC, in two halves by the hash of their ids, and the tools of `case` run on a text."""

from __future__ import annotations

import csv
import hashlib
import json
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.data import folder_of
from shared.models.case import Case, LensPoint, LensResult, StructuredChart
from shared.models.wire import ForeignWire
from workers.tools.registry import MemoryDocuments, ToolContext, run_tool

LENSES = ("lens_diagnostic_consistency", "lens_monitoring_response", "lens_severity_risk")


@dataclass(frozen=True)
class CaseNote:
    """A note of one of the collections; `text` has no known error."""

    id: str
    text: str

    @property
    def kept_back(self) -> bool:
        """Whether the note is in the half that no rule was tuned on."""
        return hashlib.sha256(self.id.encode()).digest()[0] % 2 == 1


@dataclass(frozen=True)
class RaisedPoint:
    """A lens' point, with the lens."""

    lens: str
    point: LensPoint

    @property
    def key(self) -> tuple[str, ...]:
        """What it is recognised by in another version of the same note."""
        told = self.point.message.model_dump_json()
        return (self.lens, self.point.kind, told, *(span.text for span in self.point.spans))


def read_notes(data: Path) -> list[CaseNote]:
    """Every note of both collections: of MEDEC the texts without an error, and the corrected ones."""
    notes = [*_aci_bench(folder_of(data, "aci-bench")), *_medec(folder_of(data, "medec"))]
    if not notes:
        raise SystemExit(f"--data {data}: neither aci-bench nor medec is there")
    return sorted(notes, key=lambda note: hashlib.sha256(note.id.encode()).digest())


def _aci_bench(folder: Path) -> Iterator[CaseNote]:
    archive = folder / "notes.tar.gz"
    if not archive.is_file():
        return
    with tarfile.open(archive) as files:
        for name in ("notes/train.json", "notes/valid.json"):
            member = files.extractfile(name)
            assert member is not None
            for row in json.load(member)["data"]:
                yield CaseNote(f"aci-{row['file']}", row["tgt"])


def _medec(folder: Path) -> Iterator[CaseNote]:
    csv.field_size_limit(sys.maxsize)
    for path in sorted(folder.glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                right = row["Error Flag"] == "0"
                yield CaseNote(row["Text ID"], row["Text"] if right else row["Corrected Text"])


def run_case_tools(text: str) -> tuple[StructuredChart, list[RaisedPoint]]:
    """The stages and lenses on one text, as the workflow runs them; similar cases are left out."""
    documents = MemoryDocuments()
    chart = documents.put(text.encode())
    subject = documents.put(Case(title="note", chart=chart).model_dump_json().encode())
    context = ToolContext(documents=documents, deadline_s=120.0)
    inputs: dict[str, Any] = {"subject": subject}

    def stage(name: str, **more: ForeignWire) -> dict[str, Any]:
        given = {key: value.model_dump(mode="json") for key, value in more.items()}
        return {"reply": run_tool(name, {**inputs, **given}, context)}

    structured = stage("chart.structure")["reply"]
    diagnosis = stage("diagnosis.extract", chart=structured)["reply"]
    treatment = stage("treatment.extract", chart=structured)["reply"]
    coverage = stage(
        "interventions.check", chart=structured, diagnosis=diagnosis, treatment=treatment
    )["reply"]
    read = {
        "chart": structured,
        "timeline": stage("preprocess.timeline", chart=structured)["reply"],
        "evidence": stage("preprocess.evidence", chart=structured)["reply"],
        "gaps": stage("preprocess.record_gaps", chart=structured)["reply"],
        "coverage": coverage,
    }
    raised = []
    for lens in LENSES:
        reply = stage(lens, **read)["reply"]
        assert isinstance(reply, LensResult)
        raised += [RaisedPoint(lens, point) for point in reply.points]
    assert isinstance(structured, StructuredChart)
    return structured, raised

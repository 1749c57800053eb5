"""The todos participant: TODO and FIXME in added lines."""

from __future__ import annotations

from shared.errors import ToolError
from shared.models.findings import Place, RaisedFinding, Severity
from shared.models.review_replies import Critique
from shared.tools.inputs import AnalyserInput
from workers.tools.analysers.critique import write_critique
from workers.tools.analysers.sources import sources
from workers.tools.registry import ToolContext
from workers.tools.snapshot import load_subject

NAME = "todos"


def run(inputs: AnalyserInput, context: ToolContext) -> Critique:
    """A finding for every changed line that leaves something to do. Raises ToolError without a text file."""
    subject = load_subject(inputs.subject, context.documents)
    examined = sources(subject, context.documents, lambda _file: True)
    if not examined.files:
        raise ToolError("Nothing analysed: no text file in this change.")
    findings = [
        RaisedFinding(
            title="Something is left to do",
            detail=line.strip(),
            severity=Severity.MINOR,
            category="maintainability",
            rule=f"{NAME}/left",
            place=Place(path=source.path, line=number),
            quote=source.quote(number),
            confidence=0.9,
        )
        for source in examined.files
        for number, line in enumerate(source.lines, 1)
        if source.changed(number) and ("TODO" in line or "FIXME" in line)
    ]
    return write_critique(inputs, NAME, examined, findings, "text")

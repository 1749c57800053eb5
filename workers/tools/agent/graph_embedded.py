"""The tool `graph.embedded`: vectors of definitions are stored with the facts of their files."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator

from pydantic import ValidationError

from shared.errors import ToolError
from shared.models.code_answers import CodeEmbedded, CodeTexts
from shared.tools.graph_cards import CodeVectorsInput, EmbeddedPortion
from workers.tools.registry import ToolContext


def run(inputs: CodeVectorsInput, context: ToolContext) -> CodeEmbedded:
    """Store them. Raises ToolError for what is no portion, or has no vector of the same length for each text."""
    rows = dict(row for portion in inputs.portions for row in _rows(portion, context))
    context.code.keep_facts(rows)
    return CodeEmbedded(kept=sum(len(portion.vectors) for portion in inputs.portions))


def _rows(portion: EmbeddedPortion, context: ToolContext) -> Iterator[tuple[str, bytes]]:
    """What is stored for each part of a file: its vectors one after another."""
    try:
        texts = CodeTexts.model_validate_json(context.documents.get(portion.document))
        numbers = [base64.b64decode(vector, validate=True) for vector in portion.vectors]
    except (ValidationError, binascii.Error) as error:
        raise ToolError("These are no vectors of definitions.") from error
    if len(numbers) != len(texts.texts) or len(set(map(len, numbers))) != 1:
        raise ToolError("There is no vector of the same length for each definition.")
    start = 0
    for key, count in texts.keys:
        yield key, b"".join(numbers[start : start + count])
        start += count

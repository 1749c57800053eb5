"""The tool `graph.unembedded`: the definitions that have no vector yet, in portions of one turn each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from shared.models.code_answers import CodeTexts, UnembeddedCode
from shared.models.code_graph_index import GraphIndex
from shared.models.embeddings import MOST_TEXTS
from shared.text.masking.file_names import is_withheld
from shared.tools.graph_cards import UnembeddedCodeInput
from workers.tools.agent.code_base import MEMORY
from workers.tools.agent.code_vectors import FilePart, parts_of, text_of
from workers.tools.agent.workspace import WorkspaceTree, open_workspace
from workers.tools.registry import ToolContext


def run(inputs: UnembeddedCodeInput, context: ToolContext) -> UnembeddedCode:
    """At most so many definitions, those of the first files first."""

    def withheld(path: str) -> bool:
        return is_withheld(path, inputs.never_sent, inputs.may_be_sent)

    with open_workspace(inputs.workspace, context) as tree:
        code = MEMORY.whole(tree, context)
        parts = list(parts_of(code, inputs.space, withheld))
        stored = context.code.known([part.key for part in parts])
        missing = [part for part in parts if part.key not in stored]
        wanted, count = 0, 0
        for part in missing:
            if count + len(part.places) > inputs.most:
                break
            wanted, count = wanted + 1, count + len(part.places)
        portions = [_texts(part, tree, code.index) for part in _portions(missing[:wanted])]
    return UnembeddedCode(
        portions=tuple(
            context.documents.put(portion.model_dump_json().encode()) for portion in portions
        ),
        left_out=sum(len(part.places) for part in missing[wanted:]),
    )


def _texts(parts: Sequence[FilePart], tree: WorkspaceTree, index: GraphIndex) -> CodeTexts:
    contents = tree.read_all(sorted({part.path for part in parts}))
    lines = {path: data.decode("utf-8", "replace").splitlines() for path, data in contents.items()}
    return CodeTexts(
        keys=tuple((part.key, len(part.places)) for part in parts),
        texts=tuple(
            text_of(index.node(place), lines.get(part.path, ()))
            for part in parts
            for place in part.places
        ),
    )


def _portions(parts: Sequence[FilePart]) -> Iterator[list[FilePart]]:
    """As many parts together as a turn takes."""
    portion: list[FilePart] = []
    for part in parts:
        if sum(len(each.places) for each in portion) + len(part.places) > MOST_TEXTS:
            yield portion
            portion = []
        portion.append(part)
    if portion:
        yield portion

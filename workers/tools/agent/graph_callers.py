"""The tool `graph.callers`: who calls what a change touches, and the tests that reach it, as evidence for reviewers.

It says names and places, and of files of the change the lines of the calls, with secrets masked; no more than so many
tokens.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from shared.errors import ToolError
from shared.models.code_answers import CallersEvidence
from shared.models.code_graph import SymbolKind
from shared.models.code_graph_index import CALLS, EdgeSite, GraphIndex
from shared.models.subject import LineRange, Subject
from shared.models.workspace import Workspace, WorkspaceFile
from shared.text.masking.mask import mask
from shared.text.tokens import estimated_tokens
from shared.tools.graph_cards import CallersInput
from workers.tools.agent.code_base import MEMORY
from workers.tools.agent.workspace import WorkspaceTree, open_workspace
from workers.tools.code_graph.tests_reached import is_test
from workers.tools.registry import ToolContext
from workers.tools.snapshot import load_subject

TEST_DEPTH = 5
LONGEST_LINE = 160
_COMMIT = frozenset("0123456789abcdef")


@dataclass(frozen=True)
class _Caller:
    """A call of a changed definition that the change itself does not show."""

    name: str
    site: EdgeSite


@dataclass(frozen=True)
class _Touched:
    """A definition that the change touches, who calls it, and the tests that reach it."""

    name: str
    site: EdgeSite
    callers: tuple[_Caller, ...]
    tests: tuple[str, ...]


def run(inputs: CallersInput, context: ToolContext) -> CallersEvidence:
    """The evidence as a document; none where nothing calls what was changed."""
    subject = load_subject(inputs.subject, context.documents)
    with open_workspace(reviewed_state(subject), context) as tree:
        code = MEMORY.whole(tree, context)
        index = code.index
        touched = [_touched(index, subject, place) for place in changed_definitions(index, subject)]
        telling = [each for each in touched if each.callers or each.tests]
        lines = _lines_of_calls(telling, subject, tree)
    text = written(telling, lines, inputs.tokens)
    return CallersEvidence(
        document=context.documents.put(text.encode()) if text else None,
        symbols=len(telling),
        callers=sum(len(each.callers) for each in telling),
        tests=len({path for each in telling for path in each.tests}),
        graph=code.document,
    )


def reviewed_state(subject: Subject) -> Workspace:
    """The state that is reviewed: its commit, or the files of the change on top of the one that they stand on."""
    origin = subject.origin
    names = (origin.reviewed, origin.head, origin.base)
    commit = next((name for name in names if name and _COMMIT.issuperset(name)), None)
    if origin.repository is None or commit is None:
        raise ToolError("The change is of no repository that could be looked at.")
    state = Workspace(repository=origin.repository, commit=commit)
    return state if commit == origin.reviewed else state.changed(*_files_on_top(subject))


def _files_on_top(subject: Subject) -> Iterator[WorkspaceFile]:
    for file in subject.files:
        if file.old_path is not None and file.old_path != file.path:
            yield WorkspaceFile(path=file.old_path, document=None)
        if file.after is not None or file.status == "deleted":
            yield WorkspaceFile(path=file.path, document=file.after)


def changed_definitions(index: GraphIndex, subject: Subject) -> tuple[int, ...]:
    """The functions and classes that hold a changed line, in the order of the change."""
    places = (
        index.around(file.path, line)
        for file in subject.files
        for lines in file.changed
        for line in _turning_points(index, file.path, lines)
    )
    named = dict.fromkeys(place for place in places if place is not None)
    kinds = (SymbolKind.MODULE, SymbolKind.VARIABLE)
    return tuple(place for place in named if index.node(place).kind not in kinds)


def _turning_points(index: GraphIndex, path: str, lines: LineRange) -> list[int]:
    """The lines of a range at which another definition begins to hold them."""
    nodes = map(index.node, index.by_file.get(path, ()))
    turns = {line for node in nodes for line in (node.line, node.end_line + 1) if line in lines}
    return sorted({lines.first, *turns})


def _touched(index: GraphIndex, subject: Subject, place: int) -> _Touched:
    node = index.node(place)
    callers = tuple(
        _Caller(index.node(source).id, site)
        for source in dict.fromkeys(index.neighbours(place, CALLS, backwards=True))
        for site in dict.fromkeys(index.sites(source, place, CALLS))
        if not subject.changes(site.path, site.line)
    )
    reached = index.chains((place,), TEST_DEPTH, kinds=CALLS, backwards=True)
    files = dict.fromkeys(index.node(chain.end).file for chain in reached)
    return _Touched(
        node.id,
        EdgeSite(node.file, node.line),
        tuple(sorted(callers, key=lambda caller: (is_test(caller.site.path), caller.site))),
        tuple(filter(is_test, files)),
    )


def _lines_of_calls(
    touched: Sequence[_Touched], subject: Subject, tree: WorkspaceTree
) -> Mapping[EdgeSite, str]:
    """What stands where a definition is called, without secrets: in files of the change alone.

    Of others nobody has judged whether they may be shown (`privacy.never_send`, `review.exclude`): only names are.
    """
    captured = {file.path for file in subject.files if file.after is not None}
    wanted: dict[str, list[EdgeSite]] = defaultdict(list)
    for site in (caller.site for each in touched for caller in each.callers):
        if site.path in captured:
            wanted[site.path].append(site)
    lines: dict[EdgeSite, str] = {}
    for path, data in tree.read_all(sorted(wanted)).items():
        rows = mask(data.decode("utf-8", "replace")).text.splitlines()
        for site in wanted[path]:
            if site.line <= len(rows):
                lines[site] = rows[site.line - 1].strip()[:LONGEST_LINE]
    return lines


def written(touched: Sequence[_Touched], lines: Mapping[EdgeSite, str], tokens: int) -> str:
    """The evidence in no more tokens: of each definition its first caller, then of each its second, and so on."""
    rows = [list(_rows(each, lines)) for each in touched]
    shown = [0] * len(rows)
    left = tokens
    for depth in range(max(map(len, rows), default=0)):
        for number, own in enumerate(rows):
            if depth < len(own) and shown[number] == depth:
                cost = estimated_tokens(own[depth]) + 1
                if cost <= left:
                    left -= cost
                    shown[number] += 1
    texts = [
        "\n".join((*own[:count], *_rest(len(own) - count)))
        for own, count in zip(rows, shown, strict=True)
        if count > 1
    ]
    return "\n".join(texts)


def _rows(touched: _Touched, lines: Mapping[EdgeSite, str]) -> Iterator[str]:
    yield f"{touched.name} ({_shown(touched.site)})"
    if touched.tests:
        more = f" and {len(touched.tests) - 5} more" if len(touched.tests) > 5 else ""
        yield f"  reached by tests in {', '.join(touched.tests[:5])}{more}"
    else:
        yield "  no test was found that reaches it"
    for caller in touched.callers:
        text = lines.get(caller.site, "")
        yield f"  {_shown(caller.site)} {caller.name}{f': {text}' if text else ''}"


def _shown(site: EdgeSite) -> str:
    return f"{site.path}:{site.line}"


def _rest(count: int) -> tuple[str, ...]:
    return (f"  ... and {count} more",) if count else ()

"""Documentation: docstrings beside signatures, pages beside files and commands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shared.models.agent import RepositoryExamination
from shared.models.findings import Severity
from shared.models.notices import Notice, notice
from shared.tools.agent_inputs import ExaminationInput
from workers.tools.agent.docstrings import (
    FunctionNode,
    PublicSymbol,
    documented_parameters,
    public_symbols,
    signature,
)
from workers.tools.agent.examination import Points, run_apart
from workers.tools.agent.readme_claims import commands, links, missing_link, missing_of_command
from workers.tools.agent.repository_files import RepositoryFiles, is_product, is_sample
from workers.tools.registry import ToolContext

RULES = {
    "documentation.docstrings": Severity.INFO,
    "documentation.unknown-parameter": Severity.MINOR,
    "documentation.missing-parameter": Severity.INFO,
    "documentation.link": Severity.MINOR,
    "documentation.command-file": Severity.MINOR,
    "documentation.command-target": Severity.MINOR,
    "documentation.command-script": Severity.MINOR,
    "documentation.no-readme": Severity.MINOR,
    "documentation.no-changelog": Severity.INFO,
}
_PAGES = (".md", ".markdown")
_NAMED = frozenset({"Makefile", "makefile", "GNUmakefile", "package.json", "pyproject.toml"})
_SHOWN = 5


def wanted(path: str) -> bool:
    """Python, pages, and what their commands are declared in."""
    return path.endswith((".py", *_PAGES)) or path.rsplit("/", 1)[-1] in _NAMED


def run(inputs: ExaminationInput, context: ToolContext) -> RepositoryExamination:
    """Points on documentation. Raises `ToolError`."""
    return run_apart(__name__, inputs, context)


def examine(files: RepositoryFiles) -> RepositoryExamination:
    """Read docstrings and pages."""
    points = Points(RULES)
    public = documented = 0
    for path in files.python():
        tree = files.tree(path) if is_product(path) else None
        if tree is None:
            continue
        symbols = list(public_symbols(tree))
        public += len(symbols)
        documented += sum(symbol.docstring is not None for symbol in symbols)
        _check_docstrings(points, path, symbols)
    for path, text in files.texts.items():
        if path.endswith(_PAGES) and not is_sample(path):
            _check_page(points, files, path, text)
    _check_presence(points, files)
    return points.examination(_facts(public, documented))


def _facts(public: int, documented: int) -> Iterator[Notice]:
    if public:
        yield notice(
            "exam_documentation_share",
            n=public,
            documented=documented,
            percent=round(100 * documented / public),
        )


def _check_docstrings(points: Points, path: str, symbols: list[PublicSymbol]) -> None:
    for symbol in symbols:
        if isinstance(symbol.node, FunctionNode) and symbol.docstring:
            _check_parameters(points, path, symbol.name, symbol.node, symbol.docstring)
    silent = [
        symbol for symbol in symbols if symbol.docstring is None and not _speaks_for_itself(symbol)
    ]
    # A file without any is written in another style; one with most has forgotten some.
    if silent and len(silent) * 2 <= len(symbols):
        names = ", ".join(symbol.name for symbol in silent[:_SHOWN])
        points.add(
            "documentation.docstrings",
            path,
            silent[0].node.lineno,
            n=len(silent),
            public=len(symbols),
            names=names,
        )


def _speaks_for_itself(symbol: PublicSymbol) -> bool:
    """A body of one statement."""
    return isinstance(symbol.node, FunctionNode) and len(symbol.node.body) == 1


def _check_parameters(
    points: Points, path: str, name: str, node: FunctionNode, docstring: str
) -> None:
    entries = set(documented_parameters(docstring))
    named, takes_others = signature(node)
    starred = {argument.arg for argument in (node.args.vararg, node.args.kwarg) if argument}
    if not entries & {*named, *starred}:
        return  # nothing is described, or another function is
    for entry in sorted(entries - named.keys() - starred - {"self", "cls"}):
        if not takes_others:
            points.add(
                "documentation.unknown-parameter", path, node.lineno, name=name, parameter=entry
            )
    missing = [parameter for parameter in named if parameter not in entries and parameter[0] != "_"]
    if 0 < len(missing) <= len(named) - len(missing):
        points.add(
            "documentation.missing-parameter",
            path,
            node.lineno,
            name=name,
            parameters=", ".join(missing),
        )


def _check_page(points: Points, files: RepositoryFiles, path: str, text: str) -> None:
    for link in links(text):
        target = missing_link(files, path, link.text)
        if target is not None:
            points.add("documentation.link", path, link.line, target=target)
    if "/" not in path and re.match(r"readme|contributing|install", path, re.IGNORECASE):
        for command in commands(text):
            missing = missing_of_command(files, command.text)
            if missing is not None:
                kind, name = missing
                points.add(f"documentation.command-{kind}", path, command.line, name=name)


def _check_presence(points: Points, files: RepositoryFiles) -> None:
    top = [path.casefold() for path in files.paths if "/" not in path]
    if len(files.paths) > 3 and not any(name.startswith("readme") for name in top):
        points.add("documentation.no-readme")
    text = files.texts.get("pyproject.toml", "")
    published = (
        bool(re.search(r"^\[project\]|^\[tool\.poetry\]", text, re.M)) and "Private ::" not in text
    )
    changes = re.compile(
        r"(?:.*/)?(?:changelog|changes|history|news|releases?|release[-_ ]?notes|whats[-_]?new)(?:[./]|$)"
    )
    if published and not any(changes.match(path.casefold()) for path in files.known):
        points.add("documentation.no-changelog", "pyproject.toml", 1)

"""Whom calls by name mean, for languages whose types are not followed: as near as possible, nobody in case of doubt.

A name is looked for in the caller's class (for `this.save`), in its file, in files that it imports, in its folder, and
in the whole program, where it counts only if it is the only one of that name.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from shared.models.code_graph import (
    Edge,
    EdgeKind,
    FileFacts,
    Node,
    Reference,
    ReferenceKind,
    Symbol,
    SymbolKind,
)
from shared.patterns import regex
from workers.tools.code_graph.declared_types import DECLARED, MADE
from workers.tools.code_graph.imported_files import ImportedFiles, is_script
from workers.tools.code_graph.manifests import ImportRoots
from workers.tools.code_graph.tests_reached import is_test

SELF = frozenset(("this", "self", "super", "cls", "base", "Self"))
_OF_SCRIPTS = frozenset(
    (
        *(
            "add apply bind call catch clear concat delete entries every exec fill filter finally find".split()
        ),
        *(
            "findIndex flat flatMap forEach get has includes indexOf join keys map match next pop push".split()
        ),
        *(
            "reduce replace reverse set shift slice some sort splice split test then toString trim".split()
        ),
        *("unshift values".split()),
    )
)
_RESULT = regex(r"\s*:?\s*\(?(?:\w+\s+)?(?:Promise<)?[*&]?(?:\w+\.)?([A-Z_a-z]\w*)")
_CALLED = frozenset((SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.CLASS))


@dataclass
class _Program:
    """All files of one kind of language, by what is asked."""

    files: Mapping[str, FileFacts]
    by_name: dict[str, list[tuple[str, Symbol]]] = field(default_factory=lambda: defaultdict(list))
    bases: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def __post_init__(self) -> None:
        for path, facts in self.files.items():
            for reference in facts.references:
                if reference.kind == ReferenceKind.INHERIT:
                    base = reference.name.rpartition(".")[2]
                    self.bases[reference.scope.rpartition(".")[2]].add(base)
            for symbol in facts.symbols:
                if symbol.name and symbol.kind in _CALLED:
                    self.by_name[symbol.name.rpartition(".")[2]].append((path, symbol))


def nodes_of(facts: FileFacts) -> Iterator[Node]:
    """The nodes of a file; of those with one name the first."""
    seen: set[str] = set()
    for symbol in facts.symbols:
        if symbol.name not in seen:
            seen.add(symbol.name)
            yield Node(
                symbol_id(facts, symbol.name),
                symbol.kind,
                facts.path,
                symbol.line,
                symbol.end_line,
                symbol.signature,
                symbol.summary,
            )


def symbol_id(facts: FileFacts, name: str) -> str:
    """The id of a symbol of a file."""
    return f"{facts.module}.{name}" if name else facts.module


def resolve_names(files: Sequence[FileFacts], roots: ImportRoots) -> Iterator[Edge]:
    """The edges among files of languages that are resolved by names."""
    program = _Program({facts.path: facts for facts in files})
    imports = ImportedFiles(program.files, roots)
    for facts in files:
        outside = imports.outside_names(facts)
        imported = tuple(dict.fromkeys(imports.of(facts)))
        yield from _contained(facts)
        for path, line in imported:
            target = symbol_id(program.files[path], "")
            yield Edge(facts.module, target, EdgeKind.IMPORTS, facts.path, line)
        reached = [path for path, _ in imported]
        reached += [far for path in tuple(reached) for far in imports.handed_on(path)]
        yield from _outside(imports, facts)
        for reference in facts.references:
            if reference.name.partition(".")[0] not in outside:
                yield from _calls(program, facts, reference, reached)


def _contained(facts: FileFacts) -> Iterator[Edge]:
    names = {symbol.name for symbol in facts.symbols}
    for symbol in facts.symbols:
        if symbol.name:
            outer = symbol.name.rpartition(".")[0]
            source = symbol_id(facts, outer if outer in names else "")
            target = symbol_id(facts, symbol.name)
            yield Edge(source, target, EdgeKind.CONTAINS, facts.path, symbol.line)


def _outside(imported: ImportedFiles, facts: FileFacts) -> Iterator[Edge]:
    """What a file imports from outside the program."""
    for entry in facts.imports:
        if entry.module and not imported.meant(facts, entry):
            yield Edge(facts.module, entry.module, EdgeKind.IMPORTS, facts.path, entry.line)


def _calls(
    program: _Program, facts: FileFacts, reference: Reference, imported: Sequence[str]
) -> Iterator[Edge]:
    owner, _, name = _known_type(program, reference.name).rpartition(".")
    candidates = program.by_name.get(name, [])
    if not is_test(facts.path):
        # The product calls nothing of its tests.
        candidates = [each for each in candidates if not is_test(each[0])]
    if not candidates:
        return
    found = _nearest(program, facts, reference.scope, owner, candidates, imported)
    if found is None:
        return
    path, symbol = found
    kind = EdgeKind.INSTANTIATES if symbol.kind == SymbolKind.CLASS else EdgeKind.CALLS
    if reference.kind == ReferenceKind.INHERIT:
        kind = EdgeKind.INHERITS
    target = symbol_id(program.files[path], symbol.name)
    source = symbol_id(facts, reference.scope)
    if source != target or symbol.name == reference.scope:
        yield Edge(source, target, kind, facts.path, reference.line)


_Candidate = tuple[str, Symbol]
"""A definition and the path of its file."""


def _known_type(program: _Program, name: str) -> str:
    """With the class that a function gives instead of the function: `@Store.load` for `@makeStore().load`.

    Where its signature names none, the owner is somebody unknown.
    """
    owner, dot, member = name.rpartition(".")
    if not owner.endswith(MADE):
        return name
    called = owner.removeprefix(DECLARED).removesuffix(MADE)
    results = {_result(symbol.signature) for _, symbol in program.by_name.get(called, ())}
    kind = results.pop() if len(results) == 1 else ""
    return f"{DECLARED}{kind}{dot}{member}" if kind else f"?{dot}{member}"


def _result(signature: str) -> str:
    """The class that a function says it gives; of several results the first."""
    after = signature.rpartition(
        ")" if "):" in signature or not signature.endswith(")") else ") ("
    )[2]
    match = _RESULT.match(after)
    return "" if match is None else match.group(1)


def _nearest(
    program: _Program,
    facts: FileFacts,
    scope: str,
    owner: str,
    candidates: Iterable[_Candidate],
    imported: Sequence[str],
) -> _Candidate | None:
    """The only one that is near; in the own file the first of several, where no owner is named."""
    listed = _fitting(list(candidates), scope, owner, program)
    folder = posixpath.dirname(facts.path)
    circles: tuple[Callable[[str], bool], ...] = (
        lambda path: path == facts.path,
        lambda path: path in imported,
        lambda path: posixpath.dirname(path) == folder,
        lambda _path: True,
    )
    for is_near in circles:
        near = [each for each in listed if is_near(each[0])]
        if near:
            first = near[0]
            return first if len(near) == 1 or (first[0] == facts.path and not owner) else None
    return None


def _of_class(candidates: list[_Candidate], name: str, program: _Program) -> list[_Candidate]:
    """Those of a class, else of what it inherits from; none where the class is nobody's of the program."""
    waiting, seen = [name], {name}
    while waiting:
        current = waiting.pop(0)
        if own := _those(candidates, partial(_belongs, owner=current)):
            return own
        further = [base for base in program.bases.get(current, ()) if base not in seen]
        seen.update(further)
        waiting += further
    return []


def _fitting(
    candidates: list[_Candidate], scope: str, owner: str, program: _Program
) -> list[_Candidate]:
    """Those that what stands before the name allows: the own class, that owner, or no method at all."""
    if owner in SELF:
        own = scope.rpartition(".")[0]
        return _those(candidates, lambda each: each[1].name.rpartition(".")[0] == own) or candidates
    if owner.startswith(DECLARED):
        return _of_class(candidates, owner.removeprefix(DECLARED), program)
    if owner:
        last = owner.rpartition(".")[2]
        named = _those(candidates, partial(_belongs, owner=last))
        if named or _is_built_in(candidates):
            return named
        return _those(candidates, lambda each: each[1].kind == SymbolKind.METHOD)
    return _those(candidates, lambda each: each[1].kind != SymbolKind.METHOD) or candidates


def _is_built_in(candidates: Iterable[_Candidate]) -> bool:
    """Whether the name is one that every list, text, map or promise of scripts has: another is rarely meant."""
    names = {symbol.name.rpartition(".")[2] for path, symbol in candidates if is_script(path)}
    return bool(names & _OF_SCRIPTS)


def _those(candidates: list[_Candidate], fits: Callable[[_Candidate], bool]) -> list[_Candidate]:
    return [each for each in candidates if fits(each)]


def _belongs(candidate: _Candidate, owner: str) -> bool:
    """Whether it is a member of a class, a file or a folder of that name."""
    path, symbol = candidate
    holder = symbol.name.rpartition(".")[0].rpartition(".")[2]
    stem = posixpath.splitext(posixpath.basename(path))[0]
    folder = posixpath.basename(posixpath.dirname(path))
    return owner in ((holder,) if holder else (stem, folder))

"""Compliance with a specification: each thing that a document asks for, with the places that speak of it.

What is shown is where names and words stand. That the code behaves as it is asked to is for a test or a person to say.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log

from shared.models.agent import CheckedItem, RepositoryExamination
from shared.models.findings import Place, Severity
from shared.models.notices import Notice, notice
from shared.tools.agent_inputs import ExaminationInput
from workers.tools.agent.docstrings import FunctionNode
from workers.tools.agent.examination import Points, run_apart
from workers.tools.agent.foreign_imports import JS_SUFFIXES
from workers.tools.agent.repository_files import RepositoryFiles, is_foreign, is_sample, is_test
from workers.tools.agent.requirement_texts import Requirement, listed, requirements
from workers.tools.agent.search_words import name_parts, read_query
from workers.tools.registry import ToolContext

RULES = {"spec.ticked-without-evidence": Severity.MINOR}
MOST_ITEMS, MOST_PLACES = 100, 3
LEAST_WORDS, LEAST_SHARE = 2, 0.5
"""Words alone are evidence where so many of them, and so much of what they weigh, stand in the name of one symbol."""
_PAGES = (".md", ".rst", ".txt", ".adoc")
_CODE = (
    ".py",
    ".go",
    ".rs",
    ".java",
    ".kt",
    ".rb",
    ".php",
    ".cs",
    ".sql",
    ".toml",
    ".yml",
    ".yaml",
    *JS_SUFFIXES,
)
_SPECIFICATION = re.compile(
    r"(?:^|[/_.-])(?:spec|specs|specification|requirements?|prd|srs|acceptance|rfc|checklist|todo|요구사항|명세서?)(?:[/_.-]|$)",
    re.IGNORECASE,
)
_MEMBER = re.compile(r"(?:[A-Za-z_]\w*[.#:]+)*[A-Z]\w*[.#:]+[A-Za-z_]\w{3,}")
"""A member of a class, as a document names it: elsewhere it is called on an object."""
_DEFINITION = re.compile(
    r"^[ \t]*(?:export[ \t]+)?(?:default[ \t]+)?(?:public[ \t]+|private[ \t]+|static[ \t]+|async[ \t]+|pub[ \t]+)*"
    r"(?:func(?:tion)?|fn|class|interface|type|struct|enum|const|let|def|module|trait)[ \t]+"
    r"(?:\([^)\n]*\)[ \t]*)?([A-Za-z_]\w*)",
    re.MULTILINE,
)


def wanted(path: str) -> bool:
    """Code, configuration and pages."""
    return path.endswith((*_CODE, *_PAGES))


def run(inputs: ExaminationInput, context: ToolContext) -> RepositoryExamination:
    """The items with their evidence. Raises `ToolError`."""
    return run_apart(__name__, inputs, context)


def examine(files: RepositoryFiles) -> RepositoryExamination:
    """Read what is asked for, and look for it."""
    points = Points(RULES)
    source, asked = _asked(files)
    if not asked:
        return points.examination([notice("exam_spec_none")])
    evidence = SpecificationEvidence.of(files, source)
    items = []
    for requirement in asked[:MOST_ITEMS]:
        item = _looked_for(evidence, requirement)
        items.append(item)
        if requirement.ticked and item.state == "unmet":
            points.add(
                "spec.ticked-without-evidence",
                source or None,
                requirement.line,
                text=requirement.text,
            )
    return points.examination(_facts(source, asked, items), items)


def _facts(
    source: str, asked: Sequence[Requirement], items: Sequence[CheckedItem]
) -> Iterator[Notice]:
    states = [item.state for item in items]
    met, unknown, unmet = map(states.count, ("met", "unknown", "unmet"))
    yield notice(
        "exam_spec_counted",
        path=source or "-",
        n=len(asked),
        met=met,
        unknown=unknown,
        unmet=unmet,
    )
    yield notice("exam_spec_limits")


# ---- the document -------------------------------------------------------------------------------


def _asked(files: RepositoryFiles) -> tuple[str, list[Requirement]]:
    """What a given document asks for, a page that the task names, the task's list, or what looks like one."""
    for text in files.documents:
        if asked := requirements(text):
            return "", asked
    pages = [path for path in files.texts if path.endswith(_PAGES) and not is_foreign(path)]
    named = [path for path in pages if _is_named(path, files.task)]
    if named:
        path = max(named, key=lambda path: (path in files.task, len(path)))
        return path, requirements(files.texts[path])
    own = listed(files.task)
    return ("", own) if len(own) > 1 else _likely(files, pages)


def _is_named(path: str, task: str) -> bool:
    """By its name, or by that without its suffix where it stands near the root (`the README`)."""
    name = path.rsplit("/", 1)[-1]
    stem = re.escape(name.partition(".")[0])
    return name in task or ("/" not in path and bool(re.search(rf"\b{stem}\b", task, re.I)))


def _likely(files: RepositoryFiles, pages: Iterable[str]) -> tuple[str, list[Requirement]]:
    """The page nearest to the root whose name says that it is a specification, and that asks for something."""
    fitting = (
        path for path in pages if _SPECIFICATION.search(path) and not _is_list_of_packages(path)
    )
    for path in sorted(fitting, key=lambda path: (path.count("/"), path)):
        if asked := requirements(files.texts[path]):
            return path, asked
    return "", []


def _is_list_of_packages(path: str) -> bool:
    return path.endswith(".txt") and "requirement" in path.casefold()


# ---- the evidence -------------------------------------------------------------------------------


@dataclass(frozen=True)
class DefinedSymbol:
    """Something that a file defines. `parts` are the words of its name."""

    name: str
    path: str
    line: int
    parts: frozenset[str]


@dataclass(frozen=True)
class SpecificationEvidence:
    """Where things are defined, in code and in tests, and the lines that names are looked for in."""

    code: tuple[DefinedSymbol, ...]
    tests: tuple[DefinedSymbol, ...]
    texts: Mapping[str, str]
    weights: Mapping[str, float]

    @classmethod
    def of(cls, files: RepositoryFiles, source: str) -> SpecificationEvidence:
        """The repository without its pages, and without the document itself."""
        texts = {
            path: text for path, text in files.texts.items() if path != source and _is_code(path)
        }
        symbols = [symbol for path in texts for symbol in _defined(files, path)]
        return cls(
            _those(symbols, tests=False), _those(symbols, tests=True), texts, _weights(symbols)
        )

    def places(self, requirement: Requirement, *, tests: bool) -> list[Place]:
        """Where its names stand, else the symbols that its words make up."""
        named = [place for name in requirement.names for place in self._named(name, tests=tests)]
        named += [
            place for phrase in requirement.phrases for place in self._written(phrase, tests=tests)
        ]
        if named or requirement.names:
            return list(dict.fromkeys(named))
        return self._by_words(requirement, tests=tests)

    def _named(self, name: str, *, tests: bool) -> list[Place]:
        last = re.split(r"[.#:]", name)[-1]
        symbols = self.tests if tests else self.code
        defined = [Place(path=each.path, line=each.line) for each in symbols if each.name == last]
        if defined:
            return defined[:MOST_PLACES]
        return self._written(name, tests=tests) or (
            self._written(last, tests=tests) if _MEMBER.fullmatch(name) else []
        )

    def _written(self, text: str, *, tests: bool) -> list[Place]:
        pattern = re.compile(rf"(?<![\w-]){re.escape(text)}(?![\w-])")
        places = []
        for path, content in self.texts.items():
            if is_test(path) is tests and text in content and (match := pattern.search(content)):
                line = content.count("\n", 0, match.start()) + 1
                places.append(Place(path=path, line=line))
                if len(places) == MOST_PLACES:
                    break
        return places

    def _by_words(self, requirement: Requirement, *, tests: bool) -> list[Place]:
        words = [frozenset(word.variants) for word in read_query(requirement.wording).words]
        rare = [self._weight(word) for word in words]
        whole = sum(rare)
        scored = []
        for symbol in self.tests if tests else self.code:
            shared = [
                weight for word, weight in zip(words, rare, strict=True) if word & symbol.parts
            ]
            if len(shared) >= LEAST_WORDS and sum(shared) >= LEAST_SHARE * whole:
                scored.append((-sum(shared), symbol.path, symbol.line))
        return [Place(path=path, line=line) for _, path, line in sorted(scored)[:MOST_PLACES]]

    def _weight(self, word: frozenset[str]) -> float:
        """A word that no symbol has weighs as much as the rarest."""
        known = [self.weights[part] for part in word if part in self.weights]
        return min(known) if known else max(self.weights.values(), default=1.0)


def _those(symbols: Iterable[DefinedSymbol], *, tests: bool) -> tuple[DefinedSymbol, ...]:
    return tuple(symbol for symbol in symbols if is_test(symbol.path) is tests)


def _weights(symbols: Sequence[DefinedSymbol]) -> Mapping[str, float]:
    """How rare a word is in the names of symbols."""
    counts = Counter(part for symbol in symbols for part in symbol.parts)
    return {part: log((1 + len(symbols)) / count) for part, count in counts.items()}


def _is_code(path: str) -> bool:
    return path.endswith(_CODE) and not is_foreign(path) and not is_sample(path)


def _defined(files: RepositoryFiles, path: str) -> Iterator[DefinedSymbol]:
    for name, line in _names(files, path):
        yield DefinedSymbol(name, path, line, frozenset(_singular(name_parts(name))))


def _singular(parts: Iterable[str]) -> Iterator[str]:
    for part in parts:
        yield part
        if part.endswith("s") and len(part) > 3:
            yield part[:-1]


def _names(files: RepositoryFiles, path: str) -> Iterator[tuple[str, int]]:
    if not path.endswith(".py"):
        text = files.texts[path]
        for match in _DEFINITION.finditer(text):
            yield match.group(1), text.count("\n", 0, match.start(1)) + 1
        return
    tree = files.tree(path)
    stack: list[ast.AST] = list(tree.body) if tree else []
    while stack:
        node = stack.pop()
        if isinstance(node, FunctionNode | ast.ClassDef):
            yield node.name, node.lineno
            stack.extend(node.body)


def _looked_for(evidence: SpecificationEvidence, requirement: Requirement) -> CheckedItem:
    """Evidence in code and in tests is the most that can be said; without any the item is unmet as far as is seen."""
    code = evidence.places(requirement, tests=False)[:MOST_PLACES]
    tests = evidence.places(requirement, tests=True)[:MOST_PLACES]
    state, why = "unmet", "exam_spec_no_evidence"
    if code and tests:
        state, why = "met", "exam_spec_code_and_tests"
    elif code:
        state, why = "unknown", "exam_spec_code_only"
    elif tests:
        state, why = "unknown", "exam_spec_tests_only"
    if code or tests:
        by = (
            "exam_spec_by_name"
            if requirement.names or requirement.phrases
            else "exam_spec_by_words"
        )
        reason = notice(why, n=len(code), tests=len(tests), by=notice(by))
    else:
        reason = notice(why)
    return CheckedItem(item=requirement.text, state=state, places=(*code, *tests), reason=reason)

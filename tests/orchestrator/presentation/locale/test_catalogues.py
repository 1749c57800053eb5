"""Every code has words in both languages, with the same parameters; nothing is left over."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

from jinja2 import nodes

from orchestrator.presentation.locale.catalogue import BY_TEXT, catalogue, read_entries
from orchestrator.settings.languages import LANGUAGES
from orchestrator.web.pages.rendering import environment

ROOT = Path(__file__).parents[4]
PRODUCT = ("shared", "workers", "orchestrator")
FILES = sorted(
    [
        path
        for folder in ("presentation/locale/*", "workflows/*/locale")
        for path in (ROOT / "orchestrator").glob(f"{folder}/*.po")
        if not {*path.stem.split(".")}
        & {*BY_TEXT}  # test_help_texts.py, test_errors.py, test_stored_texts.py
    ]
)
HANGUL = re.compile("[\uac00-\ud7a3]")
# Words that are the same in Korean.
ALIKE = {
    "agent_head_number",
    "batch_head",
    "check_of_git",
    "check_of_python",
    "list_pid",
    "case_range",
    "cast_either",
    "cast_participant",
    "excused_file",
    "failed_after",
    "failure",
    "notes",
    "names",
    "sentences",
    "someone_on",
    "or",
    "and",
    "decided",
    "decided_by_itself",
    "starts",
    "ended_without_vote",
    "moderation_came",
    "lens_value",
    "lens_value_without_unit",
    "lens_derived",
    "lens_derived_without_unit",
}
# What tells a code: the functions whose first argument is one.
TELLERS = {"say", "count", "message", "notice"}


def parameters(words: str) -> set[str]:
    """What is filled in, without how."""
    return {name for _, name, _, _ in Formatter().parse(words) if name is not None}


def enumerations(words: str) -> set[str]:
    return {
        spec[1:].partition(" ")[0]
        for _, _, spec, _ in Formatter().parse(words)
        if spec and spec[:1] == "@"
    }


@cache
def texts() -> frozenset[str]:
    """Every text in the product's code; the fixed parts of a put-together one end in `*`."""
    found: set[str] = set()
    for folder in PRODUCT:
        for path in (ROOT / folder).rglob("*.py"):
            found |= set(_texts(ast.parse(path.read_text(encoding="utf-8"))))
    return frozenset(found).union(code for code, _ in told_by_pages())


def _texts(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
            yield f"{node.values[0].value}*"


def told() -> Iterator[tuple[str, str]]:
    """The codes that the code tells, and where."""
    for folder in PRODUCT:
        for path in (ROOT / folder / "").rglob("*.py"):
            if path.is_relative_to(ROOT / "orchestrator/embedded"):  # whose `say` writes a log
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and node.args and _name(node.func) in TELLERS:
                    code = node.args[0]
                    if isinstance(code, ast.Constant) and str(code.value).isidentifier():
                        yield code.value, f"{path.name}:{node.lineno}"


def told_by_pages() -> Iterator[tuple[str, str]]:
    """The codes that templates tell; of one that is put together the beginning, with `*`."""
    loader = environment().loader
    assert loader is not None
    for template in loader.list_templates():
        source, _, _ = loader.get_source(environment(), template)
        for call in environment().parse(source).find_all(nodes.Call):
            if getattr(call.node, "name", "") == "say":
                code = call.args[0]
                if isinstance(code, nodes.Concat) and isinstance(code.nodes[0], nodes.Const):
                    yield f"{code.nodes[0].value}*", template
                elif isinstance(code, nodes.Const):
                    yield code.value, template


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def is_used(code: str) -> bool:
    """Named as it is, or by a prefix: `how_{ending}` in code, `{ending:@how}` in a catalogue."""
    names = {f"{code[: at + 1]}*" for at, letter in enumerate(code) if letter in "_."}
    prefixes = {code[:at] for at, letter in enumerate(code) if letter == "_"}
    return bool(
        code in texts()
        or names & texts()
        or {prefix.removesuffix("_") for prefix in prefixes} & _enumerations()
    )


@cache
def _enumerations() -> frozenset[str]:
    every = (catalogue(language).entries.values() for language in LANGUAGES)
    return frozenset(
        name
        for entries in every
        for forms in entries
        for words in forms
        for name in enumerations(words)
    )


def test_a_code_has_words_in_both_languages_with_the_same_parameters() -> None:
    english, korean = (catalogue(language).entries for language in LANGUAGES)
    assert english.keys() == korean.keys()
    asked, answered = (
        {code: set().union(*map(parameters, forms)) for code, forms in entries.items()}
        for entries in (english, korean)
    )
    assert {code: names for code, names in asked.items() if names != answered[code]} == {}


def test_each_language_is_its_own() -> None:
    english, korean = (catalogue(language).entries for language in LANGUAGES)
    hangul = [code for code, forms in english.items() if any(map(HANGUL.search, forms))]
    assert hangul == []
    latin = {code for code, forms in korean.items() if not all(map(HANGUL.search, forms))}
    assert latin == ALIKE


def test_every_code_is_used() -> None:
    assert [code for code in catalogue("en").entries if not is_used(code)] == []


def test_the_heads_of_tables_are_named_whole_so_that_one_without_a_table_is_noticed() -> None:
    """Put together as `head_{column}`, every one of them would count as used."""
    assert "head_*" not in texts()
    assert not is_used("head_of_no_table")


def test_every_code_that_is_used_has_words() -> None:
    known = catalogue("en").entries.keys()
    every = (*told(), *(place for place in told_by_pages() if "*" not in place[0]))
    assert {code: place for code, place in every if code not in known} == {}


def test_no_code_stands_in_two_catalogues() -> None:
    for language in LANGUAGES:
        files = [path for path in FILES if language in (path.stem, path.parent.name)]
        codes = Counter(
            code for path in files for code in read_entries(path.read_text(encoding="utf-8"))
        )
        assert [code for code, times in codes.items() if times > 1 and code] == []


def test_an_entry_that_is_read_by_itself_is_that_of_its_whole_file() -> None:
    files = [path for path in FILES if "en" in (path.stem, path.parent.name)]
    whole = {
        code: forms
        for path in files
        for code, forms in read_entries(path.read_text(encoding="utf-8")).items()
        if code
    }
    assert dict(catalogue("en").entries) == whole

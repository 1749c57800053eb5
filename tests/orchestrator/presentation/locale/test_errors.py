"""What people are told of expected errors: every template that is raised has its words in each catalogue."""

from __future__ import annotations

import ast
import copy
import errno
import os
import pickle
from functools import cache
from pathlib import Path
from string import Formatter

import pytest

from orchestrator.presentation.locale.catalogue import error_texts
from orchestrator.presentation.locale.translator import ToldNotice, Translator
from shared.errors import (
    CredentialsRejected,
    DecisionConflict,
    EnvironmentFault,
    ToolError,
    UserError,
)
from shared.models.notices import notice
from shared.sentences import Sentence, parts_of

ROOT = Path(__file__).parents[4]
PACKAGES = ("shared", "workers", "orchestrator")
TOLD = (UserError, DecisionConflict, CredentialsRejected, EnvironmentFault, ToolError)
KOREAN = Translator("ko")


@cache
def sources() -> tuple[tuple[Path, ast.Module], ...]:
    files = (file for package in PACKAGES for file in (ROOT / package).rglob("*.py"))
    return tuple((file, ast.parse(file.read_text(encoding="utf-8"))) for file in sorted(files))


@cache
def constants() -> frozenset[str]:
    nodes = (node for _, tree in sources() for node in ast.walk(tree))
    return frozenset(os.strerror(number) for number in errno.errorcode) | frozenset(
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def expected_errors() -> set[str]:
    """The names of the classes, loaded or not."""
    names = {kind.__name__ for kind in TOLD}
    classes = [
        node for _, tree in sources() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    ]
    bases = {c.name: {b.id for b in c.bases if isinstance(b, ast.Name)} for c in classes}
    while below := {name for name, over in bases.items() if over & names} - names:
        names |= below
    return names


@cache
def raised() -> tuple[tuple[str, str], ...]:
    """The template of each error and sentence that the code makes, with its place."""
    names = {"Sentence", *expected_errors()}
    made: list[tuple[str, str]] = []
    for file, tree in sources():
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in names
                and node.args
                and isinstance(node.args[0], ast.Constant)
                and isinstance(node.args[0].value, str)
            ):
                where = f"{file.relative_to(ROOT)}:{node.lineno}"
                made.append((where, node.args[0].value))
    return tuple(made)


def fields_of(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def has_words(template: str) -> bool:
    text = "".join(literal for literal, _, _, _ in Formatter().parse(template))
    return any(character.isalpha() for character in text)


def test_every_error_has_its_words_in_korean():
    texts = error_texts("ko")
    lacking = [f"{where}: {text}" for where, text in raised() if has_words(text)]
    lacking = [each for each in lacking if each.partition(": ")[2] not in texts]
    assert not lacking, "orchestrator/presentation/locale/ko/errors.po lacks\n" + "\n".join(lacking)


def test_no_words_are_kept_for_errors_that_nothing_raises():
    # Some are put together of a template's end and a part of a table (orchestrator/settings/problems.py).
    ends = ("", ".", "{ways}")
    unused = [
        text
        for text in error_texts("ko")
        if not any(text.removesuffix(end) in constants() for end in ends if text.endswith(end))
    ]
    assert unused == []


@pytest.mark.parametrize("template", sorted(error_texts("ko")))
def test_the_words_take_what_the_template_takes(template: str):
    if template in {text for _, text in raised()} and has_words(template):
        assert fields_of(error_texts("ko")[template]) <= fields_of(template)


def test_an_error_is_told_in_the_language_of_its_reader():
    error = UserError("there is no run {shown!r}: `quorate list` shows the runs", shown="rx")
    assert str(error) == "there is no run 'rx': `quorate list` shows the runs"
    assert KOREAN.error(error).startswith("'rx' 실행은 없습니다")
    assert Translator("en").error(error) == str(error)


def test_what_has_no_words_is_told_as_it_is_with_the_words_of_its_parts():
    inner = UserError("there is no run {shown!r}: `quorate list` shows the runs", shown="rx")
    outer = Sentence("never seen {count:,} times: {why}", count=1234, why=inner)
    assert KOREAN.sentence(outer).startswith("never seen 1,234 times: 'rx' 실행은")
    assert KOREAN.sentence("plain {braces}") == "plain {braces}"


def test_a_notice_within_an_error_is_told_in_the_language_of_the_error():
    error = UserError("{why}", why=ToldNotice(notice("no_decision_waits")))
    assert str(error) == Translator("en").message("no_decision_waits")
    assert KOREAN.error(error) == KOREAN.message("no_decision_waits")


@pytest.mark.parametrize(
    "text",
    [
        Sentence("there is no run {shown!r}", shown="rx"),
        Sentence("plain {braces}"),
        ToldNotice(notice("no_decision_waits")),
    ],
)
def test_a_sentence_survives_copies_and_pickles(text: str):
    for again in (copy.deepcopy(text), pickle.loads(pickle.dumps(text))):
        assert (again, type(again), vars(again)) == (text, type(text), vars(text))


def test_several_sentences_as_one_keep_their_own_words():
    first = Sentence("there is no run {shown!r}: `quorate list` shows the runs", shown="rx")
    both = Sentence.joined("\n", [first, "as it is"])
    assert parts_of(both) == (first, "as it is")
    assert KOREAN.sentence(both).splitlines()[0].startswith("'rx' 실행은")
    assert parts_of("two\nlines") == ("two", "lines")

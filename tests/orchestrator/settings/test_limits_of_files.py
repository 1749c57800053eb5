"""Configuration files are bytes of a stranger: reading one is linear, bounded, and ends in one clear sentence."""

from __future__ import annotations

import contextlib
import random
import resource
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from orchestrator.settings.documents import Document, parse_pyproject, parse_yaml
from orchestrator.settings.problems import validate
from shared.errors import ConfigurationError

HEAD = b"[tool.quorate]\n"


def read_yaml(content: bytes) -> Document | None:
    document = parse_yaml(content, ".quorate.yaml", Path(), project=True)
    validate(document)
    return document


def read_toml(content: bytes) -> Document | None:
    document = parse_pyproject(HEAD + content, "pyproject.toml", Path())
    if document is not None:
        validate(document)
    return document


TOML: dict[str, Any] = {
    "parts of a key": lambda n: b".".join([b"a"] * (n // 2)) + b"=1",
    "parts of a table": lambda n: b"[" + b".".join([b"a"] * (n // 2)) + b"]",
    "parts in quotes": lambda n: b".".join([b'"a.b"'] * (n // 6)) + b"=1",
    "parts in an inline table": lambda n: b"x={" + b".".join([b"a"] * (n // 2)) + b"=1}",
    "nested lists": lambda n: b"x=" + b"[" * (n // 2) + b"]" * (n // 2),
    "nested tables": lambda n: b"x=" + b"{a=" * (n // 4),
    "900 tables deep": lambda n: b"".join(b"[" + b".".join([b"a"] * k) + b"]\n" for k in range(1, n // 1500 + 14)),
    "many keys": lambda n: b"".join(b"k%d=1\n" % number for number in range(n // 8)),
    "many tables": lambda n: b"".join(b"[a%d]\n" % number for number in range(n // 8)),
    "many of our tables": lambda n: b"".join(b"[tool.quorate.a%d]\n" % number for number in range(n // 20)),
    "a long number": lambda n: b"x=" + b"9" * n,
    "a long hexadecimal number": lambda n: b"x=0x" + b"f" * n,
    "an open text": lambda n: b'x="""' + b'\\"""' * (n // 4),
    "open quotes": lambda n: b"x=" + b'"' * n,
    "an open table": lambda n: b"[" + b" " * n,
    "blanks before a sign": lambda n: (b" " * 500 + b"\n") * (n // 501),
    "words of ours": lambda n: b'x = """' + b"quorate " * (n // 8),
    "brackets of comments": lambda n: b"#" + b"[" * n,
}  # fmt: skip
YAML: dict[str, Any] = {
    "nested lists": lambda n: b"a: " + b"[" * n,
    "nested mappings": lambda n: b"a: " + b"{a: " * (n // 4),
    "nested blocks": lambda n: b"- " * (n // 2),
    "questions": lambda n: b"? " * (n // 2),
    "indented blocks": lambda n: b"".join(b" " * k + b"a:\n" for k in range(min(n // 300, 700))),
    "many keys": lambda n: b"".join(b"k%d: 1\n" % number for number in range(n // 8)),
    "many entries": lambda n: b"participants: [" + b"a, " * (n // 3) + b"]",
    "a bomb": lambda n: b"a: &a [x,x]\n" + b"".join(b"b%d: &b%d [*a,*a]\n" % (k, k) for k in range(n // 25)),
    "a deep bomb": lambda n: b"a0: &a0 [x]\n" + b"".join(
        b"a%d: &a%d [*a%d,*a%d]\n" % (k, k, k - 1, k - 1) for k in range(1, min(n // 30, 400))
    ),
    "itself": lambda n: b"a: &a [*a]\n" + b"#" * n,
    "a long number": lambda n: b"version: " + b"9" * n,
    "a long hexadecimal number": lambda n: b"version: 0x" + b"f" * n,
    "a number of sixties": lambda n: b"version: 1" + b":59" * (n // 3),
    "a long key": lambda n: b"k" * n + b": 1",
    "open quotes": lambda n: b'a: "' + b"\\x41" * (n // 4),
    "comments": lambda n: b"# x\n" * (n // 4),
    "blanks": lambda n: b"a:" + b" " * n,
    "anchors": lambda n: b"".join(b"- &a%d x\n" % number for number in range(n // 9)),
    "tags": lambda n: b"a: " + b"!!str " * (n // 6),
    "a block text": lambda n: b"preset: |\n" + b"  x\n" * (n // 4),
}  # fmt: skip
CASES = [(read_toml, name, make) for name, make in TOML.items()]
CASES += [(read_yaml, name, make) for name, make in YAML.items()]


def spent_s(read: Any, content: bytes) -> float:
    """The least processor time of two tries; whether the content is refused does not matter."""
    tries = []
    for _ in range(2):
        began = process_time()
        with contextlib.suppress(ConfigurationError):
            read(content)
        tries.append(process_time() - began)
    return min(tries)


@pytest.mark.parametrize(
    ("read", "name", "make"), CASES, ids=[f"{read.__name__} {name}" for read, name, _ in CASES]
)
def test_time_grows_with_the_size_and_not_faster(read: Any, name: str, make: Any) -> None:
    small, large = spent_s(read, make(10_000)), spent_s(read, make(40_000))
    # Four times the size: four times the time, and nothing that a square would need.
    assert large < 0.05 or large < 9 * small, (name, small, large)


def test_memory_stays_small_whatever_the_key() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for make in (TOML["parts of a key"], TOML["nested lists"], TOML["parts of a table"]):
        with pytest.raises(ConfigurationError, match="nested too deeply"):
            read_toml(make(900_000))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kilobytes


def test_a_pyproject_that_only_speaks_of_us_costs_nothing() -> None:
    lines = b'description = "quorate: see [tool.quorate]"\n# quorate = 1\n'
    broken = lines + b"x = " + b"[" * 500_000 + b".".join([b"a"] * 100_000)
    assert parse_pyproject(broken, "pyproject.toml", Path()) is None


@pytest.mark.parametrize(
    "content",
    [
        b'"\\ud800": 1',
        b'preset: "\\ud800"',
        b"? [a]\n: 1",
        b"a: !!bool x",
        b"a: !!int ''",
        b"a: !!float ''",
        b"a: !!timestamp x",
        b"a: !!python/object:os.system x",
        b"a: 2001-99-99",
        b"convergence: {agreement: .nan}",
        b"convergence: {agreement: .inf}",
        b"\x00",
        b"a: \x07",
        b'"x\\nquorate: Gate passed": 1',
        b'"\\e[2J": 1',
        b'preset: "\\UFFFFFFFF"',
        b"a: *b",
        b"%YAML 9.9\n---\na: 1",
        b"---\na: 1\n---\nb: 2",
        b"\xff\xfe",
        b"<<: *a",
    ],
)
def test_what_is_odd_is_one_clear_sentence(content: bytes) -> None:
    with pytest.raises(ConfigurationError) as told:
        read_yaml(content)
    assert str(told.value).startswith((".quorate.yaml", "The configuration .quorate.yaml"))
    assert "\n" not in str(told.value)
    assert "\x1b" not in str(told.value)


@pytest.mark.parametrize(
    "content",
    [b'"a\\nb" = 1', b'"\\u001b" = 1', b"convergence.agreement = nan", b"x = inf", b"x = 1e999", b"x"],
)  # fmt: skip
def test_odd_toml_is_one_clear_sentence_too(content: bytes) -> None:
    with pytest.raises(ConfigurationError) as told:
        read_toml(content)
    assert "\n" not in str(told.value)
    assert "pyproject.toml" in str(told.value)


def test_random_bytes_and_mutated_files_are_read_or_refused() -> None:
    chance = random.Random(8)
    signs = b"[]{}.=:\"'\\#&*!|>-? \n\tab0_%@,\xc3\xa9"
    for _ in range(400):
        content = bytes(chance.choice(signs) for _ in range(chance.randrange(1, 60)))
        for read in (read_yaml, read_toml):
            with contextlib.suppress(ConfigurationError):
                read(content)

"""Every example of README.md and docs/: run as a reader types it, its output compared where the page shows one."""

from __future__ import annotations

import pytest

from tests.fixtures.instance import CommandLine, git
from tests.support.doc_blocks import PAGES, DocBlock, blocks_of, examples_of, is_script
from tests.support.doc_reader import Reader, fits, make_reader

pytestmark = pytest.mark.acceptance

BLOCKS = [block for page in PAGES for block in blocks_of(page)]
WITH_EXAMPLES = [
    block
    for block in BLOCKS
    if not is_script(block) and any(each.reason is None for each in examples_of(block))
]
ANSWERS = (0, 1)
"""An example ends with an answer: 1 is that of a gate, and of `quorate diff` for two runs that differ."""


@pytest.fixture(scope="module")
def reader(live: CommandLine, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    return make_reader(tmp_path_factory.mktemp("reader"), live)


@pytest.mark.parametrize("block", WITH_EXAMPLES, ids=lambda block: block.where)
def test_the_examples_of_a_page_do_what_it_says(block: DocBlock, reader: Reader) -> None:
    prepare(block, reader)
    for example in (each for each in examples_of(block) if each.reason is None):
        done = reader.type(example.command)
        told = f"{block.where}: {example.command}\n{done.stdout}\n{done.stderr}"
        assert done.returncode in ANSWERS, f"code {done.returncode}, {told}"
        assert example.shown is None or fits(example.shown, done.stdout), told


def prepare(block: DocBlock, reader: Reader) -> None:
    """What a block begins with: a change to look at, or a review that waits for an answer."""
    if "decide last" in block.body:
        reader.leave_a_decision()
    elif block.body.startswith("$ git "):
        git(reader.folder, "reset", "-q", "--hard")  # it makes its own change
    else:
        reader.restore()


def unmarked() -> list[DocBlock]:
    return [block for block in BLOCKS if not block.language]


def test_a_block_without_a_language_is_neither_a_command_nor_an_output_that_nobody_compares() -> (
    None
):
    """Diagrams and rows of tables are; a command is `sh`, a command with its output `console`."""
    commands = [block.where for block in unmarked() if block.body.startswith("quorate ")]
    shown = [
        block.where for block in unmarked() if block.body.startswith(("[You]", "quorate: ", "$ "))
    ]
    compared = [block.where for block in unmarked() if block.reason("not compared")]
    assert (commands, [where for where in shown if where not in compared]) == ([], [])


def test_what_is_not_run_says_why_and_is_counted() -> None:
    commands = [block for block in BLOCKS if not is_script(block)]
    every = [example for block in commands for example in examples_of(block)]
    left_out = [example for example in every if example.reason is not None]
    assert all(len(str(example.reason).split()) > 2 for example in left_out)
    # Whoever marks another one raises the number, and is seen to do so.
    assert len(left_out) <= 64
    assert len(every) - len(left_out) >= 50


# ---- the measure itself ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shown", "written", "same"),
    [
        ("run r12ab34cd5: done in 1.2 s", "run rzzzzzzzzz: done in 17 s\n", True),
        ("run r12ab34cd5: done", "run r12ab34cd5: failed\n", False),
        ("first\n...\nlast", "first\na\nb\nlast\n", True),
        ("first\n...\nlast", "first\na\nb\n", False),
        ("MAJOR … (1/2)", "MAJOR eval of input (1/2)\n", True),
        ("a.py:1: MAJOR", "a.py:2: MAJOR\n", False),
    ],
)
def test_outputs_fit_but_for_what_changes_from_run_to_run(
    shown: str, written: str, same: bool
) -> None:
    assert fits(shown, written) is same

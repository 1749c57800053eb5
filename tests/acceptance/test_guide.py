"""docs/guide.md, typed from its first line to its last in one folder, what is shown compared."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from tests.fixtures.instance import SCRIPTS, CommandLine, warm_starter
from tests.support.doc_blocks import GUIDE, DocBlock, Example, blocks_of, examples_of
from tests.support.doc_reader import Reader, fits

pytestmark = pytest.mark.acceptance


def steps_of(block: DocBlock) -> list[Example]:
    """A block of commands as a whole, since one may span lines; of a `console` each command with its output."""
    if block.language == "sh":
        return [Example(block, f"set -e\n{block.body}")]
    return list(examples_of(block))


def test_the_guide_works_from_its_first_line_to_its_last(live: CommandLine, tmp_path: Path) -> None:
    path = f"{warm_starter().scripts}{os.pathsep}{SCRIPTS}{os.pathsep}{os.environ['PATH']}"
    reader = Reader(tmp_path, {**live.environ, "PATH": path})
    where = tmp_path / "where"
    where.write_text(f"{tmp_path}\n")
    steps = [step for block in blocks_of(GUIDE) for step in steps_of(block)]
    typed = [step for step in steps if step.reason is None]
    assert len(typed) >= 10
    for step in typed:
        folder, kept = shlex.quote(where.read_text().strip()), shlex.quote(str(where))
        done = reader.type(f"cd {folder}\n{step.command}\nstatus=$?; pwd > {kept}; exit $status")
        told = f"{step.block.where}: {step.command}\n{done.stdout}\n{done.stderr}"
        assert done.returncode == 0, told
        assert not step.shown or fits(step.shown, done.stdout), told

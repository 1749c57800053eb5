"""Examinations of repositories that a test writes down as paths and texts."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from textwrap import dedent
from typing import cast

from shared.models.agent import ExaminedPoint, RepositoryExamination
from workers.tools.agent.examination import Examiner
from workers.tools.agent.repository_files import RepositoryFiles

Row = tuple[str, str, int]


def examine(
    name: str, texts: Mapping[str, str], task: str = "", documents: tuple[str, ...] = ()
) -> RepositoryExamination:
    """What the examiner of that name sees of these files."""
    examiner = cast(Examiner, importlib.import_module(f"workers.tools.agent.examine_{name}"))
    read = {path: dedent(text) for path, text in texts.items() if examiner.wanted(path)}
    return examiner.examine(RepositoryFiles(tuple(sorted(texts)), read, task, documents))


def rows(examination: RepositoryExamination) -> set[Row]:
    """Rule, path and line of each point."""
    return {(point.rule.partition(".")[2], *_place(point)) for point in examination.points}


def _place(point: ExaminedPoint) -> tuple[str, int]:
    return (point.place.path, point.place.line) if point.place else ("", 0)

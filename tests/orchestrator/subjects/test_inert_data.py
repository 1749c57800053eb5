"""Data that nobody can read as text: which of it no gate of rules waits for."""

from __future__ import annotations

import pytest

from orchestrator.subjects.change import CapturedFile
from orchestrator.subjects.request import CaptureLimits
from orchestrator.subjects.screening import BINARY, Unread, too_large
from shared.models.coverage import UnreadReason

LARGE = too_large(2_000_000, CaptureLimits().file_bytes)
LFS = Unread("it is a Git LFS pointer", UnreadReason.LFS_POINTER)
SUBMODULE = Unread("it is a submodule", UnreadReason.SUBMODULE)


@pytest.mark.parametrize(
    ("path", "why", "inert"),
    [
        ("blob.bin", BINARY, True),
        ("data/table.csv", LARGE, True),
        ("package-lock.json", LARGE, True),
        ("poetry.lock", LARGE, True),
        ("pnpm-lock.yaml", LARGE, True),
        ("model.dat", LFS, True),
        ("vendor/sub", SUBMODULE, False),
        ("big.py", LARGE, False),
        ("schema.sql", LARGE, False),
        ("app.py", BINARY, False),
        ("lib.so", BINARY, False),
        ("tool.jar", LFS, False),
        ("program", BINARY, False),
        (".github/workflows/ci.yml", LARGE, False),
        ("package.json", LARGE, False),
        ("a.txt", Unread("it is a symbolic link", UnreadReason.SYMLINK), False),
        ("a.txt", None, False),
    ],
)
def test_only_data_that_nothing_runs_loads_or_obeys_is_inert(
    path: str, why: Unread | None, inert: bool
) -> None:
    assert CapturedFile(path, "added", left_out=why).inert is inert


def test_what_may_be_executed_or_calls_a_program_is_not_inert() -> None:
    assert not CapturedFile("a.dat", "added", left_out=BINARY, executable=True).inert
    for head in (b"#!/bin/sh\n", b"\x7fELF\2", b"MZ\x90"):
        assert not CapturedFile("a.dat", "added", left_out=BINARY, head=head).inert
    assert not CapturedFile(".github/workflows/x.lock", "added", left_out=BINARY).inert


def test_readers_are_told_the_limit_that_holds() -> None:
    # The catalogue says "over 1 MB".
    assert CaptureLimits().file_bytes == 1_000_000

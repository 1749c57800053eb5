"""Which code a process runs, and who works side by side."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from shared.build import CONTRACT, PACKAGES, Build, digest_of, mark_of, read_build, this_build
from shared.delivery.contracts import PAYLOADS
from shared.delivery.presence import why_unfit
from shared.store.migrate import HEAD
from shared.store.processes import Company

OURS = Build("1.2.0", 2, "aaaa")


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    for package in PACKAGES:
        (tmp_path / package / "inner").mkdir(parents=True)
        (tmp_path / package / "inner" / "code.py").write_text("x = 1\n")
    return tmp_path


def test_a_build_is_read_as_it_was_written() -> None:
    assert read_build(str(this_build())) == this_build()
    assert read_build(str(OURS)) == OURS


@pytest.mark.parametrize("text", ["0.1.0", "1", "", "0.1.0+local", "0.1.0+1.XYZ"])
def test_versions_before_builds_speak_the_first_contract(text: str) -> None:
    assert read_build(text) == Build(text, 1, "")


def test_every_message_names_the_contract() -> None:
    assert {model.model_fields["v"].default for model in PAYLOADS.values()} == {CONTRACT}


@pytest.mark.parametrize("name", ["shared/inner/code.py", "workers/new.md", "orchestrator/a/b.po"])
def test_a_file_that_changes_makes_another_build(sources: Path, name: str) -> None:
    before = digest_of(sources)
    (sources / name).parent.mkdir(exist_ok=True)
    (sources / name).write_text("x = 2\n")
    assert digest_of(sources) != before


@pytest.mark.parametrize(
    "name", ["shared/__pycache__/code.pyc", "shared/.code.py.swp", "docs/a.md"]
)
def test_what_no_process_runs_makes_none(sources: Path, name: str) -> None:
    before = digest_of(sources)
    (sources / name).parent.mkdir(exist_ok=True)
    (sources / name).write_text("x = 2\n")
    assert digest_of(sources) == before


def test_a_file_that_was_written_has_another_mark_also_where_its_size_and_its_time_are_as_before(
    sources: Path,
) -> None:
    file = sources / "shared" / "inner" / "code.py"
    before, state = mark_of(sources), file.stat()
    assert mark_of(sources) == before

    file.write_text("x = 2\n")
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))

    assert (file.stat().st_size, file.stat().st_mtime_ns) == (state.st_size, state.st_mtime_ns)
    assert mark_of(sources) != before


@pytest.mark.parametrize(
    ("revision", "versions", "why"),
    [
        (HEAD, [], ""),
        (HEAD, ["1.2.0+2.aaaa", "1.3.0+2.bbbb", "0.9+1.cccc", "0.1.0"], ""),
        (HEAD, ["1.3.0+3.bbbb"], "processes of version 1.3.0 (bbbb) are at work here"),
        ("9999", [], "which a newer version of Quorate made"),
        ("0001", [], "run `quorate db upgrade`"),
        (None, [], "run `quorate db upgrade`"),
    ],
)
def test_side_by_side_work_those_of_one_schema_and_of_two_contracts_the_older_leaves(
    revision: str | None, versions: list[str], why: str
) -> None:
    found = why_unfit(OURS, Company(revision, frozenset(versions)))
    assert why in found
    assert bool(found) == bool(why)


def test_a_file_that_vanishes_meanwhile_is_passed_over(tmp_path: Path) -> None:
    for package in PACKAGES:
        (tmp_path / package).mkdir()
    (tmp_path / "shared" / "kept.py").write_text("x = 1\n")
    before = digest_of(tmp_path)
    (tmp_path / "shared" / "gone.py").symlink_to(tmp_path / "shared" / "nowhere.py")
    assert digest_of(tmp_path) == before
    stop = threading.Event()

    def flicker() -> None:
        while not stop.is_set():
            (tmp_path / "shared" / "brief.py").touch()
            (tmp_path / "shared" / "brief.py").unlink()

    writer = threading.Thread(target=flicker)
    writer.start()
    try:
        for _ in range(300):
            digest_of(tmp_path)
    finally:
        stop.set()
        writer.join()

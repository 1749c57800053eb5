"""Folders that strangers filled are measured and removed, however deep and however closed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workers.trees import DEEPEST, entries_of, remove_tree, temporary_folder


def dig(folder: Path, depth: int, name: str = "d") -> None:
    """As many folders within one another, beyond what a path can say."""
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=here)
        inner = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)


@pytest.mark.parametrize("name", ["d", "d" * 200])
def test_no_depth_keeps_a_folder_alive(tmp_path: Path, name: str):
    with temporary_folder("quorate-", tmp_path) as folder:
        dig(folder, 1_500, name)
    assert list(tmp_path.iterdir()) == []


def test_closed_folders_go_and_what_a_link_points_at_stays(tmp_path: Path):
    kept = tmp_path / "kept"
    kept.mkdir()
    kept.joinpath("file").write_text("x")
    kept.chmod(0o500)
    folder = tmp_path / "folder"
    inner = folder / "a" / "b"
    inner.mkdir(parents=True)
    for link in (folder / "link", inner / "link"):
        link.symlink_to(kept)
    inner.chmod(0)
    inner.parent.chmod(0)
    remove_tree(folder)
    assert not folder.exists()
    assert kept.joinpath("file").read_text() == "x"
    assert kept.stat().st_mode & 0o777 == 0o500


def test_what_is_not_there_or_no_folder_is_left_alone(tmp_path: Path):
    file = tmp_path / "file"
    file.write_text("x")
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    for place in (tmp_path / "missing", file, link):
        remove_tree(place)
    assert file.exists()


def test_what_lies_too_deep_is_said_and_not_looked_into(tmp_path: Path):
    dig(tmp_path, 1_500)
    found = list(entries_of(str(tmp_path)))
    assert found.count(None) == 1
    assert len(found) == DEEPEST + 2
    remove_tree(tmp_path)

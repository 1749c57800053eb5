"""What nobody read is never approved: one harmless file beside one that hides, with the analysers alone."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.fixtures.instance import CommandLine, git, make_repository

# All cases are reviewed before the first test: a loaded machine takes minutes for what a quiet one does in seconds.
pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(600)]

EVIL = "import subprocess\n\n\ndef run(text):\n    subprocess.call(text, shell=True)\n    return eval(text)\n"
SHELL = '#!/bin/sh\neval "$1"\n'
LONG = "SUM = " + " + ".join(["1"] * 2_000) + "\n"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(200)

Make = Callable[[Path], None]


def put(name: str, content: str | bytes, mode: int = 0o644) -> Make:
    def make(root: Path) -> None:
        data = content.encode() if isinstance(content, str) else content
        path = os.path.join(os.fsencode(root), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(path, mode)

    return make


def link(root: Path) -> None:
    (root / "job.py").symlink_to("/tmp/elsewhere.py")


def submodule(root: Path) -> None:
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},lib")


def renamed(old: str, new: str) -> Make:
    def make(root: Path) -> None:
        git(root, "mv", old, new)

    return make


# What hides, and what the result must name.
HIDDEN: dict[str, Make] = {
    "a long expression": put("job.py", LONG + EVIL),
    "latin-1 in the very line": put(
        "job.py", ("# coding: latin-1\n" + EVIL.replace("text,", "'é' * 60 + text,")).encode("latin-1")
    ),
    "utf-7": put("job.py", b"# coding: utf-7\n" + EVIL.replace("=", "+AD0-").encode()),
    "lone carriage returns": put("job.py", EVIL.replace("\n", "\r")),
    "a NUL in a script": put("job.sh", SHELL + "# \0\n"),
    "over a megabyte": put("job.py", EVIL + "# x\n" * 300_000),
    "a line break in the name": put("jo\nb.py", EVIL),
    "a name that is not UTF-8": put(os.fsdecode(b"job\xff.py"), EVIL),
    "a symbolic link": link,
    "a submodule": submodule,
    "never sent: .env": put("deploy.env", EVIL),
    "UTF-16": put("job.ps1", EVIL.encode("utf-16")),
    "nosec": put("job.py", EVIL.replace("True)", "True)  # nosec").replace("(text)\n", "(text)  # nosec\n")),
    "no suffix, but a shebang": put("job", "#!/usr/bin/env python3\n" + EVIL, 0o755),
    "prose that becomes code": renamed("notes.txt", "job.py"),
}  # fmt: skip

# What nobody needs to read, beside a file that is read.
HARMLESS: dict[str, Make] = {
    "a picture": put("logo.png", PNG),
    "a large picture": put("logo.png", PNG + os.urandom(1_200_000)),
    "a rename": renamed("notes.txt", "notes.md"),
    "a removal": lambda root: git(root, "rm", "-q", "notes.txt"),
}


def reviewed(live: CommandLine, root: Path, make: Make) -> subprocess.CompletedProcess[str]:
    make_repository(root)
    put("notes.txt", "x = 1\n" + EVIL)(root)
    put("blob.bin", b"\0\1\2")(root)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "before")
    put("ok.py", "VALUE = 1\n")(root)
    make(root)
    git(root, "add", "-A", "--", "ok.py")
    if not git(root, "ls-files", "--stage", "lib"):
        git(root, "add", "-A")
    return live(
        "review", "--staged", "--fail-on", "major", "--decide", "skip", "--json", "-q", cwd=root
    )


@pytest.fixture(scope="module")
def results(live: CommandLine, tmp_path_factory: pytest.TempPathFactory):
    """Every case, reviewed; a few at a time."""
    cases = {**HIDDEN, **HARMLESS}
    root = tmp_path_factory.mktemp("covered")
    with ThreadPoolExecutor(3) as pool:
        futures = {
            case: pool.submit(reviewed, live, root / str(number), make)
            for number, (case, make) in enumerate(cases.items())
        }
    return {case: future.result() for case, future in futures.items()}


@pytest.mark.parametrize("case", HIDDEN)
def test_what_hides_is_found_or_named_and_never_approved(results, case: str):
    done = results[case]
    result = json.loads(done.stdout)
    assert done.returncode in (1, 3), (result["verdict"], result["gate"], result["coverage"])
    assert result["verdict"] in ("NEEDS_FIX", "INCONCLUSIVE")
    if done.returncode == 3:
        coverage = result["coverage"]
        assert not coverage["complete"] or result["convergence"]["ending"] != "converged"
        assert coverage["unread"] or coverage["absent"]


@pytest.mark.parametrize(
    "case", [ "latin-1 in the very line", "utf-7", "lone carriage returns",
             "a long expression", "no suffix, but a shebang",
             "prose that becomes code"],
)  # fmt: skip
def test_what_can_be_read_is_read_and_trips_the_gate(results, case: str):
    assert results[case].returncode == 1, results[case].stdout


@pytest.mark.parametrize("case", HARMLESS)
def test_what_can_do_no_harm_passes_checks_beside_what_was_read(results, case: str):
    done = results[case]
    result = json.loads(done.stdout)
    assert (done.returncode, result["verdict"]) == (0, "CHECKS_PASSED"), (
        result["gate"],
        result["coverage"],
        result["findings"],
    )

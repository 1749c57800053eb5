"""Several cases, and cases of earlier runs, through the real command line and workers."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from orchestrator.presentation.exit_code import ExitCode
from tests.fixtures.instance import CommandLine

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(240)]

LONG = 4
SEPSIS = "Name: Tariq Haddad\nA man of 70 years with fever and sepsis. BP 80/40, HR 128. Amoxicillin 500 mg."
OTHER = "Name: Zofia Quill\nA woman of 71 years with fever and sepsis. BP 82/44, HR 126. Amoxicillin 500 mg."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    lines = (json.dumps({"text": text}) for text in (SEPSIS, OTHER))
    (tmp_path / "cases.jsonl").write_text("\n".join((*lines, '{"text"')))
    (tmp_path / "one.txt").write_text(SEPSIS)
    (tmp_path / "two.txt").write_text(OTHER)
    return tmp_path


def test_each_of_several_cases_has_a_result_in_a_file_of_its_own(
    live: CommandLine, folder: Path
) -> None:
    done = live("case", "cases.jsonl", "-p", "lenses", "-o", "out.md", "--json", cwd=folder)
    result = json.loads(done.stdout)
    assert (result["batch"], len(result["runs"])) == ("cases", 2)
    assert "cases.jsonl line 3 is left out" in done.stderr
    files = sorted(folder.glob("out*.md"))
    assert [file.name for file in files] == [
        "out-cases.jsonl-line-1.md",
        "out-cases.jsonl-line-2.md",
    ]
    assert ["80/40" in file.read_text() for file in files] == [True, False]
    assert ["82/44" in file.read_text() for file in files] == [False, True]


def test_the_estimate_of_several_cases_is_their_sum(live: CommandLine, folder: Path) -> None:
    several, single = (
        json.loads(live("case", name, "-p", "lenses", "--estimate", "--json", cwd=folder).stdout)
        for name in ("cases.jsonl", "one.txt")
    )
    assert several["runs"] == 2
    assert several["estimate"]["calls"] == {
        end: 2 * count for end, count in single["estimate"]["calls"].items()
    }


def test_several_cases_go_on_when_their_time_is_over(live: CommandLine, folder: Path) -> None:
    (folder / "long.jsonl").write_text("\n".join(long_cases()))
    done = live("case", "long.jsonl", "-p", "lenses", "--timeout", "0.5", "--json", cwd=folder)
    assert done.returncode == ExitCode.PENDING, done.stderr
    runs = [report["run"]["id"] for report in json.loads(done.stdout)["runs"]]
    assert len(runs) == LONG
    for run in runs:
        assert live("watch", run, cwd=folder).returncode == ExitCode.OK


def test_several_cases_go_on_when_nobody_waits_for_them_any_more(
    live: CommandLine, folder: Path
) -> None:
    (folder / "long.jsonl").write_text("\n".join(long_cases()))
    begun = live.start("case", str(folder / "long.jsonl"), "-p", "lenses", "--batch", "left")
    assert begun.stderr is not None
    for told in begun.stderr:
        if "counted together as left" in told:
            break
    begun.send_signal(signal.SIGINT)
    _, told = begun.communicate(timeout=60)
    assert begun.returncode == ExitCode.INTERRUPTED
    assert "The runs of left go on" in told


def long_cases() -> list[str]:
    """Cases that take seconds; no two are alike."""
    return [json.dumps({"text": f"Case {n}. {SEPSIS}\n" * 300}) for n in range(LONG)]


def test_a_case_is_compared_with_those_of_earlier_runs_without_their_names(
    live: CommandLine, folder: Path
) -> None:
    first = json.loads(live("case", "one.txt", "-p", "lenses", "--json", cwd=folder).stdout)
    done = live(
        *("case", "two.txt", "-p", "lenses", "--similar", "stored", "--mask-identifiers", "--json"),
        cwd=folder,
    )
    second = json.loads(done.stdout)
    similar = second["detail"]["patient_case"]["similar"]
    assert f"run {first['run']['id']}" in [each["origin"] for each in similar]
    assert all(0 < each["similarity"] <= 1 for each in similar)
    assert "Haddad" not in done.stdout

"""A command runs on a copy of the workspace behind walls; tests, coverage and errors are read from what it leaves."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from shared.models.agent import CommandReport
from shared.models.workspace import Workspace
from tests.workers.tools.agent.workspaces import Project, new_project
from workers.tools.sandbox.walls import walls

pytestmark = pytest.mark.skipif(
    {"namespaces", "landlock"}.isdisjoint(walls()), reason="no walls on this system"
)

PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider"
FAILING = """\
import pytest

from src.area import area


def test_area():
    assert area(2, 3) == 6


def test_kind():
    assert area(2, 2) == 4


@pytest.mark.skip
def test_later():
    pass


def test_error():
    area("a", None)
"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    files = {
        "src/area.py": "def area(width, height):\n    return width + height\n",
        "tests/test_area.py": FAILING,
        "run.sh": "echo hello\n",
    }
    return new_project(tmp_path / "p", files)


def report(
    project: Project, command: str, state: Workspace | None = None, times: int = 1
) -> CommandReport:
    given = state or project.workspace_with({})
    reply = project.run("agent.command", given, command=command, times=times)
    assert isinstance(reply, CommandReport)
    return reply


def test_pytest_s_results_have_names_messages_and_places(project: Project) -> None:
    done = report(project, PYTEST)
    assert done.code == 1
    assert done.tests is not None
    counts = (done.tests.passed, done.tests.failed, done.tests.skipped, done.tests.all_passed)
    assert counts == (1, 2, 1, False)
    failure = done.tests.failures[0]
    assert failure.name == "tests.test_area.test_area"
    assert "assert 5 == 6" in failure.message
    assert failure.place is not None
    assert (failure.place.path, failure.place.line) == ("tests/test_area.py", 6)
    places = {(place.path, place.line) for error in done.errors for place in error.places}
    assert {("tests/test_area.py", 7), ("src/area.py", 2)} <= places


def test_a_command_sees_the_workspace_and_not_the_commit(project: Project) -> None:
    fixed = "def area(width, height):\n    return width * height\n"
    state = project.workspace_with({"src/area.py": fixed, "tests/test_area.py": FAILING[:180]})
    done = report(project, PYTEST, state)
    assert done.succeeded
    assert done.tests is not None
    assert done.tests.all_passed
    assert done.errors == ()
    assert not (project.repo.root / "tests/__pycache__").exists()


@pytest.mark.parametrize(
    "folder",
    ["target/surefire-reports", "app/target/failsafe-reports", "build/test-results/test"],
)
def test_reports_are_found_where_maven_and_gradle_write_them(project: Project, folder: str) -> None:
    one = '<testsuite name="C"><testcase classname="C" name="a" time="0"/></testsuite>'
    two = one.replace("/></", '><failure message="no" type="E">at x</failure></testcase></')
    written = f"echo '{one}' > {folder}/TEST-C.xml; echo '{two}' > {folder}/TEST-D.xml"
    done = report(project, f"mkdir -p {folder}; {written}; exit 1")
    assert done.tests is not None
    assert (done.tests.passed, done.tests.failed) == (1, 1)


def test_a_report_of_another_runner_is_found_and_the_text_where_there_is_none(
    project: Project,
) -> None:
    cases = (
        '<testcase classname="C" name="a"/><testcase name="b"><failure message="no"/></testcase>'
    )
    xml = f"<testsuite>{cases}</testsuite>"
    done = report(project, f"mkdir -p target; echo '{xml}' > target/TEST-C.xml; exit 1")
    assert done.tests is not None
    assert (done.tests.passed, [failure.name for failure in done.tests.failures]) == (1, ["b"])
    unittest = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.fail('x')\n"
    state = project.workspace_with({"test_u.py": unittest})
    done = report(project, f"{sys.executable} -m unittest test_u", state)
    assert done.tests is not None
    assert done.tests.failed == 1
    assert [error.kind for error in done.errors] == ["AssertionError"]


def test_a_report_that_is_in_the_repository_already_is_not_the_run_s(project: Project) -> None:
    stale = '<testsuite><testcase name="old"/></testsuite>'
    state = project.workspace_with({"report.xml": stale})
    assert report(project, "true", state).tests is None


def test_coverage_is_read_where_the_run_wrote_it(project: Project) -> None:
    written = {
        "meta": {"version": "7"},
        "files": {"src/area.py": {"summary": {"num_statements": 2, "covered_lines": 1}}},
        "totals": {},
    }
    done = report(project, f"echo '{json.dumps(written)}' > coverage.json")
    assert done.coverage is not None
    assert (done.coverage.share, done.coverage.files[0].path) == (0.5, "src/area.py")


def test_each_of_several_runs_has_a_copy_and_its_own_time(project: Project) -> None:
    done = report(project, "test ! -e left && touch left && sleep 0.2", times=3)
    assert done.code == 0
    assert len(done.seconds) == 3
    assert all(0.2 <= seconds < 20 for seconds in done.seconds)
    assert len(report(project, "exit 3", times=3).seconds) == 1


def test_a_test_that_never_ends_is_stopped_and_its_place_is_known(project: Project) -> None:
    endless = "def test_endless():\n    while True:\n        pass\n"
    state = project.workspace_with({"tests/test_area.py": endless})
    for seconds in (5, 24):  # a machine that stands still needs more for pytest to come to the test
        project.seconds = seconds
        done = report(project, PYTEST, state, times=2)
        assert (done.code, done.stopped, done.succeeded) == (None, "time", False)
        places = [place.path for error in done.errors for place in error.places]
        if places:
            break
    assert places == ["tests/test_area.py"]


def test_secrets_are_masked_and_the_end_of_the_output_is_kept(project: Project) -> None:
    key = "AKIA" + "Q7RZK2M4XW6TPN3B"
    done = report(project, f"echo first; seq 1 20000; echo 'aws key {key}'; echo last >&2; exit 1")
    assert key not in done.output
    assert done.output.endswith("last\n") or done.output.endswith("last")
    assert "«masked:" in done.output
    assert "first" not in done.output
    assert len(done.output) <= 20_000


def test_no_part_of_a_report_brings_a_secret_out(project: Project) -> None:
    key = "AKIA" + "Q7RZK2M4XW6TPN3B"
    test = (
        f"import pytest\n\n\nclass Broken(Exception):\n    pass\n\n\n"
        f"@pytest.mark.parametrize('key', ['{key}'])\ndef test_login(key):\n"
        f"    print('stdout', key)\n    raise Broken('it was ' + key)\n"
    )
    pem = "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEow" + "IBAAKCAQEA" * 300
    state = project.workspace_with({"tests/test_area.py": test, "key.txt": pem})
    command = f"TOKEN={key} {PYTEST}; cat key.txt; seq 1 2600; exit 1"
    done = report(project, command, state)
    assert done.tests is not None
    assert done.tests.failed == 1
    assert key not in done.model_dump_json()
    assert "IBAAKCAQEAIBAAKCAQEA" not in done.output


def test_a_command_that_is_not_there_says_so(project: Project) -> None:
    done = report(project, "no-such-program-anywhere")
    assert done.code == 127
    assert "not found" in done.output


# ---- attacks ---------------------------------------------------------------------------------------


def test_neither_the_person_s_files_nor_the_environment_can_be_read(
    project: Project, tmp_path: Path
) -> None:
    (tmp_path / "id_rsa").write_text("s3cret-file")
    os.symlink("/", project.repo.root / "root")
    project.repo.commit({})
    command = (
        f"cat {tmp_path}/id_rsa root{tmp_path}/id_rsa {project.repo.root}/run.sh; cat ~/.ssh/*; "
        "cat /etc/shadow /proc/1/environ /proc/self/environ; env; ls -a ~; exit 0"
    )
    done = report(project, command)
    assert "s3cret-file" not in done.output
    assert "echo hello" not in done.output
    assert "root:" not in done.output
    for name, value in os.environ.items():
        if name.endswith(("_KEY", "_TOKEN", "_SECRET", "_PASSWORD")) and value:
            assert value not in done.output


def test_the_repository_cannot_be_written(project: Project, tmp_path: Path) -> None:
    before = project.repo.state()
    report(
        project,
        f"echo x > {project.repo.root}/run.sh; rm -rf {project.repo.root}; touch {tmp_path}/x",
    )
    assert project.repo.state() == before
    assert not (tmp_path / "x").exists()


def test_there_is_no_network(project: Project) -> None:
    connect = "import socket; socket.create_connection(('127.0.0.1', 1), 1)"
    done = report(
        project,
        f'{sys.executable} -c "{connect}" || {sys.executable} -c "import socket; socket.socket()"',
    )
    assert done.code != 0
    assert "refused" not in done.output


def test_a_fork_bomb_an_endless_output_and_a_full_disk_end_the_command_and_nothing_else(
    project: Project,
) -> None:
    began = time.monotonic()
    project.seconds = 3
    assert report(project, "bomb() { bomb | bomb & }; bomb; sleep 20").code != 0
    project.seconds = 12
    assert report(project, "yes").stopped == "output"
    assert (
        report(project, "while :; do head -c 30000000 /dev/zero > f$RANDOM$(date +%N); done").code
        != 0
    )
    assert time.monotonic() - began < 70


def test_what_a_command_leaves_is_read_without_following_it(
    project: Project, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.xml"
    outside.write_text('<testsuite><testcase name="outside"/></testsuite>')
    command = (
        f"ln -s {outside} a.xml; mkfifo b.xml; mkdir c.xml; ln -s {tmp_path} d; "
        'printf \'<!DOCTYPE x [<!ENTITY a "aaaa">]><testsuite><testcase name="&a;"/></testsuite>\' > e.xml; '
        "printf 'no xml' > f.xml; printf '{' > g.json"
    )
    done = report(project, command)
    assert done.succeeded
    assert done.tests is None
    assert done.coverage is None

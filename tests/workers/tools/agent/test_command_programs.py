"""A command runs with what was installed for the project: its virtual environment, its packages, its toolchain."""

from __future__ import annotations

import shutil
import sys
import venv
from pathlib import Path

import pytest

from shared.models.agent import CommandReport
from tests.workers.tools.agent.workspaces import Project, new_project
from workers.tools.sandbox.walls import walls

pytestmark = pytest.mark.skipif(
    {"namespaces", "landlock"}.isdisjoint(walls()), reason="no walls on this system"
)
FILES = {
    ".gitignore": ".venv/\nnode_modules/\n",
    "src/shop/__init__.py": "PLACE = 'the copy'\n",
    "cart.js": "module.exports = (price, percent) => price - percent;\n",
    "cart.test.js": (
        "const test = require('node:test');\nconst assert = require('node:assert');\n"
        "const discount = require('./cart');\ntest('adds', () => assert.equal(1 + 1, 2));\n"
        "test('ten percent', () => assert.equal(discount(200, 10), 180));\n"
    ),
    "uses.js": "console.log(require('left').pad('x'));\n",
}
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return new_project(tmp_path / "p", FILES)


def report(project: Project, command: str) -> CommandReport:
    reply = project.run("agent.command", project.workspace_with({}), command=command)
    assert isinstance(reply, CommandReport)
    return reply


def installed_venv(root: Path) -> None:
    venv.create(root / ".venv", with_pip=False)
    (site,) = (root / ".venv").glob("lib/python3*/site-packages")
    (site / "own.py").write_text("NAME = 'installed for the project'\n")
    # As `pip install -e` leaves it: the person's folder, which holds other code than the copy.
    (site / "shop.pth").write_text(f"{root}/elsewhere\n")
    (root / "elsewhere/shop").mkdir(parents=True)
    (root / "elsewhere/shop/__init__.py").write_text("PLACE = 'the folder'\n")


@pytest.mark.parametrize("program", ["python", ".venv/bin/python"])
def test_the_virtual_environment_of_the_project_is_used_with_the_code_of_the_copy(
    project: Project, program: str
) -> None:
    installed_venv(project.repo.root)
    done = report(project, f'{program} -c "import own, shop; print(own.NAME, shop.PLACE)"')
    assert (done.code, done.output.strip()) == (0, "installed for the project the copy")


def test_nothing_installed_can_be_changed_by_a_command(project: Project) -> None:
    installed_venv(project.repo.root)
    done = report(project, "echo x > .venv/pyvenv.cfg; rm -rf .venv/lib; touch .venv/new")
    assert done.code != 0
    assert (project.repo.root / ".venv/pyvenv.cfg").read_text().startswith("home")
    assert not (project.repo.root / ".venv/new").exists()


def test_other_files_of_the_person_s_folder_are_not_there(project: Project) -> None:
    installed_venv(project.repo.root)
    (project.repo.root / "secret.txt").write_text("mine")
    done = report(project, f"cat secret.txt {project.repo.root}/secret.txt")
    assert "mine" not in done.output


def test_a_command_runs_what_it_has_made(project: Project) -> None:
    done = report(
        project, "printf '#!/bin/sh\\necho made here\\n' > made && chmod +x made && ./made"
    )
    assert (done.code, done.output.strip()) == (0, "made here")


@needs_node
def test_packages_of_node_are_found(project: Project) -> None:
    package = project.repo.root / "node_modules/left"
    package.mkdir(parents=True)
    (package / "index.js").write_text("exports.pad = (text) => '-' + text;\n")
    done = report(project, "node uses.js")
    assert (done.code, done.output.strip()) == (0, "-x")


@needs_node
@pytest.mark.parametrize("reporter", ["tap", "spec", "junit"])
def test_what_node_s_runner_writes_names_the_test_its_reason_and_its_place(
    project: Project, reporter: str
) -> None:
    done = report(project, f"node --test --test-reporter={reporter}")
    assert done.tests is not None
    assert (done.tests.passed, done.tests.failed) == (1, 1)
    (failure,) = done.tests.failures
    assert failure.name.endswith("ten percent")
    assert "190 == 180" in failure.message
    assert failure.place is not None
    assert (failure.place.path, failure.place.line) == ("cart.test.js", 5)


@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")
def test_a_toolchain_in_a_home_compiles_and_runs_tests(tmp_path: Path) -> None:
    test = "#[test]\nfn ten() { assert_eq!(super::off(200, 10), 180); }\n"
    files = {
        "Cargo.toml": '[package]\nname = "cart"\nversion = "0.1.0"\nedition = "2021"\n',
        "src/lib.rs": f"pub fn off(p: i64, d: i64) -> i64 {{ p - d }}\n#[cfg(test)]\nmod tests {{\n{test}}}\n",
    }
    project = new_project(tmp_path / "p", files)
    done = report(project, "cargo test --offline --lib")
    assert done.tests is not None, done.output
    (failure,) = done.tests.failures
    assert (failure.name, "left: 190" in failure.message) == ("tests::ten", True)
    assert failure.place is not None
    assert failure.place.path == "src/lib.rs"


def test_quorate_s_own_interpreter_stands_behind_the_system_s(project: Project) -> None:
    done = report(project, "echo $PATH")
    folders = done.output.strip().split(":")
    assert folders.index("/usr/bin") < folders.index(str(Path(sys.executable).parent))


def test_maven_finds_its_repository_and_not_the_passwords_beside_it(
    project: Project, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    repository = home / ".m2/repository"
    repository.mkdir(parents=True)
    (repository / "junit.jar").write_text("a jar\n")
    (home / ".m2/settings.xml").write_text("<password>mine</password>\n")
    program = home / ".maven/bin/mvn"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\ncat "${MAVEN_OPTS#-Dmaven.repo.local=}/junit.jar" "$@"\n')
    program.chmod(0o755)
    done = report(project, f"{program} {home}/.m2/settings.xml; touch {repository}/new")
    assert "a jar" in done.output
    assert "mine" not in done.output
    assert not (repository / "new").exists()


@pytest.mark.skipif(shutil.which("mvn") is None, reason="maven is not installed")
def test_maven_starts_behind_the_walls(project: Project) -> None:
    pom = (
        "<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId>"
        "<artifactId>shop</artifactId><version>1</version><packaging>pom</packaging></project>"
    )
    project.repo.commit({"pom.xml": pom})
    done = report(project, "mvn -o -B validate")
    assert (done.code, "BUILD SUCCESS" in done.output) == (0, True), done.output

"""The project's own rules, read from its files: what a linter cannot say (see CONTRIBUTING.md)."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("shared", "workers", "orchestrator")
MAX_LINES = 400

PURE = ("orchestrator/core", "orchestrator/workflows")
# What the pure packages may import besides the standard library (minus IMPURE) and themselves.
PURE_MAY_IMPORT = ("orchestrator.core", "orchestrator.workflows", "pydantic", "shared.errors")
PURE_MAY_IMPORT += ("shared.git.diff_pieces", "shared.models", "shared.patterns", "shared.tools")
PURE_MAY_IMPORT += ("shared.providers.locality", "shared.text.bounded_cache", "shared.text.tokens")
PURE_MAY_IMPORT += ("shared.text.amounts", "shared.text.notebooks")
PURE_MAY_IMPORT += ("shared.text.masking.file_names", "shared.text.masking.identifiers")
IMPURE = frozenset(
    "asyncio concurrent multiprocessing os queue random secrets select shutil signal socket sqlite3"
    " ssl subprocess tempfile threading time urllib.request".split()
)
IMPURE_METHODS = frozenset({"now", "utcnow", "today", "uuid1", "uuid4"})
IMPURE_FUNCTIONS = frozenset({"open", "print", "input", "uuid4"})

NAMES_THAT_SAY_NOTHING = frozenset({"utils", "helpers", "common", "manager", "misc"})
TASK_MODULES = {"orchestrator/engine/tasks.py", "workers/tasks.py"}
STATEMENT = re.compile(
    r"\b(select\s.+\sfrom|insert\s+into|update\s+\w+\s+set|delete\s+from|(create|alter|drop)\s+"
    r"(table|index|type|database))\b",
    re.IGNORECASE | re.DOTALL,
)
# Databases are made before there is a store to hold SQL: the embedded server's own folder may.
SQL_HOMES = ("shared/store/", "orchestrator/embedded/")

TOP_LEVEL = frozenset(
    ".ci .editorconfig .gitattributes .gitignore CHANGELOG.md CONTRIBUTING.md LICENSE Makefile"
    " .pre-commit-hooks.yaml README.md benchmarks deploy docker-compose.yml docs orchestrator pyproject.toml"
    " requirements-dev.lock requirements.lock shared tests workers".split()
)
PIN = re.compile(r"^[a-z0-9]([a-z0-9._-]*[a-z0-9])?==\S+( ; .+)? \\$")


def python_files(*folders: str) -> list[Path]:
    found = chain.from_iterable((ROOT / folder).rglob("*.py") for folder in folders)
    return sorted(path for path in found if not path.is_relative_to(ROOT / "tests" / "data"))


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{relative(path)}:{node.lineno}: imports are absolute"
            yield str(node.module)


def strings(path: Path) -> Iterator[tuple[int, str]]:
    module = tree(path)
    prose = {
        id(node.body[0].value)
        for node in ast.walk(module)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(module):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.lineno, node.value


def tracked_files() -> list[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git working copy")
    return [name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


# ---- files ---------------------------------------------------------------------------------------


def test_no_file_is_longer_than_four_hundred_lines():
    lengths = {
        relative(path): path.read_text(encoding="utf-8").count("\n")
        for path in python_files(*PACKAGES, "tests", "benchmarks")
    }
    assert {name: lines for name, lines in lengths.items() if lines > MAX_LINES} == {}


def test_no_module_has_a_name_that_says_nothing():
    named = [relative(path) for path in python_files(*PACKAGES, "tests", "benchmarks")]
    assert [name for name in named if Path(name).stem in NAMES_THAT_SAY_NOTHING] == []


def test_the_top_level_is_the_one_of_the_design():
    assert {name.partition("/")[0] for name in tracked_files()} <= TOP_LEVEL


def test_no_tracked_file_names_a_package_registry():
    hosts = [".".join(parts) for parts in (("pypi", "org"), ("pythonhosted", "org"))]
    hosts += [".".join(("registry", "npmjs", "org")), ".".join(("proxy", "golang", "org"))]
    naming = [
        name
        for name in tracked_files()
        if any(host.encode() in (ROOT / name).read_bytes() for host in hosts)
    ]
    assert naming == []


def test_test_modules_mirror_the_tree():
    homes = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir()}
    known = {*PACKAGES, "acceptance", "benchmarks", "chaos", "data", "deploy", "docs"}
    known |= {"extension", "fixtures", "recorded_runs", "support"}
    assert homes - known - {"__pycache__"} == set()


# ---- locks ---------------------------------------------------------------------------------------


def lock_entries(name: str) -> dict[str, int]:
    """Requirement -> number of hashes; fails on a line that is neither."""
    entries: dict[str, int] = {}
    for line in (ROOT / name).read_text(encoding="utf-8").splitlines():
        if PIN.match(line):
            current = line.removesuffix(" \\").partition(" ; ")[0]
            entries[current] = 0
        else:
            assert re.fullmatch(r"    --hash=sha256:[0-9a-f]{64}( \\)?", line), line
            entries[current] += 1
    return entries


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_holds_versions_and_hashes_and_no_address(name: str):
    entries = lock_entries(name)
    assert min(entries.values()) >= 1
    # Compiled for every platform, not for the machine that ran `make lock`.
    built = {pin.partition("==")[0]: count for pin, count in entries.items()}
    assert built["sqlalchemy"] > 20


def test_the_two_locks_agree():
    assert (
        lock_entries("requirements.lock").items() <= lock_entries("requirements-dev.lock").items()
    )


def test_every_dependency_of_the_project_is_locked():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    locked = {pin.partition("==")[0] for pin in lock_entries("requirements.lock")}
    wanted = project["project"]["dependencies"] + project["build-system"]["requires"]
    names = {re.split(r"[\[<>=]", line)[0].lower() for line in wanted}
    assert names - locked == set()


def test_every_package_that_the_product_imports_is_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    declared = {
        re.split(r"[\[<>=;]", line)[0].lower() for line in (*project["dependencies"], *extras)
    }
    # pydantic's own core, pinned by it: its error types are only there.
    declared.add("pydantic-core")
    distributions = packages_distributions()
    used = {name.partition(".")[0] for path in python_files(*PACKAGES) for name in imported(path)}
    used -= {*PACKAGES, *sys.stdlib_module_names}
    missing = {
        name
        for name in used
        if not {d.lower().replace("_", "-") for d in distributions.get(name, [name])} & declared
    }
    assert missing == set()


# ---- walls ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", python_files(*PURE), ids=relative)
def test_a_pure_module_imports_no_clock_no_randomness_no_environment_and_no_io(path: Path):
    ours = [name for name in imported(path) if name.partition(".")[0] in {*PACKAGES, "pydantic"}]
    allowed = [
        name
        for name in ours
        if any(name == root or name.startswith(f"{root}.") for root in PURE_MAY_IMPORT)
    ]
    assert ours == allowed
    names = set(imported(path))
    assert (names | {name.partition(".")[0] for name in names}) & IMPURE == set()


@pytest.mark.parametrize("path", python_files(*PURE), ids=relative)
def test_a_pure_module_asks_for_no_time_and_opens_nothing(path: Path):
    called = [node.func for node in ast.walk(tree(path)) if isinstance(node, ast.Call)]
    methods = {func.attr for func in called if isinstance(func, ast.Attribute)}
    functions = {func.id for func in called if isinstance(func, ast.Name)}
    assert methods & IMPURE_METHODS == set()
    assert functions & IMPURE_FUNCTIONS == set()


def declares_a_task(node: ast.AST) -> bool:
    """`x.task(...)`, `@x.task` and the same with `shared_task`; reading an attribute is not."""
    if isinstance(node, ast.Call):
        used = [node.func]
    else:
        used = list(getattr(node, "decorator_list", []))
    names = {getattr(name, "attr", getattr(name, "id", "")) for name in used}
    return bool(names & {"task", "shared_task"})


def test_celery_tasks_are_declared_in_the_two_task_modules_only():
    declaring = {
        relative(path)
        for path in python_files(*PACKAGES)
        if any(map(declares_a_task, ast.walk(tree(path))))
    }
    assert declaring <= TASK_MODULES


def test_sql_is_written_in_the_store_only():
    found = [
        f"{relative(path)}:{line}"
        for path in python_files(*PACKAGES)
        if not relative(path).startswith(SQL_HOMES)
        for line, text in strings(path)
        if STATEMENT.search(text)
    ]
    assert found == []


def test_only_the_store_imports_the_database_driver():
    importing = {
        relative(path)
        for path in python_files(*PACKAGES)
        if not relative(path).startswith(SQL_HOMES)
        and {name.partition(".")[0] for name in imported(path)}
        & {"sqlalchemy", "psycopg", "alembic"}
    }
    assert importing == set()


# ---- habits --------------------------------------------------------------------------------------


def test_no_module_hides_an_import_behind_type_checking():
    word = "TYPE_" + "CHECKING"
    paths = python_files(*PACKAGES, "tests", "benchmarks")
    assert [relative(path) for path in paths if word in path.read_text(encoding="utf-8")] == []


def test_no_test_patches_anything():
    patching = re.compile("unittest" + r"\.mock|\b" + "monkey" + r"patch\b|\bmock\." + "patch")
    paths = python_files("tests")
    assert [relative(path) for path in paths if patching.search(path.read_text("utf-8"))] == []


def test_every_page_of_yaml_in_the_packages_is_readable():
    for path in chain.from_iterable((ROOT / package).rglob("*.y*ml") for package in PACKAGES):
        assert yaml.safe_load(path.read_text(encoding="utf-8")) is not None, relative(path)

"""Verification: which checks a project configures, and the command that each is run by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from shared.models.agent import CheckedItem, RepositoryExamination
from shared.models.findings import Place, Severity
from shared.models.notices import Notice, notice
from shared.tools.agent_inputs import ExaminationInput
from workers.tools.agent.examination import Points, run_apart
from workers.tools.agent.manifests import is_manifest
from workers.tools.agent.repository_files import (
    RepositoryFiles,
    is_below,
    is_sample,
    is_test,
    line_of,
    parent_of,
)
from workers.tools.registry import ToolContext

RULES = {"verification.no-tests": Severity.MINOR, "verification.not-in-ci": Severity.INFO}


@dataclass(frozen=True)
class Verifier:
    """A checker with what shows that a project uses it: files of its own, or a line in another file.

    `tests`: its command runs the project's tests.
    """

    name: str
    command: str
    files: str = r"(?!)"
    lines: tuple[tuple[str, str], ...] = ()
    tests: bool = False


_PYPROJECT, _CONFIG, _PACKAGE = r"pyproject\.toml$", r"(?:setup\.cfg|tox\.ini)$", r"package\.json$"
VERIFIERS = (
    Verifier("mypy", "mypy .", r"\.?mypy\.ini$", ((_PYPROJECT, r"^\[tool\.mypy\]"), (_CONFIG, r"^\[mypy\]"))),
    Verifier("pyright", "pyright", r"pyrightconfig\.json$", ((_PYPROJECT, r"^\[tool\.(?:based)?pyright\]"),)),
    Verifier("ruff", "ruff check .", r"\.?ruff\.toml$", ((_PYPROJECT, r"^\[tool\.ruff(?:\.lint)?\]"),)),
    Verifier("ruff format", "ruff format --check .", lines=((_PYPROJECT, r"^\[tool\.ruff\.format\]"),)),
    Verifier("black", "black --check .", lines=((_PYPROJECT, r"^\[tool\.black\]"),)),
    Verifier("isort", "isort --check-only .", r"\.isort\.cfg$",
             ((_PYPROJECT, r"^\[tool\.isort\]"), (_CONFIG, r"^\[isort\]"))),
    Verifier("flake8", "flake8", r"\.flake8$", ((_CONFIG, r"^\[flake8\]"),)),
    Verifier("pylint", "pylint --recursive=y .", r"\.?pylintrc$", ((_PYPROJECT, r"^\[tool\.pylint"),)),
    Verifier("import-linter", "lint-imports", r"\.importlinter$", ((_PYPROJECT, r"^\[tool\.importlinter\]"),)),
    Verifier("bandit", "bandit -r .", r"\.bandit$", ((_PYPROJECT, r"^\[tool\.bandit\]"),)),
    Verifier("pytest", "pytest", r"(?:pytest\.ini|conftest\.py)$",
             ((_PYPROJECT, r"^\[tool\.pytest"), (_CONFIG, r"^\[(?:tool:)?pytest\]")), tests=True),
    Verifier("hypothesis", "pytest", lines=((r"(?:^|/)test\w*\.py$|_test\.py$", r"^(?:from|import) hypothesis\b"),)),
    Verifier("unittest", "python -m unittest",
             lines=((r"(?:^|/)test\w*\.py$", r"^class \w+\((?:unittest\.)?TestCase\)"),), tests=True),
    Verifier("pre-commit", "pre-commit run --all-files", r"\.pre-commit-config\.yaml$"),
    Verifier("tox", "tox", r"tox\.ini$", ((_PYPROJECT, r"^\[tool\.tox\]"),), tests=True),
    Verifier("nox", "nox", r"noxfile\.py$", tests=True),
    Verifier("tsc", "npx tsc --noEmit", r"tsconfig\.json$"),
    Verifier("eslint", "npx eslint .", r"(?:\.eslintrc(?:\.\w+)?|eslint\.config\.[cm]?[jt]s)$",
             ((_PACKAGE, r'"eslintConfig"\s*:'),)),
    Verifier("prettier", "npx prettier --check .", r"(?:\.prettierrc(?:\.\w+)?|prettier\.config\.[cm]?js)$"),
    Verifier("biome", "npx biome check", r"biome\.jsonc?$"),
    Verifier("jest", "npx jest", r"jest\.config\.[cm]?[jt]s(?:on)?$", ((_PACKAGE, r'"jest"\s*:'),), tests=True),
    Verifier("vitest", "npx vitest run", r"vitest\.config\.[cm]?[jt]s$", ((_PACKAGE, r'"vitest"\s*:'),), tests=True),
    Verifier("npm test", "npm test", lines=((_PACKAGE, r'"test"\s*:\s*"(?!echo \\"Error)'),), tests=True),
    Verifier("go vet", "go vet ./...", r"go\.mod$"),
    Verifier("go test", "go test ./...", r"_test\.go$", tests=True),
    Verifier("golangci-lint", "golangci-lint run", r"\.golangci\.(?:ya?ml|toml|json)$"),
    Verifier("cargo test", "cargo test", r"Cargo\.toml$", tests=True),
    Verifier("clippy", "cargo clippy --all-targets", r"clippy\.toml$",
             ((r"Cargo\.toml$", r"^\[(?:workspace\.)?lints\.clippy\]"),)),
    Verifier("make check", "make check", lines=((r"(?:^|/)Makefile$", r"^check\s*:"),)),
    Verifier("make test", "make test", lines=((r"(?:^|/)Makefile$", r"^test\s*:"),), tests=True),
    Verifier("make lint", "make lint", lines=((r"(?:^|/)Makefile$", r"^lint\s*:"),)),
)  # fmt: skip
"""Commands are facts for whoever decides; none is run here."""
_CI = re.compile(
    r"(?:^|/)(?:\.github/workflows/[^/]+\.ya?ml|\.gitlab-ci\.yml|azure-pipelines\.yml|\.circleci/config\.yml|Jenkinsfile)$"
)
_READ = re.compile("|".join({pattern for verifier in VERIFIERS for pattern, _ in verifier.lines}))
_CHECKERS = frozenset("mypy pyright ruff pytest eslint flake8 pylint golangci-lint".split())
_SOURCE = (".py", ".go", ".js", ".ts", ".tsx", ".rs")


def wanted(path: str) -> bool:
    """Configuration, tests and pipelines."""
    return is_manifest(path) or bool(_READ.search(path)) or bool(_CI.search(path))


def run(inputs: ExaminationInput, context: ToolContext) -> RepositoryExamination:
    """Facts on verifiers. Raises `ToolError`."""
    return run_apart(__name__, inputs, context)


def examine(files: RepositoryFiles) -> RepositoryExamination:
    """Name each verifier, with the place nearest to the root."""
    points = Points(RULES)
    places = ((verifier, _place(files, verifier)) for verifier in VERIFIERS)
    configured = {verifier: place for verifier, place in places if place is not None}
    _check_pipelines(points, files, configured)
    if not _has_tests(files):
        points.add("verification.no-tests")
    commands = [_command(files, verifier, place) for verifier, place in configured.items()]
    items = [_item(verifier, place) for verifier, place in configured.items()]
    return points.examination(commands or [notice("exam_verification_none")], items)


def _has_tests(files: RepositoryFiles) -> bool:
    """Where there is next to nothing to test, nothing is missed."""
    sources = [path for path in files.paths if path.endswith(_SOURCE) and not is_sample(path)]
    return len(sources) < 2 or any(map(is_test, sources))


def _item(verifier: Verifier, place: Place) -> CheckedItem:
    return CheckedItem(item=verifier.name, state="met", places=(place,))


def _command(files: RepositoryFiles, verifier: Verifier, place: Place) -> Notice:
    return notice(
        "exam_verification_tests" if verifier.tests else "exam_verification_command",
        name=verifier.name,
        command=verifier.command,
        folder=_folder(files, place.path),
    )


def _check_pipelines(
    points: Points, files: RepositoryFiles, configured: Mapping[Verifier, Place]
) -> None:
    pipelines = [text for path, text in files.texts.items() if _CI.search(path)]
    if not pipelines or _calls_all(pipelines):
        return
    for verifier, place in configured.items():
        called = any(_is_called(verifier, text) for text in pipelines)
        if verifier.name in _CHECKERS and not called:
            points.add("verification.not-in-ci", place.path, place.line, name=verifier.name)


def _folder(files: RepositoryFiles, path: str) -> str:
    """Where a command is entered: the nearest folder above with a manifest, else the root."""
    folders = [parent_of(manifest) for manifest in files.texts if is_manifest(manifest)]
    above = [folder for folder in folders if is_below(path, folder)]
    return max(above, key=len, default="") or "."


def _place(files: RepositoryFiles, verifier: Verifier) -> Place | None:
    return min(
        _places(files, verifier),
        key=lambda place: (place.path.count("/"), place.path),
        default=None,
    )


def _places(files: RepositoryFiles, verifier: Verifier) -> Iterator[Place]:
    for path in files.paths:
        if not is_sample(path) and re.search(rf"(?:^|/)(?:{verifier.files})", path):
            yield Place(path=path, line=1)
    for name, line in verifier.lines:
        for path, text in files.texts.items():
            match = re.search(line, text, re.M) if re.search(name, path) else None
            if match and not is_sample(path):
                yield Place(path=path, line=text.count("\n", 0, match.start()) + 1)


def _is_called(verifier: Verifier, text: str) -> bool:
    return line_of(text, verifier.name) > 1


def _calls_all(texts: Iterable[str]) -> bool:
    """A pipeline that calls a program which calls the checkers: make, tox, nox, pre-commit, a script."""
    words = r"\b(?:make|tox|nox|pre-commit|hatch run|poetry run|uv run|npm run|pnpm|yarn|just|task|invoke)\b|\.sh\b"
    return any(re.search(words, text) for text in texts)

"""What a checkout needs to run: interpreters, packages, services, variables, and what of it is left open."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from shared.models.agent import RepositoryExamination
from shared.models.findings import Severity
from shared.models.notices import Notice, notice
from shared.tools.agent_inputs import ExaminationInput
from workers.tools.agent.dockerfiles import instructions, is_dockerfile, is_unpinned_image
from workers.tools.agent.examination import Points, run_apart
from workers.tools.agent.foreign_imports import JS_SUFFIXES
from workers.tools.agent.lock_files import is_lock
from workers.tools.agent.manifests import Ecosystem, is_manifest, manifests
from workers.tools.agent.repository_files import RepositoryFiles, is_product, is_sample
from workers.tools.agent.services import is_compose
from workers.tools.agent.yaml_nodes import yaml_documents
from workers.tools.registry import ToolContext

RULES = {
    "environment.no-runtime-version": Severity.MINOR,
    "environment.variable-undocumented": Severity.MINOR,
    "environment.service-unpinned": Severity.MINOR,
    "environment.runtimes-differ": Severity.MAJOR,
}
_VERSION_FILES = {
    ".python-version": "Python", "runtime.txt": "Python", ".nvmrc": "Node.js", ".node-version": "Node.js",
    ".ruby-version": "Ruby", "rust-toolchain": "Rust", "rust-toolchain.toml": "Rust", ".tool-versions": "",
}  # fmt: skip
_DECLARED = (
    ("pyproject.toml", "Python", r'^requires-python\s*=\s*"([^"]+)"'),
    ("pyproject.toml", "Python", r'^python\s*=\s*"([^"]+)"'),
    ("setup.cfg", "Python", r"^python_requires\s*=\s*(\S.*)$"),
    ("setup.py", "Python", r"python_requires\s*=\s*[\"']([^\"']+)[\"']"),
    ("Pipfile", "Python", r'^python_version\s*=\s*"([^"]+)"'),
    ("package.json", "Node.js", r'"engines"\s*:\s*\{[^}]*"node"\s*:\s*"([^"]+)"'),
    ("go.mod", "Go", r"^go\s+(\S+)"),
    ("Cargo.toml", "Rust", r'^rust-version\s*=\s*"([^"]+)"'),
)
_LANGUAGES = {Ecosystem.PYTHON: "Python", Ecosystem.JAVASCRIPT: "Node.js"}
_IMAGES = re.compile(
    r"^(?:docker\.io/|library/)*(python|node|golang|rust|ruby|openjdk|eclipse-temurin|php)(?::([\w.-]+))?$"
)
_EXAMPLES = re.compile(
    r"(?:^|/)(?:\.env\.(?:example|sample|template|dist|defaults?)|(?:example|sample)\.env|env\.example)$"
)
_JS_VARIABLE = re.compile(
    r"\bprocess\.env(?:\.([A-Z][A-Z0-9_]+)\b|\[[\"']([A-Z][A-Z0-9_]+)[\"']\])(?!\s*(?:\|\||\?\?|===?|!==?|=(?!=)))"
)
_INSTALLS = (
    ("uv.lock", "uv sync --frozen"), ("poetry.lock", "poetry install"), ("pdm.lock", "pdm sync"),
    ("Pipfile.lock", "pipenv sync"), ("package-lock.json", "npm ci"),
    ("yarn.lock", "yarn install --frozen-lockfile"), ("pnpm-lock.yaml", "pnpm install --frozen-lockfile"),
    ("requirements.lock", "pip install -r requirements.lock"), ("requirements.txt", "pip install -r requirements.txt"),
    ("pyproject.toml", "pip install ."), ("setup.py", "pip install ."), ("package.json", "npm install"),
    ("go.mod", "go mod download"), ("Cargo.lock", "cargo build --locked"), ("Cargo.toml", "cargo build"),
)  # fmt: skip
_SAME_TOOL = (
    ("pip", "uv", "poetry", "pdm", "pipenv"),
    ("npm", "yarn", "pnpm"),
    ("go",),
    ("cargo",),
)
_COMMON = frozenset(
    "HOME PATH USER SHELL TMPDIR TEMP TMP LANG PWD EDITOR TERM CI NODE_ENV APPDATA "
    "USERPROFILE SYSTEMROOT COLUMNS".split()
)


def wanted(path: str) -> bool:
    """Sources, manifests, locks, images, services, files of variables, pages."""
    name = path.rsplit("/", 1)[-1]
    return (
        path.endswith((".py", ".md", ".rst", ".env", ".sh", ".service", *JS_SUFFIXES))
        or name in (*_VERSION_FILES, "Makefile", "Procfile", "action.yml", "tox.ini")
        or any(
            check(path)
            for check in (is_manifest, is_lock, is_dockerfile, is_compose, _EXAMPLES.search)
        )
    )


def run(inputs: ExaminationInput, context: ToolContext) -> RepositoryExamination:
    """Facts and points on the environment. Raises `ToolError`."""
    return run_apart(__name__, inputs, context)


def examine(files: RepositoryFiles) -> RepositoryExamination:
    """Collect what is needed, and what of it nothing pins or mentions."""
    points = Points(RULES)
    runtimes = list(_runtimes(files))
    _check_runtimes(points, files, runtimes)
    variables = _variables(files)
    _check_variables(points, files, variables)
    services = list(_services(files))
    for name, image, path, line in services:
        if is_unpinned_image(image):
            points.add("environment.service-unpinned", path, line, name=name, image=image)
    return points.examination(_facts(files, runtimes, variables, services))


def _runtimes(files: RepositoryFiles) -> Iterator[tuple[str, str, str, int]]:
    """Language, version, path, line."""
    for path, text in files.texts.items():
        name = path.rsplit("/", 1)[-1]
        if "/" in path or is_sample(path):
            continue
        if name in _VERSION_FILES and text.strip():
            yield _VERSION_FILES[name], text.split("\n")[0].strip(), path, 1
        for manifest, language, pattern in _DECLARED:
            match = re.search(pattern, text, re.M) if name == manifest else None
            if match:
                yield (
                    language,
                    match.group(1).strip(),
                    path,
                    text.count("\n", 0, match.start(1)) + 1,
                )
        if is_dockerfile(path):
            yield from _images(path, text)


def _images(path: str, text: str) -> Iterator[tuple[str, str, str, int]]:
    languages = {
        "python": "Python",
        "node": "Node.js",
        "golang": "Go",
        "rust": "Rust",
        "ruby": "Ruby",
    }
    for row in instructions(text):
        image = next((word for word in row.rest.split() if not word.startswith("--")), "")
        match = _IMAGES.match(image.partition("@")[0]) if row.word == "FROM" else None
        if match:
            yield (
                languages.get(match.group(1), match.group(1)),
                match.group(2) or "latest",
                path,
                row.line,
            )


def _check_runtimes(
    points: Points, files: RepositoryFiles, runtimes: list[tuple[str, str, str, int]]
) -> None:
    languages = {language for language, *_ in runtimes}
    top = [row for row in manifests(files) if not row.folder and row.dependencies]
    for manifest in (row for row in top if not row.path.endswith((".txt", ".in"))):
        language = _LANGUAGES.get(manifest.ecosystem)
        if language is not None and language not in languages:
            points.add("environment.no-runtime-version", manifest.path, 1, language=language)
            languages.add(language)
    _check_images(points, runtimes)


def _check_images(points: Points, runtimes: list[tuple[str, str, str, int]]) -> None:
    needed = {row[0]: row[1] for row in runtimes if not is_dockerfile(row[2])}
    for language, version, path, line in runtimes:
        need = needed.get(language, "")
        if is_dockerfile(path) and _is_older(version, need):
            points.add(
                "environment.runtimes-differ",
                path,
                line,
                language=language,
                version=version,
                needed=need,
            )


def _is_older(version: str, needed: str) -> bool:
    """Whether an image's tag, which has two numbers, is below the least version that is needed."""
    least = re.match(r"(?:>=|\^|~=?)\s*(\d+)(?:\.(\d+))?", needed)
    given = re.match(r"(\d+)\.(\d+)", version)
    return bool(least and given) and _numbers(given) < _numbers(least)


def _numbers(match: re.Match[str] | None) -> tuple[int, int]:
    return (int(match.group(1)), int(match.group(2) or 0)) if match else (0, 0)


def _variables(files: RepositoryFiles) -> dict[str, tuple[str, int]]:
    """Variables that the product cannot do without, and the first place that reads each."""
    found: dict[str, tuple[str, int]] = {}
    for path, text in files.texts.items():
        for name, line in _needed(files, path, text) if is_product(path) else ():
            if name not in _COMMON:
                found.setdefault(name, (path, line))
    return found


def _needed(files: RepositoryFiles, path: str, text: str) -> Iterator[tuple[str, int]]:
    if path.endswith(".py") and "os.environ" in text:
        tree = files.tree(path)
        yield from _required(tree) if tree else ()
    elif path.endswith(JS_SUFFIXES):
        for match in _JS_VARIABLE.finditer(text):
            yield match.group(1) or match.group(2), text.count("\n", 0, match.start()) + 1


def _required(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """`os.environ["NAME"]` that is read, where the file nowhere asks whether it is there, nor sets it."""
    nodes = list(ast.walk(tree))
    excused = {text for holder in nodes if _asks(holder) for text in _texts(holder)}
    for node in (node for node in nodes if isinstance(node, ast.Subscript)):
        name = _variable(node)
        if name is not None and name not in excused:
            yield name, node.lineno


def _texts(holder: ast.AST) -> Iterator[str]:
    for node in ast.walk(holder):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _variable(node: ast.Subscript) -> str | None:
    """The name, where a node reads a variable that has to be there."""
    if not _is_environ(node.value):
        return None
    name = node.slice.value if isinstance(node.slice, ast.Constant) else None
    return name if isinstance(name, str) and name.isupper() else None


def _asks(node: ast.AST) -> bool:
    """A comparison, a call such as `environ.get`, a `try`, or an assignment to the environment."""
    if isinstance(node, ast.Subscript):
        return not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Call):
        return ast.unparse(node.func).endswith(
            ("environ.get", "getenv", "environ.setdefault", "environ.pop")
        )
    return isinstance(node, ast.Compare | ast.Try)


def _is_environ(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and ast.unparse(node) == "os.environ"


def _check_variables(
    points: Points, files: RepositoryFiles, variables: dict[str, tuple[str, int]]
) -> None:
    """A needed variable that stands in no page, example, image, service or script."""
    mentioned = "\n".join(
        text
        for path, text in files.texts.items()
        if not path.endswith((".py", *JS_SUFFIXES)) and not is_lock(path)
    )
    words = set(re.findall(r"[A-Z][A-Z0-9_]+", mentioned))
    for name, (path, line) in variables.items():
        if name not in words:
            points.add("environment.variable-undocumented", path, line, name=name)


def _services(files: RepositoryFiles) -> Iterator[tuple[str, str, str, int]]:
    """Name, image, path, line."""
    for path, text in files.texts.items():
        if not is_compose(path) or is_sample(path):
            continue
        for document in yaml_documents(text):
            services = document.get("services")
            for name, service in services.items() if services else ():
                image = service.get("image")
                if image and not service.get("build"):
                    yield name.text, image.text, path, image.line


def _facts(
    files: RepositoryFiles,
    runtimes: Iterable[tuple[str, str, str, int]],
    variables: dict[str, tuple[str, int]],
    services: Iterable[tuple[str, str, str, int]],
) -> Iterator[Notice]:
    for language, version, path, line in runtimes:
        yield notice(
            "exam_environment_runtime",
            language=language or "-",
            version=version,
            path=path,
            line=line,
        )
    yield from _installations(files)
    for name, image, path, _ in services:
        yield notice("exam_environment_service", name=name, image=image, path=path)
    by_path: dict[str, list[str]] = defaultdict(list)
    for name, (path, line) in sorted(variables.items()):
        by_path[path].append(f"{name} ({line})")
    for path, names in by_path.items():
        yield notice("exam_environment_variables", path=path, names=names)
    for path in filter(_EXAMPLES.search, files.texts):
        yield notice("exam_environment_example", path=path)


def _installations(files: RepositoryFiles) -> Iterator[Notice]:
    """One command of each family of tools, that of a lock first."""
    taken: set[tuple[str, ...]] = set()
    for name, command in _INSTALLS:
        family = next(tools for tools in _SAME_TOOL if command.split()[0] in tools)
        if name in files.known and family not in taken:
            taken.add(family)
            yield notice("exam_environment_install", path=name, command=command)

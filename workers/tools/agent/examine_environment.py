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
from workers.tools.agent.repository_files import RepositoryFiles, is_product, is_sample, line_of
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
    for manifest in manifests(files):
        language = {Ecosystem.PYTHON: "Python", Ecosystem.JAVASCRIPT: "Node.js"}.get(
            manifest.ecosystem
        )
        if (
            manifest.folder
            or language is None
            or language in languages
            or not manifest.dependencies
        ):
            continue
        if is_sample(manifest.path) or manifest.path.endswith((".txt", ".in")):
            continue
        points.add("environment.no-runtime-version", manifest.path, 1, language=language)
        languages.add(language)
    needed = {
        language: version for language, version, path, _ in runtimes if not is_dockerfile(path)
    }
    for language, version, path, line in runtimes:
        least = re.match(r"(?:>=|\^|~=?)\s*(\d+)(?:\.(\d+))?", needed.get(language, ""))
        given = re.match(r"(\d+)(?:\.(\d+))?", version)
        known = is_dockerfile(path) and least and given and given.group(2) is not None
        if known and least and given and _numbers(given) < _numbers(least):
            points.add(
                "environment.runtimes-differ",
                path,
                line,
                language=language,
                version=version,
                needed=needed[language],
            )


def _numbers(match: re.Match[str]) -> tuple[int, int]:
    return int(match.group(1)), int(match.group(2) or 0)


def _variables(files: RepositoryFiles) -> dict[str, tuple[str, int]]:
    """Variables that the product cannot do without, and the first place that reads each."""
    found: dict[str, tuple[str, int]] = {}
    for path in files.python():
        tree = files.tree(path)
        if tree is not None and is_product(path):
            for name, line in _required(tree):
                found.setdefault(name, (path, line))
    for path, text in files.texts.items():
        if path.endswith(JS_SUFFIXES) and is_product(path):
            for match in _JS_VARIABLE.finditer(text):
                name = match.group(1) or match.group(2)
                found.setdefault(name, (path, text.count("\n", 0, match.start()) + 1))
    return {name: place for name, place in found.items() if name not in _COMMON}


def _required(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """`os.environ["NAME"]` that is read, where the file nowhere asks whether it is there, nor sets it."""
    nodes = list(ast.walk(tree))
    excused = {
        node.value
        for holder in nodes
        if _asks(holder)
        for node in ast.walk(holder)
        if isinstance(node, ast.Constant)
    }
    for node in nodes:
        if (
            isinstance(node, ast.Subscript)
            and isinstance(node.ctx, ast.Load)
            and _is_environ(node.value)
        ):
            name = node.slice.value if isinstance(node.slice, ast.Constant) else None
            if isinstance(name, str) and name.isupper() and name not in excused:
                yield name, node.lineno


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
    taken: dict[tuple[str, ...], str] = {}
    for name, command in _INSTALLS:
        family = next(tools for tools in _SAME_TOOL if command.split()[0] in tools)
        if name in files.known and family not in taken:
            taken[family] = command
            yield notice("exam_environment_install", path=name, command=command)
    for name, image, path, _ in services:
        yield notice("exam_environment_service", name=name, image=image, path=path)
    by_path: dict[str, list[str]] = defaultdict(list)
    for name, (path, line) in sorted(variables.items()):
        by_path[path].append(f"{name} ({line})")
    for path, names in by_path.items():
        yield notice("exam_environment_variables", path=path, names=names)
    for path in files.texts:
        if _EXAMPLES.search(path):
            yield notice("exam_environment_example", path=path, line=line_of(files.texts[path]))

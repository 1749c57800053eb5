"""Which files some program starts, or reads as its configuration, because of their path: nobody has to name them.

A move to such a path, or away from one, changes what runs although no line changes. The tables cannot be complete, so
whole kinds are in them: every path with a dot in front of one of its names, and files of a format in which programs
are configured that get another base name or come to the top of the repository.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import PurePosixPath

from shared.patterns import regex

_NOTHING_READS = frozenset((".gitkeep", ".keep"))
_STARTED = regex(
    r"(?:"
    # Python, JavaScript, other languages: builds, tests, dependencies.
    r"(?:conftest|sitecustomize|usercustomize|setup|noxfile|fabfile|tasks|dodo|gunicorn\.conf|__main__)\.py"
    r"|(?:setup\.cfg|(?:tox|pytest|mypy|uwsgi)\.ini|py(?:project|rightconfig)\.(?:toml|json)|ruff\.toml|pylintrc|pipfile)"
    r"|(?:package|composer|tsconfig|jsconfig|deno|lerna|nx|turbo|vercel|renovate|devcontainer|mcp)\.jsonc?"
    r"|(?:gulpfile|gruntfile)(?:\..+)?|.+\.config\.[cm]?[jt]s|pnpm-workspace\.ya?ml|(?:bunfig|mise|netlify|fly)\.toml"
    r"|requirements.*\.(?:txt|in)|constraints.*\.txt|go\.(?:mod|work|sum)|build\.rs|cargo\.toml|rust-toolchain(?:\.toml)?"
    r"|(?:pom|build)\.xml|build\.sbt|.+\.gradle(?:\.kts)?|gradle\.properties|gradlew(?:\.bat)?|mvnw(?:\.cmd)?"
    r"|configure(?:\.ac)?|meson\.build|build(?:\.bazel)?|workspace(?:\.bazel)?|module\.bazel|.+\.(?:cs|vb|fs)proj|.+\.props"
    r"|.+\.lock|package-lock\.json|(?:shell|default|flake)\.nix|brewfile"
    r"|(?:gnu)?makefile(?:\..+)?|cmakelists\.txt|.+\.mk|justfile|taskfile(?:\.dist)?\.ya?ml|(?:rake|gem|guard|cap)file"
    r"|jenkinsfile(?:\..+)?|vagrantfile|procfile(?:\..+)?|wscript|sconstruct|sconscript|snakefile|dangerfile(?:\..+)?"
    # Containers, pipelines, schedules.
    r"|(?:docker|container)file(?:\..+)?|.+\.dockerfile|(?:docker-)?compose(?:\..+)?\.ya?ml|docker-bake\..+|skaffold\.ya?ml"
    r"|(?:action|buildspec|cloudbuild|appveyor|azure-pipelines|bitbucket-pipelines|wercker|codefresh|lefthook|serverless"
    r"|render|app|mkdocs|environment)(?:[.-].+)?\.ya?ml"
    r"|crontab|.+\.(?:service|timer|desktop|pth)|codeowners"
    # What git and coding agents obey.
    r"|(?:pre|post)-[a-z-]+|(?:applypatch|commit|prepare-commit)-msg|update|(?:agents|claude|gemini|skill)(?:\..+)?\.md"
    r")\Z",
    re.IGNORECASE,
)
"""Base names."""

_CONFIGURING = frozenset(
    ".toml .ini .cfg .conf .cnf .yml .yaml .json .json5 .jsonc .xml .properties .hcl .nix .plist .env .rc".split()
)
"""Suffixes of formats in which programs are configured."""

_RUNS_BY_FOLDER = frozenset(
    (
        "bin sbin scripts hooks githooks git-hooks init.d cron.d cron.hourly cron.daily cron.weekly cron.monthly "
        "profile.d migrations migrate versions plugins plugin autoload startup initializers commands pages routes api "
        "functions test tests spec specs __tests__ e2e"
    ).split()
)
"""Folders whose code a framework, a runner of tests or a scheduler finds by looking there."""

_TEST = regex(r"(?:test_.+|conftest|.+(?:_test|_spec|\.test|\.spec|tests?))\Z", re.IGNORECASE)
_LOADED_FIRST = frozenset(("__init__", "index"))


def is_started(path: str) -> bool:
    """Whether a program starts the file, or is configured by it, because it lies there under that name."""
    parts = PurePosixPath(path).parts
    if any(part.startswith(".") and part not in _NOTHING_READS for part in parts):
        return True
    return _STARTED.match(parts[-1]) is not None


_LOCK = regex(
    r"(?:.+[.-]lock(?:\.json|\.ya?ml)?|package-lock\.json|npm-shrinkwrap\.json|go\.sum|.+\.lockb|gradle\.lockfile)\Z",
    re.IGNORECASE,
)


def is_lock(path: str) -> bool:
    """Whether a program writes the file: it pins what another file asks for."""
    return _LOCK.match(PurePosixPath(path).name) is not None


def move_starts(old: str, new: str, *, is_code: bool) -> bool:
    """Whether a file that moves from `old` to `new` may run or configure something else there.

    Paths are compared letter by letter: `.GitHub` starts nothing on a machine where `.github` does.
    """
    if old == new:
        return False
    if is_started(old) or is_started(new):
        return True
    before, after = PurePosixPath(old), PurePosixPath(new)
    if after.suffix.lower() in _CONFIGURING:
        return before.name != after.name or (len(after.parts) == 1 and len(before.parts) > 1)
    return is_code and not set(_uses(after)) <= set(_uses(before))


def _uses(path: PurePosixPath) -> Iterator[str]:
    """For which of its folders and names code is found without being called."""
    *folders, _name = (part.lower() for part in path.parts)
    stem = path.stem.lower()
    if not folders:
        # The top comes first where programs look for modules.
        yield "top"
    yield from (folder for folder in folders if folder in _RUNS_BY_FOLDER)
    if _TEST.match(stem):
        yield "test name"
    if stem in _LOADED_FIRST or stem in sys.stdlib_module_names:
        yield f"name {stem}"

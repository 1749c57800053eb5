"""What a repository's manifests say of its imports: Go's modules, aliases of TypeScript, packages of a workspace.

They are read like files of code, by the program that may be ended by what it reads, and are no part of the graph.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shared.models.code_graph import FileFacts
from shared.patterns import regex

MANIFEST = "manifest"
"""As the language of a manifest's facts."""
_GO_MODULE, _PACKAGE = "go.mod", "package.json"
_CONFIGURATIONS = ("tsconfig.json", "jsconfig.json", "tsconfig.base.json")
_NAMES = frozenset((_GO_MODULE, _PACKAGE, *_CONFIGURATIONS))
MOST_BYTES = 1_000_000
_GO_NAME = regex(r"^[ \t]*module[ \t]+\"?([^\s\"]+)", re.M)
_GO_REPLACED = regex(
    r"^[ \t]*(?:replace[ \t]+)?\"?([^\s\"]+)\"?(?:[ \t]+v\S+)?[ \t]*=>[ \t]*\"?(\.\.?(?:/[^\s\"]*)?)",
    re.M,
)
# Comments, and commas before a bracket, both outside of texts; one that is not closed goes to the end.
_NO_JSON = regex(r"(\"(?:\\.|[^\"\\])*\")|//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/)?|,(?=\s*[}\]])")
_ENTRIES = ("source", "types", "module", "main")


def is_manifest(path: str) -> bool:
    """Whether a file says something of imports, by its name."""
    return posixpath.basename(path) in _NAMES and "node_modules/" not in f"/{path}"


def extract_manifest(path: str, data: bytes, module: str) -> FileFacts:
    """What a manifest says, as plain JSON in `program`; nothing where it cannot be read."""
    text = data[:MOST_BYTES].decode("utf-8", "replace")
    manifest = _go_module(text) if path.endswith(_GO_MODULE) else _json_manifest(path, text)
    return FileFacts(path, module, MANIFEST, (), program=manifest)


def _go_module(text: str) -> dict[str, Any]:
    name = _GO_NAME.search(text)
    replaced = [list(match.groups()) for match in _GO_REPLACED.finditer(text)]
    return {"module": name.group(1), "replaced": replaced} if name else {}


def _json_manifest(path: str, text: str) -> dict[str, Any]:
    plain = _NO_JSON.sub(lambda match: match.group(1) or "", text)
    try:
        manifest = json.loads(plain)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(manifest, dict):
        return {}
    if path.endswith(_PACKAGE):
        return {"package": manifest.get("name"), "entries": [manifest.get(key) for key in _ENTRIES]}
    options = manifest.get("compilerOptions")
    options = options if isinstance(options, dict) else {}
    return {"base": options.get("baseUrl"), "paths": options.get("paths")}


@dataclass(frozen=True)
class _Alias:
    """In `folder` and below it an import of `head...tail` means one of `targets`, each with a `*` for the rest."""

    folder: str
    head: str
    tail: str
    targets: tuple[str, ...]
    exact: bool


@dataclass
class ImportRoots:
    """Where imports lead that no path of their own names."""

    go: dict[str, str] = field(default_factory=dict)
    """Folders by the paths of Go's modules."""
    packages: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    """Folders and entries of a workspace's packages by their names."""
    aliases: list[_Alias] = field(default_factory=list)

    @classmethod
    def of(cls, files: Iterable[FileFacts]) -> ImportRoots:
        """What the manifests among the files say."""
        roots = cls()
        for facts in files:
            if facts.language == MANIFEST and isinstance(facts.program, dict):
                roots._take(posixpath.dirname(facts.path), facts.program)
        roots.aliases.sort(key=lambda alias: (-len(alias.folder), -len(alias.head)))
        return roots

    def _take(self, folder: str, manifest: Mapping[str, Any]) -> None:
        if isinstance(module := manifest.get("module"), str):
            self.go[module] = folder
            for name, place in manifest.get("replaced", ()):
                self.go.setdefault(name, _joined(folder, place))
        if isinstance(package := manifest.get("package"), str):
            entries = tuple(each for each in manifest.get("entries", ()) if isinstance(each, str))
            self.packages[package] = (folder, entries)
        self._take_aliases(folder, manifest.get("base"), manifest.get("paths"))

    def _take_aliases(self, folder: str, base: object, paths: object) -> None:
        start = _joined(folder, base) if isinstance(base, str) else folder
        for pattern, targets in paths.items() if isinstance(paths, dict) else ():
            if isinstance(targets, list):
                self.aliases.append(_alias(folder, start, pattern, targets))
        if isinstance(base, str):
            self.aliases.append(_Alias(folder, "", "", (_joined(start, "*"),), exact=False))

    def go_folder(self, module: str) -> str | None:
        """The folder of a Go package by the path that imports it; of nested modules the innermost."""
        within = [name for name in self.go if f"{module}/".startswith(f"{name}/")]
        if not within:
            return None
        name = max(within, key=len)
        return _joined(self.go[name], module[len(name) :].lstrip("/"))

    def script_places(self, importing: str, module: str) -> Iterator[str]:
        """Paths that a script's import may mean, without their suffixes, likeliest first."""
        for alias in self.aliases:
            if not f"{importing}/".startswith(f"{alias.folder}/" if alias.folder else ""):
                continue
            if (rest := _rest(alias, module)) is not None:
                yield from (target.replace("*", rest, 1) for target in alias.targets)
        parts = module.split("/")
        most = 2 if module.startswith("@") else 1
        name, rest = "/".join(parts[:most]), "/".join(parts[most:])
        if name in self.packages:
            folder, entries = self.packages[name]
            if rest:
                yield from (_joined(folder, rest), _joined(folder, f"src/{rest}"))
            else:
                yield from (_joined(folder, entry) for entry in entries)
                yield from (_joined(folder, "src"), folder)


def _alias(folder: str, start: str, pattern: str, targets: Sequence[object]) -> _Alias:
    head, star, tail = pattern.partition("*")
    places = tuple(_joined(start, target) for target in targets if isinstance(target, str))
    return _Alias(folder, head, tail, places, exact=not star)


def _rest(alias: _Alias, module: str) -> str | None:
    """What the `*` of an alias stands for in an import; None where the alias is another."""
    if alias.exact:
        return "" if module == alias.head else None
    fits = module.startswith(alias.head) and module.endswith(alias.tail)
    return module[len(alias.head) : len(module) - len(alias.tail)] if fits else None


def _joined(folder: str, place: str) -> str:
    """A path within the repository; `..` leads out of none."""
    return posixpath.normpath(posixpath.join("/", folder, place)).strip("/")

"""Which files of the program an import means, for languages that are resolved by names."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from shared.models.code_graph import FileFacts, Import
from workers.tools.code_graph.languages import LANGUAGES, PYTHON, language_of
from workers.tools.code_graph.manifests import ImportRoots

GO = "go"
_SCRIPTS = ("typescript", "javascript")
_SCRIPT_SUFFIXES = tuple(
    f".{suffix}" for kind in _SCRIPTS for suffix, language in LANGUAGES.items() if language == kind
)
_MOST_HANDED_ON = 5


def is_script(path: str) -> bool:
    """Whether it is JavaScript or TypeScript."""
    return language_of(path) in _SCRIPTS


@dataclass
class ImportedFiles:
    """The files of a program, and what its manifests say of imports."""

    files: Mapping[str, FileFacts]
    roots: ImportRoots
    by_module: dict[str, str] = field(default_factory=dict)
    by_end: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    go_packages: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def __post_init__(self) -> None:
        for path, facts in self.files.items():
            self.by_module.setdefault(facts.module, path)
            self.by_end[facts.module.rpartition(".")[2]].append(path)
            if facts.language == GO and not path.endswith("_test.go"):
                self.go_packages[posixpath.dirname(path)].append(path)

    def of(self, facts: FileFacts) -> Iterator[tuple[str, int]]:
        """The files of the program that a file imports, with the line."""
        for entry in facts.imports:
            for path in self.meant(facts, entry):
                if path != facts.path:
                    yield path, entry.line

    def handed_on(self, path: str) -> Iterator[str]:
        """What a file hands on from others besides its own: `export * from "./money"`."""
        waiting, seen = [(path, 0)], {path}
        while waiting:
            current, depth = waiting.pop()
            facts = self.files[current]
            if not is_script(current) or depth >= _MOST_HANDED_ON:
                continue
            for module in facts.program or ():
                for found in self.meant(facts, Import("", module, "*", "*", 0, 1)):
                    if found not in seen:
                        seen.add(found)
                        waiting.append((found, depth + 1))
                        yield found

    def outside_names(self, facts: FileFacts) -> frozenset[str]:
        """The names that a file's imports bring from outside of the program: nothing in it is called by them."""
        if facts.language == PYTHON:
            return frozenset()
        bound = [entry for entry in facts.imports if entry.alias != "*"]
        return frozenset(e.alias for e in bound if not self._is_inside(facts, e))

    def _is_inside(self, facts: FileFacts, entry: Import) -> bool:
        return entry.module.startswith(".") or bool(self.meant(facts, entry))

    def meant(self, facts: FileFacts, entry: Import) -> tuple[str, ...]:
        """The files that one import means: all of a Go package, one of everything else; none that are elsewhere."""
        if facts.language == GO:
            return self._of_go(entry.module)
        if is_script(facts.path):
            found = self._of_script(facts.path, entry.module)
        elif facts.language == PYTHON:
            names = (f"{entry.module}.{entry.name}".strip("."), entry.module)
            found = next((self.by_module[name] for name in names if name in self.by_module), None)
        else:
            found = self._by_path(facts.path, entry.module)
        return () if found is None else (found,)

    def _of_go(self, module: str) -> tuple[str, ...]:
        folder = self.roots.go_folder(module)
        if folder is not None:
            return tuple(self.go_packages.get(folder, ()))
        parts = module.split("/")
        ends = ["/".join(parts[place:]) for place in range(len(parts))]
        if self.roots.go or "." not in parts[0]:
            # What the modules of the repository do not name is elsewhere, unless a copy is kept here.
            ends = [f"vendor/{module}"]
        for end in ends:
            same = [folder for folder in self.go_packages if f"/{folder}".endswith(f"/{end}")]
            if len(same) == 1:
                return tuple(self.go_packages[same[0]])
        return ()

    def _of_script(self, importing: str, module: str) -> str | None:
        if module.startswith("."):
            place = posixpath.join(posixpath.dirname(importing), module)
            return self._script(posixpath.normpath(place))
        places = self.roots.script_places(importing, module)
        found = next(filter(None, map(self._script, places)), None)
        return found or self._only_end(module.replace("/", "."), importing)

    def _script(self, place: str) -> str | None:
        """The file of a script's path: as it is, with a suffix, with another (`a.js` for `a.ts`), or its index."""
        stem, suffix = posixpath.splitext(place)
        stems = (place, stem) if suffix in _SCRIPT_SUFFIXES else (place,)
        whole = (f"{each}{end}" for each in stems for end in _SCRIPT_SUFFIXES)
        index = (posixpath.join(place, f"index{end}") for end in _SCRIPT_SUFFIXES)
        return next((path for path in (place, *whole, *index) if path in self.files), None)

    def _by_path(self, importing: str, module: str) -> str | None:
        plain = module.replace("::", "/").replace("\\", "/")
        if plain.startswith("."):
            plain = posixpath.normpath(posixpath.join(posixpath.dirname(importing), plain))
        elif "/" not in plain:
            plain = plain.replace(".", "/")
        dotted = plain.removesuffix(posixpath.splitext(plain)[1]).replace("/", ".")
        modules = (dotted, plain.replace("/", "."), f"{dotted}.mod")
        exact = next((self.by_module[name] for name in modules if name in self.by_module), None)
        return exact or self._only_end(dotted, importing)

    def _only_end(self, dotted: str, importing: str) -> str | None:
        """The file whose module ends so, where there is only one. What a script calls by one word is a package."""
        if "." not in dotted and is_script(importing):
            return None
        ends = self.by_end.get(dotted.rpartition(".")[2], ())
        same = [path for path in ends if f".{self.files[path].module}".endswith(f".{dotted}")]
        return same[0] if len(same) == 1 else None

"""What pages of a repository refer to: files by links, and commands in blocks of code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from posixpath import normpath
from urllib.parse import unquote

from workers.tools.agent.repository_files import RepositoryFiles, parent_of

_FENCE = re.compile(
    r"^(?P<indent>[ \t]*)(?P<mark>```+|~~~+)[ \t]*(?P<info>[^\n`]*)\n(?P<body>.*?)^[ \t]*(?P=mark)[ \t]*$",
    re.M | re.S,
)
_INLINE_CODE = re.compile(r"(`+)[^`\n]+?\1")
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_LINK = re.compile(
    r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\(\s*<?([^)\s>]+)>?(?:\s+[\"'(][^\n]*?)?\s*\)|^\s*\[[^\]\n^]+\]:\s*<?(\S+?)>?(?:\s|$)",
    re.M,
)
_SHELLS = frozenset(
    {"", "sh", "bash", "shell", "console", "zsh", "shell-session", "terminal", "text"}
)
_MAKE_TARGET = re.compile(r"^([A-Za-z0-9_./-]+(?:[ \t]+[A-Za-z0-9_./-]+)*)[ \t]*::?(?!=)", re.M)


@dataclass(frozen=True)
class PageReference:
    """What a page refers to and where; `kind` is how."""

    text: str
    line: int
    kind: str


def links(text: str) -> Iterator[PageReference]:
    """Relative links of a Markdown page, blocks of code left out."""
    plain = text
    for pattern in (_FENCE, _COMMENT, _INLINE_CODE):
        plain = pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), plain)
    for match in _LINK.finditer(plain):
        target = match.group(1) or match.group(2)
        start = match.start(1) if match.group(1) else match.start(2)
        if not re.match(r"[a-zA-Z][\w+.-]*:|//|#|/|\{|<|\$|@", target) and "{{" not in target:
            yield PageReference(target, text.count("\n", 0, start) + 1, "link")


def missing_link(files: RepositoryFiles, page: str, target: str) -> str | None:
    """The path that a link leads to, where there is none; a page may be named without its suffix."""
    plain = unquote(re.split(r"[#?]", target)[0])
    if not plain or any(letter in plain for letter in "*|<>"):
        return None
    path = normpath(f"{parent_of(page)}/{plain}".lstrip("/"))
    if path.startswith("..") or path == ".":
        return None
    name = PurePosixPath(path).name
    if "." not in name.lstrip("."):
        # Sites of documentation and wikis make pages of names without suffixes.
        return None
    if path.endswith((".html", ".htm")):
        return None
    return None if path in files.known else path


def commands(text: str) -> Iterator[PageReference]:
    """The lines of shell blocks up to the first one that goes elsewhere."""
    for fence in _FENCE.finditer(text):
        if fence.group("info").split(" ")[0].strip("{.}").casefold() not in _SHELLS:
            continue
        first = text.count("\n", 0, fence.start("body")) + 1
        for number, line in enumerate(fence.group("body").splitlines()):
            command = re.sub(r"^\s*(?:\$|>|%)\s+", "", line).strip()
            if re.match(r"(?:cd|git clone|mkdir|pushd|curl|wget|cat >|docker run)\b", command):
                break
            yield PageReference(command, first + number, "command")


def missing_of_command(files: RepositoryFiles, command: str) -> tuple[str, str] | None:
    """What a command needs of the repository and the repository has not: the kind, and its name."""
    for pattern, check in (
        (r"make\s+(?:-\w+\s+)*([a-z][\w.-]*)(?=\s|$)", _missing_target),
        (r"(?:npm|pnpm) run(?:-script)?\s+([\w:.-]+)", _missing_script),
        (r"pip3? install\s+(?:-\S+\s+)*-r\s+([\w./-]+)", _missing_file),
        (
            r"(?:python3?|node|bash|sh)\s+([\w-]+(?:/[\w.-]+)+\.(?:py|js|sh|mjs))(?=\s|$)",
            _missing_file,
        ),
        (r"\./([\w-]+(?:/[\w.-]+)*\.(?:sh|py))(?=\s|$)", _missing_file),
        (r"docker[ -]compose\s+-f\s+([\w./-]+)", _missing_file),
    ):
        match = re.match(pattern, command)
        if match:
            return check(files, match.group(1))
    return None


def _missing_file(files: RepositoryFiles, name: str) -> tuple[str, str] | None:
    path = normpath(name)
    return None if path in files.known or path.startswith("..") else ("file", path)


def _missing_target(files: RepositoryFiles, name: str) -> tuple[str, str] | None:
    text = (
        files.texts.get("Makefile") or files.texts.get("makefile") or files.texts.get("GNUmakefile")
    )
    if text is None or re.search(r"^-?include\b|^[^\n:#=]*[%$][^\n:=]*:(?!=)", text, re.M):
        return None
    targets = {target for row in _MAKE_TARGET.findall(text) for target in row.split()}
    return None if name in targets else ("target", name)


def _missing_script(files: RepositoryFiles, name: str) -> tuple[str, str] | None:
    texts = [files.texts[path] for path in files.named("package.json")]
    if "package.json" not in files.texts or any(f'"{name}"' in text for text in texts):
        return None
    return ("script", name)

"""What kind of file it is: the language that decides who analyses it, and the kinds that nobody needs to read.

A name alone proves nothing (a shell runs `logo.png` if it is told to), so a harmless kind is known by its name and by
its first bytes, and never where the file is executable.
"""

from __future__ import annotations

import posixpath
from itertools import dropwhile
from pathlib import PurePosixPath

from shared.patterns import regex

HEAD_BYTES = 512

_IMAGE, _FONT, _SOUND, _VIDEO = "image", "font", "sound", "video"
# suffix -> kind, and where in the file which bytes stand (any of them)
_FTYP = (4, b"ftyp")
HARMLESS: dict[str, tuple[str, tuple[tuple[int, bytes], ...]]] = {
    ".png": (_IMAGE, ((0, b"\x89PNG\r\n\x1a\n"),)),
    ".jpg": (_IMAGE, ((0, b"\xff\xd8\xff"),)),
    ".jpeg": (_IMAGE, ((0, b"\xff\xd8\xff"),)),
    ".gif": (_IMAGE, ((0, b"GIF87a"), (0, b"GIF89a"))),
    ".webp": (_IMAGE, ((8, b"WEBP"),)),
    ".ico": (_IMAGE, ((0, b"\0\0\1\0"),)),
    ".tif": (_IMAGE, ((0, b"II*\0"), (0, b"MM\0*"))),
    ".tiff": (_IMAGE, ((0, b"II*\0"), (0, b"MM\0*"))),
    ".avif": (_IMAGE, (_FTYP,)),
    ".heic": (_IMAGE, (_FTYP,)),
    ".ttf": (_FONT, ((0, b"\0\1\0\0"), (0, b"true"))),
    ".otf": (_FONT, ((0, b"OTTO"),)),
    ".woff": (_FONT, ((0, b"wOFF"),)),
    ".woff2": (_FONT, ((0, b"wOF2"),)),
    ".mp3": (_SOUND, ((0, b"ID3"), (0, b"\xff\xfb"), (0, b"\xff\xf3"))),
    ".ogg": (_SOUND, ((0, b"OggS"),)),
    ".flac": (_SOUND, ((0, b"fLaC"),)),
    ".wav": (_SOUND, ((8, b"WAVE"),)),
    ".mp4": (_VIDEO, (_FTYP,)),
    ".webm": (_VIDEO, ((0, b"\x1a\x45\xdf\xa3"),)),
}
# A script could begin with most of these bytes; it has no NUL then, which all of these formats have soon.
_BINARY_BY = 64
# What stands before a signature that is not the first thing: a container's name, or the size of a box.
_BEGINS = {4: b"\0\0", 8: b"RIFF"}

LANGUAGES: dict[str, str] = {
    ".py": "python", ".pyi": "python", ".pyw": "python", ".wsgi": "python", ".ipynb": "notebook",
    ".pyx": "cython", ".pxd": "cython", ".pxi": "cython", ".bzl": "starlark", ".smk": "snakemake",
    ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascript",
    ".ts": "typescript", ".tsx": "typescript", ".mts": "typescript", ".cts": "typescript",
    ".vue": "javascript", ".svelte": "javascript", ".html": "html", ".htm": "html", ".svg": "html",
    ".sh": "shell", ".bash": "shell", ".zsh": "shell", ".ksh": "shell", ".fish": "shell",
    ".ps1": "powershell", ".psm1": "powershell", ".bat": "batch", ".cmd": "batch",
    ".rb": "ruby", ".pl": "perl", ".pm": "perl", ".php": "php", ".phtml": "php", ".lua": "lua",
    ".go": "go", ".rs": "rust", ".c": "c", ".h": "c", ".cc": "c++", ".cpp": "c++", ".hpp": "c++",
    ".m": "objective-c", ".swift": "swift", ".java": "java", ".kt": "kotlin", ".kts": "kotlin",
    ".scala": "scala", ".groovy": "groovy", ".gradle": "groovy", ".cs": "c#", ".vb": "basic",
    ".r": "r", ".jl": "julia", ".ex": "elixir", ".exs": "elixir", ".erl": "erlang", ".clj": "clojure",
    ".hs": "haskell", ".ml": "ocaml", ".nim": "nim", ".zig": "zig", ".dart": "dart", ".d": "d",
    ".sql": "sql", ".tf": "terraform", ".mk": "make", ".cmake": "cmake", ".pth": "python-path",
}  # fmt: skip
_NAMES = {
    "dockerfile": "docker",
    "containerfile": "docker",
    "makefile": "make",
    "gnumakefile": "make",
    "cmakelists.txt": "cmake",
    "jenkinsfile": "groovy",
    "vagrantfile": "ruby",
    "rakefile": "ruby",
    "gemfile": "ruby",
    "procfile": "shell",
    "justfile": "make",
    "wscript": "python",
    "sconstruct": "scons",
    "sconscript": "scons",
    "snakefile": "snakemake",
}
LOADED = frozenset(
    (
        ".pyc .pyo .pyd .pyz .pyzw .whl .egg .zip .so .dll .dylib .exe .com .node .wasm "
        ".jar .war .class .gem .deb .rpm .apk"
    ).split()
)
"""Binaries that programs run or load from where they lie."""

_PROGRAM = (
    b"#!",
    b"\x7fELF",
    b"MZ",
    b"\0asm",
    b"\xca\xfe\xba\xbe",
    b"\xcf\xfa\xed\xfe",
    b"\xce\xfa\xed\xfe",
)
"""How files begin that a system runs, whatever they are called: scripts, ELF, PE, WebAssembly, Java, Mach-O."""

_SHEBANG = regex(
    rb"\A(?:\xef\xbb\xbf)?#![ \t]*[^\s]*?(?:env[ \t]+(?:-\S+[ \t]+|\w+=\S*[ \t]+)*)?([^\s/]+)(?=\s|\Z)"
)
_PROGRAMS = (
    ("python", "python"),
    ("pypy", "python"),
    ("uv", "python"),
    ("node", "javascript"),
    ("deno", "typescript"),
    ("bun", "typescript"),
    ("ruby", "ruby"),
    ("perl", "perl"),
    ("php", "php"),
    ("lua", "lua"),
    ("pwsh", "powershell"),
)


def language_of(path: str, head: bytes = b"") -> str | None:
    """The programming language by name, else by the first line of a script; None for data and for prose.

    A first line that calls Python outranks the name, as it does when the file is called.
    """
    name = PurePosixPath(path).name.lower()
    stated = _from_shebang(head)
    if stated == "python":
        return stated
    known = LANGUAGES.get(PurePosixPath(name).suffix) or _NAMES.get(name)
    if known is not None:
        return known
    if name.startswith(("dockerfile.", "makefile.")):
        return _NAMES[name.partition(".")[0]]
    return stated


def is_program(head: bytes) -> bool:
    """Whether a file that begins so is a program."""
    return head.startswith(_PROGRAM)


def inner_target(link: bytes, content: bytes) -> str | None:
    """The path in the repository that a symbolic link names; None for one that leads out of it or into `.git`.

    None, too, for a target that goes up again after a name: where that leads depends on what the name is, since a
    link on the way is followed first. What is not spelled plainly is refused with it.
    """
    try:
        text, own = content.decode("utf-8"), PurePosixPath(link.decode("utf-8"))
    except UnicodeDecodeError:
        return None
    named = PurePosixPath(text)
    names = tuple(dropwhile(lambda part: part == "..", named.parts))
    if named.is_absolute() or str(named) != text or ".." in names or len(content) >= HEAD_BYTES:
        return None
    path = posixpath.normpath(own.parent / named)
    first = path.partition("/")[0].lower()
    return None if first in ("", ".", "..", ".git") else path


def _from_shebang(head: bytes) -> str | None:
    match = _SHEBANG.match(head[:HEAD_BYTES])
    if match is None:
        return None
    program = match[1].decode("ascii", "replace").lower()
    return next((language for start, language in _PROGRAMS if program.startswith(start)), "shell")


def harmless_kind(path: str, head: bytes, *, executable: bool = False) -> str | None:
    """The kind of a file that nobody needs to read, by name and first bytes; None when it is no such file."""
    kind, signatures = HARMLESS.get(PurePosixPath(path.lower()).suffix, (None, ()))
    if kind is None or executable:
        return None
    if not any(head.startswith(signature, at) for at, signature in signatures):
        return None
    begins = _BEGINS.get(signatures[0][0], b"")
    return kind if head.startswith(begins) and b"\0" in head[:_BINARY_BY] else None

"""The program that reads files of code: it may be ended by what it reads, and then only that file is missing."""

from __future__ import annotations

import gc
import json
import sys

from shared.models.code_graph import FileFacts
from workers.tools.code_graph.languages import PYTHON
from workers.tools.code_graph.line_facts import extract_lines
from workers.tools.code_graph.manifests import MANIFEST, extract_manifest
from workers.tools.code_graph.python_outline import outline_python
from workers.tools.code_graph.syntax_trees import TABLES, extract_tree

READY = b"ready"
"""Written first: what ends the program after that is a file's doing."""


def extract(path: str, module: str, language: str, data: bytes) -> FileFacts:
    """The facts of one file, in this process."""
    if language == PYTHON:
        return outline_python(path, data, module)
    if language == MANIFEST:
        return extract_manifest(path, data, module)
    if language in TABLES:
        return extract_tree(path, data, module, language)
    return extract_lines(path, data, module, language)


def main() -> int:
    """Read files from standard input (a line of JSON with path, module, language and size, then the bytes) to its end.

    Their facts are written one a line, in that order.
    """
    gc.disable()  # trees have no circles, and the process ends with its answer
    given, written = sys.stdin.buffer, sys.stdout.buffer
    written.write(READY + b"\n")
    while head := given.readline():
        path, module, language, size = json.loads(head)
        written.write(extract(path, module, language, given.read(size)).to_json() + b"\n")
        written.flush()
    return 0

"""Which language a file is written in, and which files nobody needs to read."""

from __future__ import annotations

import pytest

from orchestrator.subjects.kinds import harmless_kind, language_of

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


@pytest.mark.parametrize(
    ("path", "head", "language"),
    [
        ("a.py", b"", "python"),
        ("a.PY", b"", "python"),
        ("deploy", b"#!/usr/bin/env python3\n", "python"),
        ("deploy", b"#!/usr/bin/env -S python3 -u\n", "python"),
        ("deploy", b"#! /opt/python/bin/python3.11\n", "python"),
        ("deploy.env", b"#!/usr/bin/python\n", "python"),
        ("deploy.sh", b"#!/usr/bin/env python3\n", "python"),
        ("deploy.py", b"#!/bin/sh\n", "python"),
        ("app.wsgi", b"", "python"),
        ("wscript", b"", "python"),
        ("run", b"#!/bin/sh\n", "shell"),
        ("run", b"#!/usr/bin/env bash", "shell"),
        ("tool", b"#!/usr/bin/env FOO=1 node\n", "javascript"),
        ("Dockerfile.dev", b"", "docker"),
        ("Makefile", b"", "make"),
        ("notes.txt", b"#include\n", None),
        ("README.md", b"", None),
        ("conf.toml", b"", None),
    ],
)
def test_a_language_is_known_by_name_or_by_the_first_line(
    path: str, head: bytes, language: str | None
) -> None:
    assert language_of(path, head) == language


@pytest.mark.parametrize(
    ("path", "head", "kind"),
    [
        ("a.png", PNG, "image"),
        ("A.PNG", PNG, "image"),
        ("a.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF", "image"),
        ("a.jpg", b"\xff\xd8\xff\neval b\n", None),
        ("a.mp4", b"\0\0\0\x20ftypisom\0\0\2\0", "video"),
        ("a.mp4", b"\n\n\n\nftyp = 1\neval(b)\n", None),
        ("a.wav", b"RIFF=1\n\0eval(b)\n", None),
        ("a.gif", b"GIF89a\1\0\1\0\x80\0\0", "image"),
        ("a.gif", b"GIF89a=1; eval(b)", None),
        ("a.webp", b"RIFF\x24\0\0\0WEBP", "image"),
        ("a.woff2", b"wOF2\0\1\0\0", "font"),
        ("a.png", b"#!/bin/sh\n\0", None),
        ("a.png", b"", None),
        ("a.bin", PNG, None),
        ("a.exe", b"MZ\0", None),
        ("a.pyc", b"\xa7\r\r\n", None),
    ],
)
def test_a_harmless_kind_is_known_by_name_and_first_bytes(
    path: str, head: bytes, kind: str | None
) -> None:
    assert harmless_kind(path, head) == kind
    assert harmless_kind(path, head, executable=True) is None

"""Bytes as the text that their language makes of them."""

from __future__ import annotations

import pytest

from shared.models.decoding import decode, python_encoding, without_cookie

COOKIE = b"# -*- coding: %s -*-\n"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"x = 1\n", "x = 1\n"),
        (COOKIE % b"latin-1" + b"x = '\xe9'\n", "# -*- coding: latin-1 -*-\nx = 'é'\n"),
        (
            b"#!/usr/bin/python\n#coding=euc-kr\n\xb0\xa1\n",
            "#!/usr/bin/python\n#coding=euc-kr\n가\n",
        ),
        (b"# coding: utf-7\n+AGUAdgBhAGw-(x)\n", "# coding: utf-7\neval(x)\n"),
        (
            b"#!/usr/bin/python\r\n# coding: utf-7\r\n+AGUAdgBhAGw-(x)\r\n",
            "#!/usr/bin/python\r\n# coding: utf-7\r\neval(x)\r\n",
        ),
        (
            b"#" + b"x" * 9_000 + b"\n# coding: utf-7\n+AGUAdgBhAGw-(x)\n",
            "#" + "x" * 9_000 + "\n# coding: utf-7\neval(x)\n",
        ),
        (b"#\r# coding: latin-1\r#\xe9", "#\r# coding: latin-1\r#é"),
        (b"\xef\xbb\xbf# coding: utf-8\n", "\ufeff# coding: utf-8\n"),
    ],
)
def test_python_is_read_as_python_reads_it(data: bytes, text: str) -> None:
    assert decode(data, python=True) == text


@pytest.mark.parametrize(
    "data",
    [
        b"\xff = 1\n",
        b"x = 1\n\n# coding: latin-1\n\xe9\n",
        b"x = 1\n# coding: latin-1\n\xe9\n",
        b"# coding: rot13\nrkrp\n",
        b"# coding: no-such-codec\n",
        b"# coding: utf-7\n#+AAo-eval(x)\n",
        b"# coding: unicode_escape\n#\\u000aeval(x)\n",
        b"# coding: utf-16\nx\n",
        b"\xef\xbb\xbf# coding: latin-1\n",
    ],
)
def test_what_python_refuses_or_would_cut_into_other_lines_is_not_decoded(data: bytes) -> None:
    assert decode(data, python=True) is None


def test_other_files_go_by_what_they_declare_and_else_byte_by_byte() -> None:
    xml = '<?xml version="1.0" encoding="windows-1252"?>\n<a>\u20ac</a>\n'
    assert decode(xml.encode("cp1252")) == xml
    html = '<html><meta charset="euc-kr">\n가\n'
    assert decode(html.encode("euc-kr")) == html
    assert decode(b"caf\xe9\n") == "café\n"
    assert decode("가\n".encode()) == "가\n"


def test_a_cookie_is_blunted_without_moving_anything() -> None:
    text = "# coding: utf-7\n# coding: x\n# coding: y\n"
    blunt = without_cookie(text)
    assert len(blunt) == len(text)
    assert python_encoding(blunt.encode()) == "utf-8"
    assert blunt.endswith("# coding: y\n")
    assert without_cookie("") == ""

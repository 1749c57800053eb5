"""`quorate serve` as people start it: its first line lets them in, and a browser is opened where one would be seen."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from typing import Any

import pytest

from orchestrator.cli.commands.serve import has_desktop
from tests.fixtures.instance import CommandLine


@pytest.mark.parametrize(
    ("environ", "platform", "expected"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({}, "darwin", True),
        ({"DISPLAY": ":10", "SSH_CONNECTION": "a 1 b 22"}, "linux", False),
        ({"SSH_CONNECTION": "a 1 b 22"}, "darwin", False),
    ],
)
def test_a_browser_is_opened_where_it_would_be_seen(
    environ: dict[str, str], platform: str, expected: bool
) -> None:
    assert has_desktop(environ, platform) is expected


@pytest.mark.acceptance
def test_the_first_line_has_a_link_that_signs_in_once(live: CommandLine) -> None:
    process = live.start("serve", "--port", "0")
    assert process.stdout is not None
    try:
        started: dict[str, Any] = json.loads(process.stdout.readline())
        link, url = started["link"], started["url"]
        assert link.startswith(f"{url}/enter/")
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        opener.addheaders = [("Accept", "text/html")]
        assert b'action="/enter"' in opener.open(link).read()
        code = f"code={link.rpartition('/')[2]}".encode()
        assert b"<h1>Inbox</h1>" in opener.open(f"{url}/enter", data=code).read()
        with pytest.raises(urllib.error.HTTPError, match="403"):
            opener.open(f"{url}/enter", data=code)
    finally:
        process.terminate()
        process.communicate(timeout=60)

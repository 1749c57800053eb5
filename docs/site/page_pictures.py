"""Pictures of the pages: an instance of its own with scripted participants, seen by a real Chromium, stored as WebP.

Where there is no Chromium or no Playwright, the pictures that are there stay.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WINDOW = {"width": 1280, "height": 860}
QUALITY = 0.82
MOST_BYTES = 150_000
PATIENCE_MS = 60_000

SHOP = {
    "user.py": """\
class User:
    def __init__(self, email):
        self.email = email
""",
    "test_user.py": """\
from user import User


def test_valid():
    assert User("a@b").validate_email()
""",
    "account.py": """\
from user import User


class Account(User):
    def greeting(self):
        return describe(self)


def describe(user):
    return user.email[:40]


def register(email):
    return Account(email).greeting()
""",
    "mailing.py": """\
from account import describe
from user import User


def send_all(addresses):
    return [describe(User(each)) for each in addresses]
""",
}
FIRST = """\
--- a/user.py
+++ b/user.py
@@ -1,3 +1,6 @@
 class User:
     def __init__(self, email):
         self.email = email
+
+    def validate_email(self):
+        return False
"""
SECOND = """\
--- a/user.py
+++ b/user.py
@@ -5,2 +5,2 @@
     def validate_email(self):
-        return False
+        return "@" in self.email
"""
REPLIES = (
    {
        "when": {"role": "coding", "contains": "test_valid: "},
        "reply": {"patch": SECOND, "explanation": "An address has an at sign."},
    },
    {"when": {"role": "coding"}, "reply": {"patch": FIRST, "explanation": "A first try."}},
    {"reply": {"verdict": "APPROVED", "summary": "It does what was asked."}},
)
CODER = "participants: [claude]\nproviders:\n  claude: {type: scripted, script: replies.yaml}\n"
TASK = "add a method validate_email to the class User"


@dataclass(frozen=True)
class PagePicture:
    """A page: the workflow whose latest run it is about (empty: of none), its path, and what is scrolled to."""

    name: str
    workflow: str
    path: str
    shows: str = ""


PAGES = (
    PagePicture("page-inbox", "", "/inbox"),
    PagePicture("page-decision", "review", "/runs/{run}/decisions/{decision}"),
    PagePicture("page-run", "review", "/runs/{run}"),
    PagePicture("page-timeline", "agent", "/runs/{run}/timeline"),
    PagePicture("page-agent", "agent", "/runs/{run}", "#run-course-1"),
    PagePicture("page-code", "agent", "/runs/{run}/code?symbol=user.User"),
)


def chromium() -> str | None:
    """The browser, where it can be driven."""
    if find_spec("playwright") is None:
        return None
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def take(pictures: Path, home: Path, environ: Mapping[str, str]) -> None:
    """All pages of the instance at `home`, into the folder; the runs of the terminal's pictures are there already."""
    program = chromium()
    if program is None:
        sys.stderr.write("pages: no Chromium with Playwright here; their pictures stay\n")
        return
    _agent_at_work(home / "shop", environ)
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - not everybody has it

    with _served(environ) as started, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        context = browser.new_context(viewport=WINDOW, locale="en-US", color_scheme="light")
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.goto(f"{started['url']}/sign-in")
        page.fill("input[name=token]", started["token"])
        page.locator("form[action='/sign-in'] button").click()
        page.wait_for_load_state()
        addresses = _addresses(environ)
        for picture in PAGES:
            page.goto(started["url"] + picture.path.format(**addresses.get(picture.workflow, {})))
            if picture.shows:
                page.locator(picture.shows).evaluate("e => window.scrollTo(0, e.offsetTop - 16)")
            stored = _webp(page, page.screenshot())
            if len(stored) > MOST_BYTES:
                raise RuntimeError(f"{picture.name} has {len(stored)} bytes; at most {MOST_BYTES}")
            (pictures / f"{picture.name}.webp").write_bytes(stored)
        browser.close()


def _webp(page: Any, png: bytes) -> bytes:
    """The browser's own conversion."""
    blank = page.context.new_page()
    script = """async ([png, quality]) => {
        const image = await createImageBitmap(await (await fetch(png)).blob());
        const canvas = Object.assign(document.createElement("canvas"), {width: image.width, height: image.height});
        canvas.getContext("2d").drawImage(image, 0, 0);
        return canvas.toDataURL("image/webp", quality).split(",")[1];
    }"""
    address = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    converted = blank.evaluate(script, [address, QUALITY])
    blank.close()
    return base64.b64decode(converted)


def _agent_at_work(folder: Path, environ: Mapping[str, str]) -> None:
    """A task of an agent from the search to the commit; its coder reads from a script."""
    folder.mkdir()
    for name, text in SHOP.items():
        (folder / name).write_text(text, encoding="utf-8")
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    for command in (
        ("init", "-q", "-b", "main"),
        ("add", "."),
        (*identity, "commit", "-qm", "The shop"),
    ):
        subprocess.run(("git", *command), cwd=folder, env=dict(environ), check=True)
    (folder.parent / "replies.yaml").write_text(json.dumps(REPLIES), encoding="utf-8")
    (folder.parent / "agent.yaml").write_text(CODER, encoding="utf-8")
    tests = f"{sys.executable} -m pytest -q -p no:cacheprovider"
    _quorate(
        ("agent", TASK, "--config", "../agent.yaml", "--tests", tests, "--decide", "approve", "--quiet"),
        environ,
        folder,
    )  # fmt: skip


def _addresses(environ: Mapping[str, str]) -> Mapping[str, Mapping[str, str]]:
    """The latest run of each workflow, and the key of the decision that waits in it."""
    listed = json.loads(_quorate(("list", "--json"), environ))["runs"]
    inbox = json.loads(_quorate(("inbox", "--json"), environ))
    keys = {entry["run"]: entry["key"] for entry in inbox["decisions"]}
    latest = {run["workflow"]: run["id"] for run in reversed(listed)}
    return {
        workflow: {"run": run, "decision": keys.get(run, "")} for workflow, run in latest.items()
    }


def _quorate(words: Sequence[str], environ: Mapping[str, str], folder: Path | None = None) -> str:
    program = Path(sys.executable).with_name("quorate")
    done = subprocess.run(
        (program, *words), cwd=folder, env=dict(environ), capture_output=True, text=True, check=False
    )  # fmt: skip
    if done.returncode not in (0, 1, 8):
        raise RuntimeError(f"quorate {' '.join(words)} ended with {done.returncode}: {done.stderr}")
    return done.stdout


@contextmanager
def _served(environ: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """The pages, and the token that lets a browser in."""
    program = Path(sys.executable).with_name("quorate")
    service = subprocess.Popen(
        (program, "serve", "--no-open", "--port", "0"), env=dict(environ), stdout=subprocess.PIPE, text=True
    )  # fmt: skip
    try:
        assert service.stdout is not None
        yield json.loads(service.stdout.readline())
    finally:
        service.terminate()
        service.wait()

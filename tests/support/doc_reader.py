"""What somebody has who tries the examples of the pages: a repository, the files that pages name, a panel.

The models that pages name (`claude`, `gemini`, `codex`) read from a script here; everything else is real.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.fixtures.instance import SCRIPTS, CommandLine, git, warm_starter
from tests.support.doc_blocks import ROOT
from tests.support.scripted_casts import LENSES, PLAN, argues, says

MODELS = ("claude", "gemini", "codex")
FINE = {"verdict": "APPROVED", "summary": "Nothing is wrong with it."}
VOTE = {"position": "agree", "before": "agree", "choice": "P1", "confidence": 0.9}
CAST = (
    says("answer", {"answer": "A modular monolith.", "confidence": 0.8}),
    says("ranking", {"ranking": ["A", "B"]}),
    says("bid", "REQUEST", "claude", 1),
    says("bid", "PASS"),
    says("selection", "SELECT: claude", number=1),
    says("selection", "All is said.\n\nEND: One database for all."),
    says("speech", "One database for all is what three people can run."),
    says("ballot", {"position": "One database for all", "confidence": 0.7}, number=0),
    says("ballot", VOTE),
    argues("Yes", "the service exists and works", number=1),
    argues("Yes", "buying is quicker than building"),
    says("moderation", {"consensus_score": 0.9, "feedback": "all say yes"}),
    says("judgement", {"verdict": "Buy it.", "choice": "P1", "confidence": 0.8}),
    *LENSES,
    *PLAN["agree"],
    says("critique", FINE),
    says("rebuttal", {"stances": []}),
    says("fix", {"fixes": []}),
)
CONFIG = {
    "participants": list(MODELS),
    "providers": {name: {"type": "scripted", "script": "cast.json"} for name in MODELS},
}
CASE = {
    "custom_id": "eval-of-input",
    "files": {"calc.py": "def calc(text):\n    return int(text)\n"},
    "after": {"calc.py": "def calc(text):\n    return eval(text)\n"},
    "labels": [{"path": "calc.py", "line": 2, "words": ["eval"]}],
}
FILES = {
    "app.py": "def load(path):\n    return path\n",
    "src/app.py": "VALUE = 1\n",
    "shop/__init__.py": "",
    "shop/models.py": "class User:\n    def save(self):\n        return self\n",
    "shop/checkout.py": "from shop.models import User\n\n\ndef checkout():\n    return User().save()\n\n\n"
    "def main():\n    return checkout()\n",
    "question.md": "Is a monolith right for three people?\n",
    "PLAN.md": "# Move the shop\n1. stop the shop\n2. copy the data\n3. start the shop\n",
}


@dataclass(frozen=True)
class Reader:
    """Somebody in a repository who types what a page says."""

    folder: Path
    environ: Mapping[str, str]

    def type(self, command: str, timeout_s: float = 100.0) -> subprocess.CompletedProcess[str]:
        """Run a line as the shell of a reader does."""
        return subprocess.run(
            ["bash", "-o", "pipefail", "-c", self._named(command)],
            cwd=self.folder,
            env=dict(self.environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )

    def restore(self) -> None:
        """The staged change and the one of the working tree that an example may have used up."""
        git(self.folder, "reset", "-q", "--hard")
        (self.folder / "src/app.py").write_text("VALUE = 2\n")
        git(self.folder, "add", "src/app.py")
        (self.folder / "app.py").write_text("def load(path):\n    return path.strip()\n")

    def leave_a_decision(self) -> None:
        """A review that waits for an answer, as `make review` leaves one."""
        git(self.folder, "reset", "-q", "--hard")
        (self.folder / "app.py").write_text("import sys\n\n\ndef load(path):\n    return path\n")
        asked = self.type("quorate review app.py --decide ask --participants ruff --quiet")
        assert asked.returncode == 8, asked.stderr

    def _named(self, command: str) -> str:
        """The line with names of this reader's own for those in capitals that stand for any."""
        wanted = set(re.findall(r"\b(?:RUN[12]?|NAME|OTHER)\b", command.partition("#")[0]))
        if not wanted:
            return command
        runs = self._runs(2 if "RUN1" in wanted else 1)
        names = self._listed("eval --list", "evals", "name") if wanted & {"NAME", "OTHER"} else []
        if "OTHER" in wanted and len(names) < 2:
            self.type("quorate eval cases.jsonl --panel claude --quiet")
            names = self._listed("eval --list", "evals", "name")
        known = {"RUN": runs[:1], "RUN1": runs[1:2], "RUN2": runs[:1], "NAME": names[:1]}
        for word in wanted:
            command = re.sub(rf"\b{word}\b", (known.get(word) or names[-1:])[0], command)
        return command

    def _runs(self, least: int) -> list[str]:
        """The runs that this reader has, the newest first; made if there are too few."""
        while len(runs := self._listed("list", "runs", "id")) < least:
            self.leave_a_decision()
            self.restore()
        return runs

    def _listed(self, command: str, key: str, name: str) -> list[str]:
        done = self.type(f"quorate {command} --json")
        return [row[name] for row in json.loads(done.stdout)[key]]


def make_reader(folder: Path, live: CommandLine) -> Reader:
    """A clone with four commits of its own, in which the pages' files lie."""
    origin, clone = folder / "origin", folder / "clone"
    origin.mkdir(parents=True)
    git(origin, "init", "-q", "-b", "main")
    for number, (name, text) in enumerate(FILES.items()):
        (origin / name).parent.mkdir(exist_ok=True)
        (origin / name).write_text(text)
        git(origin, "add", "-A")
        identity = ("-c", "user.name=Test", "-c", "user.email=test@localhost")
        git(origin, *identity, "commit", "-qm", f"part {number}")
    git(folder, "clone", "-q", str(origin), str(clone))
    (clone / "docs").symlink_to(ROOT / "docs")
    (clone / ".venv" / "bin").mkdir(parents=True)
    (clone / ".venv" / "bin" / "quorate").symlink_to(warm_starter().scripts / "quorate")
    (clone / "cases.jsonl").write_text(json.dumps(CASE) + "\n")
    (clone / ".git/info/exclude").write_text("docs\n.venv\n*.json\n*.jsonl\nanswer.md\neval.md\n")
    (folder / "cast.json").write_text(json.dumps(CAST))
    (folder / "config.yaml").write_text(json.dumps(CONFIG))
    environ = {
        **live.environ,
        "PATH": f"{warm_starter().scripts}{os.pathsep}{SCRIPTS}{os.pathsep}{os.environ['PATH']}",
        "QUORATE_CONFIG": str(folder / "config.yaml"),
    }
    reader = Reader(clone, environ)
    reader.restore()
    return reader


# ---- what is shown beside what was written -------------------------------------------------------

_CHANGING = r"(?:\br[0-9a-z]{9}\b|\b\d+(?:\.\d+)? s\b|\$\d+\.\d+)"
"""What differs from run to run: a run's id, a duration, a cost."""


def fits(shown: str, written: str) -> bool:
    """Whether an output is the one that is shown: `...` stands for any lines, `…` for any words in one."""
    lines = ("(?:.*\n)*" if line == "..." else f"{_pattern(line)}\n" for line in shown.splitlines())
    return re.fullmatch("".join(lines), written and written.rstrip("\n") + "\n") is not None


def _pattern(line: str) -> str:
    pieces = re.split(rf"({_CHANGING}|…)", line)
    return "".join(
        re.escape(piece) if at % 2 == 0 else (".*" if piece == "…" else _CHANGING)
        for at, piece in enumerate(pieces)
    )


def first_words(command: str) -> str:
    """A command without its comment, for messages."""
    return " ".join(shlex.split(command, comments=True))

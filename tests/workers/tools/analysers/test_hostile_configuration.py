"""Nothing that a change brings along decides what an analyser does, or is run by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workers.tools.changes import review, rules, stored, subject_of
from workers.tools.analysers.ruff import command
from workers.tools.registry import MemoryDocuments
from workers.tools.sandbox.sandbox import Confinement, execute

DEFECT = (
    "import os\nimport subprocess\n\n\ndef f(a):\n    subprocess.call('ls ' + a, shell=True)\n"
    + "".join(f"    if a == {n}:\n        return {n}\n" for n in range(17))
)
CONFIGURATION = {
    "ruff.toml": "exclude = ['*']\n[lint]\nselect = []\n",
    ".ruff.toml": "exclude = ['*']\n",
    "pyproject.toml": "[tool.ruff]\nexclude = ['*']\n[tool.bandit]\nexclude_dirs = ['src']\nskips = ['B602']\n",
    ".bandit": "[bandit]\nskips: B602\nexclude: /src\n",
    "setup.cfg": "[bandit]\nskips = B602\n[radon]\ncc_min = F\nexclude = *\n",
    "radon.cfg": "[radon]\ncc_min = F\n",
    "tox.ini": "[bandit]\nskips = B602\n",
    ".gitignore": "*\n",
    "src/ruff.toml": "[lint]\nignore = ['ALL']\n",
}


@pytest.mark.parametrize("tool", ["ruff", "bandit", "complexity"])
def test_configuration_in_the_change_has_no_influence(tool: str) -> None:
    documents = MemoryDocuments()
    plain = subject_of(documents, {"src/a.py": (None, DEFECT)})
    hostile = subject_of(
        documents, {"src/a.py": (None, DEFECT)} | {p: (None, t) for p, t in CONFIGURATION.items()}
    )
    expected = rules(review(tool, documents, stored(documents, plain)))
    assert expected
    assert rules(review(tool, documents, stored(documents, hostile))) == expected


@pytest.mark.parametrize("tool", ["ruff", "bandit", "complexity"])
def test_no_code_of_the_change_is_run(tool: str, tmp_path: Path) -> None:
    documents = MemoryDocuments()
    trap = f"open({str(tmp_path / 'ran')!r}, 'w')\n"
    names = (
        "conftest",
        "setup",
        "sitecustomize",
        "usercustomize",
        "ruff",
        "bandit",
        "radon",
        "ast",
    )
    files = {f"{name}.py": (None, trap) for name in names}
    files |= {"bandit/__init__.py": (None, trap), "json/__init__.py": (None, trap)}
    review(tool, documents, stored(documents, subject_of(documents, files)))
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("tool", ["ruff", "bandit", "complexity"])
def test_a_file_name_is_never_an_option_or_a_pattern(tool: str) -> None:
    documents = MemoryDocuments()
    names = {"-rf.py", "--help.py", "@args.py", "$(id).py", "a;b.py", "build/x.py", "*.py", ".x.py"}
    subject = subject_of(documents, dict.fromkeys(names, (None, DEFECT)))
    reply = review(tool, documents, stored(documents, subject))
    assert {finding.place.path for finding in reply.findings if finding.place} == names


def test_configuration_above_the_private_directory_has_no_influence_either(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text('[lint.per-file-ignores]\n"*" = ["ALL"]\n')
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "a.py").write_text("import os\n")
    call = command(["a.py"])
    done = execute(call, cwd=inner, home=inner, timeout_s=20)
    assert b'"F401"' in done.stdout
    call.remove("--isolated")
    assert (
        b'"F401"'
        not in execute(
            call, cwd=inner, home=inner, timeout_s=20, confinement=Confinement(isolate=False)
        ).stdout
    )

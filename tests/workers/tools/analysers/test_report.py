"""Reports that were handed in: what they say of changed lines, and what makes one unusable.

`clippy*.txt` and `govet*.txt` in `reports/` were recorded from clippy 0.1.95 and go vet 1.19 on projects like those
here; `golangci.txt` is written as golangci-lint 2 documents its JSON, and recorded from no program. Where cargo and go
are installed, they run here, too.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from shared.errors import ToolError
from shared.models.findings import Place, Severity
from shared.models.review_replies import ReviewCritique
from tests.workers.tools.changes import Contents, stored, subject_of
from workers.tools.analysers.report_parsers import MOST_ROWS
from workers.tools.registry import MemoryDocuments, ToolContext, run_tool

REPORTS = Path(__file__).parent / "reports"
RUST = """pub fn total(names: &Vec<String>) -> usize {
    let mut sum = 0;
    for i in 0..names.len() {
        sum += names[i].len();
    }
    let unused = 3;
    return sum;
}
"""
GO = """package pkg

import "fmt"

// Name is a name.
func Name(n int) string {
	if n == n {
		fmt.Errorf("x")
	}
	return fmt.Sprintf("%s", n)
}
"""
TILL = (
    'package pkg\n\nimport "os"\n\nfunc clear() {\n\tos.Remove("till")\n}\n\nfunc empty() bool {\n'
)


def look(
    files: Mapping[str, tuple[Contents, Contents]],
    report: str,
    form: str,
    name: str = "linter",
    **more: Any,
) -> ReviewCritique:
    documents = MemoryDocuments()
    subject = stored(documents, subject_of(documents, files))
    inputs = {"subject": subject, "name": name, "report": documents.put(report.encode())}
    reply = run_tool("report", {**inputs, "format": form, **more}, ToolContext(documents, 60.0))
    assert isinstance(reply, ReviewCritique)
    return reply


def recorded(name: str) -> str:
    return (REPORTS / f"{name}.txt").read_text("utf-8")


def lines_of(reply: ReviewCritique) -> dict[str, int]:
    return {f.rule or "": f.place.line for f in reply.findings if f.place}


@pytest.mark.parametrize(
    ("report", "form", "path", "text", "expected"),
    [
        (
            "clippy",
            "cargo",
            "src/price.rs",
            RUST,
            {"linter/ptr_arg": 1, "linter/needless_range_loop": 3, "linter/unused_variables": 6},
        ),
        (
            "govet",
            "govet",
            "pkg/name.go",
            GO,
            {"linter/unusedresult": 8, "linter/printf": 10},
        ),
        (
            "golangci",
            "golangci",
            "pkg/till.go",
            TILL,
            {"linter/errcheck": 6, "linter/unused": 9},
        ),
    ],
)
def test_a_recorded_report_is_read(
    report: str, form: str, path: str, text: str, expected: dict[str, int]
) -> None:
    reply = look({path: (None, text)}, recorded(report), form, root="/home/ada/shop")
    assert expected.items() <= lines_of(reply).items()
    assert reply.coverage is not None
    assert reply.coverage.read == (path,)


def test_only_changed_lines_count(tmp_path: Path) -> None:
    before = RUST.replace("    let unused = 3;\n", "    let unused = 4;\n")
    reply = look({"src/price.rs": (before, RUST)}, recorded("clippy"), "cargo")
    assert lines_of(reply) == {"linter/unused_variables": 6}


def test_files_of_the_language_count_as_read_though_nothing_is_said_of_them() -> None:
    files = {
        "src/price.rs": (None, RUST),
        "src/lib.rs": (None, "//! A shop.\n"),
        "a.txt": (None, "a"),
    }
    reply = look(files, recorded("clippy"), "cargo")
    assert reply.coverage is not None
    assert sorted(reply.coverage.read) == ["src/lib.rs", "src/price.rs"]


@pytest.mark.parametrize(
    ("report", "form", "path", "text", "line"),
    [
        ("clippy-broken", "cargo", "src/price.rs", RUST.replace("+= names", "+= nams"), 4),
        (
            "govet-broken",
            "govet",
            "main.go",
            "package main\n" + "\n" * 14 + "\treturn t.total\n",
            16,
        ),
    ],
)
def test_what_does_not_compile_is_told_and_leaves_its_files_unread(
    report: str, form: str, path: str, text: str, line: int
) -> None:
    reply = look({path: (None, text)}, recorded(report), form)
    (finding,) = [f for f in reply.findings if f.rule == "linter/compile-error"]
    assert finding.place is not None
    assert (finding.place.line, finding.severity) == (line, Severity.CRITICAL)
    assert reply.coverage is not None
    assert reply.coverage.read == ()
    assert [file.path for file in reply.coverage.unread] == [path]


def test_what_does_not_compile_elsewhere_is_told_at_a_line_of_the_change() -> None:
    reply = look({"src/other.rs": (None, "fn a() {}\n")}, recorded("clippy-broken"), "cargo")
    (finding,) = reply.findings
    assert finding.place == Place(path="src/other.rs", line=1)
    assert (finding.quote, finding.severity) == ("fn a() {}", Severity.MAJOR)
    assert finding.title.startswith("src/price.rs:4: ")


def test_a_report_of_another_state_of_the_code_is_refused() -> None:
    with pytest.raises(ToolError, match="of another state of the code"):
        look({"src/price.rs": (None, "// new\n" + RUST)}, recorded("clippy"), "cargo")
    with pytest.raises(ToolError, match="of another state of the code"):
        look(
            {"pkg/name.go": (None, "package pkg\n")},
            recorded("govet"),
            "govet",
            root="/home/ada/shop",
        )


@pytest.mark.parametrize(
    ("path", "below"), [("shop/src/price.rs", ""), ("shop/src/price.rs", "shop/")]
)
def test_paths_may_begin_in_a_folder_of_the_project(path: str, below: str) -> None:
    reply = look({path: (None, RUST)}, recorded("clippy"), "cargo", below=below)
    assert "linter/ptr_arg" in lines_of(reply)


def test_a_path_that_could_be_of_another_file_needs_the_line_that_it_repeats() -> None:
    row = '<checkstyle><file name="src/a.js"><error line="1" severity="error" message="bad"/></file></checkstyle>'
    assert look({"web/src/a.js": (None, "x\n")}, row, "checkstyle").findings == ()
    assert len(look({"src/a.js": (None, "x\n")}, row, "checkstyle").findings) == 1


def test_a_path_of_a_container_is_recognised_by_its_end() -> None:
    report = json.dumps(
        [{"filePath": "/app/src/a.js", "messages": [{"line": 1, "severity": 2, "message": "bad"}]}]
    )
    reply = look(
        {"src/a.js": (None, "x\n"), "a.js": (None, "x\n")}, report, "eslint", root="/home/x"
    )
    assert [f.place.path for f in reply.findings if f.place] == ["src/a.js"]


SARIF = {
    "runs": [
        {
            "tool": {"driver": {"name": "Lint"}},
            "results": [
                {
                    "ruleId": "R1",
                    "message": {"text": "bad"},
                    "locations": [
                        {
                            "physicalLocation": {
                                "artifactLocation": {"uri": "a.py"},
                                "region": {"startLine": 1, "snippet": {"text": "x = 1"}},
                            }
                        }
                    ],
                }
            ],
        }
    ]
}


def test_findings_in_other_files_do_not_count_towards_the_limit() -> None:
    (row,) = SARIF["runs"][0]["results"]  # type: ignore[misc]  # the literal above
    elsewhere = json.loads(json.dumps(row).replace("a.py", "legacy.py"))
    report = json.loads(json.dumps(SARIF))
    report["runs"][0]["results"] = [elsewhere] * (MOST_ROWS + 1) + [row]
    assert lines_of(look({"a.py": (None, "x = 1\n")}, json.dumps(report), "sarif")) == {
        "linter/R1": 1
    }
    report["runs"][0]["results"] = [row] * (MOST_ROWS + 1)
    with pytest.raises(ToolError, match=f"more than {MOST_ROWS} findings"):
        look({"a.py": (None, "x = 1\n")}, json.dumps(report), "sarif")


@pytest.mark.parametrize(
    ("report", "form", "why"),
    [
        (
            "".join(recorded("clippy").splitlines(keepends=True)[:-1]),
            "cargo",
            "did not run to its end",
        ),
        ('{"reason":"build-finished","success":false}', "cargo", "did not run to its end"),
        (recorded("clippy")[:5000], "cargo", "or is cut"),
        (recorded("govet")[:300], "govet", "or is cut"),
        ("exit status 1", "govet", "or is cut"),
        ('{"p": {"printf": {"error": "no types"}}}', "govet", "did not run to its end"),
        (recorded("golangci")[:500], "golangci", "or is cut"),
        ('{"Issues":null,"Report":{"Error":"timeout"}}', "golangci", "did not run to its end"),
        ("[" * 100_000, "eslint", "or is cut"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><checkstyle/>', "checkstyle", "or is cut"),
        ("\x00\xff", "sarif", "or is cut"),
    ],
)
def test_a_report_that_is_cut_or_senseless_is_a_failure(report: str, form: str, why: str) -> None:
    with pytest.raises(ToolError, match=why):
        look({"src/price.rs": (None, RUST), "pkg/name.go": (None, GO)}, report, form)


def test_words_of_a_report_are_cleaned() -> None:
    report = json.dumps(SARIF).replace("bad", "bad\\u001b[31m\\u202e\\n" + "long " * 500)
    (finding,) = look({"a.py": (None, "x = 1\n")}, report, "sarif").findings
    assert len(finding.title) <= 400
    assert finding.title.isprintable()


def cargo_environment(home: Path) -> dict[str, str]:
    """What cargo needs where rustup keeps it in somebody's home, which tests do not have."""
    bin_folder = Path(shutil.which("cargo") or "").parent
    kept = bin_folder.parent.parent / ".rustup"
    named = {"RUSTUP_HOME": str(kept)} if kept.is_dir() else {}
    path = f"{bin_folder}:/usr/local/bin:/usr/bin:/bin"
    return {"PATH": path, "HOME": str(home), "CARGO_HOME": str(home / "cargo"), **named}


@pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")
def test_clippy_itself(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "Cargo.toml").write_text(
        '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n'
    )
    (tmp_path / "src" / "lib.rs").write_text("pub mod price;\n")
    (tmp_path / "src" / "price.rs").write_text(RUST)
    done = subprocess.run(
        ["cargo", "clippy", "--offline", "--message-format=json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=cargo_environment(tmp_path),
        check=False,
    )
    if "no such command" in done.stderr or "not installed" in done.stderr:
        pytest.skip("clippy is not installed")
    assert done.returncode == 0, done.stderr
    reply = look({"src/price.rs": (None, RUST)}, done.stdout, "cargo", root=str(tmp_path))
    expected = {"linter/needless_return": 7, "linter/needless_range_loop": 3}
    assert expected.items() <= lines_of(reply).items()


@pytest.mark.skipif(shutil.which("go") is None, reason="go is not installed")
def test_go_vet_itself(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "go.mod").write_text("module example.org/shop\n\ngo 1.19\n")
    (tmp_path / "pkg" / "name.go").write_text(GO)
    done = subprocess.run(
        ["go", "vet", "-json", "./..."],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(tmp_path), "GOFLAGS": "-mod=mod"},
        check=False,
    )
    reply = look({"pkg/name.go": (None, GO)}, done.stdout, "govet", root=str(tmp_path))
    assert lines_of(reply) == {"linter/unusedresult": 8, "linter/printf": 10}

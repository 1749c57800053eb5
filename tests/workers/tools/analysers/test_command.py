"""Any linter as an analyser: what its report says is read, and nothing of it is believed beyond that.

The reports in `reports/` were recorded from eslint 10 and pyright (their own JSON), shellcheck and hadolint
(checkstyle), mypy 2.4 and gofmt (text), ruff (rdjson) and semgrep (SARIF), on files like those in the tests.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from shared.errors import ToolError
from shared.models.findings import Place, Severity
from shared.models.review_replies import ReviewCritique
from shared.tools.commands import AnalyserCommand, ready_commands
from tests.workers.tools.changes import Contents, rules, stored, subject_of
from workers.tools.registry import MemoryDocuments, ToolContext, run_tool

REPORTS = Path(__file__).parent / "reports"
JS = "var x = 1;\nif (x === NaN) { eval('1') }\nx = x;\n"
SHELL = "#!/bin/bash\nrm -rf $1/*\nif [ $x == 1 ]; then echo `ls`; fi\n"
DOCKER = "FROM ubuntu\nRUN apt-get install curl\nRUN cd /tmp\n"
PYTHON = "def f(x: int) -> str:\n    return x\n\nf('a')\n"
GO = "package a\n\nfunc f( {\n}\n"
LINES = r"^(?P<file>[^:]+):(?P<line>\d+): (?P<message>.*)$"


def script(folder: Path, text: str) -> str:
    file = folder / "linter"
    file.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    file.chmod(0o755)
    return str(file)


def printing(folder: Path, report: str, code: int = 1) -> str:
    return script(folder, f"cat <<'END OF IT'\n{report.rstrip()}\nEND OF IT\nexit {code}")


def look(
    files: Mapping[str, tuple[Contents, Contents]],
    program: Mapping[str, Any],
    name: str = "own",
    seconds: float = 60.0,
) -> ReviewCritique:
    documents = MemoryDocuments()
    subject = stored(documents, subject_of(documents, files))
    inputs: dict[str, Any] = {"subject": subject, "name": name, "program": dict(program)}
    reply = run_tool("command", inputs, ToolContext(documents, seconds))
    assert isinstance(reply, ReviewCritique)
    return reply


def by_lines(program: str, **more: Any) -> dict[str, Any]:
    return {"command": [program], "files": ["*.x"], "format": "regex", "pattern": LINES, **more}


@pytest.mark.parametrize(
    ("name", "file", "text", "expected"),
    [
        (
            "eslint",
            "a.js",
            JS,
            {"eslint/no-eval": 2, "eslint/use-isnan": 2, "eslint/no-self-assign": 3},
        ),
        ("shellcheck", "a.sh", SHELL, {"shellcheck/SC2115": 2, "shellcheck/SC2154": 3}),
        ("hadolint", "Dockerfile", DOCKER, {"hadolint/DL3006": 1, "hadolint/SC2164": 3}),
        ("mypy", "a.py", PYTHON, {"mypy/return-value": 2}),
        (
            "pyright",
            "a.py",
            PYTHON,
            {"pyright/reportReturnType": 2, "pyright/reportArgumentType": 4},
        ),
        ("gofmt", "a.go", GO, {"gofmt/finding": 4}),
        ("semgrep", "a.py", "import subprocess\ndef f(a):\n    call(a)\n", {"semgrep/shell": 3}),
        ("ruff", "a.py", "import subprocess\ndef f(a):\n    call(a)\n", {"ruff/S602": 3}),
    ],
)
def test_a_recorded_report_is_read(
    tmp_path: Path, name: str, file: str, text: str, expected: dict[str, int]
) -> None:
    report = (REPORTS / f"{name}.txt").read_text("utf-8")
    ready = ready_commands().get(name)
    form = "sarif" if name == "semgrep" else "rdjson"
    row = ready.row.model_dump() if ready else {"files": ["*.py"], "format": form}
    code = 2 if name == "gofmt" else 1
    program = {**row, "command": [printing(tmp_path, report, code)]}
    found = look({file: (None, text)}, program, name).findings
    places = {finding.rule: finding.place.line for finding in found if finding.place}
    assert expected.items() <= places.items()


def test_what_the_change_did_not_touch_or_only_moved_is_left_out(tmp_path: Path) -> None:
    program = script(
        tmp_path,
        'for f in "$@"; do grep -n bad "$f" | sed "s|^\\([0-9]*\\):.*|$f:\\1: bad word|"; done',
    )
    row = by_lines(program)
    old = "bad one\nfine\n"
    assert len(look({"a.x": (None, old)}, row).findings) == 1
    assert look({"a.x": (old, old + "more\n")}, row).findings == ()
    assert look({"a.x": (old, None), "b.x": (None, old)}, row).findings == ()
    assert len(look({"a.x": (old, old + "bad two\n")}, row).findings) == 1


GREP = """for f in "$@"; do
  if grep -q broken "$f"; then echo "$f:$(grep -c '' "$f"): expected '}', found EOF"
  else grep -n bad "$f" | sed "s|^\\([0-9]*\\):.*|$f:\\1: bad word|"; fi
done"""
OPEN = "one\nbroken {\nthree\nfour\n"


def test_a_file_that_cannot_be_parsed_is_told_where_the_change_is_and_counts_as_unread(
    tmp_path: Path,
) -> None:
    row = by_lines(script(tmp_path, GREP))
    reply = look({"a.x": ("one\nthree\nfour\n", OPEN), "b.x": (None, "two\n")}, row)
    (finding,) = reply.findings
    assert finding.place == Place(path="a.x", line=2)
    assert "The parser stops at line 4" in finding.detail
    assert reply.coverage is not None
    assert reply.coverage.read == ("b.x",)
    assert [file.reason.value for file in reply.coverage.unread] == ["not_parsed"]
    again = look({"a.x": (OPEN, OPEN.replace("one", "1"))}, row)
    assert again.findings == ()
    assert again.coverage is not None
    assert again.coverage.read == ()


@pytest.mark.parametrize(("level", "told"), [("critical", 1), ("major", 1), ("minor", 0)])
def test_a_grave_finding_that_the_change_causes_on_an_unchanged_line_is_told(
    tmp_path: Path, level: str, told: int
) -> None:
    body = 'grep -q unsafe "$1" && echo "$1:3: now it is bad" || true'
    row = by_lines(script(tmp_path, body), severity={"": level})
    files = {"a.x": ("safe\ntwo\nthree\n", "unsafe\ntwo\nthree\n")}
    found = look(files, row).findings
    assert len(found) == told
    assert all(f.place and f.place.line == 1 and "as it was" in f.detail for f in found)
    kept = {"a.x": ("unsafe\ntwo\nthree\n", "unsafe\n2\nthree\n")}
    assert look(kept, row).findings == ()


@pytest.mark.parametrize("exit_code", [0, 1])
def test_the_weights_and_the_codes_are_those_that_are_stated(
    tmp_path: Path, exit_code: int
) -> None:
    pattern = r"^(?P<file>\S+):(?P<line>\d+):(?P<severity>\w*):(?P<code>\S*) (?P<message>.*)$"
    report = "f0.x:1:Error:A1 a\nf0.x:1:warning:A2 b\nf0.x:1:odd:A3 c\nf0.x:1:mine:A4 d"
    program = printing(tmp_path, report, exit_code)
    row = {**by_lines(program, severity={"MINE": "critical"}), "pattern": pattern}
    found = {f.rule: f.severity for f in look({"a.x": (None, "text\n")}, row).findings}
    assert found == {
        "own/A1": Severity.MAJOR,
        "own/A2": Severity.MINOR,
        "own/A3": Severity.INFO,
        "own/A4": Severity.CRITICAL,
    }


@pytest.mark.parametrize(
    "place",
    ["/etc/passwd:1", "f9.x:1", "f0.x:99999999999999999999", "f0.x:7", ":1", "\x1b[2J:1"],
)
def test_a_place_that_is_none_of_the_change_is_dropped(tmp_path: Path, place: str) -> None:
    row = by_lines(printing(tmp_path, f"{place}: gone\n../../f0.x:1: kept"))
    found = look({"a.x": (None, "one\n")}, row).findings
    assert [finding.title for finding in found if finding.title != "kept"] in ([], ["gone"])
    assert all(f.place and f.place.path == "a.x" and f.place.line == 1 for f in found)


def test_what_a_report_says_is_cleaned_and_clipped(tmp_path: Path) -> None:
    report = f"f0.x:1: \x1b[31mred\x1b]8;;http://evil\x07\u202eevil {'x' * 9000}"
    (finding,) = look({"a.x": (None, "one\n")}, by_lines(printing(tmp_path, report))).findings
    assert finding.title.isprintable()
    assert len(finding.title) <= 400


def test_a_report_of_many_findings_takes_no_more_than_its_share(tmp_path: Path) -> None:
    program = script(tmp_path, "yes 'f0.x:1: it is bad' | head -n 5000")
    files = {"a.x": (None, "one\n"), "b.x": (None, "one\n")}
    assert len(look(files, by_lines(program)).findings) <= 100


@pytest.mark.parametrize(
    ("body", "more", "words"),
    [
        ("exit 3", {}, "ended with code 3"),
        ("echo 'no such option' >&2; exit 2", {}, "ended with code 2: no such option"),
        ("echo '{'", {"format": "sarif", "pattern": None}, "another form than sarif"),
        ("echo '{}'", {"format": "sarif", "pattern": None}, "another form than sarif"),
        ("echo '{\"runs\": []}'", {"format": "sarif", "pattern": None}, "another form than sarif"),
        (
            'echo \'{"runs": [{"results": [{"message": {"text": "bad"}}]}]}\'',
            {"format": "sarif", "pattern": None},
            "another form than sarif",
        ),
        (
            'echo \'{"runs": [{"invocations": [{"executionSuccessful": false}], "results": []}]}\'',
            {"format": "sarif", "pattern": None},
            "did not run to its end",
        ),
        ("echo '[[[['", {"format": "eslint", "pattern": None}, "another form than eslint"),
        ("echo '<a><!DOCTYPE'", {"format": "checkstyle", "pattern": None}, "another form"),
        ("yes | head -c 40000000", {}, "wrote too much"),
        (
            "echo 'Traceback:' >&2; echo 'ImportError: no version 3' >&2; exit 1",
            {"format": "sarif", "pattern": None},
            r"^own \(`linter`\) ended with code 1 and wrote no sarif: ImportError: no version 3$",
        ),
        (
            "echo 'Error: the configuration is broken'; exit 1",
            {"format": "eslint", "pattern": None},
            "ended with code 1 and wrote no eslint: Error: the configuration is broken",
        ),
        (
            "echo 'a warning of old age' >&2; echo 'no JSON'",
            {"format": "rdjson", "pattern": None},
            "ended with code 0 and wrote no rdjson: a warning of old age",
        ),
        (
            "echo 'usage: lint [-h]' >&2; exit 1",
            {},
            "ended with code 1 and wrote nothing that its pattern fits: usage: lint",
        ),
        ("kill -SEGV $$", {}, "was ended by signal 11"),
        ("yes 'f0.x:1: a' | head -n 5001", {}, "more than 5000 findings"),
    ],
)
def test_a_linter_that_fails_is_missing_and_no_approval(
    tmp_path: Path, body: str, more: dict[str, Any], words: str
) -> None:
    row = {**by_lines(script(tmp_path, body)), **more}
    with pytest.raises(ToolError, match=words):
        look({"a.x": (None, "one\n")}, row)


def test_output_of_which_no_line_fits_the_pattern_is_kept_and_a_report_on_a_file_is_no_reading(
    tmp_path: Path,
) -> None:
    def coverage(body: str) -> Any:
        return look({"a.x": (None, "one\n")}, by_lines(script(tmp_path, body))).coverage

    summary, report, fitting = map(coverage, ("echo 'all is well'", "echo 'f0.x(1) bad'", "true"))

    assert (summary.unmatched, summary.read) == ("all is well", ("a.x",))
    assert (report.unmatched, report.read) == ("f0.x(1) bad", ())
    assert (fitting.unmatched, fitting.read) == ("", ("a.x",))


def test_a_pattern_that_takes_for_ever_is_given_up(tmp_path: Path) -> None:
    body = "printf 'f0.x:1: '; yes a | head -n 3000 | tr -d '\\n'; echo '!'"
    endless = r"^(?P<file>\S+):(?P<line>\d+): (?P<message>(a+)+)$"
    row = {**by_lines(script(tmp_path, body)), "pattern": endless}
    for seconds in (3.0, 60.0):  # a machine that stands still needs more to come to the report
        with pytest.raises(ToolError) as raised:
            look({"a.x": (None, "one\n")}, row, seconds=seconds)
        if "took too long" not in str(raised.value):
            break
    raised.match(r"report of own \(`linter`\) could not be read in [\d.]+ s\.")


def test_half_a_character_in_a_message_is_no_fault_of_ours(tmp_path: Path) -> None:
    place = {"path": "f0.x", "range": {"start": {"line": 1}}}
    report = {"diagnostics": [{"location": place, "message": "a bad \ud83d word"}]}
    row = {
        "command": [printing(tmp_path, json.dumps(report))],
        "files": ["*.x"],
        "format": "rdjson",
    }
    (finding,) = look({"a.x": (None, "one\n")}, row).findings
    assert finding.title == "a bad word"
    assert finding.model_dump_json()


def test_entities_are_not_expanded(tmp_path: Path) -> None:
    report = (
        '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;">]>'
        '<checkstyle><file name="f0.x"><error line="1" message="&b;"/></file></checkstyle>'
    )
    row = {"command": [printing(tmp_path, report)], "files": ["*.x"], "format": "checkstyle"}
    with pytest.raises(ToolError, match="wrote no checkstyle"):
        look({"a.x": (None, "one\n")}, row)


def test_a_linter_finds_no_configuration_of_the_change_and_no_options_in_names(
    tmp_path: Path,
) -> None:
    program = script(
        tmp_path, 'printf "%s\\n" "$@" | sed "s|$|:1: $(ls -A | wc -l) $(ls | tr "\\n" " ")|"'
    )
    files = {"--fix.x": (None, "a\n"), ".hidden.x": (None, "b\n"), "own.config.x": (None, "c\n")}
    found = look(files, by_lines(program)).findings
    assert {finding.title.split()[0] for finding in found} == {"3"}
    assert {f.title.split()[1] for f in found} == {"f0.x"}
    assert {finding.place.path for finding in found if finding.place} == set(files)


def test_a_known_linter_that_cannot_work_here_reads_nothing_and_is_not_missing(
    tmp_path: Path,
) -> None:
    row = ready_commands()["shellcheck"].row
    reply = look({"a.sh": (None, SHELL)}, row.model_dump(mode="json"), "shellcheck")
    if "not usable" in reply.summary:
        assert "0 findings on changed lines of 0 matching files" in reply.summary
    else:
        assert "shellcheck/SC2115" in rules(reply)


@pytest.mark.parametrize(
    "wrong",
    [
        {"command": ["./linter"]},
        {"command": ["tools/linter"]},
        {"command": []},
        {"files": []},
        {"pattern": "("},
        {"pattern": "(?P<file>x)"},
        {"pattern": None},
        {"format": "sarif"},
        {"reads": ["~/go"]},
        {"exit_codes": ["many"]},
    ],
)
def test_a_row_that_cannot_work_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        AnalyserCommand.model_validate({**by_lines("linter"), **wrong})


def test_the_rows_that_are_ready_can_be_written_and_read_again() -> None:
    for ready in ready_commands().values():
        written = json.loads(ready.row.model_dump_json(exclude_defaults=True))
        assert AnalyserCommand.model_validate(written) == ready.row


@pytest.mark.parametrize(("level", "read"), [("error", ()), ("warning", ("a.sh",))])
def test_a_warning_of_shellchecks_parser_leaves_the_file_read(
    tmp_path: Path, level: str, read: tuple[str, ...]
) -> None:
    error = f"<error line='2' severity='{level}' message='Odd' source='ShellCheck.SC1091'/>"
    report = f"<checkstyle><file name='f0.sh'>{error}</file></checkstyle>"
    row = ready_commands()["shellcheck"].row.model_dump() | {
        "command": [printing(tmp_path, report)]
    }
    reply = look({"a.sh": (None, SHELL)}, row, "shellcheck")
    assert rules(reply) == ["shellcheck/SC1091"]
    assert reply.coverage is not None
    assert reply.coverage.read == read

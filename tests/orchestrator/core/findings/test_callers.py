"""A caller that a finding names is in the change, or it is not: read from lines, in several languages."""

from __future__ import annotations

import time

import pytest

from orchestrator.core.findings.callers import CallMap, code_names
from shared.models.findings import Finding, Place, Severity

PYTHON = """\
import threading

lock = threading.Lock()


def load(path):
    return open(path).read()


class Store:
    def save(self, path):
        text = load(path)
        return text

    def drop(self):
        return None


load("boot.cfg")
"""
GO = """\
package main

func (s *Store) Load(path string) string {
	return read(path)
}

func Save(s *Store) {
	if ready(s) {
		s.Load("x")
	}
}
"""
JAVA = """\
class Pool {
    private static Socket take(int n) {
        return sockets.get(n);
    }

    public void serve() {
        Socket socket = take(3);
    }
}
"""
SCRIPT = """\
const load = (path) => read(path)

export async function fetchAll(paths) {
  return paths.map(load)
}

function main() {
  fetchAll([])
}
"""


def finding(title: str, line: int | None, path: str, detail: str = "") -> Finding:
    return Finding(
        id="F1",
        title=title,
        detail=detail,
        severity=Severity.MINOR,
        category="general",
        place=None if line is None else Place(path=path, line=line),
        raised_by=("ann",),
        raised_in_round=1,
    )


def shown(text: str, title: str, line: int | None, path: str = "app/store.py") -> bool:
    return CallMap.of({path: text}).shows_callers(finding(title, line, path))


@pytest.mark.parametrize(
    ("path", "text", "title", "line"),
    [
        ("app/store.py", PYTHON, "`save()` calls `load()` without the lock", 6),
        ("app/store.py", PYTHON, "load() has no lock although Store.save() needs one", 7),
        ("app/store.py", PYTHON, "`load` is called at import, see store.py:18", 6),
        ("app/store.py", PYTHON, "`save`에서 `load`를 잠금 없이 호출합니다", 6),
        ("store.go", GO, "`Load` is called by `Save` with a nil store", 3),
        ("Pool.java", JAVA, "`serve` never returns what `take(int)` gives", 2),
        ("a.ts", SCRIPT, "`main()` does not await `fetchAll`", 3),
    ],
)
def test_a_caller_that_is_there_is_shown(path: str, text: str, title: str, line: int) -> None:
    assert shown(text, title, line, path)


@pytest.mark.parametrize(
    ("title", "line"),
    [
        ("`drop()` calls `load()` without the lock", 6),  # it does not
        ("`close()` calls `load()` without the lock", 6),  # there is no such function
        ("`save()` calls `drop()` twice", 14),  # nor such a call
        ("`load()` has no lock", 6),  # names no caller
        ("save calls load without the lock", 6),  # words, not code
        ("`save()` calls `load()` without the lock", 14),  # not what stands at the place
        ("`save()` calls `load()` without the lock", None),
        ("`load` is called at import, see boot.py:18", 6),  # another file
    ],
)
def test_what_the_change_does_not_say_is_not_shown(title: str, line: int | None) -> None:
    assert not shown(PYTHON, title, line)


def test_a_call_of_itself_is_no_caller() -> None:
    text = "def walk(tree):\n    for leaf in tree:\n        walk(leaf)\n"
    assert not shown(text, "`walk()` calls `walk()` without end", 1)


def test_callers_in_another_file_of_the_change_count() -> None:
    files = {"a.py": "def load():\n    return 1\n", "b.py": "def save():\n    load()\n"}
    claim = finding("`save` expects a tuple of `load()`", 1, "./a.py")
    assert CallMap.of(files).shows_callers(claim)
    assert not CallMap.of({"a.py": files["a.py"]}).shows_callers(claim)


def test_names_are_taken_where_they_are_written_as_code() -> None:
    text = "Store.save() and `os.path.join(a, b)`, `x + y`, `if` and plain words (as here)"
    assert code_names(text) == {"save", "join"}


def test_what_a_one_line_function_calls_is_called() -> None:
    text = "def load(path): return 1\n\ndef save(path): return load(path)\n"
    assert shown(text, "`save()` calls `load()` without the lock", 1)


def test_hostile_lines_take_no_time() -> None:
    began = time.process_time()
    hostile = {"a.js": "f(" * 100_000, "b.js": "def (= def f(" * 70 + "\n" + "def f(\n" * 20_000}
    assert {call.path for call in CallMap.of(hostile).calls} <= {"b.js"}
    assert time.process_time() - began < 5

"""Errors of many languages are read with their stacks, and their places are files of the repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from shared.models.agent import LocatedError
from tests.workers.tools.agent.workspaces import new_project
from workers.tools.agent.repository_paths import RepositoryPaths
from workers.tools.agent.traces import located_errors

PATHS = RepositoryPaths(
    (
        "src/app.py",
        "src/util.py",
        "tests/test_app.py",
        "web/index.js",
        "src/main/java/com/acme/Shop.java",
        "src/Shop/Cart.cs",
        "cmd/serve/main.go",
        "src/main.rs",
        "lib/cart.rb",
        "src/Cart.php",
        "decoder.py",
        "web/a.ts",
    )
)

PYTHON = """\
Traceback (most recent call last):
  File "/home/kim/shop/src/util.py", line 3, in parse
    return int(text)
           ^^^^^^^^^
ValueError: invalid literal for int() with base 10: 'x'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/home/kim/shop/src/app.py", line 9, in <module>
    main()
  File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode
    x()
app.ConfigError: broken
"""
STUCK = """\
...Timeout (0:00:24)!
Thread 0x00007f5d6fbd8b80 (most recent call first):
  File "/tmp/q/src/util.py", line 4 in climb
  File "/tmp/q/tests/test_app.py", line 6 in test_climb
  File "/venv/lib/python3.11/site-packages/_pytest/python.py", line 187 in pytest_pyfunc_call
"""
NODE_TAP = """\
not ok 1 - adds
  ---
  failureType: 'testCodeFailure'
  error: |-
    Expected values to be strictly equal:
  name: 'AssertionError'
  expected: 3
  stack: |-
    TestContext.<anonymous> (/tmp/q/web/index.js:2:46)
    Test.runInAsyncScope (node:async_hooks:206:9)
    async Suite.processPendingSubtests (node:internal/test_runner/test:374:7)
  ...
"""
GROUP = """\
  + Exception Group Traceback (most recent call last):
  |   File "src/app.py", line 4, in main
  |     raise ExceptionGroup("several", errors)
  | ExceptionGroup: several (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "src/util.py", line 7, in work
    | KeyError: 'a'
    +---------------- 2 ----------------
    | TypeError: b
    +------------------------------------
"""
PYTEST = """\
____________________ test_total ____________________
tests/test_app.py:5: in test_total
    assert total([1, 2]) == 3
src/app.py:2: in total
    return prices[0]
E   IndexError: list index out of range
____________________ test_other ____________________

>       assert area(2, 3) == 6
E       assert 5 == 6

tests/test_app.py:9: AssertionError
"""
NODE = """\
Uncaught TypeError: x is not a function
    at total (file:///app/web/index.js:3:9)
    at Module._compile (node:internal/modules/cjs/loader:1105:14)
    at async /app/web/index.js:12:5
"""
JAVA = """\
Exception in thread "main" java.lang.IllegalStateException: no cart
\tat com.acme.Shop.checkout(Shop.java:40)
\tat java.base/java.lang.Thread.run(Thread.java:833)
Caused by: java.lang.NullPointerException: cart is null
\tat com.acme.Shop.total(Shop.java:12)
\t... 1 more
"""
CSHARP = """\
Unhandled exception. System.InvalidOperationException: empty
   at Shop.Cart.Total(Int32 n) in C:\\work\\src\\Shop\\Cart.cs:line 17
   at Shop.Program.Main() in C:\\work\\src\\Shop\\Program.cs:line 5
"""
GO = """\
panic: runtime error: index out of range [3] with length 3

goroutine 1 [running]:
main.total(...)
\t/src/shop/cmd/serve/main.go:9
main.main()
\t/src/shop/cmd/serve/main.go:21 +0x1d
exit status 2
"""
RUST = "thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds\nnote: run with RUST_BACKTRACE=1\n"
OLD_RUST = "thread 'main' panicked at 'index out of bounds', src/main.rs:4:5\n"
RUSTC = "error[E0308]: mismatched types\n --> src/main.rs:2:5\n  |\n"
RUBY = """\
/app/lib/cart.rb:3:in `total': undefined method `+' for nil (NoMethodError)
\tfrom /app/lib/cart.rb:9:in `<main>'
"""
PHP = """\
PHP Fatal error:  Uncaught RuntimeException: empty in /app/src/Cart.php:7
Stack trace:
#0 /app/src/Cart.php(12): total()
#1 {main}
"""


def places(error: LocatedError) -> list[tuple[str, int]]:
    return [(place.path, place.line) for place in error.places]


@pytest.mark.parametrize(
    ("text", "kind", "message", "expected"),
    [
        (PYTHON, "app.ConfigError", "broken", [("src/util.py", 3), ("src/app.py", 9)]),
        (
            GROUP,
            "ExceptionGroup",
            "several (2 sub-exceptions)",
            [("src/util.py", 7), ("src/app.py", 4)],
        ),
        (NODE, "TypeError", "x is not a function", [("web/index.js", 3), ("web/index.js", 12)]),
        (
            JAVA,
            "java.lang.IllegalStateException",
            "no cart",
            [("src/main/java/com/acme/Shop.java", 12), ("src/main/java/com/acme/Shop.java", 40)],
        ),
        (CSHARP, "System.InvalidOperationException", "empty", [("src/Shop/Cart.cs", 17)]),
        (
            GO,
            "panic",
            "runtime error: index out of range [3] with length 3",
            [("cmd/serve/main.go", 9), ("cmd/serve/main.go", 21)],
        ),
        (RUST, "panic", "index out of bounds", [("src/main.rs", 4)]),
        (OLD_RUST, "panic", "index out of bounds", [("src/main.rs", 4)]),
        (RUSTC, "E0308", "mismatched types", [("src/main.rs", 2)]),
        (
            RUBY,
            "NoMethodError",
            "undefined method `+' for nil",
            [("lib/cart.rb", 3), ("lib/cart.rb", 9)],
        ),
        (NODE_TAP, "AssertionError", "", [("web/index.js", 2)]),
        (STUCK, "Timeout", "(0:00:24)!", [("src/util.py", 4), ("tests/test_app.py", 6)]),
        (PHP, "RuntimeException", "empty", [("src/Cart.php", 12)]),
        (
            "src/app.py:3: error: Name 'x' is not defined  [name-defined]\n",
            "error",
            None,
            [("src/app.py", 3)],
        ),
        (
            "web/a.ts(3,7): error TS2322: Type mismatch.\n",
            "TS2322",
            "Type mismatch.",
            [("web/a.ts", 3)],
        ),
        (
            "./cmd/serve/main.go:9:2: undefined: total\n",
            "error",
            "undefined: total",
            [("cmd/serve/main.go", 9)],
        ),
    ],
)
def test_an_error_has_its_kind_its_message_and_its_places(
    text: str, kind: str, message: str | None, expected: list[tuple[str, int]]
) -> None:
    errors = located_errors(f"Starting ...\n{text}", PATHS)
    assert len(errors) == 1
    assert errors[0].kind == kind
    assert message in (None, errors[0].message)
    assert places(errors[0]) == expected


def test_every_failure_of_a_run_of_pytest_is_an_error_of_its_own() -> None:
    first, second = located_errors(PYTEST, PATHS)
    assert (first.kind, first.message) == ("IndexError", "list index out of range")
    assert places(first) == [("src/app.py", 2), ("tests/test_app.py", 5)]
    assert (second.kind, second.message) == ("AssertionError", "assert 5 == 6")
    assert places(second) == [("tests/test_app.py", 9)]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("src/app.py", "src/app.py"),
        ("./src/app.py", "src/app.py"),
        ("/home/kim/src/app.py", "src/app.py"),
        ("C:\\work\\src\\app.py", "src/app.py"),
        ("app.py", "src/app.py"),
        ("/elsewhere/app.py", None),
        ("../../etc/passwd", None),
        ("/etc/passwd", None),
        ("/usr/lib/python3.11/json/decoder.py", None),
        ("/w/.venv/lib/python3.12/site-packages/src/app.py", None),
        ("node_modules/web/index.js", None),
        ("<frozen runpy>", None),
        ("", None),
    ],
)
def test_a_path_means_a_file_of_the_repository_or_none(path: str, expected: str | None) -> None:
    assert PATHS.find(path) == expected


def test_a_path_that_means_two_files_means_none() -> None:
    assert RepositoryPaths(("a/x.py", "b/x.py")).find("x.py") is None
    assert RepositoryPaths(("a/x.py", "b/x.py")).find("/w/b/x.py") == "b/x.py"


def test_text_without_errors_has_none() -> None:
    assert located_errors("all good\n12:30: started\nhttp://host:80: ok\n", PATHS) == ()


@pytest.mark.timeout(20)
def test_hostile_text_is_read_in_a_moment() -> None:
    lines = [
        "\tat " + "a." * 400 + "(X.java:1)",
        "a." * 400,
        "    at " + "x " * 300 + ":1:1",
        "thread '" + "' panicked at '" * 50,
        'File "' + "\\" * 500,
        "a.b" * 300 + ":1",
        "| " * 300,
    ]
    located_errors("\n".join(lines * 3000), PATHS)


def test_the_tool_answers_with_the_first_error_that_is_the_repository_s(tmp_path: Path) -> None:
    project = new_project(tmp_path / "p", {"src/app.py": "", "src/util.py": ""})
    text = (
        'Traceback (most recent call last):\n  File "/x/other.py", line 1, in f\nOSError: away\n\n'
    )
    error = project.run("agent.errors", project.workspace(), text=text + PYTHON)
    assert isinstance(error, LocatedError)
    assert error.kind == "app.ConfigError"
    assert places(error) == [("src/util.py", 3), ("src/app.py", 9)]
    nothing = project.run("agent.errors", project.workspace(), text="fine")
    assert nothing == LocatedError()

"""Docstrings are held against signatures, pages against files and commands."""

from __future__ import annotations

import pytest

from tests.workers.tools.agent.examined import examine, rows

GOOGLE = '"""Add.\n\n    Args:\n        a: First.\n        gone (int): Nothing.\n\n    Returns:\n        x: y\n    """'
NUMPY = (
    '"""Add.\n\n    Parameters\n    ----------\n    a : int\n        First.\n    gone\n        Nothing.\n\n'
    '    Returns\n    -------\n    x : int\n    """'
)
SPHINX = '"""Add.\n\n    :param int a: First.\n    :param gone: Nothing.\n    :returns: x\n    """'


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, SPHINX])
def test_a_parameter_that_is_none_is_named_in_every_style(docstring: str) -> None:
    made = examine(
        "documentation", {"a.py": f"def f(a, b):\n    {docstring}\n    return a\n", "README.md": ""}
    )
    assert rows(made) == {("unknown-parameter", "a.py", 1), ("missing-parameter", "a.py", 1)}
    names = {(point.rule, *point.message.params.values()) for point in made.points}
    assert ("documentation.unknown-parameter", "f", "gone") in names
    assert ("documentation.missing-parameter", "f", "b") in names


@pytest.mark.parametrize(
    "text",
    [
        'def f(a, **more):\n    """X.\n\n    :param a: A.\n    :param other: Taken by more.\n    """\n    return a\n',
        'def f(a, *b):\n    """X.\n\n    Args:\n        a: A.\n        *b: B.\n    """\n    return a\n',
        'def f(set_):\n    """X.\n\n    :param set\\\\_: A.\n    """\n    return set_\n',
        'def f(a):\n    """X.\n\n    Args:\n        x: Of the function that is returned.\n    """\n    return a\n',
        'def f(a):\n    """X.\n\n    Note:\n        b: no parameter.\n    """\n    return a\n',
    ],
)
def test_a_docstring_that_may_be_right_is_no_point(text: str) -> None:
    assert rows(examine("documentation", {"a.py": text, "README.md": ""})) == set()


def test_a_file_that_documents_most_symbols_is_told_which_it_forgot() -> None:
    text = '"""M."""\ndef a():\n    """A."""\ndef b():\n    x = 1\n    return x\ndef _c():\n    x = 1\n    return x\n'
    made = examine("documentation", {"a.py": text, "README.md": ""})
    assert rows(made) == {("docstrings", "a.py", 4)}
    assert made.facts[0].params == {"n": 2, "documented": 1, "percent": 50}


def test_a_file_without_any_docstring_is_written_in_another_style() -> None:
    text = "def a():\n    x = 1\n    return x\n"
    assert rows(examine("documentation", {"a.py": text, "README.md": ""})) == set()


def test_links_to_what_does_not_exist_are_named_and_no_others() -> None:
    page = (
        "[a](docs/a.md) [b](docs/gone.md#x) ![p](img/p%20q.png)\n[c](https://x.y/z.md) [d](#part) `[e](no.md)`\n"
        "```\n[f](no.md)\n```\n[g](docs/) [h](guide) [i](../outside.md)\n\n"
        "[r]: docs/also-gone.md\n<!-- [x](no.md) -->\n"
    )
    texts = {"README.md": page, "docs/a.md": "[back](../README.md) [own](a.md)", "img/p q.png": ""}
    assert rows(examine("documentation", texts)) == {
        ("link", "README.md", 1),
        ("link", "README.md", 8),
    }


def test_commands_of_the_readme_are_held_against_the_makefile_scripts_and_files() -> None:
    page = (
        "```sh\n$ make build\nmake gone\npip install -r requirements.txt\n"
        "python tools/gone.py --x\n./run.sh\nnpm run dev\n"
        "npm run gone\n```\n```sh\ncd elsewhere\nmake other\n```\n```python\nmake no\n```\n"
    )
    texts = {
        "README.md": page,
        "Makefile": "X := 1\n.PHONY: build\nbuild: a b\n\techo\n",
        "package.json": '{"scripts": {"dev": "x"}}',
        "run.sh": "",
    }
    assert rows(examine("documentation", texts)) == {
        ("command-target", "README.md", 3),
        ("command-file", "README.md", 4),
        ("command-file", "README.md", 5),
        ("command-script", "README.md", 8),
    }


def test_a_published_package_has_a_changelog_and_a_readme() -> None:
    texts = {"pyproject.toml": '[project]\nname = "x"\n', "a.py": "", "b.py": "", "c.py": ""}
    assert rows(examine("documentation", texts)) == {
        ("no-readme", "", 0),
        ("no-changelog", "pyproject.toml", 1),
    }
    assert (
        rows(examine("documentation", texts | {"README.rst": "", "docs/changelog.rst": ""}))
        == set()
    )

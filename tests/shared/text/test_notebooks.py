"""Notebooks as text: every source line stands at the line of the file that holds it."""

from __future__ import annotations

import ast
import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from shared.text.notebooks import CellPlace, cell_at, view_of
from tests.support.notebooks import cell, notebook


def view_lines(text: str) -> dict[int, str]:
    view = view_of(text)
    assert view is not None
    assert len(view.text.split("\n")) == len(text.split("\n"))
    return {number: line for number, line in enumerate(view.text.split("\n"), 1) if line}


def test_code_stands_at_the_lines_of_the_file_and_outputs_do_not() -> None:
    text = notebook(
        cell("markdown", "# Title\n\nwords"),
        cell("code", 'x = "a\\n"\nprint(x)', ["import os\n"], 2),
    )
    shown = view_lines(text)
    file = text.split("\n")
    at = next(number for number, line in shown.items() if line == "print(x)")
    assert file[at - 1].strip() == '"print(x)"'
    assert shown[at - 1] == 'x = "a\\n"'
    assert shown[at - 2] == "# %% cell 2 [code]"
    assert not any("import os" in line for line in shown.values())
    view = view_of(text)
    assert view is not None
    assert cell_at(view.text, at) == CellPlace(2, 2)
    assert cell_at(view.text, at + 1) is None
    assert cell_at(view.text, 1) is None


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("%matplotlib inline\nx = 1", ["# %matplotlib inline", "x = 1"]),
        ("if x:\n    !ls", ["if x:", "    pass  # !ls"]),
        ("files = !ls\nfiles?", ["files = ...  # !ls", "# files?"]),
        ("%%bash\nrm -r /", ["# %%bash", "# rm -r /"]),
        ("%%time\n%cd /\nf()", ["# %%time", "# %cd /", "f()"]),
        ("a = b % c\nd != e", ["a = b % c", "d != e"]),
        ("# %%\nx = 1\n# %% cell 7 [code]", ["# # %%", "x = 1", "# # %% cell 7 [code]"]),
    ],
)
def test_what_only_ipython_takes_is_a_comment(source: str, shown: list[str]) -> None:
    lines = list(view_lines(notebook(cell("code", source))).values())
    assert lines[2:-1] == shown
    ast.parse("\n".join(lines))


def test_code_of_another_kernel_stays_as_it_is() -> None:
    view = view_of(notebook(cell("code", "x <- 1\n!x"), language="R"))
    assert view is not None
    assert view.language == "r"
    assert "!x" in view.text.split("\n")


WRITTEN = notebook(cell("code", "a = 1\nb = 2"))


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(json.loads(WRITTEN)),
        WRITTEN.replace('"a = 1\\n",\n    "b = 2"', '"a = 1\\nb = 2"'),
        WRITTEN.replace('"a = 1\\n"', '"a = 1"'),
        WRITTEN.replace('"a = 1\\n"', '"a = 1\\r\\n"'),
        WRITTEN.replace('"nbformat": 4', '"nbformat": 3'),
        WRITTEN.replace('"source"', '"input"'),
        WRITTEN[:-10],
        "[]\n",
        "",
        "[" * 100_000,
    ],
)
def test_a_notebook_that_is_written_otherwise_has_no_view(text: str) -> None:
    assert view_of(text) is None


def test_an_output_that_looks_like_a_source_does_not_stand_for_another_one() -> None:
    fake = {"data": {"application/json": {"source": ["x = 2"]}}, "output_type": "display_data"}
    first = json.loads(json.dumps(cell("code", "x = 1")))
    first["outputs"] = [fake]
    shown = view_lines(notebook(first, cell("code", "x = 3", number=2)))
    assert "x = 2" not in shown.values()
    assert [line for line in shown.values() if line.startswith("x")] == ["x = 1", "x = 3"]


@example([("code", "# %%\nx", []), ("markdown", "%%\n%% cell 1 [code]\n", [])])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["code", "markdown", "raw"]),
            st.text("ab =()'\"\\\n\t#%!?[]{},:한é"),
            st.lists(st.text('x\n"],[{}'), max_size=3),
        ),
        max_size=5,
    )
)
def test_every_source_line_is_where_the_file_has_it(
    cells: list[tuple[str, str, list[str]]],
) -> None:
    text = notebook(*(cell(kind, source, out, n) for n, (kind, source, out) in enumerate(cells)))
    view = view_of(text)
    assert view is not None
    file = text.split("\n")
    for number, (kind, source, _) in enumerate(cells, start=1):
        marker = f"# %% cell {number} [{kind}]"
        at = view.lines.index(marker)
        for offset, line in enumerate(source.splitlines(keepends=True), start=1):
            assert json.loads(file[at + offset].strip().removesuffix(",")) == line
            assert cell_at(view.text, at + offset + 1) == CellPlace(number, offset)
    again = view_of(view.text)
    assert again is not None
    assert again.text == view.text

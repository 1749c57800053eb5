"""A program that changed is resolved as if it were new, whatever was kept; hostile programs come to an end."""

from __future__ import annotations

import pytest

from shared.models.code_graph import FileFacts
from tests.workers.tools.code_graph.python_functions import CONTAINERS
from tests.workers.tools.code_graph.python_programs import CLASSES, IMPORTS
from workers.tools.code_graph.assembly import make_graph
from workers.tools.code_graph.python_outline import outline_python
from workers.tools.code_graph.python_resolution import PythonResolution

BASE = {
    "app": "from lib import make, run\ndef a(): pass\ndef b(): pass\nrun(a)\nmake().go()",
    "lib": "from deep import Thing\ndef make(): return Thing()\ndef run(f): f()",
    "deep": "class Thing:\n    def go(self): pass\n    def stop(self): pass",
}
CHANGES = [
    {"app": "from lib import make, run\ndef a(): pass\ndef b(): pass\nrun(b)\nmake().stop()"},
    {"deep": "class Base:\n    def go(self): pass\nclass Thing(Base):\n    pass"},
    {"lib": "def make(): return None\ndef run(f): f()"},
    {"more": "from lib import run\ndef c(): pass\nrun(c)"},
    {"lib/__init__": "from lib.inner import make, run", "lib/inner": BASE["lib"], "lib": ""},
]


def facts(files: dict[str, str]) -> dict[str, FileFacts]:
    return {
        path: outline_python(
            f"{path}.py", text.encode(), path.removesuffix("/__init__").replace("/", ".")
        )
        for path, text in files.items()
        if text
    }


@pytest.mark.parametrize("change", CHANGES)
def test_what_changed_is_resolved_as_if_all_were_new(change: dict[str, str]) -> None:
    before = facts(BASE)
    after = {path: each for path, each in before.items() if path not in change} | facts(change)
    python = PythonResolution()
    first = make_graph([*before.values()], python)
    assert make_graph([*after.values()], python) == make_graph([*after.values()])
    assert make_graph([*before.values()], python) == first


@pytest.mark.parametrize("case", [*IMPORTS, *CLASSES, *CONTAINERS], ids=lambda case: case[0])
def test_files_that_come_one_by_one_make_the_same_graph(
    case: tuple[str, dict[str, str], str],
) -> None:
    python = PythonResolution()
    present = [*facts(case[1]).values()]
    graphs = [make_graph(present[: n + 1], python) for n in range(len(present))]
    assert graphs[-1] == make_graph(present)


HOSTILE = {
    "a function that passes itself on": "def f(g): return g(g)\nf(f)(f)(f)",
    "a class that inherits from itself": "class A(B): pass\nclass B(A):\n    def go(self): pass\nA().go()",
    "a container that holds itself": "x = []\nx.append(x)\nfor y in x: y.append(y)",
    "many bases": "class C0: pass\n"
    + "".join(f"class C{n}(C{n - 1}, C{max(0, n - 2)}): pass\n" for n in range(1, 60)),
    "long chains of names": "x0 = print\n" + "".join(f"x{n + 1} = x{n}\n" for n in range(3000)),
    "many values in one place": "".join(f"def f{n}(): pass\n" for n in range(1000))
    + "def run(f): f()\n"
    + "".join(f"run(f{n})\n" for n in range(1000)),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_programs_come_to_an_end(text: str) -> None:
    graph = make_graph([outline_python("app.py", text.encode(), "app")])
    assert any(node.id == "app" for node in graph.nodes)


def test_stars_in_a_circle_end() -> None:
    files = {"a": "from b import *\nnothing()", "b": "from a import *\ndef f(): pass"}
    assert len(make_graph([*facts(files).values()])) > 0

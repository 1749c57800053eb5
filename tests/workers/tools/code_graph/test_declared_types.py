"""Calls of JavaScript, TypeScript and Go lead to what variables are declared to be, and to nothing by chance."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from shared.models.code_graph import EdgeKind
from tests.workers.tools.code_graph.script_programs import PROGRAMS
from workers.tools.code_graph.assembly import make_graph
from workers.tools.code_graph.extraction_program import extract
from workers.tools.code_graph.languages import language_of
from workers.tools.code_graph.module_names import module_names


def calls(files: Mapping[str, str]) -> set[tuple[str, str]]:
    code = {path: text for path, text in files.items() if language_of(path)}
    names = module_names(code, frozenset())
    facts = [
        extract(path, names[path], language_of(path) or "", text.encode())
        for path, text in code.items()
    ]
    return {(edge.source, edge.target) for edge in make_graph(facts).edges((EdgeKind.CALLS,))}


@pytest.mark.parametrize("language", PROGRAMS)
def test_a_program_has_the_calls_that_it_makes_and_no_others(language: str) -> None:
    files, expected = PROGRAMS[language]
    assert calls(files) == expected


def test_what_a_package_brings_is_no_function_of_the_project_that_has_its_name() -> None:
    files = {
        "lib/view.js": "exports.resolve = function (x) { return x; };\n",
        "lib/app.js": "const { resolve } = require('node:path');\nconst accepts = require('accepts');\n"
        "function run() { resolve('x'); accepts(1); }\n",
        "test/accepts.js": "function accepts() {}\n",
    }
    assert calls(files) == set()


def test_the_product_calls_nothing_of_its_tests() -> None:
    files = {
        "lib/app.js": "function run(res) { res.send(1); }\n",
        "test/double.js": "const res = { send(x) { return x; } };\nfunction use() { res.send(2); }\n",
    }
    assert calls(files) == {("test.double.use", "test.double.res.send")}


def test_a_function_with_several_names_is_found_by_each_of_them() -> None:
    files = {
        "lib/response.js": "res.set = res.header = function header(k) { return k; };\n"
        "res.type = function type(t) { return this.set(t); };\n",
        "lib/use.js": "function run(res) { res.header(1); res.set(2); }\n",
    }
    assert calls(files) == {
        ("lib.response.res.type", "lib.response.res.set"),
        ("lib.use.run", "lib.response.res.header"),
        ("lib.use.run", "lib.response.res.set"),
    }


def test_a_go_package_from_elsewhere_is_not_a_type_of_the_project() -> None:
    files = {
        "codec/api.go": "package codec\n\ntype Api struct{}\n\nfunc (a Api) NewDecoder(r int) int { return r }\n",
        "main.go": 'package main\n\nimport "gopkg.in/yaml.v3"\n\nfunc main() { yaml.NewDecoder(1) }\n',
    }
    assert calls(files) == set()

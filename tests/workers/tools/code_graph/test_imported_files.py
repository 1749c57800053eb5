"""Where imports of Go and of scripts lead: packages, modules, aliases, workspaces, and what files hand on."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.models.code_graph import CodeGraph, EdgeKind
from workers.tools.code_graph.assembly import make_graph
from workers.tools.code_graph.extraction_program import extract
from workers.tools.code_graph.languages import language_of
from workers.tools.code_graph.manifests import MANIFEST, is_manifest
from workers.tools.code_graph.module_names import module_names

GO = "package {0}\n\nfunc {1}() {{}}\n"
MAIN = """package main

import (
\t"errors"
\t"fmt"
\tpay "example.com/shop/billing"
\t"github.com/other/log"
)

func main() { pay.Charge(); log.Print(); fmt.Println(errors.New("x")) }
"""


def graph_of(files: Mapping[str, str]) -> CodeGraph:
    code = [path for path in files if not is_manifest(path)]
    names = module_names(code, frozenset()) | {path: path for path in files if is_manifest(path)}
    return make_graph(
        [
            extract(
                path,
                names[path],
                MANIFEST if is_manifest(path) else language_of(path) or "",
                text.encode(),
            )
            for path, text in files.items()
        ]
    )


def edges(files: Mapping[str, str], kind: EdgeKind = EdgeKind.IMPORTS) -> set[tuple[str, str]]:
    return {(edge.source, edge.target) for edge in graph_of(files).edges((kind,))}


SHOP = {
    "cmd/main.go": MAIN,
    "billing/charge.go": GO.format("billing", "Charge"),
    "billing/refund.go": GO.format("billing", "Refund"),
    "billing/charge_test.go": GO.format("billing", "TestCharge"),
    "log/log.go": GO.format("log", "Print"),
    "errors/errors.go": GO.format("errors", "New"),
}
NAMED = {"go.mod": "module example.com/shop // ours\n\ngo 1.22\n"}


@pytest.mark.parametrize("manifest", [NAMED, {}], ids=["with go.mod", "without"])
def test_an_import_of_a_go_package_leads_to_each_of_its_files_and_to_no_test(manifest) -> None:
    imports = edges({**SHOP, **manifest})
    assert {("cmd.main", "billing.charge"), ("cmd.main", "billing.refund")} <= imports
    assert ("cmd.main", "billing.charge_test") not in imports
    assert {("cmd.main", "fmt"), ("cmd.main", "errors")} <= imports


def test_what_no_go_module_of_the_repository_has_is_elsewhere_though_a_folder_is_called_so() -> (
    None
):
    files = {**SHOP, **NAMED}
    assert ("cmd.main", "github.com/other/log") in edges(files)
    assert ("cmd.main.main", "log.log.Print") not in edges(files, EdgeKind.CALLS)
    assert ("cmd.main.main", "billing.charge.Charge") in edges(files, EdgeKind.CALLS)


def test_nested_replaced_and_copied_go_modules_are_met() -> None:
    files = {
        "app/go.mod": "module example.com/app\n\nreplace (\n\texample.com/kit v1.2.0 => ../kit\n)\n",
        "app/tools/go.mod": 'module "example.com/app/tools"\n',
        "app/tools/gen/gen.go": GO.format("gen", "Gen"),
        "app/vendor/github.com/x/yaml/yaml.go": GO.format("yaml", "Load"),
        "kit/text/text.go": GO.format("text", "Wrap"),
        "app/main.go": 'package main\n\nimport (\n"example.com/kit/text"\n"example.com/app/tools/gen"\n'
        '"github.com/x/yaml"\n)\n\nfunc main() { text.Wrap(); gen.Gen(); yaml.Load() }\n',
    }
    assert edges(files) == {
        ("app.main", "kit.text.text"),
        ("app.main", "app.tools.gen.gen"),
        ("app.main", "app.vendor.github.com.x.yaml.yaml"),
    }
    assert {target for _, target in edges(files, EdgeKind.CALLS)} == {
        "kit.text.text.Wrap",
        "app.tools.gen.gen.Gen",
        "app.vendor.github.com.x.yaml.yaml.Load",
    }


CONFIGURED = {
    "tsconfig.json": """{
  // where ours are
  "compilerOptions": {"baseUrl": ".", "paths": {"@/*": ["src/*"], "#settings": ["src/settings.ts"],}},
}""",
    "src/settings.ts": "export const load = () => 1;\n",
    "src/money/index.ts": "export function price() { return 1 }\n",
    "src/money.service.ts": "export function serve() { return 1 }\n",
}


@pytest.mark.parametrize(
    ("written", "module"),
    [
        ("@/money", "src.money.index"),
        ("@/money/index.js", "src.money.index"),
        ("#settings", "src.settings"),
        ("src/settings", "src.settings"),
        ("./money", "src.money.index"),
        ("./money.service", "src.money.service"),
        ("./settings.js", "src.settings"),
        ("./", None),
        ("react", "react"),
        ("@/nowhere", "@/nowhere"),
        ("@scope/money", "@scope/money"),
    ],
)
def test_a_script_s_import_leads_to_the_file_that_its_configuration_means(written, module) -> None:
    files = {**CONFIGURED, "src/page.ts": f'import {{ x }} from "{written}";\n'}
    expected = "./" if module is None else module
    assert edges(files) == {("src.page", expected)}


def test_packages_of_a_workspace_are_met_by_their_names() -> None:
    files = {
        "packages/money/package.json": '{"name": "@shop/money", "main": "dist/index.js"}',
        "packages/money/src/index.ts": 'export { price } from "./price";\n',
        "packages/money/src/price.ts": "export function price() { return 1 }\n",
        "packages/money/src/tax.ts": "export function tax() { return 1 }\n",
        "web/page.ts": 'import { price } from "@shop/money";\nimport { tax } from "@shop/money/tax";\n'
        "export const page = () => price() + tax();\n",
        "web/price.ts": "export function price() { return 2 }\n",
    }
    assert {
        ("web.page", "packages.money.src.index"),
        ("web.page", "packages.money.src.tax"),
    } <= edges(files)
    assert edges(files, EdgeKind.CALLS) == {
        ("web.page.page", "packages.money.src.price.price"),
        ("web.page.page", "packages.money.src.tax.tax"),
    }


@pytest.mark.parametrize(
    "handing",
    ['export * from "./deep";\n', 'module.exports = require("./deep");\n'],
    ids=["re-export", "whole export"],
)
def test_a_call_goes_through_files_that_hand_on_what_others_have(handing: str) -> None:
    files = {
        "lib/index.js": handing,
        "lib/deep/index.js": handing.replace("./deep", "./money"),
        "lib/deep/money.js": "exports.price = function () { return 1 };\n",
        "other/money.js": "exports.price = function () { return 2 };\n",
        "app.js": 'const { price } = require("./lib");\nfunction page() { return price() }\n',
    }
    assert ("app.page", "lib.deep.money.price") in edges(files, EdgeKind.CALLS)


def test_files_that_hand_on_one_another_end() -> None:
    files = {
        "a.js": 'export * from "./b";\n',
        "b.js": 'export * from "./a";\n',
        "app.js": 'import { x } from "./a";\nx();\n',
    }
    assert ("app", "a") in edges(files)


def test_manifests_are_no_files_of_the_graph() -> None:
    graph = graph_of({**SHOP, **NAMED, **CONFIGURED})
    assert not [path for path in graph.paths if is_manifest(path)]
    assert not [node for node in graph.nodes if is_manifest(node.file)]


@pytest.mark.parametrize("path", ["go.mod", "web/tsconfig.json", "package.json"])
@given(data=st.binary(max_size=200) | st.text().map(str.encode))
def test_no_manifest_makes_a_reader_raise(path: str, data: bytes) -> None:
    facts = extract(path, path, MANIFEST, data)
    assert make_graph([facts, extract("a.ts", "a", "typescript", b'import "x"')]).paths == ("a.ts",)


@pytest.mark.parametrize(
    "said",
    [
        '{"compilerOptions": 3}',
        '{"compilerOptions": {"paths": {"@/*": "src"}, "baseUrl": "../../.."}}',
        '{"compilerOptions": {"paths": [1]}}',
        "[]",
    ],
)
def test_a_configuration_that_says_something_else_is_passed_over(said: str) -> None:
    files = {"tsconfig.json": said, "src/page.ts": 'import "@/money";\n'}
    assert edges(files) == {("src.page", "@/money")}

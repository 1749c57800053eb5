"""JavaScript, TypeScript and Go by their syntax trees, and the graphs of small programs in them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from shared.models.code_graph import EdgeKind, FileFacts
from workers.tools.code_graph.assembly import make_graph
from workers.tools.code_graph.extraction_program import extract
from workers.tools.code_graph.languages import language_of
from workers.tools.code_graph.module_names import module_names

SHOP = {
    "web/cart.ts": """import { post as send } from "./http";
import * as api from "./lib/client";
import { Base } from "./base";

export default class Cart extends Base {
  private items: string[] = [];
  constructor() { super(); this.reset = () => this.clear(); }
  add = (item: string): void => { this.save(item); };
  async save<T>(item: T): Promise<void> { send("/cart", item); api.get(1); }
  clear() {}
}
export const total = (items: number[]) => items.reduce(plus);
function plus(a: number, b: number): number { return a + b }
""",
    "web/http.ts": "export function post(path: string, body: unknown) { return fetch(path) }\n",
    "web/lib/client.ts": "export function get(id: number) { return id }\n",
    "web/base.ts": "export abstract class Base { abstract clear(): void }\n",
    "web/page.tsx": """import Cart from "./cart";
export function Page() { return <Shell><Cart.View a={1} /><div/></Shell> }
function Shell(props: { children: unknown }) { return <>{new Cart()}</> }
""",
    "old/legacy.js": """const http = require("./util");
exports.run = function () { http.send(); helper(); };
function helper() { return Thing.prototype.go() }
function Thing() {}
Thing.prototype.go = function () { return this.stop() };
Thing.prototype.stop = () => 1;
const table = { start() { helper() }, "quoted": () => helper() };
""",
    "old/util.js": "module.exports.send = async () => 1;\n",
    "server/main.go": """package main

import (
\t"fmt"
\tpay "example.com/shop/billing"
)

type Server struct {
\tbase
\tport int
}

func (s *Server) Run() { s.listen(); go pay.Charge(1); fmt.Println(s.port) }
func (s Server) listen() {}
func main() { server := &Server{port: 1}; server.Run() }
""",
    "server/base.go": "package main\n\ntype base struct{}\n\nfunc (b *base) close() {}\n",
    "billing/charge.go": "package billing\n\nfunc Charge(n int) int { return tax(n) }\n"
    "func tax(n int) int { return n }\n",
}


def facts_of(files: Mapping[str, str]) -> list[FileFacts]:
    names = module_names(files, frozenset())
    return [
        extract(path, names[path], language_of(path) or "", text.encode())
        for path, text in files.items()
    ]


def edges(kind: EdgeKind) -> set[tuple[str, str]]:
    graph = make_graph(facts_of(SHOP))
    return {(edge.source, edge.target) for edge in graph.edges((kind,))}


@pytest.mark.parametrize(
    ("path", "symbols"),
    [
        (
            "web/cart.ts",
            "Cart class, Cart.constructor method, Cart.reset method, Cart.add method, "
            "Cart.save method, Cart.clear method, total function, plus function",
        ),
        ("web/base.ts", "Base class, Base.clear method"),
        (
            "old/legacy.js",
            "http variable, run function, helper function, Thing function, Thing.go method, Thing.stop method, "
            "table variable, table.start method",
        ),
        (
            "server/main.go",
            "Server class, Server.Run method, Server.listen method, main function",
        ),
    ],
)
def test_definitions_have_the_names_under_which_they_are_used(path: str, symbols: str) -> None:
    (facts,) = facts_of({path: SHOP[path]})
    named = [f"{symbol.name} {symbol.kind}" for symbol in facts.symbols if symbol.name]
    assert named == symbols.split(", ")


def test_calls_lead_to_definitions_in_other_files_also_under_another_name() -> None:
    calls = edges(EdgeKind.CALLS)
    assert {
        ("web.cart.Cart.save", "web.http.post"),
        ("web.cart.Cart.save", "web.lib.client.get"),
        ("web.cart.Cart.add", "web.cart.Cart.save"),
        ("web.cart.Cart.reset", "web.cart.Cart.clear"),
        ("web.page.Page", "web.page.Shell"),
        ("old.legacy.run", "old.legacy.helper"),
        ("old.legacy.helper", "old.legacy.Thing.go"),
        ("old.legacy.Thing.go", "old.legacy.Thing.stop"),
        ("old.legacy.table.start", "old.legacy.helper"),
        ("server.main.Server.Run", "server.main.Server.listen"),
        ("server.main.Server.Run", "billing.charge.Charge"),
        ("billing.charge.Charge", "billing.charge.tax"),
        ("server.main.main", "server.main.Server.Run"),
    } <= calls
    assert not any(target.endswith("div") for _, target in calls)


def test_objects_bases_and_imports_are_edges_of_their_own() -> None:
    assert {
        ("web.page.Shell", "web.cart.Cart"),
        ("server.main.main", "server.main.Server"),
    } <= edges(EdgeKind.INSTANTIATES)
    assert {
        ("web.cart.Cart", "web.base.Base"),
        ("server.main.Server", "server.base.base"),
    } <= edges(EdgeKind.INHERITS)
    assert {
        ("web.cart", "web.http"),
        ("web.cart", "web.lib.client"),
        ("web.page", "web.cart"),
        ("old.legacy", "old.util"),
        ("server.main", "fmt"),
    } <= edges(EdgeKind.IMPORTS)


@pytest.mark.parametrize("path", ["a.js", "a.ts", "a.tsx", "a.go"])
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff\xfe\xfd",
        b"class { function ( => import from ((((",
        b"(" * 50_000,
        b"f(" * 20_000,
        b'import ""; require(); new; export * from; type',
        b"function \xf0\x9f\x8d() { \xf0\x9f\x8d\x8e() }",
    ],
)
def test_no_input_makes_a_reader_raise(path: str, data: bytes) -> None:
    facts = extract(path, "a", language_of(path) or "", data)
    assert facts.problem is None
    assert FileFacts.from_json(facts.to_json()) == facts


@pytest.mark.parametrize(
    ("data", "problem"),
    [(b"a\0b", "graph_file_not_text"), (b" " * 2_000_001, "graph_file_too_large")],
)
def test_what_is_no_text_or_too_large_is_named(data: bytes, problem: str) -> None:
    facts = extract("a.go", "a", "go", data)
    assert (facts.problem, len(facts.symbols)) == (problem, 1)


def test_a_syntax_error_costs_what_stands_in_it() -> None:
    (facts,) = facts_of({"a.ts": "function a() { b() }\nclass ( {\n\nfunction c() { a() }\n"})
    assert "a" in [symbol.name for symbol in facts.symbols]

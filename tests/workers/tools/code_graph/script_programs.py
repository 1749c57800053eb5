"""Programs of our own in TypeScript, JavaScript and Go, each with exactly the calls that it makes inside of itself."""

from __future__ import annotations

TS = {
    "src/models.ts": """export class Model { save(): void { this.validate(); } validate(): void {} }
export class User extends Model {
  constructor(public name: string) { super(); }
  greet(): string { return greeting(this.name); }
}
export class Order extends Model { total(): number { return this.lines().length; } lines(): string[] { return []; } }
export function greeting(name: string): string { return name; }
""",
    "src/repo.ts": """import { User, Order } from "./models";
export interface Store { find(id: number): User; }
export class MemoryStore implements Store {
  private cache: Map<number, User> = new Map();
  find(id: number): User { return this.cache.get(id) ?? this.load(id); }
  load(id: number): User { return new User(String(id)); }
}
export class SqlStore implements Store { find(id: number): User { return query(id); } }
function query(id: number): User { return new User("sql"); }
export function makeStore(): MemoryStore { return new MemoryStore(); }
""",
    "src/service.ts": """import { Store, makeStore } from "./repo";
import { Order } from "./models";
export class Service {
  private order = new Order();
  constructor(private store: Store) {}
  run(id: number): void {
    const user = this.store.find(id);
    user.greet();
    this.order.total();
    const list = [1, 2];
    list.find((each) => each === id);
  }
}
export function main(): void {
  const store = makeStore();
  store.load(1);
  const order: Order = new Order();
  order.save();
  const service = new Service(store);
  service.run(3);
  document.querySelector("a")!.save();
}
""",
}
TS_CALLS = {
    ("src.models.Model.save", "src.models.Model.validate"),
    ("src.models.User.greet", "src.models.greeting"),
    ("src.models.Order.total", "src.models.Order.lines"),
    ("src.repo.MemoryStore.find", "src.repo.MemoryStore.load"),
    ("src.repo.SqlStore.find", "src.repo.query"),
    ("src.service.Service.run", "src.repo.Store.find"),
    ("src.service.Service.run", "src.models.User.greet"),
    ("src.service.Service.run", "src.models.Order.total"),
    ("src.service.main", "src.repo.makeStore"),
    ("src.service.main", "src.repo.MemoryStore.load"),
    ("src.service.main", "src.models.Model.save"),
    ("src.service.main", "src.service.Service.run"),
}
JS = {
    "lib/queue.js": """class Queue {
  constructor() { this.items = []; this.log = new Logger(); }
  push(item) { this.items.push(item); this.log.write(item); return this; }
  drain() { while (this.items.length) handle(this.items.pop()); }
}
class Logger { write(line) { console.log(format(line)); } }
function format(line) { return `> ${line}`; }
function handle(item) { return item; }
module.exports = { Queue, Logger };
""",
    "lib/app.js": """const { Queue } = require('./queue');
const util = require('./util');
const fs = require('fs');
function start() {
  const queue = new Queue();
  queue.push(1);
  queue.drain();
  util.retry(() => step(queue));
  const names = ['a']; names.push('b');
  fs.write('x');
}
function step(queue) { queue.drain(); }
module.exports = start;
""",
    "lib/util.js": """exports.retry = function retry(fn) { return attempt(fn, 3); };
function attempt(fn, times) { try { return fn(); } catch (e) { return times ? attempt(fn, times - 1) : null; } }
""",
}
JS_CALLS = {
    ("lib.queue.Queue.push", "lib.queue.Logger.write"),
    ("lib.queue.Queue.drain", "lib.queue.handle"),
    ("lib.queue.Logger.write", "lib.queue.format"),
    ("lib.app.start", "lib.queue.Queue.push"),
    ("lib.app.start", "lib.queue.Queue.drain"),
    ("lib.app.start", "lib.util.retry"),
    ("lib.app.start", "lib.app.step"),
    ("lib.app.step", "lib.queue.Queue.drain"),
    ("lib.util.retry", "lib.util.attempt"),
    ("lib.util.attempt", "lib.util.attempt"),
}
GO = {
    "go.mod": "module example.com/shop\n",
    "store/store.go": """package store

type Store interface { Find(id int) *Item }
type Item struct { Name string }
func (i *Item) Label() string { return trim(i.Name) }
func trim(s string) string { return s }
type Memory struct { items map[int]*Item; log *Log }
func NewMemory() *Memory { return &Memory{} }
func (m *Memory) Find(id int) *Item { m.log.Write("find"); return m.items[id] }
func (m *Memory) Add(item *Item) { m.log.Write(item.Label()) }
type Log struct{}
func (l *Log) Write(line string) { flush(line) }
func flush(line string) {}
""",
    "api/api.go": """package api

import (
	"net/http"

	"example.com/shop/store"
)

type Server struct { db store.Store }

func New(db store.Store) *Server { return &Server{db: db} }

func (s *Server) Get(w http.ResponseWriter, r *http.Request) {
	item := s.db.Find(1)
	w.Write([]byte(item.Label()))
	s.fail(w)
}

func (s *Server) fail(w http.ResponseWriter) { w.Write(nil) }
""",
    "main.go": """package main

import (
	"example.com/shop/api"
	"example.com/shop/store"
)

func main() {
	memory := store.NewMemory()
	memory.Add(&store.Item{Name: "a"})
	server := api.New(memory)
	server.Get(nil, nil)
	var log store.Log
	log.Write("x")
}
""",
}
GO_CALLS = {
    ("store.store.Item.Label", "store.store.trim"),
    ("store.store.Memory.Find", "store.store.Log.Write"),
    ("store.store.Memory.Add", "store.store.Log.Write"),
    ("store.store.Memory.Add", "store.store.Item.Label"),
    ("store.store.Log.Write", "store.store.flush"),
    ("api.api.Server.Get", "store.store.Store.Find"),
    ("api.api.Server.Get", "store.store.Item.Label"),
    ("api.api.Server.Get", "api.api.Server.fail"),
    ("main.main", "store.store.NewMemory"),
    ("main.main", "store.store.Memory.Add"),
    ("main.main", "api.api.New"),
    ("main.main", "api.api.Server.Get"),
    ("main.main", "store.store.Log.Write"),
}
PROGRAMS = {"TypeScript": (TS, TS_CALLS), "JavaScript": (JS, JS_CALLS), "Go": (GO, GO_CALLS)}

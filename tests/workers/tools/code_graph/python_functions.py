"""Small Python programs with functions that are passed on and kept, and the calls that are all there are."""

from __future__ import annotations

from tests.workers.tools.code_graph.python_programs import Case

FUNCTIONS: list[Case] = [
    (
        "decorators of the program and of others",
        {
            "app": """
            import functools
            def traced(f):
                @functools.wraps(f)
                def wrapper(*args): return f(*args)
                return wrapper
            def named(name):
                def decorate(f): return f
                return decorate
            @traced
            def a(): pass
            @named("b")
            def b(): pass
            @functools.lru_cache
            def c(): pass
            def run(): a(); b(); c()
            """
        },
        "app > app.traced, app > app.named, app > app.named.decorate, app > functools.lru_cache, "
        "app.traced > functools.wraps, app.traced.wrapper > app.a, app.run > app.traced.wrapper, "
        "app.run > app.b, app.run > app.c",
    ),
    (
        "arguments of every kind",
        {
            "app": """
            def a(): pass
            def b(): pass
            def c(): pass
            def d(): pass
            def take(first, *rest, key=d, **others):
                first()
                rest[0]()
                key()
                others["extra"]()
            take(a, b, extra=c)
            """
        },
        "app > app.take, app.take > app.a, app.take > app.b, app.take > app.c, app.take > app.d",
    ),
    (
        "arguments from containers",
        {
            "app": """
            def a(): pass
            def b(): pass
            def take(x, y): x(); y()
            take(*[a, b])
            take(**{"x": b, "y": b})
            """
        },
        "app > app.take, app.take > app.a, app.take > app.b",
    ),
    (
        "lambdas and functions that are returned",
        {
            "app": """
            def a(): pass
            def make():
                return lambda f: f()
            make()(a)
            """
        },
        "app > app.make, app > app.make.<lambda1>, app.make.<lambda1> > app.a",
    ),
    (
        "generators, yield from and comprehensions",
        {
            "app": """
            def a(): pass
            def b(): pass
            def inner(): yield a
            def outer():
                yield from inner()
                yield b
            [f() for f in outer()]
            {k: g() for k, g in {"x": b}.items()}
            """
        },
        "app > app.outer, app.outer > app.inner, app > app.a, app > app.b, app > builtins.dict.items",
    ),
    (
        "async functions",
        {
            "app": """
            class Session:
                async def __aenter__(self): return self
                async def __aexit__(self, *a): pass
                async def get(self): pass
            async def connect(): return Session()
            async def main():
                session = await connect()
                await session.get()
                async with Session() as other:
                    await other.get()
            """
        },
        "app.main > app.connect, app.main > app.Session.get, app.main > app.Session.__aenter__, "
        "app.main > app.Session.__aexit__",
    ),
    (
        "context managers of generators",
        {
            "app": """
            from contextlib import contextmanager
            class Lock:
                def hold(self): pass
            @contextmanager
            def locked():
                yield Lock()
            def run():
                with locked() as lock: lock.hold()
            """
        },
        "app > contextlib.contextmanager, app.run > app.locked, app.run > app.Lock.hold",
    ),
    (
        "partial application and built-in functions that call",
        {
            "app": """
            from functools import partial
            def a(x): pass
            def key(x): pass
            partial(a, 1)()
            sorted([1], key=key)
            """
        },
        "app > functools.partial, app > app.a, app > builtins.sorted, app > app.key",
    ),
    (
        "getattr with a name that is known",
        {"app": "class A:\n    def go(self): pass\ngetattr(A(), 'go')()"},
        "app > builtins.getattr, app > app.A.go",
    ),
]
HANDED_BACK: list[Case] = [
    (
        "what a function is given and returns goes to that caller only",
        {
            "app": """
            def mark(f): return f
            @mark
            def a(): pass
            @mark
            def b(): pass
            def first(): a()
            def second(): b()
            """
        },
        "app > app.mark, app.first > app.a, app.second > app.b",
    ),
    (
        "methods that return self",
        {
            "app": """
            class Query:
                def where(self): return self
            class Count(Query):
                def run(self): pass
            class List(Query):
                def run(self): pass
            def count(): Count().where().run()
            def listed(): List().where().run()
            """
        },
        "app.count > app.Query.where, app.count > app.Count.run, app.listed > app.Query.where, "
        "app.listed > app.List.run",
    ),
    (
        "next and iter ask for what they need, and no more",
        {
            "app": """
            class Stream:
                def __iter__(self): return self
                def __next__(self): return self
                def skip(self): pass
            def head(): next(Stream()).skip()
            def start(): iter(Stream()).skip()
            """
        },
        "app.head > builtins.next, app.head > app.Stream.__next__, app.head > app.Stream.skip, "
        "app.start > builtins.iter, app.start > app.Stream.__iter__, app.start > app.Stream.skip",
    ),
    (
        "members that a built-in type does not have",
        {"app": "def f(x=''):\n    x.strip()\n    x.resolve_command()"},
        "app.f > builtins.str.strip",
    ),
]
CONTAINERS: list[Case] = [
    (
        "a table of functions, by a key that is known and one that is not",
        {
            "app": """
            def a(): pass
            def b(): pass
            table = {"a": a, "b": b}
            def known(): table["a"]()
            def unknown(name): table[name]()
            def given(name): table.get(name)()
            """
        },
        "app.known > app.a, app.unknown > app.a, app.unknown > app.b, app.given > app.a, "
        "app.given > app.b, app.given > builtins.dict.get",
    ),
    (
        "a registry that others fill",
        {
            "registry": "handlers = []\ndef register(f):\n    handlers.append(f)\n    return f\n"
            "def run():\n    for handler in handlers:\n        handler()",
            "plugin": "from registry import register\n@register\ndef hello(): pass",
        },
        "plugin > registry.register, registry.register > builtins.list.append, "
        "registry.run > plugin.hello",
    ),
    (
        "nested ones, and pairs of enumerate and zip",
        {
            "app": """
            def a(): pass
            def b(): pass
            for n, f in enumerate([a]): f()
            for x, y in zip([1], [[b]]): y[0]()
            """
        },
        "app > builtins.enumerate, app > builtins.zip, app > app.a, app > app.b",
    ),
    (
        "texts and their methods",
        {"app": "name = 'a-b'.upper()\nfor part in name.split('-'): part.strip()"},
        "app > builtins.str.upper, app > builtins.str.split, app > builtins.str.strip",
    ),
]

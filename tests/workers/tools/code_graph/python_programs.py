"""Small Python programs, one construct each, with the calls that are all there are: `caller > callee`."""

from __future__ import annotations

Case = tuple[str, dict[str, str], str]
NAMES: list[Case] = [
    (
        "a function of the module",
        {"app": "def load(): pass\ndef start(): load()\nstart()"},
        "app > app.start, app.start > app.load",
    ),
    (
        "the name that was assigned last",
        {"app": "def old(): pass\ndef new(): pass\nstep = old\nstep = new\nstep()"},
        "app > app.new",
    ),
    (
        "either branch",
        {"app": "def a(): pass\ndef b(): pass\nif x:\n    f = a\nelse:\n    f = b\nf()"},
        "app > app.a, app > app.b",
    ),
    (
        "a swap by tuples",
        {"app": "def a(): pass\ndef b(): pass\nx, y = a, b\nx, y = y, x\nx()"},
        "app > app.b",
    ),
    (
        "a name of an outer function, bound after the inner one",
        {
            "app": """
            def step(): pass
            def outer():
                def inner(): todo()
                todo = step
                inner()
            """
        },
        "app.outer > app.outer.inner, app.outer.inner > app.step",
    ),
    (
        "global and nonlocal names",
        {
            "app": """
            def a(): pass
            def b(): pass
            hook = None
            def install():
                global hook
                hook = a
            def run():
                hook()
            def outer():
                inside = None
                def change():
                    nonlocal inside
                    inside = b
                inside()
            """
        },
        "app.run > app.a, app.outer > app.b",
    ),
    (
        "a walrus and a conditional expression",
        {"app": "def a(): pass\ndef b(): pass\nif (f := a if x else b):\n    f()"},
        "app > app.a, app > app.b",
    ),
]
IMPORTS: list[Case] = [
    (
        "a module, a name and an alias",
        {
            "app": """
            import lib.tools
            import lib.tools as t
            from lib import tools
            from lib.tools import cut as snip
            lib.tools.cut()
            t.glue()
            tools.fold()
            snip()
            """,
            "lib/__init__": "",
            "lib/tools": "def cut(): pass\ndef glue(): pass\ndef fold(): pass",
        },
        "app > lib.tools.cut, app > lib.tools.glue, app > lib.tools.fold",
    ),
    (
        "relative ones and what a package hands on",
        {
            "lib/__init__": "from .inner.deep import work as work\nfrom . import side",
            "lib/inner/__init__": "",
            "lib/inner/deep": "from ..side import help\nfrom .. import side\n"
            "def work():\n    help()\n    side.other()",
            "lib/side": "def help(): pass\ndef other(): pass",
            "app": "import lib\nlib.work()\nlib.side.other()",
        },
        "app > lib.inner.deep.work, app > lib.side.other, lib.inner.deep.work > lib.side.help, "
        "lib.inner.deep.work > lib.side.other",
    ),
    (
        "everything of a module, as far as __all__ or an underscore lets it",
        {
            "app": "from one import *\nfrom two import *\na()\n_b()\nc()\nd()",
            "one": "def a(): pass\ndef _b(): pass",
            "two": "__all__ = ['c']\ndef c(): pass\ndef d(): pass",
        },
        "app > one.a, app > two.c",
    ),
    (
        "modules that import one another",
        {
            "a": "import b\ndef f(): b.g()\nfrom b import h",
            "b": "import a\ndef g(): a.f()\nfrom a import h",
        },
        "a.f > b.g, b.g > a.f",
    ),
    (
        "in a function, and one that is not always there",
        {
            "app": """
            try:
                from fast import go
            except ImportError:
                from slow import go
            def run():
                import slow as s
                s.go()
                go()
            """,
            "fast": "def go(): pass",
            "slow": "def go(): pass",
        },
        "app.run > slow.go, app.run > fast.go",
    ),
    (
        "what is outside of the program",
        {
            "app": "import json, os.path as p\nfrom ext import Client as C\njson.loads('')\np.join()\nC().send()"
        },
        "app > json.loads, app > os.path.join, app > ext.Client, app > ext.Client.send",
    ),
]
CLASSES: list[Case] = [
    (
        "the order of bases of a diamond",
        {
            "app": """
            class Top:
                def run(self): self.step()
                def step(self): pass
            class Left(Top):
                pass
            class Right(Top):
                def step(self): super().step()
            class Bottom(Left, Right):
                def step(self): super().step()
            Bottom().run()
            """
        },
        "app > app.Top.run, app.Top.run > app.Top.step, app.Top.run > app.Bottom.step, "
        "app.Bottom.step > app.Right.step, app.Bottom.step > builtins.super, "
        "app.Right.step > app.Top.step, app.Right.step > builtins.super",
    ),
    (
        "class methods, static ones and alternative constructors",
        {
            "app": """
            class Point:
                def __init__(self, x): self.x = x
                @classmethod
                def origin(cls): return cls(0)
                @staticmethod
                def check(x): pass
                def show(self): self.check(self.x)
            Point.origin().show()
            """
        },
        "app > app.Point.origin, app > app.Point.show, app.Point.origin > app.Point.__init__, "
        "app.Point.show > app.Point.check",
    ),
    (
        "a property, and the method of what it gives",
        {
            "app": """
            class Engine:
                def start(self): pass
            class Car:
                @property
                def engine(self): return Engine()
            Car().engine.start()
            """
        },
        "app > app.Car.engine, app > app.Engine.start",
    ),
    (
        "attributes that others set",
        {
            "app": """
            def log(): pass
            class Shop:
                def __init__(self, store): self.store = store
                def sell(self): self.store.save(); self.hook()
            class Store:
                def save(self): pass
            shop = Shop(Store())
            shop.hook = log
            shop.sell()
            """
        },
        "app > app.Shop.__init__, app > app.Shop.sell, app.Shop.sell > app.Store.save, "
        "app.Shop.sell > app.log",
    ),
    (
        "operators, calls of instances, items, with and len",
        {
            "app": """
            class Box:
                def __add__(self, other): return self
                def __call__(self): pass
                def __getitem__(self, key): return self
                def __enter__(self): return self
                def __exit__(self, *args): pass
                def __len__(self): return 0
            def add(): return Box() + Box()
            def call(): Box()()
            def item(): return Box()[1]()
            def opened():
                with Box() as box: box()
            def size(): len(Box())
            """
        },
        "app.add > app.Box.__add__, app.call > app.Box.__call__, app.item > app.Box.__getitem__, "
        "app.item > app.Box.__call__, app.opened > app.Box.__enter__, app.opened > app.Box.__exit__, "
        "app.opened > app.Box.__call__, app.size > builtins.len, app.size > app.Box.__len__",
    ),
    (
        "bases of generics, aliases and inner classes",
        {
            "base": "from typing import Generic\nclass Model(Generic[T]):\n    def save(self): pass\nclass Out:\n"
            "    class In:\n        def go(self): pass",
            "app": "import base as b\nBase = b.Model\nclass User(Base[int], b.Out.In): pass\n"
            "def f(user: User):\n    user.save()\n    user.go()",
        },
        "app.f > base.Model.save, app.f > base.Out.In.go",
    ),
    (
        "a class that is raised",
        {"app": "class Bad(Exception):\n    def __init__(self): pass\nraise Bad"},
        "app > app.Bad.__init__",
    ),
    (
        "annotations of parameters, results and attributes",
        {
            "app": """
            from __future__ import annotations
            class Job:
                owner: User | None
                def run(self): pass
            class User:
                jobs: list[Job]
                def name(self): pass
            def find(key) -> "Job": ...
            def main(user: Optional[User]):
                for job in user.jobs: job.run()
                find(1).owner.name()
            """
        },
        "app.main > app.Job.run, app.main > app.find, app.main > app.User.name",
    ),
]

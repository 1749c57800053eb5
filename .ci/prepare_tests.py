"""Do once what each process of a parallel test session would do by itself before its first test.

    python .ci/prepare_tests.py

Every process collects all tests: it rewrites the assertions of every test module (half of a collection's processor
time) and, for Hypothesis, parses all sources for their constants (another quarter). Both keep what they made in
caches, which are empty in a new clone; processes that start together find them empty together. What is in the caches
already is left alone. Where PYTHONDONTWRITEBYTECODE is set pytest reads the first one and never writes it.

The functions are pytest's and Hypothesis's own, not public ones: a release that has renamed them ends this with an
error, and no test is run with less than before.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import ModuleType

from _pytest.assertion import rewrite
from hypothesis.internal.constants_ast import constants_from_module

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("shared", "workers", "orchestrator", "benchmarks")
PROCESSES = 2
TOGETHER = 16


class Session:
    """What pytest's cache asks of a session."""

    def trace(self, message: str) -> None:
        """A cache that cannot be written costs time and nothing else."""
        print(f"{message}: tests begin later")


def prepare(path: str) -> None:
    """Fill both caches for a source."""
    source = Path(path)
    if source.is_relative_to(ROOT / "tests"):
        rewritten(source)
    module = ModuleType(source.stem)
    module.__file__ = path
    constants_from_module(module)


def rewritten(source: Path) -> None:
    """Keep a test module with its assertions rewritten, where pytest looks for it."""
    cache = rewrite.get_cache_dir(source)
    kept = cache / (source.name[: -len(".py")] + rewrite.PYC_TAIL)
    if rewrite._read_pyc(source, kept) is None:
        cache.mkdir(parents=True, exist_ok=True)
        stat, code = rewrite._rewrite_test(source, None)
        rewrite._write_pyc(Session(), code, stat, kept)


def main() -> None:
    """Prepare all sources, several at once."""
    folders = [ROOT / name for name in (*PACKAGES, "tests")]
    sources = [str(path) for folder in folders for path in sorted(folder.rglob("*.py"))]
    with ProcessPoolExecutor(PROCESSES) as processes:
        list(processes.map(prepare, sources, chunksize=TOGETHER))


if __name__ == "__main__":
    main()

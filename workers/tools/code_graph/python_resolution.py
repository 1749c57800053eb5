"""Who calls whom in a Python program: files are solved in rounds, each with what all contributed in the rounds before.

A file whose own facts and whose inputs are those of an earlier resolution has the same outcome, and is kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from shared.models.code_graph import Edge, EdgeKind, FileFacts
from workers.tools.code_graph.languages import PYTHON
from workers.tools.code_graph.python_module import ModuleSolver
from workers.tools.code_graph.python_program import OUTSIDE, PythonProgram, changed_names
from workers.tools.code_graph.python_solver import Target

MOST_ROUNDS, OPEN_KEYS_ROUND = 12, 4
SUBCLASSED = "__init_subclass__"
Contribution = dict[str, tuple[str, ...]]
"""Values by the slots that they were given to."""


@dataclass
class _Outcome:
    """What became of a file: contributions by round, what it asked for, and its edges."""

    rounds: list[Contribution] = field(default_factory=list)
    asked: frozenset[str] = frozenset()
    edges: tuple[Target, ...] = ()

    def until(self, number: int) -> dict[str, set[str]]:
        """All that it contributed up to a round."""
        whole: dict[str, set[str]] = defaultdict(set)
        for contribution in self.rounds[: number + 1]:
            for key, values in contribution.items():
                whole[key].update(values)
        return whole


@dataclass
class PythonResolution:
    """The last resolution of a program, for the next one."""

    files: dict[str, FileFacts] = field(default_factory=dict)
    outcomes: dict[str, _Outcome] = field(default_factory=dict)
    program: PythonProgram = field(default_factory=lambda: PythonProgram(()))

    def resolve(self, files: Sequence[FileFacts]) -> None:
        """Resolve a program. Files that are the same objects as before are taken to be unchanged."""
        present: dict[str, FileFacts] = {}
        for facts in files:
            if facts.language == PYTHON and facts.program is not None:
                present.setdefault(facts.module, facts)
        program = PythonProgram(present.values())
        run = _Run(program, self.files, present, self.outcomes)
        self.outcomes = run.outcomes()
        self.files = present
        self.program = program

    def edges(self) -> Iterator[Edge]:
        """What calls, makes and inherits."""
        for module, facts in sorted(self.files.items()):
            yield from self._inherited(facts)
            for source, target, line, kind in self.outcomes[module].edges:
                yield Edge(source, target, EdgeKind(kind), facts.path, line)

    def _inherited(self, facts: FileFacts) -> Iterator[Edge]:
        lines = {f"{facts.module}.{symbol.name}": symbol.line for symbol in facts.symbols}
        for name in facts.program["classes"]:
            for base in self.program.bases(name, set()):
                target = base.removeprefix(OUTSIDE)
                yield Edge(name, target, EdgeKind.INHERITS, facts.path, lines.get(name, 1))
            yield from self._made_known(name, facts, lines.get(name, 1))

    def _made_known(self, name: str, facts: FileFacts, line: int) -> Iterator[Edge]:
        """A class that is defined is made known to those that it inherits from."""
        above = self.program.order(name, set())[1:]
        for owner in above:
            if self.program.has_member(owner, SUBCLASSED):
                scope = name.rpartition(".")[0]
                yield Edge(scope, f"{owner}.{SUBCLASSED}", EdgeKind.CALLS, facts.path, line)
                return


class _Run:
    """One resolution. A file is live when it is solved, not taken from the last one."""

    def __init__(
        self,
        program: PythonProgram,
        before: Mapping[str, FileFacts],
        after: Mapping[str, FileFacts],
        known: Mapping[str, _Outcome],
    ) -> None:
        self.program = program
        self.known = known
        self.given: dict[str, dict[str, None]] = {}
        self.live: dict[str, ModuleSolver] = {}
        self.history: dict[str, list[Contribution]] = {}
        self.dirty: set[str] = set()
        self.fresh: set[str] = set()
        self._compare(before, after)
        self.kept = {module for module in after if module not in self.fresh}
        self._solve(sorted(after))

    def _compare(self, before: Mapping[str, FileFacts], after: Mapping[str, FileFacts]) -> None:
        for module in before.keys() | after.keys():
            old, new = before.get(module), after.get(module)
            if old is not new:
                self.dirty.update(changed_names(old, new))
                self.fresh.add(module)
                if new is None and module in self.known:
                    # What a file contributed that is gone is missing everywhere.
                    self.dirty.update(self.known[module].until(MOST_ROUNDS))

    def _solve(self, modules: Sequence[str]) -> None:
        new: dict[str, list[str]] = {}
        for number in range(MOST_ROUNDS):
            outputs = {m: self._advance(m, number, new) for m in modules}
            if number and not any(outputs.values()) and self._at_rest(number):
                break
            new = self._collect(outputs)

    def _at_rest(self, number: int) -> bool:
        """No file of the last resolution has more to say in a later round."""
        later = (self.known[m].rounds[number + 1 :] for m in self.kept)
        return number >= OPEN_KEYS_ROUND and not any(any(rounds) for rounds in later)

    def _advance(self, module: str, number: int, new: Mapping[str, Sequence[str]]) -> Contribution:
        """What a file contributes in a round."""
        solver = self.live.get(module)
        if solver is None and module in self.kept:
            if self.dirty.isdisjoint(self.known[module].asked):
                rounds = self.known[module].rounds
                return rounds[number] if number < len(rounds) else {}
            self.kept.discard(module)
            self.history[module] = self.known[module].rounds[:number]
        if solver is None:
            solver = self.live[module] = ModuleSolver(self.program, module, self.given)
        else:
            for key in sorted(solver.asked & new.keys()):  # full sets keep what comes first
                solver.receive(key, new[key])
            solver.run()
        if number >= OPEN_KEYS_ROUND:
            solver.read_open_keys()
        contribution = {key: tuple(values) for key, values in solver.contributed.items()}
        solver.contributed = {}
        return self._note(module, number, contribution)

    def _note(self, module: str, number: int, contribution: Contribution) -> Contribution:
        history = self.history.setdefault(module, [])
        history += [{}] * (number - len(history))
        history.append(contribution)
        if not self.kept:
            return contribution
        known = self.known.get(module)
        now = _Outcome(history).until(number)
        before = known.until(number) if known is not None else {}
        self.dirty.update(k for k in now.keys() | before.keys() if now.get(k) != before.get(k))
        return contribution

    def _collect(self, outputs: Mapping[str, Contribution]) -> dict[str, list[str]]:
        """Join what all contributed; what is new of it, by slot."""
        new: dict[str, list[str]] = defaultdict(list)
        for contribution in outputs.values():
            for key, values in contribution.items():
                given = self.given.setdefault(key, {})
                for value in values:
                    if value not in given:
                        given[value] = None
                        new[key].append(value)
        return new

    def outcomes(self) -> dict[str, _Outcome]:
        """What became of each file."""
        made = {
            module: _Outcome(
                self.history[module], frozenset(solver.asked), tuple(sorted(solver.edges))
            )
            for module, solver in self.live.items()
        }
        return made | {module: self.known[module] for module in self.kept}
